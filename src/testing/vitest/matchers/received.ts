import type { LoggedEvent, Moments, Simulator } from "../../../index.ts";
import { shown } from "../../../languages/shown.ts";

/** What a matcher is told of the assertion that it is used in. */
export interface Asserting {
  readonly isNot: boolean;
  equals(left: unknown, right: unknown, testers?: Testers): boolean;
  readonly customTesters: Testers;
  readonly utils: {
    readonly iterableEquality: Tester;
    readonly subsetEquality: Tester;
    stringify(value: unknown, depth?: number, options?: { readonly min?: boolean }): string;
  };
}

/** What knows when two values are equal; undefined leaves it to others. */
// biome-ignore lint/suspicious/noExplicitAny: vitest's own testers are typed so, and take nothing else.
export type Tester = (this: any, left: any, right: any, testers: Tester[]) => boolean | undefined;
type Testers = Tester[];

/** What a matcher tells the runner. */
export interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual?: unknown;
  readonly expected?: unknown;
}

/** Whether a value has at least what is expected: members that are not named may be anything. */
export function hasPart(asserting: Asserting, value: unknown, part: unknown, ...testers: Tester[]): boolean {
  const { iterableEquality, subsetEquality } = asserting.utils;
  return asserting.equals(value, part, [...asserting.customTesters, ...testers, iterableEquality, subsetEquality]);
}

/** An expectation is told on one line, and so long at most. */
const LONGEST_EXPECTATION = 200;

/** What is expected, matchers included, for a message. */
export function expectedText({ utils }: Asserting, expected: unknown): string {
  const text = utils.stringify(expected, undefined, { min: true });
  return text.length > LONGEST_EXPECTATION ? `${text.slice(0, LONGEST_EXPECTATION)}...` : text;
}

/** The facts of a simulator's log, or of a log. */
export function eventsOf(matcher: string, received: unknown): readonly LoggedEvent[] {
  const log = isObject(received) && "log" in received ? received["log"] : received;
  if (isObject(log) && typeof log["events"] === "function") return (log as unknown as Simulator["log"]).events();
  throw new TypeError(`${matcher}: ${shown(received)} is no simulator and no log`);
}

/** A simulator, or a view of its past. */
export function momentsOf(matcher: string, received: unknown): Moments {
  if (isObject(received) && typeof received["stateHash"] === "function") return received as unknown as Moments;
  throw new TypeError(`${matcher}: ${shown(received)} is no simulator and no view`);
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** An object that stands for its members. */
export function isMembers(value: unknown): value is { readonly [name: string]: unknown } {
  return isObject(value) && !Array.isArray(value) && !isAsymmetric(value);
}

/** Something like `expect.any(String)`. */
export function isAsymmetric(value: unknown): boolean {
  return isObject(value) && typeof value["asymmetricMatch"] === "function";
}

/** The names of an object that it may not have. */
export function surplusOf(value: object, known: readonly string[]): string | undefined {
  return Object.keys(value).find((name) => !known.includes(name));
}
