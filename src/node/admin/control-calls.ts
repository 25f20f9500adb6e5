import * as v from "valibot";
import { shown } from "../../languages/shown.ts";
import type { Simulator } from "../../simulator/types.ts";

/** A part of the control surface, or a handle of it: its calls are its own functions. */
type Part = object;

/** Members that lead to a handle, by the part that has them: `scheduler.region(name)`. */
const SELECTORS: { readonly [part: string]: readonly string[] } = {
  runs: ["run"],
  scheduler: ["region"],
  secrets: ["cluster"],
  directory: ["server"],
};

const PARTS = ["runs", "scheduler", "secrets", "directory", "orchestrator", "stores", "network", "faults"] as const;

/** Calls that `sim` has itself; what else it has there are routes of their own. */
const OWN_CALLS = ["lossReport", "lossForecast"] as const;

/** Functions that give no data: the typed door, which is the services' own HTTP here. */
const NOT_CALLED: ReadonlySet<string> = new Set(["as"]);

/** A call of the control surface that a path leads to. */
export interface FoundCall {
  /** As it is written after `sim.`: `secrets.cluster("main").createToken`. */
  readonly name: string;
  readonly call: (...args: readonly unknown[]) => unknown;
}

/** What a path below `/control/` leads to: a call, a handle or part to be shown, or nothing. */
export type Found = FoundCall | { readonly name: string; readonly shown: Part } | undefined;

/**
 * Finds what a path of the control surface names: `secrets/cluster/main/createToken`. Calls are the own functions of what `sim` and its
 * handles are, so a new one is here as soon as it exists.
 *
 * @throws TypeError for a handle whose name nobody has
 */
export function findControl(sim: Simulator, path: readonly string[]): Found {
  const [first = "", ...rest] = path;
  const own = rest.length > 0 ? undefined : OWN_CALLS.find((call) => call === first);
  if (own !== undefined) return { name: own, call: (...args) => Reflect.apply(sim[own], sim, args) as unknown };
  if (!(PARTS as readonly string[]).includes(first) || !(first in sim)) return undefined;
  let part = sim[first as keyof Simulator] as unknown as Part;
  let name = first;
  const [selector = "", of, ...below] = rest;
  let left = rest;
  if (of !== undefined && (SELECTORS[first] ?? []).includes(selector)) {
    part = ownFunction(part, selector)?.(of) as Part;
    name += `.${selector}(${JSON.stringify(of)})`;
    left = below;
  }
  const [member, ...surplus] = left;
  if (member === undefined) return { name, shown: part };
  const call = surplus.length > 0 || !isCall(first, member) ? undefined : ownFunction(part, member);
  return call === undefined ? undefined : { name: `${name}.${member}`, call };
}

function isCall(part: string, member: string): boolean {
  return !NOT_CALLED.has(member) && !(SELECTORS[part] ?? []).includes(member);
}

function ownFunction(part: Part, name: string): FoundCall["call"] | undefined {
  const value: unknown = Object.hasOwn(part, name) ? (part as { readonly [name: string]: unknown })[name] : undefined;
  return typeof value === "function" ? (value as FoundCall["call"]) : undefined;
}

/** Every call there is, as paths below `/control/`; a handle's name stands in braces. */
export function controlPaths(sim: Simulator): string[] {
  const paths: string[] = [...OWN_CALLS];
  for (const first of PARTS) {
    if (!(first in sim)) continue;
    const part = sim[first as keyof Simulator] as unknown as Part;
    for (const member of Object.keys(part)) {
      if (isCall(first, member) && ownFunction(part, member) !== undefined) paths.push(`${first}/${member}`);
    }
    for (const selector of SELECTORS[first] ?? []) {
      const handle = exampleOf(sim, selector);
      for (const member of Object.keys(handle ?? {})) {
        if (handle !== undefined && !NOT_CALLED.has(member) && isFunctionOf(handle, member)) {
          paths.push(`${first}/${selector}/{${selector}}/${member}`);
        }
      }
    }
  }
  return paths;
}

/** Not by its value: a getter may have nothing to give. */
function isFunctionOf(part: Part, name: string): boolean {
  return typeof Object.getOwnPropertyDescriptor(part, name)?.value === "function";
}

/** A handle of each kind; all of a kind have the same calls. */
function exampleOf(sim: Simulator, selector: string): Part | undefined {
  switch (selector) {
    case "cluster":
      return sim.secrets.cluster(Object.keys(sim.state.secrets)[0] ?? "");
    case "region":
      return sim.scheduler.region(Object.keys(sim.state.scheduler?.regions ?? { global: 1 })[0] ?? "");
    case "run":
      return { confirm: () => 0, discard: () => 0, cancel: () => 0, step: () => 0 };
    case "server":
      return sim.directory.server("ldap://example");
    default:
      return undefined;
  }
}

/**
 * The arguments in a body: an array holds them all, anything else is the only one. A handle is `{ "$handle": { "cluster": "east" } }`: labels,
 * metadata and attributes have texts for values, so that none of them looks so.
 *
 * @throws TypeError for a handle whose name nobody has
 */
export function argumentsIn(sim: Simulator, body: unknown): readonly unknown[] {
  if (body === undefined) return [];
  return (Array.isArray(body) ? body : [body]).map((argument) => withHandles(sim, argument, 0));
}

const DEEPEST = 32;

function withHandles(sim: Simulator, value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) throw new TypeError(`the arguments nest deeper than ${DEEPEST} levels`);
  if (Array.isArray(value)) return value.map((item) => withHandles(sim, item, depth + 1));
  if (HANDLE in value) return handleOf(sim, value);
  // An own key, whatever its name.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withHandles(sim, member, depth + 1)]));
}

const HANDLE = "$handle";

/** How the admin path's description says what a handle is. */
export const HANDLE_FORM = `{ "${HANDLE}": { "cluster": name } } or { "${HANDLE}": { "region": name } }`;

const named = v.strictObject({
  [HANDLE]: v.union([v.strictObject({ cluster: v.string() }), v.strictObject({ region: v.string() })]),
});

function handleOf(sim: Simulator, value: object): unknown {
  const { success, output } = v.safeParse(named, value);
  if (!success) throw new TypeError(`${shown(value)} is no handle: it is ${HANDLE_FORM}`);
  const of = output[HANDLE];
  return "cluster" in of ? sim.secrets.cluster(of.cluster) : sim.scheduler.region(of.region);
}

/** What a call returned, as JSON can carry it: bytes in base64, handles as what they show. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member: unknown) => {
    if (member instanceof Uint8Array) return { base64: Buffer.from(member).toString("base64") };
    if (typeof member === "bigint") return shown(member);
    return member;
  });
}
