import { leaseMachine } from "../../machines/lease.machine.ts";
import { describeChart } from "./chart-table.ts";

/** A renewable lease that has not expired, after so many failed attempts. */
const failed = (failedAttempts: number) => ({ renewable: true, unexpired: true, failedAttempts });

// decisions-secrets-core.md, A.9; decisions-directory.md, 9.
describeChart(leaseMachine, [
  { rule: "a live lease is renewed", state: "live", judgement: failed(0), move: { type: "renew" }, next: "live" },
  {
    rule: "a lease that is not renewable is not renewed",
    state: "live",
    judgement: { ...failed(0), renewable: false },
    move: { type: "renew" },
    next: undefined,
  },
  {
    rule: "a lease that has expired is not renewed",
    state: "live",
    judgement: { ...failed(0), unexpired: false },
    move: { type: "renew" },
    next: undefined,
  },
  {
    rule: "a live lease ends",
    state: "live",
    judgement: { ...failed(0), unexpired: false },
    move: { type: "end" },
    next: "ended",
  },
  {
    rule: "a live lease whose revocation fails is tried again",
    state: "live",
    judgement: failed(1),
    move: { type: "revocationFailed" },
    next: "retrying",
  },
  {
    rule: "a live lease is dropped by force",
    state: "live",
    judgement: failed(0),
    move: { type: "drop" },
    next: "ended",
  },
  {
    rule: "a lease that is tried again can be renewed meanwhile",
    state: "retrying",
    judgement: failed(1),
    move: { type: "renew" },
    next: "retrying",
  },
  {
    rule: "one that is tried again is not renewed after its end",
    state: "retrying",
    judgement: { ...failed(1), unexpired: false },
    move: { type: "renew" },
    next: undefined,
  },
  {
    rule: "a lease that is tried again ends when an attempt succeeds",
    state: "retrying",
    judgement: failed(1),
    move: { type: "end" },
    next: "ended",
  },
  {
    rule: "the second failed attempt is followed by another",
    state: "retrying",
    judgement: failed(2),
    move: { type: "revocationFailed" },
    next: "retrying",
  },
  {
    rule: "the fifth failed attempt is followed by another",
    state: "retrying",
    judgement: failed(5),
    move: { type: "revocationFailed" },
    next: "retrying",
  },
  {
    rule: "the sixth failed attempt is the last one",
    state: "retrying",
    judgement: failed(6),
    move: { type: "revocationFailed" },
    next: "irrevocable",
  },
  {
    rule: "a lease that is tried again is dropped by force",
    state: "retrying",
    judgement: failed(3),
    move: { type: "drop" },
    next: "ended",
  },
  {
    rule: "an irrevocable lease is not renewed",
    state: "irrevocable",
    judgement: failed(6),
    move: { type: "renew" },
    next: undefined,
  },
  {
    rule: "an irrevocable lease ends when somebody revokes it by hand",
    state: "irrevocable",
    judgement: failed(6),
    move: { type: "end" },
    next: "ended",
  },
  {
    rule: "an irrevocable lease stays so when somebody revokes it in vain",
    state: "irrevocable",
    judgement: failed(7),
    move: { type: "revocationFailed" },
    next: "irrevocable",
  },
  {
    rule: "an irrevocable lease is dropped by force",
    state: "irrevocable",
    judgement: failed(6),
    move: { type: "drop" },
    next: "ended",
  },
]);
