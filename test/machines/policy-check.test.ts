import { policyCheckMachine } from "../../machines/policy-check.machine.ts";
import { describeChart } from "./chart-table.ts";

const clean = { hardFailed: 0, softFailed: 0, runAwaitsOverride: false };
const awaited = { ...clean, softFailed: 1, runAwaitsOverride: true };

// decisions-policy-checks.md, 4.1.
describeChart(policyCheckMachine, [
  {
    rule: "a pending check is queued when its run comes to it",
    state: "pending",
    judgement: clean,
    move: { type: "queue" },
    next: "queued",
  },
  {
    rule: "a pending check is not reached when its run ends before",
    state: "pending",
    judgement: clean,
    move: { type: "abandon" },
    next: "unreachable",
  },
  {
    rule: "a check without failures passes, and so does one with advisory failures only",
    state: "queued",
    judgement: clean,
    move: { type: "end" },
    next: "passed",
  },
  {
    rule: "a soft-mandatory failure makes it soft_failed",
    state: "queued",
    judgement: { ...clean, softFailed: 2 },
    move: { type: "end" },
    next: "soft_failed",
  },
  {
    rule: "a hard-mandatory failure makes it hard_failed, whatever else failed",
    state: "queued",
    judgement: { ...clean, softFailed: 2, hardFailed: 1 },
    move: { type: "end" },
    next: "hard_failed",
  },
  {
    rule: "a broken engine leaves it errored",
    state: "queued",
    judgement: clean,
    move: { type: "break" },
    next: "errored",
  },
  {
    rule: "a queued check is canceled with its run",
    state: "queued",
    judgement: clean,
    move: { type: "cancel" },
    next: "canceled",
  },
  {
    rule: "a soft failure that its run waits for is overridden",
    state: "soft_failed",
    judgement: awaited,
    move: { type: "override" },
    next: "overridden",
  },
  {
    rule: "a soft failure that its run does not wait for is not overridden",
    state: "soft_failed",
    judgement: { ...awaited, runAwaitsOverride: false },
    move: { type: "override" },
    next: undefined,
  },
]);
