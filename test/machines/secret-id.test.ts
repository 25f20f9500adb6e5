import { secretIdMachine } from "../../machines/secret-id.machine.ts";
import { type ChartRow, describeChart } from "./chart-table.ts";

type Row = ChartRow<ReturnType<typeof secretIdMachine>>;

const row = (
  rule: string,
  state: Row["state"],
  type: Row["move"]["type"],
  [inForce, lastUse]: readonly [inForce: boolean, lastUse: boolean],
  next: Row["next"],
): Row => ({ rule, state, judgement: { inForce, lastUse }, move: { type }, next });

// src/services/secrets/auth/approle/README.md, 2.9 and 3.2.
describeChart(secretIdMachine, [
  row("a secret id is used", "issued", "use", [true, false], "issued"),
  row("its last use ends it", "issued", "use", [true, true], "ended"),
  row("one whose time is over is not used", "issued", "use", [false, false], undefined),
  row("nor is its last use", "issued", "use", [false, true], undefined),
  row("a secret id is destroyed", "issued", "destroy", [true, false], "ended"),
  row("one whose time is over is not destroyed", "issued", "destroy", [false, false], undefined),
  row("its time ends it", "issued", "expire", [false, false], "ended"),
  row("one that has ended is not used", "ended", "use", [true, false], undefined),
  row("one that has ended is not destroyed", "ended", "destroy", [true, false], undefined),
  row("one that has ended does not expire", "ended", "expire", [false, false], undefined),
]);
