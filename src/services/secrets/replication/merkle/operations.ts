import { epochMs } from "../../../../kernel/brand.ts";
import { command, type SecretsDecision, view } from "../../declare.ts";
import { flag, text } from "../../fields.ts";
import { refuse } from "../../rejections.ts";
import { enveloped } from "../../reply.ts";
import { clusterOf } from "../../world.ts";
import { guardDrOperation } from "../guards.ts";
import { merkleReport } from "./report.ts";
import { isReindexing } from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 8.4.

const PATH = "/v1/sys/replication/dr/secondary";

const BY_OPERATION_TOKEN = {
  evidence: "chosen",
  enterprise: true,
  onDrSecondary: true,
  guard: guardDrOperation,
} as const;

/** Makes the trees of a disaster-recovery secondary anew: what was wrong with them is right then. */
export const reindex = command({
  route: `POST ${PATH}/reindex`,
  ...BY_OPERATION_TOKEN,
  fields: { dr_operation_token: text, diff: flag, force: flag, skip_flush: flag },
  decide: (decision, { skip_flush = false }) => {
    startReindex(decision, skip_flush);
    return enveloped(null, { warnings: [WARNING] });
  },
});

const WARNING = "Reindexing of the storage was started. It may take a long time, depending on how much is stored.";

/** Compares the trees of a disaster-recovery secondary with its storage. */
export const merkleCheck = view({
  route: `POST ${PATH}/merkle-check`,
  ...BY_OPERATION_TOKEN,
  fields: { dr_operation_token: text },
  view: (reading) => enveloped(merkleReport(reading)),
});

/** Our choice: the flush is a part of the reindex, and takes time of its own only when the reindex does not wait for it. */
function startReindex(decision: SecretsDecision, skipFlush: boolean): void {
  const { cluster } = decision.caller;
  const { ignored } = clusterOf(decision.state, cluster);
  if (isReindexing(ignored, decision.nowMs)) refuse("reindex_running", {});
  const { reindexMs, flushMs } = ignored.replication;
  // What is sound and takes no time leaves nothing.
  if (ignored.merkle === undefined && reindexMs === 0) return;
  const endsAtMs = epochMs(decision.nowMs + reindexMs);
  const flushedAtMs = skipFlush ? epochMs(endsAtMs + flushMs) : endsAtMs;
  decision.record({ type: "ReindexStarted", data: { cluster, endsAtMs, flushedAtMs } });
}
