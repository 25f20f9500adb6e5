import fc from "fast-check";
import { expect } from "vitest";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import {
  Advance,
  CheckIn,
  CheckOut,
  DeleteSet,
  Directory,
  FailNext,
  Fork,
  Renew,
  Revoke,
  WriteSet,
} from "./lending-commands.ts";
import { ACCOUNTS, BORROWERS, LendingModel, LendingReal, SETS } from "./lending-model.ts";

const set = fc.constantFrom(...SETS);
const account = fc.constantFrom(...ACCOUNTS);
const borrower = fc.constantFrom(...BORROWERS);
const seconds = fc.constantFrom(1, 19, 20, 21, 59, 60, 300, 599, 600, 601, 900, 1500, 4000);

const commands = fc.commands(
  [
    fc.tuple(set, fc.uniqueArray(account)).map(([name, names]) => new WriteSet(name, names)),
    set.map((name) => new DeleteSet(name)),
    fc.tuple(set, borrower, seconds).map(([name, who, ttl]) => new CheckOut(name, who, ttl)),
    fc.tuple(set, borrower, seconds).map(([name, who, ttl]) => new CheckOut(name, who, ttl)),
    fc
      .tuple(set, fc.constantFrom(...BORROWERS, "operator" as const), fc.option(account, { nil: undefined }))
      .map(([name, who, named]) => new CheckIn(name, who, named)),
    fc.tuple(account, fc.constantFrom(0, 1, 300, 900, 5000)).map(([name, increment]) => new Renew(name, increment)),
    account.map((name) => new Revoke(name)),
    seconds.map((by) => new Advance(by)),
    fc.boolean().map((up) => new Directory(up)),
    account.map((name) => new FailNext(name)),
    fc.constant(new Fork()),
  ],
  { maxCommands: 60, size: "max" },
);

property([commands, fc.integer()], runs(300))(
  "sets, loans, the clock, forks and an unreliable directory are as a small notebook has them",
  async (story, seed) => {
    const real = new LendingReal(seed);
    await fc.asyncModelRun(() => ({ model: new LendingModel(), real }), story);
    expect(real.sim.log.commits().length).toBe(real.sim.position);
  },
);
