import { SIZES, type Size, engines as section } from "../../comparison/contests.ts";
import { contestOf, type Entries, type Entry, rowsOf } from "../../comparison/entries.ts";
import { Dice, heapBytes } from "../../harness/measure.ts";
import type { Family, Prepared } from "../../harness/row.ts";
import { accountNames, type Engine, type LendingCommand, type MakeEngine } from "../engines/lending.ts";
import { rateWithin } from "../rate.ts";

/** A process imports what it measures and nothing else. */
const makers: Readonly<Record<string, () => Promise<MakeEngine>>> = {
  "hindcast's kernel": async () => (await import("../engines/kernel.ts")).kernelEngine,
  emmett: async () => (await import("../engines/emmett.ts")).emmettEngine,
  "redux toolkit": async () => (await import("../engines/redux.ts")).reduxEngine,
  "xstate actors": async () => (await import("../engines/xstate.ts")).xstateEngine,
};

/** What keeps state, with one decider. */
export const engines: readonly Family[] = SIZES.flatMap((size) => [
  { name: `engines@${size}`, rows: rowsOf(section, contestOf(section, `commits@${size}`), entriesOf(commits, size)) },
  {
    name: `engines' memory@${size}`,
    rows: rowsOf(section, contestOf(section, `bytes-per-commit@${size}`), entriesOf(bytesPerCommit, size)),
  },
]);

type EntryOf = (maker: () => Promise<MakeEngine>, size: Size, contestant: string) => Entry;

function entriesOf(entryOf: EntryOf, size: Size): Entries {
  return Object.fromEntries(
    Object.entries(makers).map(([name, maker]) => [
      name,
      isOutOfReach(entryOf, name, size) ? "out of reach" : entryOf(maker, size, name),
    ]),
  );
}

/**
 * Each append of emmett's store counts the events of all streams: to make a million of them takes days. A commit of redux takes seconds
 * there, and the few that can be made weigh less than what the heap trembles by.
 */
function isOutOfReach(entryOf: EntryOf, contestant: string, size: Size): boolean {
  return (
    size === 1_000_000 && (contestant === "emmett" || (contestant === "redux toolkit" && entryOf === bytesPerCommit))
  );
}

function commits(maker: () => Promise<MakeEngine>, size: Size, contestant: string): Entry {
  const isHuge = size === 1_000_000;
  return {
    // One commit of redux takes seconds there.
    ...(isHuge && contestant === "redux toolkit" ? { rounds: 1, warmUps: 0 } : { rounds: isHuge ? 3 : 5 }),
    collects: !isHuge,
    prepare: async (effort): Promise<Prepared> => {
      const make = await maker();
      const names = accountNames(effort.size(size));
      const first = await make(names);
      const answers = await answersOf(first, names);
      const measured = (engine: Engine): (() => Promise<number>) => rateWithin(effort, turnsOf(engine, names));
      // A young engine for each round, where making one takes no longer than the round: streams of events grow long.
      const round = isHuge ? measured(first) : async () => measured(await make(names))();
      // A turn is two commits.
      return { round: async () => 2 * (await round()), answers };
    },
  };
}

/** Commits to weigh. An object of immer's that is copied for each takes as long as all else together. */
const toWeigh = (contestant: string, size: Size): number =>
  contestant === "redux toolkit" ? Math.max(4, Math.min(50_000, 10_000_000 / size)) : 50_000;

function bytesPerCommit(maker: () => Promise<MakeEngine>, size: Size, contestant: string): Entry {
  return {
    rounds: 1,
    warmUps: 0,
    prepare: async (effort): Promise<Prepared> => {
      const make = await maker();
      const names = accountNames(effort.size(size));
      const engine = await make(names);
      const answers = await answersOf(engine, names);
      const turn = turnsOf(engine, names);
      const wanted = toWeigh(contestant, size);
      return {
        round: async () => {
          const before = heapBytes();
          for (let commit = 0; commit < wanted; commit += 2) await turn();
          const bytes = (heapBytes() - before) / wanted;
          // Whoever asks afterwards keeps it alive until here.
          await engine.account("svc-0");
          return { value: bytes, detail: `${wanted} commits` };
        },
        answers,
      };
    },
  };
}

// --- the work -------------------------------------------------------------------------------------------------------

/** An account picked at random is lent and taken back. */
function turnsOf({ send }: Engine, names: readonly string[]): () => unknown {
  const dice = new Dice(1);
  let turn = 0;
  return () => {
    const account = dice.pick(names);
    const borrower = `borrower-${turn++ % 1_000}`;
    const lent = send({ type: "CheckOut", data: { account, borrower } });
    const takeBack = (): unknown => send({ type: "CheckIn", data: { account, borrower } });
    return lent instanceof Promise ? lent.then(takeBack) : takeBack();
  };
}

/** What an engine says to commands that are legal and such that are not, and of the accounts after them. All are given back. */
async function answersOf(engine: Engine, names: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const command of script(names)) {
    const answer = await engine.send(command);
    const { status, borrower } = (await engine.account(command.data.account)) ?? {};
    lines.push([command.type, command.data.account, answer, status, borrower].join(" "));
  }
  return lines.join("\n");
}

/** Few, because some take seconds each. */
function script(names: readonly string[]): LendingCommand[] {
  const dice = new Dice(3);
  return Array.from({ length: names.length > 100_000 ? 1 : 5 }, () => dice.pick(names)).flatMap(
    (account, index): LendingCommand[] => {
      const [ann, bob] = [
        { account, borrower: `ann-${index}` },
        { account, borrower: "bob" },
      ];
      return [
        { type: "CheckIn", data: ann },
        { type: "CheckOut", data: ann },
        { type: "CheckOut", data: bob },
        { type: "CheckIn", data: bob },
        { type: "CheckIn", data: ann },
        { type: "CheckOut", data: { account: `nobody-${index}`, borrower: "ann" } },
      ];
    },
  );
}
