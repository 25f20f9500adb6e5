import { snapshotScheduleMachine } from "../../machines/snapshot-schedule.machine.ts";
import { describeChart } from "./chart-table.ts";

const well = { undisturbed: true, allowed: true, taken: true };

// decisions-secrets-core.md, B.2 to B.4.
describeChart(snapshotScheduleMachine, [
  {
    rule: "the first attempt begins",
    state: "waiting",
    judgement: well,
    move: { type: "attempt" },
    next: "running",
  },
  {
    rule: "an attempt that is due while one runs is missed",
    state: "running",
    judgement: well,
    move: { type: "attempt" },
    next: "running",
  },
  {
    rule: "an attempt that nothing kept from it ends well",
    state: "running",
    judgement: well,
    move: { type: "end" },
    next: "succeeded",
  },
  {
    rule: "an attempt fails whose cluster was away",
    state: "running",
    judgement: { ...well, undisturbed: false },
    move: { type: "end" },
    next: "failed",
  },
  {
    rule: "an attempt fails that has too little room",
    state: "running",
    judgement: { ...well, allowed: false },
    move: { type: "end" },
    next: "failed",
  },
  {
    rule: "an attempt fails whose object the store does not take",
    state: "running",
    judgement: { ...well, taken: false },
    move: { type: "end" },
    next: "failed",
  },
  {
    rule: "a success is followed by another attempt",
    state: "succeeded",
    judgement: well,
    move: { type: "attempt" },
    next: "running",
  },
  {
    rule: "a failure is followed by another attempt",
    state: "failed",
    judgement: well,
    move: { type: "attempt" },
    next: "running",
  },
]);
