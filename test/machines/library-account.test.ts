import { libraryAccountMachine } from "../../machines/library-account.machine.ts";
import { describeChart } from "./chart-table.ts";

const mayReturn = { callerMayReturn: true };
const mayNot = { callerMayReturn: false };

// secrets.md, "Library set account"; decisions-directory.md, 7.
describeChart(libraryAccountMachine, [
  {
    rule: "an available account is checked out",
    state: "available",
    judgement: mayNot,
    move: { type: "checkOut" },
    next: "checked_out",
  },
  {
    rule: "an available account is taken back by a lease that ran on, and stays available",
    state: "available",
    judgement: mayReturn,
    move: { type: "takeBack" },
    next: "available",
  },
  {
    rule: "an available account is forgotten with its set",
    state: "available",
    judgement: mayNot,
    move: { type: "forget" },
    next: "forgotten",
  },
  {
    rule: "an available account is skipped at a check-in, no authorization needed",
    state: "available",
    judgement: mayNot,
    move: { type: "checkIn" },
    next: "available",
  },
  {
    rule: "an account that is checked out comes back when its caller may return it",
    state: "checked_out",
    judgement: mayReturn,
    move: { type: "checkIn" },
    next: "available",
  },
  {
    rule: "an account that is checked out is not taken from somebody else",
    state: "checked_out",
    judgement: mayNot,
    move: { type: "checkIn" },
    next: undefined,
  },
  {
    rule: "the end of its lease takes an account back, whoever has it",
    state: "checked_out",
    judgement: mayNot,
    move: { type: "takeBack" },
    next: "available",
  },
  {
    rule: "an account that is checked out is not lent again",
    state: "checked_out",
    judgement: mayReturn,
    move: { type: "checkOut" },
    next: undefined,
  },
  {
    rule: "an account that is checked out is not forgotten",
    state: "checked_out",
    judgement: mayReturn,
    move: { type: "forget" },
    next: undefined,
  },
]);
