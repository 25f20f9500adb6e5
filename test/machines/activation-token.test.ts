import { activationTokenMachine } from "../../machines/activation-token.machine.ts";
import { describeChart } from "./chart-table.ts";

const inForce = { inForce: true };
const over = { inForce: false };

// decisions-replication.md, 4.1 to 4.3.
describeChart(activationTokenMachine, [
  { rule: "an unknown id gets a token", state: "unknown", judgement: over, move: { type: "issue" }, next: "issued" },
  { rule: "an unknown id is revoked", state: "unknown", judgement: over, move: { type: "revoke" }, next: "unknown" },
  {
    rule: "an id whose last token expired unused is free for a new one",
    state: "issued",
    judgement: over,
    move: { type: "issue" },
    next: "issued",
  },
  {
    rule: "an id with an unused token in force exists already",
    state: "issued",
    judgement: inForce,
    move: { type: "issue" },
    next: undefined,
  },
  { rule: "a secondary unwraps it", state: "issued", judgement: inForce, move: { type: "use" }, next: "used" },
  { rule: "at its end it is expired", state: "issued", judgement: over, move: { type: "use" }, next: undefined },
  {
    rule: "an unused token dies with its id",
    state: "issued",
    judgement: inForce,
    move: { type: "revoke" },
    next: "unknown",
  },
  { rule: "it has a single use", state: "used", judgement: inForce, move: { type: "use" }, next: undefined },
  {
    rule: "an id of a known secondary exists already, whenever its token ended",
    state: "used",
    judgement: over,
    move: { type: "issue" },
    next: undefined,
  },
  {
    rule: "the id of a revoked secondary is free again",
    state: "used",
    judgement: over,
    move: { type: "revoke" },
    next: "unknown",
  },
]);
