import { clusterMachine } from "../../machines/cluster.machine.ts";
import { describeChart } from "./chart-table.ts";

// control-surface.md, `sim.network.stop` and `start`; decisions-replication.md, 1.
describeChart(clusterMachine, [
  { rule: "a cluster is stopped", state: "running", judgement: {}, move: { type: "stop" }, next: "stopped" },
  { rule: "one that runs is started", state: "running", judgement: {}, move: { type: "start" }, next: "running" },
  { rule: "one that stands is stopped", state: "stopped", judgement: {}, move: { type: "stop" }, next: "stopped" },
  { rule: "a cluster is started again", state: "stopped", judgement: {}, move: { type: "start" }, next: "running" },
]);
