import type { AnyStateMachine } from "xstate";
import { aclBootstrapMachine } from "../../machines/acl-bootstrap.machine.ts";
import { activationTokenMachine } from "../../machines/activation-token.machine.ts";
import { authorizationCodeMachine } from "../../machines/authorization-code.machine.ts";
import { clusterMachine } from "../../machines/cluster.machine.ts";
import { keyRingMachine } from "../../machines/key-ring.machine.ts";
import { leaseMachine } from "../../machines/lease.machine.ts";
import { libraryAccountMachine } from "../../machines/library-account.machine.ts";
import { libraryLoanMachine } from "../../machines/library-loan.machine.ts";
import { policyCheckMachine } from "../../machines/policy-check.machine.ts";
import { policyEvaluationMachine } from "../../machines/policy-evaluation.machine.ts";
import { regionLeadershipMachine } from "../../machines/region-leadership.machine.ts";
import { regionLinkMachine } from "../../machines/region-link.machine.ts";
import { rekeyMachine } from "../../machines/rekey.machine.ts";
import { replicationClusterMachine } from "../../machines/replication-cluster.machine.ts";
import { rollbackNoteMachine } from "../../machines/rollback-note.machine.ts";
import { runMachine } from "../../machines/run.machine.ts";
import { sealMachine } from "../../machines/seal.machine.ts";
import { secondaryLinkMachine } from "../../machines/secondary-link.machine.ts";
import { secretIdMachine } from "../../machines/secret-id.machine.ts";
import { secretVersionMachine } from "../../machines/secret-version.machine.ts";
import { snapshotScheduleMachine } from "../../machines/snapshot-schedule.machine.ts";
import { staticRoleMachine } from "../../machines/static-role.machine.ts";
import { taskStageMachine } from "../../machines/task-stage.machine.ts";
import { tokenMachine } from "../../machines/token.machine.ts";
import { tokenGenerationMachine } from "../../machines/token-generation.machine.ts";
import { wrappingTokenMachine } from "../../machines/wrapping-token.machine.ts";
import { nameOf } from "../kernel/machine.ts";

/** A chart as it is drawn. */
export interface Chart {
  readonly id: string;
  /** What it is the chart of. */
  readonly description: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
  /** In the order in which the chart tries them. */
  readonly moves: readonly ChartMove[];
}

export interface ChartState {
  readonly name: string;
  /** No move leads out of it. */
  readonly isFinal: boolean;
  /** It is there because clients know it; nothing that the simulator does leads there. */
  readonly isNeverEntered: boolean;
  readonly description: string;
}

export interface ChartMove {
  readonly from: string;
  readonly to: string;
  readonly event: string;
  /** The question that has to be answered with yes. */
  readonly guard?: string;
  /** What else the move does. */
  readonly actions: readonly string[];
  readonly description: string;
}

const CHARTS: readonly (() => AnyStateMachine)[] = [
  aclBootstrapMachine,
  activationTokenMachine,
  authorizationCodeMachine,
  clusterMachine,
  keyRingMachine,
  leaseMachine,
  libraryAccountMachine,
  libraryLoanMachine,
  policyCheckMachine,
  policyEvaluationMachine,
  regionLeadershipMachine,
  regionLinkMachine,
  rekeyMachine,
  replicationClusterMachine,
  rollbackNoteMachine,
  runMachine,
  sealMachine,
  secondaryLinkMachine,
  secretIdMachine,
  secretVersionMachine,
  snapshotScheduleMachine,
  staticRoleMachine,
  taskStageMachine,
  tokenGenerationMachine,
  tokenMachine,
  wrappingTokenMachine,
];

/** Every chart, by its id. */
export function allCharts(): Chart[] {
  return CHARTS.map((make) => chartOf(make())).sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** What the definition of a machine says. */
export function chartOf({ id, root }: AnyStateMachine): Chart {
  const nodes = Object.values(root.states);
  return {
    id,
    description: root.description ?? "",
    initial: root.initial.target[0]?.key ?? "",
    states: nodes.map(({ key, type, tags, description = "" }) => ({
      name: key,
      isFinal: type === "final",
      isNeverEntered: tags.includes("never entered"),
      description,
    })),
    moves: nodes.flatMap((node) =>
      [...node.transitions].flatMap(([event, candidates]) =>
        candidates.map(({ target, guard, actions, description = "" }) => ({
          from: node.key,
          to: target?.[0]?.key ?? node.key,
          event,
          ...(guard === undefined ? {} : { guard: nameOf(guard) }),
          actions: actions.map(nameOf),
          description,
        })),
      ),
    ),
  };
}

/** A move as it stands at its arrow. */
export function moveText({ event, guard, actions }: ChartMove): string {
  const done = actions.length === 0 ? "" : ` / ${actions.join(", ")}`;
  return `${event}${guard === undefined ? "" : ` [${guard}]`}${done}`;
}

/** A move as it stands among those of its state. */
export function listedText(move: ChartMove): string {
  return `${moveText(move)} → ${move.to}`;
}
