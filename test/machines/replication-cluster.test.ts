import { replicationClusterMachine } from "../../machines/replication-cluster.machine.ts";
import { describeChart } from "./chart-table.ts";

const whole = { state: "stream-wals", bootstrapped: true, forced: false } as const;
const broken = { ...whole, bootstrapped: false };
const forced = { ...broken, forced: true };

type Mode = "disabled" | "primary" | "secondary";
type Move = Parameters<typeof rows>[0];

/** Where a move leads from each mode; a dash is nowhere (decisions-replication.md, 4). */
function rows(
  type:
    | "enablePrimary"
    | "demote"
    | "disablePrimary"
    | "issueToken"
    | "revokeSecondary"
    | "filter"
    | "generatePublicKey"
    | "enableSecondary"
    | "promote"
    | "disableSecondary"
    | "updatePrimary",
  ...next: readonly [disabled: Mode | "-", primary: Mode | "-", secondary: Mode | "-"]
) {
  return (["disabled", "primary", "secondary"] as const).map((state, place) => ({
    rule: `${type} on a cluster that is ${state}`,
    state,
    judgement: whole,
    move: { type },
    next: next[place] === "-" ? undefined : (next[place] as Mode),
  }));
}

const TABLE: readonly (readonly [Move, Mode | "-", Mode | "-", Mode | "-"])[] = [
  ["enablePrimary", "primary", "-", "-"],
  ["demote", "-", "secondary", "-"],
  ["disablePrimary", "-", "disabled", "-"],
  ["issueToken", "-", "primary", "-"],
  ["revokeSecondary", "-", "primary", "-"],
  ["filter", "-", "primary", "-"],
  ["generatePublicKey", "disabled", "-", "secondary"],
  ["enableSecondary", "secondary", "-", "-"],
  ["promote", "-", "-", "primary"],
  ["disableSecondary", "-", "-", "disabled"],
  ["updatePrimary", "-", "-", "secondary"],
];

describeChart(replicationClusterMachine, [
  ...TABLE.flatMap((row) => rows(...row)),
  {
    rule: "a secondary that is not whole is not promoted",
    state: "secondary",
    judgement: broken,
    move: { type: "promote" },
    next: undefined,
  },
  {
    rule: "a secondary whose trees are compared is not promoted",
    state: "secondary",
    judgement: { ...whole, state: "merkle-diff" },
    move: { type: "promote" },
    next: undefined,
  },
  {
    rule: "a secondary that fetches keys is not promoted",
    state: "secondary",
    judgement: { ...whole, state: "merkle-sync" },
    move: { type: "promote" },
    next: undefined,
  },
  {
    rule: "a secondary that is not connected is promoted",
    state: "secondary",
    judgement: { ...whole, state: "idle" },
    move: { type: "promote" },
    next: "primary",
  },
  {
    rule: "a secondary that is not whole is promoted by force",
    state: "secondary",
    judgement: forced,
    move: { type: "promote" },
    next: "primary",
  },
]);
