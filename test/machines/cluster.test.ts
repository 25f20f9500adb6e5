import { clusterMachine } from "../../machines/cluster.machine.ts";
import { describeChart } from "./chart-table.ts";

const OTHER = { isActive: false, isLast: false };
const ACTIVE = { isActive: true, isLast: false };
const LAST = { isActive: true, isLast: true };

// control-surface.md, `sim.network.stop`, `start`, `stopNode` and `startNode`; decisions-replication.md, 1.
describeChart(clusterMachine, [
  { rule: "a cluster is stopped", state: "running", judgement: OTHER, move: { type: "stop" }, next: "stopped" },
  { rule: "one that runs is started", state: "running", judgement: OTHER, move: { type: "start" }, next: "running" },
  { rule: "one that stands is stopped", state: "stopped", judgement: OTHER, move: { type: "stop" }, next: "stopped" },
  { rule: "a cluster is started again", state: "stopped", judgement: OTHER, move: { type: "start" }, next: "running" },
  {
    rule: "a standby node is stopped",
    state: "running",
    judgement: OTHER,
    move: { type: "stopNode" },
    next: "running",
  },
  {
    rule: "the active node is stopped",
    state: "running",
    judgement: ACTIVE,
    move: { type: "stopNode" },
    next: "electing",
  },
  {
    rule: "the last node of a cluster is stopped",
    state: "running",
    judgement: LAST,
    move: { type: "stopNode" },
    next: "stopped",
  },
  {
    rule: "a node of a cluster that runs is started",
    state: "running",
    judgement: OTHER,
    move: { type: "startNode" },
    next: "running",
  },
  { rule: "the role moves at once", state: "running", judgement: OTHER, move: { type: "elect" }, next: "running" },
  {
    rule: "a cluster without an active node is stopped",
    state: "electing",
    judgement: OTHER,
    move: { type: "stop" },
    next: "stopped",
  },
  {
    rule: "one without an active node is started",
    state: "electing",
    judgement: OTHER,
    move: { type: "start" },
    next: "electing",
  },
  {
    rule: "one less can be elected",
    state: "electing",
    judgement: OTHER,
    move: { type: "stopNode" },
    next: "electing",
  },
  {
    rule: "the last one that can be elected is stopped",
    state: "electing",
    judgement: LAST,
    move: { type: "stopNode" },
    next: "stopped",
  },
  {
    rule: "one more can be elected",
    state: "electing",
    judgement: OTHER,
    move: { type: "startNode" },
    next: "electing",
  },
  { rule: "a node is elected", state: "electing", judgement: OTHER, move: { type: "elect" }, next: "running" },
  {
    rule: "a node of one that stands is stopped",
    state: "stopped",
    judgement: OTHER,
    move: { type: "stopNode" },
    next: "stopped",
  },
  {
    rule: "a node of one that stands is started",
    state: "stopped",
    judgement: OTHER,
    move: { type: "startNode" },
    next: "running",
  },
  {
    rule: "the role moves in one that stands",
    state: "stopped",
    judgement: OTHER,
    move: { type: "elect" },
    next: "stopped",
  },
]);
