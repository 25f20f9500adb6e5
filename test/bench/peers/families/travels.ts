import { configureStore } from "@reduxjs/toolkit";
import { logPosition } from "../../../../src/kernel/brand.ts";
import { differences } from "../../../../src/kernel/diff.ts";
import { travels as section } from "../../comparison/contests.ts";
import { contestOf, type Entries, type Entry, rowsOf } from "../../comparison/entries.ts";
import { Dice, microsecondsEach, seconds } from "../../harness/measure.ts";
import { type Effort, type Family, type Prepared, shared } from "../../harness/row.ts";
import { engineOf, type Lending as KernelLending, lendingTimeline, START_MS } from "../engines/kernel.ts";
import { type Account, accountNames, type Engine } from "../engines/lending.ts";
import { type Lending as ReduxLending, reduxEngine, replayed } from "../engines/redux.ts";

/** A history that can be moved in. A state is whatever its engine has for one. */
interface Travel<S> {
  readonly engine: Engine;
  readonly length: () => number;
  readonly seek: (position: number) => S;
  /** The accounts that differ between two positions, the earlier one first. */
  readonly diff: (from: number, to: number) => readonly string[];
  readonly account: (state: S, name: string) => Account | undefined;
  /** Another future of the present. */
  readonly fork: () => unknown;
  readonly forkSharing: () => unknown;
}

// --- the contestants ------------------------------------------------------------------------------------------------

function kernelTravel(names: readonly string[]): Travel<KernelLending> {
  const timeline = lendingTimeline(names);
  const at = (position: number): KernelLending =>
    timeline.branch({ position: logPosition(position), atMs: START_MS }).state;
  const fork = (): unknown => timeline.branch({ position: timeline.position, atMs: timeline.nowMs });
  return {
    engine: engineOf(timeline),
    length: () => timeline.position,
    seek: at,
    diff: (from, to) => [
      ...new Set(differences(at(from), at(to)).map(({ path }) => /"(.+?)"/.exec(path)?.[1] ?? path)),
    ],
    account: ({ accounts }, name) => accounts.get(name),
    fork,
    forkSharing: fork,
  };
}

function reduxTravel(names: readonly string[]): Travel<ReduxLending> {
  const engine = reduxEngine(names);
  const { history, state } = engine;
  return {
    engine,
    length: () => history.actions.length,
    seek: (position) => replayed(history, position),
    diff: (from, to) => {
      const before = replayed(history, from);
      // It goes on from there: nobody would start twice.
      const after = replayed(history, to, { position: from, state: before });
      return names.filter((name) => !isSame(before.accounts[name], after.accounts[name]));
    },
    account: ({ accounts }, name) => accounts[name],
    fork: () => ({ state: structuredClone(state()), actions: history.actions }),
    forkSharing: () => configureStore({ reducer: (kept = state()) => kept, devTools: false }),
  };
}

const isSame = (left: Account | undefined, right: Account | undefined): boolean =>
  left === right || (left?.status === right?.status && left?.borrower === right?.borrower);

// --- the contests ---------------------------------------------------------------------------------------------------

type TravelMaker = (names: readonly string[]) => Travel<unknown>;

const makers: Readonly<Record<string, TravelMaker>> = {
  "hindcast's kernel": kernelTravel as TravelMaker,
  "redux toolkit": reduxTravel as TravelMaker,
};

interface Built {
  readonly travel: Travel<unknown>;
  readonly answers: string;
}

/** One history for each contestant: its process builds it once. */
const built = new Map<string, (effort: Effort) => Promise<Built>>();

/** Moving in what has been. */
export const travels: readonly Family[] = [
  {
    name: "travel",
    rows: [
      ...rowsOf(section, contestOf(section, "seek"), entriesOf(seeking)),
      ...rowsOf(section, contestOf(section, "diff"), entriesOf(diffing)),
      ...rowsOf(section, contestOf(section, "fork"), entriesOf(forking)),
      ...rowsOf(section, contestOf(section, "fork-sharing"), entriesOf(forkingSharing)),
    ],
  },
  { name: "fork of many", rows: rowsOf(section, contestOf(section, "fork@100000"), entriesOf(forkingMany)) },
];

type EntryOf = (contestant: string, travelOf: (effort: Effort) => Promise<Built>, make: TravelMaker) => Entry;

function entriesOf(entryOf: EntryOf): Entries {
  return Object.fromEntries(
    Object.entries(makers).map(([name, make]) => {
      const travelOf = built.get(name) ?? shared((effort: Effort) => buildOf(make, effort));
      built.set(name, travelOf);
      return [name, entryOf(name, travelOf, make)];
    }),
  );
}

