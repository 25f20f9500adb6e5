import { libraryLoanMachine } from "../../machines/library-loan.machine.ts";
import { describeChart } from "./chart-table.ts";

/** The lease is of the cluster that writes the set. */
const here = { isWritten: true };
/** It is one of a performance secondary, which writes no shared set. */
const elsewhere = { isWritten: false };

// decisions-directory.md, 7 "Leases of check-outs"; what differs on a performance secondary: decisions-replication.md, 3 and 4.6.
describeChart(libraryLoanMachine, [
  { rule: "a borrower renews", state: "lent", judgement: here, move: { type: "renew" }, next: "lent" },
  {
    rule: "the end of a lease checks its account in",
    state: "lent",
    judgement: here,
    move: { type: "end" },
    next: "returned",
  },
  {
    rule: "with the quirk a renewal succeeds when someone else has checked the account out again",
    state: "lent_again",
    judgement: here,
    move: { type: "renew" },
    next: "lent_again",
  },
  {
    rule: "with the quirk the account is made available even if somebody else has it",
    state: "lent_again",
    judgement: here,
    move: { type: "end" },
    next: "returned",
  },
  {
    rule: "a lease elsewhere takes nothing from the borrower of another cluster",
    state: "lent_again",
    judgement: elsewhere,
    move: { type: "end" },
    next: "lent_again",
  },
  {
    rule: "the lease of an account that was checked in is not renewed",
    state: "returned",
    judgement: here,
    move: { type: "renew" },
    next: undefined,
  },
  {
    rule: "with the quirk an account that was checked in is rotated once more",
    state: "returned",
    judgement: here,
    move: { type: "end" },
    next: "returned",
  },
  {
    rule: "a lease elsewhere leaves an account alone that was checked in",
    state: "returned",
    judgement: elsewhere,
    move: { type: "end" },
    next: "returned",
  },
  {
    rule: "the lease of an account that left its set is not renewed",
    state: "gone",
    judgement: here,
    move: { type: "renew" },
    next: undefined,
  },
  {
    rule: "expiry after the account was removed rotates the password once more, nothing else visible",
    state: "gone",
    judgement: here,
    move: { type: "end" },
    next: "gone",
  },
  {
    rule: "a lease elsewhere leaves an account alone that left its set",
    state: "gone",
    judgement: elsewhere,
    move: { type: "end" },
    next: "gone",
  },
]);
