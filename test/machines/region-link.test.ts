import { regionLinkMachine } from "../../machines/region-link.machine.ts";
import { describeChart } from "./chart-table.ts";

const cut = { reachable: false, caughtUp: false };
const healed = { reachable: true, caughtUp: false };
const caughtUp = { reachable: true, caughtUp: true };
const look = { type: "look" } as const;

// decisions-scheduler-acl.md, 6 "Replication".
describeChart(regionLinkMachine, [
  { rule: "a partition counts as failure", state: "connected", judgement: cut, move: look, next: "failed" },
  { rule: "without one the rounds go on", state: "connected", judgement: healed, move: look, next: "connected" },
  { rule: "the retries fail while the partition lasts", state: "failed", judgement: cut, move: look, next: "failed" },
  {
    rule: "healing alone brings nothing: the next retry does",
    state: "failed",
    judgement: healed,
    move: look,
    next: "resuming",
  },
  {
    rule: "a partition before that retry counts as failure",
    state: "resuming",
    judgement: cut,
    move: look,
    next: "failed",
  },
  { rule: "the retry is not due", state: "resuming", judgement: healed, move: look, next: "resuming" },
  {
    rule: "the first retry after healing brings everything over",
    state: "resuming",
    judgement: caughtUp,
    move: look,
    next: "connected",
  },
]);
