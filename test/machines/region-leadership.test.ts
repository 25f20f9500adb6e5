import { regionLeadershipMachine } from "../../machines/region-leadership.machine.ts";
import { describeChart } from "./chart-table.ts";

// decisions-scheduler-acl.md, 6 "Leader and consistency modes".
describeChart(regionLeadershipMachine, [
  { rule: "the leader goes", state: "led", judgement: {}, move: { type: "lose" }, next: "leaderless" },
  { rule: "a leader follows a leader", state: "led", judgement: {}, move: { type: "elect" }, next: "led" },
  { rule: "no leader goes", state: "leaderless", judgement: {}, move: { type: "lose" }, next: "leaderless" },
  { rule: "an election ends", state: "leaderless", judgement: {}, move: { type: "elect" }, next: "led" },
]);
