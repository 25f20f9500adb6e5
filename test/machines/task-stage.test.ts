import { taskStageMachine } from "../../machines/task-stage.machine.ts";
import { type ChartRow, describeChart } from "./chart-table.ts";

type Row = ChartRow<ReturnType<typeof taskStageMachine>>;

const row = (
  rule: string,
  state: Row["state"],
  type: Row["move"]["type"],
  next: Row["next"],
  failuresAreOverridable = false,
): Row => ({ rule, state, judgement: { failuresAreOverridable }, move: { type }, next });

// decisions-policy-checks.md, 6.1.
describeChart(taskStageMachine, [
  row("a pending stage starts when its run comes to it", "pending", "start", "running"),
  row("a pending stage is not reached when its run ends before", "pending", "abandon", "unreachable"),
  row("it passes with its evaluation", "running", "evaluationPassed", "passed"),
  row(
    "it awaits an override when every failing set allows one",
    "running",
    "evaluationFailed",
    "awaiting_override",
    true,
  ),
  row("it fails when a failing set allows none", "running", "evaluationFailed", "failed"),
  row("it is errored with its evaluation", "running", "evaluationErrored", "errored"),
  row("it passes after an override", "running", "evaluationOverridden", "passed"),
  row("a running stage is canceled with its run", "running", "cancel", "canceled"),
  row("a stage that awaits it is overridden, and runs once more", "awaiting_override", "override", "running"),
  row("a stage that awaits an override is canceled with its run", "awaiting_override", "cancel", "canceled"),
]);
