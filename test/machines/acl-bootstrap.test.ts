import { aclBootstrapMachine } from "../../machines/acl-bootstrap.machine.ts";
import { type ChartRow, describeChart } from "./chart-table.ts";

type Row = ChartRow<ReturnType<typeof aclBootstrapMachine>>;

const row = (rule: string, state: Row["state"], resetIndexIsCurrent: boolean, next: Row["next"]): Row => ({
  rule,
  state,
  judgement: { resetIndexIsCurrent },
  move: { type: "bootstrap" },
  next,
});

// decisions-scheduler-acl.md, section 3.
describeChart(aclBootstrapMachine, [
  row("the first bootstrap needs nothing", "not_bootstrapped", false, "bootstrapped"),
  row("a reset index that lies there before the first one is ignored", "not_bootstrapped", true, "bootstrapped"),
  row("a second one is refused", "bootstrapped", false, undefined),
  row("after a reset it is done again", "bootstrapped", true, "bootstrapped"),
]);
