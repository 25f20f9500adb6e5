import { keyRingMachine } from "../../machines/key-ring.machine.ts";
import { type ChartRow, describeChart } from "./chart-table.ts";

type Row = ChartRow<ReturnType<typeof keyRingMachine>>;

const row = (rule: string, state: Row["state"], type: Row["move"]["type"], next: Row["next"]): Row => ({
  rule,
  state,
  judgement: {},
  move: { type },
  next,
});

// decisions-oidc.md, 4.
describeChart(keyRingMachine, [
  row("the first client arms a ring", "waiting", "arm", "armed"),
  row("a ring that waits does not rotate", "waiting", "rotate", undefined),
  row("a rotation by hand restarts the period of one that waits", "waiting", "restart", "waiting"),
  row("another algorithm is only stored while it waits", "waiting", "replace", undefined),
  row("a ring is armed once", "armed", "arm", undefined),
  row("an armed ring rotates", "armed", "rotate", "armed"),
  row("a rotation by hand rotates an armed one", "armed", "restart", undefined),
  row("another algorithm replaces the keys of an armed one", "armed", "replace", "armed"),
]);
