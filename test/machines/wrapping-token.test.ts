import { wrappingTokenMachine } from "../../machines/wrapping-token.machine.ts";
import { describeChart } from "./chart-table.ts";

// decisions-secrets-core.md, A.6.
describeChart(wrappingTokenMachine, [
  { rule: "an answer is unwrapped", state: "waiting", judgement: {}, move: { type: "unwrap" }, next: "ended" },
  { rule: "an answer is wrapped anew", state: "waiting", judgement: {}, move: { type: "rewrap" }, next: "ended" },
  { rule: "a second use is refused", state: "ended", judgement: {}, move: { type: "unwrap" }, next: undefined },
  { rule: "the old token is invalid", state: "ended", judgement: {}, move: { type: "rewrap" }, next: undefined },
]);
