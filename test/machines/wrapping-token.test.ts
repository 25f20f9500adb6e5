import { wrappingTokenMachine } from "../../machines/wrapping-token.machine.ts";
import { describeChart } from "./chart-table.ts";

const inForce = { inForce: true };
const expired = { inForce: false };

// decisions-secrets-core.md, A.6.
describeChart(wrappingTokenMachine, [
  { rule: "an answer is unwrapped", state: "waiting", judgement: inForce, move: { type: "unwrap" }, next: "ended" },
  { rule: "an answer is wrapped anew", state: "waiting", judgement: inForce, move: { type: "rewrap" }, next: "ended" },
  {
    rule: "an expired token unwraps nothing",
    state: "waiting",
    judgement: expired,
    move: { type: "unwrap" },
    next: undefined,
  },
  {
    rule: "an expired token wraps nothing anew",
    state: "waiting",
    judgement: expired,
    move: { type: "rewrap" },
    next: undefined,
  },
  { rule: "a second use is refused", state: "ended", judgement: inForce, move: { type: "unwrap" }, next: undefined },
  { rule: "the old token is invalid", state: "ended", judgement: inForce, move: { type: "rewrap" }, next: undefined },
]);