async function buildOf(make: TravelMaker, effort: Effort): Promise<Built> {
  const names = accountNames(100);
  const travel = make(names);
  await wander(travel.engine, names, effort.size(1_000_000));
  return { travel, answers: answersOf(travel, names) };
}

/** An account picked at random changes hands: half of all are lent, in the long run. */
async function wander({ send }: Engine, names: readonly string[], commits: number): Promise<void> {
  const dice = new Dice(1);
  const lent = new Map<string, string>();
  for (let commit = 0; commit < commits; commit++) {
    const account = dice.pick(names);
    const holder = lent.get(account);
    const borrower = holder ?? `borrower-${commit % 1_000}`;
    await send({ type: holder === undefined ? "CheckOut" : "CheckIn", data: { account, borrower } });
    if (holder === undefined) lent.set(account, borrower);
    else lent.delete(account);
  }
}

/** Who holds what at some positions, and what differs between them. */
function answersOf(travel: Travel<unknown>, names: readonly string[]): string {
  const end = travel.length();
  const positions = [0, 1, Math.min(end, 1_000), end >> 4, end - 1, end];
  const held = positions.map((position) => {
    const state = travel.seek(position);
    return names.map((name) => travel.account(state, name)?.borrower ?? "-").join(" ");
  });
  const differing = [...travel.diff(end >> 5, end >> 4)].sort((left, right) => (left < right ? -1 : 1)).join(" ");
  return [`${end} commits`, ...held, differing].join("\n");
}

function onHistory(
  round: (travel: Travel<unknown>, effort: Effort, contestant: string) => () => number,
  declared: Partial<Entry> = {},
): EntryOf {
  return (contestant, travelOf) => ({
    process: `travel of ${contestant}`,
    collects: false,
    rounds: 5,
    warmUps: 0,
    ...declared,
    prepare: async (effort): Promise<Prepared> => {
      const { travel, answers } = await travelOf(effort);
      return { round: round(travel, effort, contestant), answers };
    },
  });
}

/** So many that a round takes a while: replays from the start take seconds each. */
const timesOf = (effort: Effort, contestant: string): number =>
  contestant === "redux toolkit" ? 1 : effort.count(1_000);

function seeking(...given: Parameters<EntryOf>): Entry {
  return onHistory((travel, effort, contestant) => {
    const dice = new Dice(5);
    const times = timesOf(effort, contestant);
    return () => {
      const positions = Array.from({ length: times }, () => dice.below(travel.length() + 1));
      return (seconds(() => positions.forEach(travel.seek)) * 1_000) / times;
    };
  })(...given);
}

function diffing(...given: Parameters<EntryOf>): Entry {
  return onHistory((travel, effort, contestant) => {
    const dice = new Dice(6);
    const times = timesOf(effort, contestant);
    return () => {
      const pairs = Array.from({ length: times }, () => {
        const [one, other] = [dice.below(travel.length() + 1), dice.below(travel.length() + 1)];
        return [Math.min(one, other), Math.max(one, other)] as const;
      });
      const work = (): void => {
        for (const [from, to] of pairs) travel.diff(from, to);
      };
      return (seconds(work) * 1_000) / times;
    };
  })(...given);
}

function forking(...given: Parameters<EntryOf>): Entry {
  return onHistory((travel, effort) => {
    const count = effort.count(20_000);
    return () => microsecondsEach(count, () => repeat(count, travel.fork));
  })(...given);
}

function forkingSharing(...given: Parameters<EntryOf>): Entry {
  return onHistory((travel, effort) => {
    const count = effort.count(20_000);
    return () => microsecondsEach(count, () => repeat(count, travel.forkSharing));
  })(...given);
}

function forkingMany(contestant: string, _: unknown, make: TravelMaker): Entry {
  return {
    process: `many of ${contestant}`,
    prepare: async (effort): Promise<Prepared> => {
      const names = accountNames(effort.size(100_000));
      const travel = make(names);
      await wander(travel.engine, names, 20);
      const count = effort.count(contestant === "redux toolkit" ? 5 : 20_000);
      return {
        round: () => microsecondsEach(count, () => repeat(count, travel.fork)),
        answers: answersOf(travel, names.slice(0, 1_000)),
      };
    },
  };
}

function repeat(count: number, work: () => unknown): void {
  for (let done = 0; done < count; done++) work();
}
