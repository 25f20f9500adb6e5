import type { Coverage } from "./coverage.ts";
import { type Failed, failedWith } from "./failed.ts";
import { type KeptFailure, keepFailure } from "./kept.ts";
import { fileName } from "./kept-files.ts";
import { type ExploreOptions, readSettings } from "./options.ts";
import { Prepared } from "./prepared.ts";
import { playRange } from "./range.ts";
import { Schedule } from "./schedule.ts";
import { type Found, type Players, type Searched, type SearchProgress, search } from "./search.ts";

/** A failure, with the least schedule that leads to it. */
export interface ExploreFailure {
  /** Who says so: the name of a judge or of a rule; `program shop` for what a program throws. */
  readonly judge: string;
  readonly message: string;
  readonly schedule: Schedule;
  /** How many steps that schedule has, and how many of them are faults. */
  readonly steps: number;
  readonly faults: number;
  /** The number of the schedule with which it was found, from 1. */
  readonly found: number;
  readonly files: KeptFailure;
  /** One line that plays it again. */
  readonly repeat: string;
}

/** What came of an exploration. */
export interface ExploreReport {
  /** Whether nothing was found. */
  readonly ok: boolean;
  /** How many schedules were played. */
  readonly schedules: number;
  readonly failures: readonly ExploreFailure[];
  readonly coverage: Coverage;
  /** How much time passed in all of them together. */
  readonly virtualMs: number;
  readonly seed: number | string;
}

/** An exploration for the command line and its workers: what `defineExploration` made. */
export interface Exploration {
  readonly name: string;
  readonly options: ExploreOptions;
}

/**
 * Defines an exploration for the command line: a file exports it by default, and `npx hindcast explore <file>` plays it.
 *
 * @throws TypeError naming the option that is wrong
 */
export function defineExploration(name: string, options: ExploreOptions): Exploration {
  readName("defineExploration", name);
  readSettings("defineExploration", options);
  return Object.freeze({ name, options });
}

/**
 * Plays schedules of faults against programs, each on a fork of a world, and looks for one in which something does not hold. What fails is
 * shrunk, and leaves a scenario, a log and a page that shows the run.
 *
 * It rejects for wrong options and for a world that cannot be made, and never for what it finds.
 *
 * @throws TypeError naming the option that is wrong
 * @example
 * const { failures } = await explore("the shop loses no order", {
 *   world: () => createSimulator({ secrets: { clusters: ["east", "west"] } }),
 *   programs: { shop: (program, random) => new Shop(program).start() },
 *   faults: { lines: true, requests: true },
 *   finally: [({ programs }) => (programs["shop"] as Shop).lost.length === 0],
 * });
 */
export async function explore(name: string, options: ExploreOptions): Promise<ExploreReport> {
  const call = "explore";
  readName(call, name);
  const settings = readSettings(call, options);
  const prepared = await Prepared.of(call, settings);
  try {
    const again = (schedule: Schedule) =>
      `explore(${JSON.stringify(name)}, { ..., only: ${JSON.stringify(`${schedule}`)} })`;
    return await explored(name, prepared, here(prepared), { again });
  } finally {
    prepared.dispose();
  }
}

/** Plays ranges in this thread, one after the other. */
function here(prepared: Prepared): Players {
  return function* (tasks) {
    for (const task of tasks) yield playRange(prepared, task);
  };
}

/** How an exploration is told of, and repeated. */
export interface Telling {
  /** The line that plays a schedule again. */
  readonly again: (schedule: Schedule) => string;
  readonly onProgress?: (progress: SearchProgress) => void;
}

/** Searches with whoever plays, and shrinks here what was found. */
export async function explored(
  name: string,
  prepared: Prepared,
  players: Players,
  { again, onProgress }: Telling,
): Promise<ExploreReport> {
  const { settings } = prepared;
  const { only, seed } = settings;
  const { found, ...searched } = await (only === undefined
    ? search(settings, players, onProgress)
    : playedAlone(prepared, only));
  const failures: ExploreFailure[] = [];
  for (const [index, one] of found.entries()) {
    failures.push(
      await toldOf(one, prepared, { name: index === 0 ? fileName(name) : `${fileName(name)}-${index + 1}`, again }),
    );
  }
  return Object.freeze({ ok: failures.length === 0, ...searched, failures, seed });
}

async function playedAlone(prepared: Prepared, schedule: Schedule): Promise<Searched> {
  const { Counting } = await import("./coverage.ts");
  const counting = new Counting();
  const played = await prepared.play(schedule, { checksLog: true });
  const { failed, reached, virtualMs } = played;
  await prepared.leave(played);
  counting.add(reached);
  counting.note(1);
  const found = failed === undefined ? [] : [{ failed, schedule: `${schedule}`, n: 1 }];
  return { schedules: 1, found, coverage: await counting.coverage(), virtualMs };
}

async function toldOf(
  { failed, schedule: text, n }: Found,
  prepared: Prepared,
  { name, again }: { readonly name: string; readonly again: Telling["again"] },
): Promise<ExploreFailure> {
  const first = await prepared.play(Schedule.parse(text), { checksLog: true });
  const repeats = first.failed?.key === failed.key;
  await prepared.leave(first);
  const schedule = repeats ? await prepared.shrunk(Schedule.parse(text), failed.key) : Schedule.parse(text);
  const last = await prepared.play(schedule, { checksLog: true });
  const told: Failed = repeats && last.failed !== undefined ? last.failed : unrepeated(failed);
  const repeat = again(schedule);
  const { folder } = prepared.settings;
  const files = folder === false ? {} : await keepFailure(folder, name, last, told, repeat);
  await prepared.leave(last);
  const { judge, message } = told;
  const { steps, faults } = schedule;
  return Object.freeze({ judge, message, schedule, steps: steps.length, faults, found: n, files, repeat });
}

/** What does not fail again when it is played again. */
function unrepeated({ judge, message }: Omit<Failed, "error">): Failed {
  return failedWith(
    judge,
    new Error(
      `${message}\nIt did not fail again when it was played again: something comes from outside, such as Math.random, ` +
        "the platform's clock, or what one schedule leaves for the next",
    ),
  );
}

function readName(call: string, name: unknown): asserts name is string {
  if (typeof name !== "string" || name.trim() === "") {
    throw new TypeError(`${call}: the name is ${JSON.stringify(name)}: it says what holds, as the name of a test does`);
  }
}
