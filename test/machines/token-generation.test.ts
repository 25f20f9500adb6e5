import { tokenGenerationMachine } from "../../machines/token-generation.machine.ts";
import { describeChart } from "./chart-table.ts";

const few = { ofThisAttempt: true, repeated: false, complete: false, fits: false };
const enough = { ofThisAttempt: true, repeated: false, complete: true, fits: true };
const wrong = { ofThisAttempt: true, repeated: false, complete: true, fits: false };
const again = { ofThisAttempt: true, repeated: true, complete: false, fits: false };

// secrets.md, "DR operation token generation"; decisions-replication.md, 8.1 and 8.2.
describeChart(tokenGenerationMachine, [
  { rule: "an attempt starts", state: "no_attempt", judgement: few, move: { type: "start" }, next: "attempt_started" },
  { rule: "nothing is cancelled", state: "no_attempt", judgement: few, move: { type: "cancel" }, next: "no_attempt" },
  { rule: "one is cancelled", state: "attempt_started", judgement: few, move: { type: "cancel" }, next: "no_attempt" },
  {
    rule: "one share is not enough",
    state: "attempt_started",
    judgement: few,
    move: { type: "giveShare" },
    next: "attempt_started",
  },
  {
    rule: "enough shares make a token",
    state: "attempt_started",
    judgement: enough,
    move: { type: "giveShare" },
    next: "complete",
  },
  {
    rule: "enough shares that make no key lead nowhere",
    state: "attempt_started",
    judgement: wrong,
    move: { type: "giveShare" },
    next: undefined,
  },
  {
    rule: "a share counts once",
    state: "attempt_started",
    judgement: again,
    move: { type: "giveShare" },
    next: undefined,
  },
  {
    rule: "a share with another nonce is refused, though it were the last",
    state: "attempt_started",
    judgement: { ...enough, ofThisAttempt: false },
    move: { type: "giveShare" },
    next: undefined,
  },
  {
    rule: "a share with another nonce is refused, though more are asked for",
    state: "attempt_started",
    judgement: { ...few, ofThisAttempt: false },
    move: { type: "giveShare" },
    next: undefined,
  },
]);
