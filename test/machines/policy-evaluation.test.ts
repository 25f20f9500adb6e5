import { policyEvaluationMachine } from "../../machines/policy-evaluation.machine.ts";
import { describeChart } from "./chart-table.ts";

const clean = { errored: 0, mandatoryFailed: 0 };

// decisions-policy-checks.md, 6.2.
describeChart(policyEvaluationMachine, [
  {
    rule: "a pending evaluation is queued when its stage runs",
    state: "pending",
    judgement: clean,
    move: { type: "queue" },
    next: "queued",
  },
  {
    rule: "a pending evaluation is not reached when its run ends before",
    state: "pending",
    judgement: clean,
    move: { type: "abandon" },
    next: "unreachable",
  },
  {
    rule: "a queued evaluation is picked up",
    state: "queued",
    judgement: clean,
    move: { type: "pickUp" },
    next: "running",
  },
  {
    rule: "a queued evaluation is canceled with its run",
    state: "queued",
    judgement: clean,
    move: { type: "cancel" },
    next: "canceled",
  },
  {
    rule: "an evaluation without errors and mandatory failures passes",
    state: "running",
    judgement: clean,
    move: { type: "end" },
    next: "passed",
  },
  {
    rule: "a mandatory failure makes it failed",
    state: "running",
    judgement: { ...clean, mandatoryFailed: 1 },
    move: { type: "end" },
    next: "failed",
  },
  {
    rule: "an error outranks a failure",
    state: "running",
    judgement: { errored: 1, mandatoryFailed: 1 },
    move: { type: "end" },
    next: "errored",
  },
  {
    rule: "a running evaluation is canceled with its run",
    state: "running",
    judgement: clean,
    move: { type: "cancel" },
    next: "canceled",
  },
  {
    rule: "a failed evaluation is overridden with its stage",
    state: "failed",
    judgement: { ...clean, mandatoryFailed: 1 },
    move: { type: "override" },
    next: "overridden",
  },
]);
