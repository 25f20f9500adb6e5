import type { LogPosition } from "../kernel/brand.ts";
import type { Commit } from "../kernel/commit.ts";
import { isObject } from "../languages/objects.ts";
import { LiveSimulator } from "./live-simulator.ts";
import type { Simulator } from "./types.ts";

/** Where two runs part. */
export interface Parting {
  /** Up to this position they are alike; 0 where not even their first commits are. */
  readonly position: LogPosition;
  /** What differs in the next commits: when they were, what was asked, or what came of it; `end` where one run has none. */
  readonly by: "instant" | "command" | "outcome" | "end";
  /** The next commit of the one, and that of the other. */
  readonly commits: readonly [Commit | undefined, Commit | undefined];
}

/**
 * Where two runs part: the first commit of which the instant, the command or the facts differ. `undefined` where none does.
 *
 * Runs of different seeds draw different names. There, a string that differs as drawn ones do stands for the other one, as long as the two
 * always stand for each other.
 *
 * @example
 * const green = replay(readFileSync("green.ndjson", "utf8"));
 * const { position, by } = parting(green, sim) ?? {};
 */
export function parting(one: Simulator, other: Simulator): Parting | undefined {
  const isOneSeed = LiveSimulator.insideOf(one).settings.seed === LiveSimulator.insideOf(other).settings.seed;
  const alike = new Alike(isOneSeed);
  const [left, right] = [one.log.commits(), other.log.commits()];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const commits = [left[index], right[index]] as const;
    const by = partedBy(...commits, alike);
    if (by !== undefined) return Object.freeze({ position: index as LogPosition, by, commits: Object.freeze(commits) });
  }
  return undefined;
}

function partedBy(one: Commit | undefined, other: Commit | undefined, alike: Alike): Parting["by"] | undefined {
  if (one === undefined || other === undefined) return "end";
  if (one.atMs !== other.atMs) return "instant";
  // Where a command draws from is told by its seed and its position, unless its past was rewritten.
  const [{ stream: _, ...asked }, { stream: __, ...otherAsked }] = [one.command, other.command];
  if (!alike.are(asked, otherAsked)) return "command";
  if (one.failed !== other.failed || !alike.are(one.events, other.events)) return "outcome";
  return undefined;
}

/** Compares plain values of two runs. */
class Alike {
  readonly #isExact: boolean;
  readonly #names = new Map<string, string>();
  readonly #namesBack = new Map<string, string>();

  constructor(isExact: boolean) {
    this.#isExact = isExact;
  }

  are(one: unknown, other: unknown): boolean {
    if (Object.is(one, other)) return true;
    if (typeof one === "string" && typeof other === "string") {
      return !this.#isExact && this.#standForEachOther(one, other);
    }
    if (Array.isArray(one) && Array.isArray(other)) {
      return one.length === other.length && one.every((value, index) => this.are(value, other[index]));
    }
    if (!isObject(one) || !isObject(other)) return false;
    return this.are(this.#membersOf(one), this.#membersOf(other));
  }

  /** Names of members can be drawn, too; then their order says which stand for each other. */
  #membersOf(value: object): unknown[] {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    if (this.#isExact) members.sort(([one], [other]) => (one < other ? -1 : 1));
    return members;
  }

  #standForEachOther(one: string, other: string): boolean {
    const [known, knownBack] = [this.#names.get(one), this.#namesBack.get(other)];
    if (known !== undefined || knownBack !== undefined) return known === other && knownBack === one;
    if (!differAsDrawn(one, other)) return false;
    this.#names.set(one, other);
    this.#namesBack.set(other, one);
    return true;
  }
}

/** A shorter difference may be one of two words that people chose. */
const SHORTEST_DRAWN = 6;

/** Drawn strings are equally long, and behind what they begin with, few of their characters are the same. */
function differAsDrawn(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let start = 0;
  while (one[start] === other[start]) start++;
  let same = 0;
  for (let index = start; index < one.length; index++) if (one[index] === other[index]) same++;
  const length = one.length - start;
  return length >= SHORTEST_DRAWN && same <= length / 2;
}
