import { sealMachine } from "../../machines/seal.machine.ts";
import { describeChart } from "./chart-table.ts";

const few = { complete: false, fits: false };
const enough = { complete: true, fits: true };
const wrong = { complete: true, fits: false };

// decisions-secrets-core.md, D.4.
describeChart(sealMachine, [
  { rule: "a cluster is sealed", state: "unsealed", judgement: few, move: { type: "seal" }, next: "sealed" },
  { rule: "a sealed one stays so", state: "sealed", judgement: few, move: { type: "seal" }, next: "sealed" },
  {
    rule: "a share for what is open changes nothing",
    state: "unsealed",
    judgement: wrong,
    move: { type: "giveShare" },
    next: "unsealed",
  },
  { rule: "one share is not enough", state: "sealed", judgement: few, move: { type: "giveShare" }, next: "sealed" },
  { rule: "enough shares open", state: "sealed", judgement: enough, move: { type: "giveShare" }, next: "unsealed" },
  {
    rule: "enough shares that make no key lead nowhere",
    state: "sealed",
    judgement: wrong,
    move: { type: "giveShare" },
    next: undefined,
  },
  { rule: "shares are forgotten", state: "sealed", judgement: few, move: { type: "reset" }, next: "sealed" },
  {
    rule: "the test author opens it without shares",
    state: "sealed",
    judgement: few,
    move: { type: "unseal" },
    next: "unsealed",
  },
  { rule: "what is open stays so", state: "unsealed", judgement: few, move: { type: "unseal" }, next: "unsealed" },
]);
