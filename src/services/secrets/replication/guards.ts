import type { ContextFrom, EventFromLogic } from "xstate";
import { replicationClusterMachine } from "../../../../machines/replication-cluster.machine.ts";
import { step } from "../../../kernel/machine.ts";
import type { Plain } from "../../../kernel/plain.ts";
import { isDecision } from "../../kit/door.ts";
import type { SecretsDecision, SecretsReading } from "../declare.ts";
import { refuse } from "../rejections.ts";
import { clusterOf } from "../world.ts";
import { isDrOperationToken } from "./operation-tokens/check.ts";
import { isDrSecondary, roleOf } from "./roles.ts";
import type { ReplicationKind } from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 4.

export type ReplicationMove = EventFromLogic<ReturnType<typeof replicationClusterMachine>>["type"];

/** What the chart is told where nobody is promoted. */
export const UNASKED: ContextFrom<ReturnType<typeof replicationClusterMachine>> = {
  state: "idle",
  bootstrapped: true,
  forced: false,
};

/** Refuses what the mode of a cluster does not have: that is looked at after the caller was let in, and before the body. */
export function guardMode(kind: ReplicationKind, move: ReplicationMove): (reading: SecretsReading) => void {
  return (reading) => {
    const { mode } = roleOf(clusterOf(reading.state, reading.caller.cluster), kind);
    if (step(replicationClusterMachine, mode, UNASKED, { type: move }) !== undefined) return;
    // Noted for whoever explains the refusal.
    if (isDecision<SecretsDecision>(reading)) reading.step(replicationClusterMachine, mode, UNASKED, { type: move });
    switch (move) {
      case "enablePrimary":
      case "enableSecondary":
      case "generatePublicKey":
        return refuse("replication_enabled", { kind, mode });
      case "demote":
      case "disablePrimary":
      case "issueToken":
      case "revokeSecondary":
      case "filter":
        return refuse("not_a_primary", { kind });
      case "promote":
      case "disableSecondary":
      case "updatePrimary":
        return refuse("not_a_secondary", { kind });
      default:
        return move satisfies never;
    }
  };
}

/**
 * As `guardMode`, for what a secondary does. A disaster-recovery secondary asks for its operation token, and for no other; where there is
 * none, the header's token was asked for and the mode is wrong whatever is sent.
 */
export function guardSecondary(kind: ReplicationKind, move: ReplicationMove): Guard {
  const guard = guardMode(kind, move);
  return (reading, input) => {
    guard(reading);
    if (kind === "dr") guardOperationToken(reading, input);
  };
}

export type Guard = (reading: SecretsReading, input: { readonly [name: string]: Plain | undefined }) => void;

/** Refuses who sends no operation token of this cluster (decisions-replication.md, 8.3). */
const guardOperationToken: Guard = ({ state, caller }, { dr_operation_token: given }) => {
  if (given === undefined || given === null || given === "") refuse("dr_operation_token_missing", {});
  const { ignored } = clusterOf(state, caller.cluster);
  if (typeof given !== "string" || !isDrOperationToken(ignored, given)) refuse("dr_operation_token_unknown", {});
};

/** Refuses a cluster that is no disaster-recovery secondary: what only they do (decisions-replication.md, 4). */
export function guardDrSecondary({ state, caller }: SecretsReading): void {
  if (!isDrSecondary(clusterOf(state, caller.cluster))) refuse("not_a_secondary", { kind: "dr" });
}

/** Lets only bearers of an operation token do what only disaster-recovery secondaries do. */
export const guardDrOperation: Guard = (reading, input) => {
  guardDrSecondary(reading);
  guardOperationToken(reading, input);
};
