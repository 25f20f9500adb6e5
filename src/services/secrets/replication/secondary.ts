import { arrivedAt } from "../../../kernel/machine.ts";
import type { Plain } from "../../../kernel/plain.ts";
import type { SecretsDecision } from "../declare.ts";
import { refuse } from "../rejections.ts";
import { clusterOf } from "../world.ts";
import { attachByAddress, attachByToken, type WantedPrimary } from "./attach.ts";
import type { Attachment } from "./folds.ts";
import { secondaryState } from "./links.ts";
import { move } from "./primary.ts";
import { roleOf } from "./roles.ts";
import type { ReplicationKind } from "./state.ts";

// What a secondary does, and how one comes to be (decisions-replication.md, 4.2, 4.4 and 4.5).

/** Joins the set that a token leads to: all that the cluster held is gone. */
export function enableSecondary(decision: SecretsDecision, kind: ReplicationKind, wanted: WantedPrimary): void {
  const mode = arrivedAt(move(decision, kind, "enableSecondary"), "secondary");
  const { cluster } = decision.caller;
  if (wanted.token === "") refuse("activation_token_missing", {});
  if (kind === "dr" && roleOf(clusterOf(decision.state, cluster), "performance").mode !== "disabled") {
    refuse("performance_in_the_way", {});
  }
  const attachment = attachByToken(decision, kind, wanted);
  decision.record({ type: "ReplicationSecondaryEnabled", data: { cluster, kind, mode, ...attachment } });
}

/** Leads its set from now on, with what it holds. Whether somebody else does is the operator's to know. */
export function promoteSecondary(
  decision: SecretsDecision,
  kind: ReplicationKind,
  { primaryClusterAddr, forced }: { readonly primaryClusterAddr: string; readonly forced: boolean },
): void {
  const { cluster } = decision.caller;
  const link = clusterOf(decision.state, cluster).ignored.links[kind];
  const state = secondaryState(link, decision.nowMs);
  const bootstrapped = link?.bootstrapping === undefined;
  const next =
    move(decision, kind, "promote", { state, bootstrapped, forced }) ?? refuse("promotion_unsafe", { state });
  const mode = arrivedAt(next, "primary");
  decision.record({ type: "SecondaryPromoted", data: { cluster, kind, mode, primaryClusterAddr } });
}

/** What an update says: absent is not empty. */
export interface PrimaryUpdate {
  readonly token: string | undefined;
  readonly primaryApiAddr: string;
  readonly prepared?: Plain | undefined;
  readonly addresses: readonly string[] | undefined;
}

/** Gives a secondary another primary, or none: nothing that it holds is lost by that. */
export function updatePrimary(decision: SecretsDecision, kind: ReplicationKind, update: PrimaryUpdate): void {
  move(decision, kind, "updatePrimary");
  const { cluster } = decision.caller;
  const attachment = wantedAttachment(decision, kind, update);
  // A token may lead anywhere in the set, so what is there is compared first.
  const stale = update.token !== undefined && update.token !== "";
  decision.record({ type: "PrimaryUpdated", data: { cluster, kind, attachment, stale } });
}

/** Where an update leads; null for nowhere. */
function wantedAttachment(
  decision: SecretsDecision,
  kind: ReplicationKind,
  { token, primaryApiAddr, prepared, addresses = [] }: PrimaryUpdate,
): Attachment | null {
  const { cluster } = decision.caller;
  const role = roleOf(clusterOf(decision.state, cluster), kind);
  if (role.mode !== "secondary") throw new TypeError(`${cluster} is ${role.mode}, and was let through as a secondary`);
  if (addresses.length > 0) {
    if (token !== undefined && token !== "") refuse("update_methods_exclusive", {});
    if (kind === "dr" && role.credential === null) refuse("update_needs_token", {});
    return attachByAddress(decision, kind, addresses);
  }
  if (token === undefined) return refuse("update_method_missing", {});
  return token === "" ? null : attachByToken(decision, kind, { token, primaryApiAddr, prepared }, role.clusterId);
}
