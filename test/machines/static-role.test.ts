import { staticRoleMachine } from "../../machines/static-role.machine.ts";
import { describeChart } from "./chart-table.ts";

const never = { rotatedBefore: false };
const before = { rotatedBefore: true };

// decisions-directory.md, 5 and 6.
describeChart(staticRoleMachine, [
  {
    rule: "its password is rotated when it is written",
    state: "absent",
    judgement: never,
    move: { type: "import" },
    next: "rotated",
  },
  { rule: "or is left as it is", state: "absent", judgement: never, move: { type: "skipImport" }, next: "unrotated" },
  {
    rule: "what is not there cannot be rotated",
    state: "absent",
    judgement: never,
    move: { type: "rotated" },
    next: undefined,
  },
  { rule: "nor deleted", state: "absent", judgement: never, move: { type: "delete" }, next: undefined },
  {
    rule: "it rotates for the first time",
    state: "unrotated",
    judgement: never,
    move: { type: "rotated" },
    next: "rotated",
  },
  { rule: "or fails to", state: "unrotated", judgement: never, move: { type: "rotationFailed" }, next: "retrying" },
  {
    rule: "a change leaves it unrotated",
    state: "unrotated",
    judgement: never,
    move: { type: "change" },
    next: "unrotated",
  },
  { rule: "unrotated, it is deleted", state: "unrotated", judgement: never, move: { type: "delete" }, next: "deleted" },
  { rule: "it rotates again", state: "rotated", judgement: before, move: { type: "rotated" }, next: "rotated" },
  { rule: "a rotation fails", state: "rotated", judgement: before, move: { type: "rotationFailed" }, next: "retrying" },
  {
    rule: "a change leaves it rotated",
    state: "rotated",
    judgement: before,
    move: { type: "change" },
    next: "rotated",
  },
  { rule: "rotated, it is deleted", state: "rotated", judgement: before, move: { type: "delete" }, next: "deleted" },
  { rule: "it is written once only", state: "rotated", judgement: before, move: { type: "import" }, next: undefined },
  { rule: "a retry succeeds", state: "retrying", judgement: before, move: { type: "rotated" }, next: "rotated" },
  {
    rule: "a retry fails, and is tried again for ever",
    state: "retrying",
    judgement: before,
    move: { type: "rotationFailed" },
    next: "retrying",
  },
  { rule: "a change drops a retry", state: "retrying", judgement: before, move: { type: "change" }, next: "rotated" },
  {
    rule: "a change drops a first retry",
    state: "retrying",
    judgement: never,
    move: { type: "change" },
    next: "unrotated",
  },
  {
    rule: "while it retries, it is deleted",
    state: "retrying",
    judgement: never,
    move: { type: "delete" },
    next: "deleted",
  },
]);
