import { secretVersionMachine } from "../../machines/secret-version.machine.ts";
import { describeChart } from "./chart-table.ts";

// src/services/secrets/kv2/README.md, "Versions".
describeChart(secretVersionMachine, [
  { rule: "is patched", state: "available", judgement: {}, move: { type: "patch" }, next: "available" },
  { rule: "is deleted", state: "available", judgement: {}, move: { type: "delete" }, next: "deleted" },
  {
    rule: "is not deleted later after all",
    state: "available",
    judgement: {},
    move: { type: "undelete" },
    next: "available",
  },
  { rule: "is destroyed", state: "available", judgement: {}, move: { type: "destroy" }, next: "destroyed" },
  { rule: "is not patched once deleted", state: "deleted", judgement: {}, move: { type: "patch" }, next: undefined },
  { rule: "is not deleted twice", state: "deleted", judgement: {}, move: { type: "delete" }, next: undefined },
  { rule: "is undeleted", state: "deleted", judgement: {}, move: { type: "undelete" }, next: "available" },
  { rule: "is destroyed while deleted", state: "deleted", judgement: {}, move: { type: "destroy" }, next: "destroyed" },
  {
    rule: "never comes back once destroyed",
    state: "destroyed",
    judgement: {},
    move: { type: "undelete" },
    next: undefined,
  },
]);
