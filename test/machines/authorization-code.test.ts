import { authorizationCodeMachine } from "../../machines/authorization-code.machine.ts";
import { type ChartRow, describeChart } from "./chart-table.ts";

type Row = ChartRow<ReturnType<typeof authorizationCodeMachine>>;

const row = (
  rule: string,
  state: Row["state"],
  judgement: { readonly inForce: boolean; readonly ownNamespace: boolean },
  next: Row["next"],
): Row => ({ rule, state, judgement, move: { type: "spend" }, next });

// decisions-oidc.md, 10 to 13.
describeChart(authorizationCodeMachine, [
  row("a code is spent", "issued", { inForce: true, ownNamespace: true }, "spent"),
  row("an expired one is not", "issued", { inForce: false, ownNamespace: true }, undefined),
  row("one of another namespace is not", "issued", { inForce: true, ownNamespace: false }, undefined),
  row("a spent one is not spent again", "spent", { inForce: true, ownNamespace: true }, undefined),
]);
