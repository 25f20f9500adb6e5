import { rekeyMachine } from "../../machines/rekey.machine.ts";
import { describeChart } from "./chart-table.ts";

const few = { ofThisAttempt: true, repeated: false, complete: false, fits: false, verified: true };
const enough = { ...few, complete: true, fits: true };
const [start, cancel, restart] = [{ type: "start" }, { type: "cancel" }, { type: "restartVerification" }] as const;
const [old, shown] = [{ type: "giveShare" }, { type: "giveNewShare" }] as const;

// src/services/secrets/cluster/README.md, 3.
describeChart(rekeyMachine, [
  { rule: "an attempt starts", state: "no_rekey", judgement: few, move: start, next: "rekeying" },
  { rule: "nothing is cancelled", state: "no_rekey", judgement: few, move: cancel, next: "no_rekey" },
  { rule: "one is cancelled", state: "rekeying", judgement: few, move: cancel, next: "no_rekey" },
  { rule: "one share is not enough", state: "rekeying", judgement: few, move: old, next: "rekeying" },
  { rule: "enough shares lead to the new ones", state: "rekeying", judgement: enough, move: old, next: "verifying" },
  {
    rule: "without verification they count at once",
    state: "rekeying",
    judgement: { ...enough, verified: false },
    move: old,
    next: "rekeyed",
  },
  {
    rule: "enough shares that make no key lead nowhere",
    state: "rekeying",
    judgement: { ...enough, fits: false },
    move: old,
    next: undefined,
  },
  {
    rule: "a share counts once",
    state: "rekeying",
    judgement: { ...few, repeated: true },
    move: old,
    next: undefined,
  },
  {
    rule: "a share with another nonce is refused",
    state: "rekeying",
    judgement: { ...enough, ofThisAttempt: false },
    move: old,
    next: undefined,
  },
  {
    rule: "a verification is cancelled with its rekey",
    state: "verifying",
    judgement: few,
    move: cancel,
    next: "no_rekey",
  },
  { rule: "a verification begins anew", state: "verifying", judgement: few, move: restart, next: "verifying" },
  { rule: "one new share is not enough", state: "verifying", judgement: few, move: shown, next: "verifying" },
  { rule: "enough new shares end it", state: "verifying", judgement: enough, move: shown, next: "rekeyed" },
  {
    rule: "wrong new shares lead nowhere",
    state: "verifying",
    judgement: { ...enough, fits: false },
    move: shown,
    next: undefined,
  },
]);
