import { type Moments, type Simulator, Table } from "../../../index.ts";
import { shownValue } from "../../../kernel/difference-text.ts";
import { parsePath, pathText, valueAt } from "../../../kernel/state-path.ts";
import { nearestNames } from "../../../languages/nearest.ts";
import { shown } from "../../../languages/shown.ts";
import { firstOf, sharedPart, tablesAsObjects } from "./part.ts";
import { type Asserting, expectedText, hasPart, isMembers, momentsOf, type Verdict } from "./received.ts";

const NAME = "toHaveState";

/** So many names are told of what stands where a path ends, and so many are searched for one like it. */
const NAMES_TOLD = 8;
const NAMES_SEARCHED = 1_000;

/** Whether the state has something at a path: at least what is expected there, or anything; or has a part. */
export function toHaveState(this: Asserting, received: unknown, ...expected: readonly unknown[]): Verdict {
  const moments = momentsOf(NAME, received);
  const [first, value] = expected;
  if (typeof first === "string") {
    return expected.length > 1 ? valueVerdict(this, moments, first, value) : presence(this, moments, first);
  }
  if (expected.length > 1) throw new TypeError(`${NAME}: the path is ${shown(first)}, and is a text`);
  if (!isMembers(first)) throw new TypeError(`${NAME}: ${shown(first)} is neither a path nor a part of the state`);
  const pass = hasPart(this, moments.state, first, tablesAsObjects(this));
  const message = (): string => `expected the state ${this.isNot ? "not " : ""}to have ${expectedText(this, first)}`;
  return { pass, message, ...(pass ? {} : { actual: sharedPart(moments.state, first), expected: first }) };
}

function presence({ isNot }: Asserting, moments: Moments, path: string): Verdict {
  const { value } = valueAt(moments.state, parsePath(path));
  const message = (): string =>
    isNot
      ? `expected nothing at ${path}, and it is ${shownValue(value)}${writerText(moments, path)}`
      : `expected something at ${path}${endText(moments, path)}`;
  return { pass: value !== undefined, message };
}

function valueVerdict(asserting: Asserting, moments: Moments, path: string, expected: unknown): Verdict {
  const { isNot } = asserting;
  const { value } = valueAt(moments.state, parsePath(path));
  const pass = hasPart(asserting, value, expected, tablesAsObjects(asserting));
  const wanted = expected === undefined ? "nothing" : expectedText(asserting, expected);
  const message = (): string => {
    const head = `expected ${path} ${isNot ? "not " : ""}to be ${wanted}`;
    if (isNot) return `${head}${writerText(moments, path)}`;
    if (value === undefined) return `${head}${endText(moments, path)}`;
    return `${head}, and it is ${shownValue(sharedPart(value, expected))}${writerText(moments, path)}`;
  };
  const differs = !pass && value !== undefined && expected !== undefined;
  return { pass, message, ...(differs ? { actual: sharedPart(value, expected), expected } : {}) };
}

/** Where a path leaves the state, and what is there. */
function endText({ state }: Moments, path: string): string {
  const names = parsePath(path);
  const missing = names.findIndex((_, index) => valueAt(state, names.slice(0, index + 1)).value === undefined);
  if (missing === -1) return "";
  const { value: holder } = valueAt(state, names.slice(0, missing));
  const sought = names[missing] ?? "";
  const place = missing === 0 ? "the state" : placeText(names.slice(0, missing));
  return `\n\n${place} has no ${shown(sought)}: ${namesText(holder, sought)}`;
}

function placeText(names: readonly string[]): string {
  return pathText(names.map((name) => ({ kind: "member", name })));
}

function namesText(holder: unknown, sought: string): string {
  if (typeof holder !== "object" || holder === null) return `it is ${shownValue(holder)}`;
  const size = holder instanceof Table ? holder.size : Object.keys(holder).length;
  if (size === 0) return "it is empty";
  const names = firstOf(holder instanceof Table ? holder.keys() : Object.keys(holder), NAMES_SEARCHED);
  const near = nearestNames(sought, names);
  if (near.length > 0) return `did you mean ${near.map((name) => shown(name)).join(" or ")}?`;
  const told = names.slice(0, NAMES_TOLD).map((name) => shown(name));
  return `it has ${told.join(", ")}${size > told.length ? ` and ${size - told.length} more` : ""}`;
}

/** Who wrote last what stands at a path: a simulator knows, a view does not. */
function writerText(moments: Moments, path: string): string {
  const commit = "blame" in moments ? (moments as Simulator).blame(path) : undefined;
  if (commit === undefined) return "";
  return `\n\nlast written by #${commit.position}, ${commit.command.name}, at ${new Date(commit.atMs).toISOString()}`;
}
