import { tokenMachine } from "../../machines/token.machine.ts";
import { describeChart } from "./chart-table.ts";

const service = { type: "service", renewable: true, limited: false } as const;
const batch = { type: "batch", renewable: false, limited: false } as const;

// decisions-secrets-core.md, A.7.
describeChart(tokenMachine, [
  { rule: "a renewable token is renewed", state: "valid", judgement: service, move: { type: "renew" }, next: "valid" },
  {
    rule: "a token that is not renewable is not renewed",
    state: "valid",
    judgement: { ...service, renewable: false },
    move: { type: "renew" },
    next: undefined,
  },
  {
    rule: "a batch token is not renewed",
    state: "valid",
    judgement: { ...batch, renewable: true },
    move: { type: "renew" },
    next: undefined,
  },
  { rule: "a token makes others", state: "valid", judgement: service, move: { type: "createChild" }, next: "valid" },
  {
    rule: "a batch token makes none",
    state: "valid",
    judgement: batch,
    move: { type: "createChild" },
    next: undefined,
  },
  {
    rule: "a token of so many uses makes none",
    state: "valid",
    judgement: { ...service, limited: true },
    move: { type: "createChild" },
    next: undefined,
  },
  { rule: "a token is revoked", state: "valid", judgement: service, move: { type: "revoke" }, next: "ended" },
  {
    rule: "a batch token is not revoked",
    state: "valid",
    judgement: batch,
    move: { type: "revoke" },
    next: undefined,
  },
  { rule: "every token ends with its parent", state: "valid", judgement: batch, move: { type: "end" }, next: "ended" },
]);
