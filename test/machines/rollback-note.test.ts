import { rollbackNoteMachine } from "../../machines/rollback-note.machine.ts";
import { describeChart } from "./chart-table.ts";

const young = { pastItsAge: false };
const old = { pastItsAge: true };

// decisions-orchestrator.md, 7.
describeChart(rollbackNoteMachine, [
  {
    rule: "what was half made is rolled back",
    state: "pending",
    judgement: young,
    move: { type: "rolledBack" },
    next: "rolled_back",
  },
  {
    rule: "it is rolled back past its age, too, if it can be",
    state: "pending",
    judgement: old,
    move: { type: "rolledBack" },
    next: "rolled_back",
  },
  {
    rule: "a failed deletion keeps the note for the next pass",
    state: "pending",
    judgement: young,
    move: { type: "rollbackFailed" },
    next: "pending",
  },
  {
    rule: "a deletion that fails past its age drops the note",
    state: "pending",
    judgement: old,
    move: { type: "rollbackFailed" },
    next: "dropped",
  },
  {
    rule: "without configuration it is tried again past its age, too",
    state: "pending",
    judgement: old,
    move: { type: "unconfigured" },
    next: "pending",
  },
  {
    rule: "a note goes with its engine",
    state: "pending",
    judgement: young,
    move: { type: "drop" },
    next: "dropped",
  },
]);
