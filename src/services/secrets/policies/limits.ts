import type { Plain } from "../../../kernel/plain.ts";

// Source of all rules in this file: README.md, 2.

/** What a rule asks of requests besides the capability. */
export interface Limits {
  /** By the names of parameters in lower case: the values that they may have, any where none is listed. `*` is any other parameter. */
  readonly allowedParameters?: ParameterValues;
  readonly deniedParameters?: ParameterValues;
  readonly requiredParameters?: readonly string[];
  readonly minWrappingTtlSeconds?: number;
  readonly maxWrappingTtlSeconds?: number;
}

type ParameterValues = { readonly [name: string]: readonly Plain[] };

/** What rules of several policies on one path ask together. */
export function mergedLimits(one: Limits | undefined, two: Limits | undefined): Limits | undefined {
  if (one === undefined || two === undefined) return one ?? two;
  const merged = {
    allowedParameters: mergedValues(one.allowedParameters, two.allowedParameters),
    deniedParameters: mergedValues(one.deniedParameters, two.deniedParameters),
    requiredParameters: [...new Set([...(one.requiredParameters ?? []), ...(two.requiredParameters ?? [])])],
    minWrappingTtlSeconds: lesser(one.minWrappingTtlSeconds, two.minWrappingTtlSeconds),
    maxWrappingTtlSeconds: lesser(one.maxWrappingTtlSeconds, two.maxWrappingTtlSeconds),
  };
  return Object.fromEntries(Object.entries(merged).filter(([, member]) => member !== undefined));
}

function mergedValues(one: ParameterValues = {}, two: ParameterValues = {}): ParameterValues | undefined {
  const names = new Set([...Object.keys(one), ...Object.keys(two)]);
  if (names.size === 0) return undefined;
  const values = (name: string): readonly Plain[] => {
    const [left, right] = [one, two].map((own) => (Object.hasOwn(own, name) ? own[name] : undefined));
    if (left === undefined || right === undefined) return left ?? right ?? [];
    return left.length === 0 || right.length === 0 ? [] : [...left, ...right];
  };
  return Object.fromEntries([...names].map((name) => [name, values(name)]));
}

function lesser(one: number | undefined, two: number | undefined): number | undefined {
  return one === undefined || two === undefined ? (one ?? two) : Math.min(one, two);
}

/** A request as limits look at it. */
export interface Limited {
  readonly verb: string;
  /** Those of its body or its query, by their names. */
  readonly parameters: () => { readonly [name: string]: Plain | undefined };
  /** 0 = not to be wrapped. */
  readonly wrapTtlSeconds: number;
}

/** What is wrong with a request, in words; undefined where limits let it pass. */
export function limitFault(limits: Limits, { verb, parameters, wrapTtlSeconds }: Limited): string | undefined {
  return (
    wrappingFault(limits, wrapTtlSeconds) ?? (LOOKED_AT.has(verb) ? parameterFault(limits, parameters()) : undefined)
  );
}

const LOOKED_AT: ReadonlySet<string> = new Set(["GET", "POST", "PATCH"]);

function wrappingFault(
  { minWrappingTtlSeconds: min = 0, maxWrappingTtlSeconds: max = Number.POSITIVE_INFINITY }: Limits,
  wrapTtlSeconds: number,
): string | undefined {
  if (min === 0 && max === Number.POSITIVE_INFINITY) return undefined;
  if (wrapTtlSeconds > 0 && wrapTtlSeconds >= min && wrapTtlSeconds <= max) return undefined;
  const bounds = [
    ...(min === 0 ? [] : [`at least ${min} s`]),
    ...(max === Number.POSITIVE_INFINITY ? [] : [`at most ${max} s`]),
  ];
  return `the answer has to be wrapped for ${bounds.join(" and ")}`;
}

function parameterFault(limits: Limits, parameters: ReturnType<Limited["parameters"]>): string | undefined {
  const { allowedParameters: allowed = {}, deniedParameters: denied = {}, requiredParameters = [] } = limits;
  const missing = requiredParameters.find((name) => !Object.hasOwn(parameters, name.toLowerCase()));
  if (missing !== undefined) return `the parameter ${missing} is required`;
  const given = Object.entries(parameters);
  if (given.length === 0) return undefined;
  if (Object.hasOwn(denied, ANY)) return "all parameters are denied";
  const refused = given.find(([name, value]) => isListed(denied, name, value));
  if (refused !== undefined) return `the parameter ${refused[0]} is denied${ofValue(refused[1])}`;
  if (Object.keys(allowed).length === 0) return undefined;
  const isAnyOther = Object.hasOwn(allowed, ANY);
  const unlisted = given.find(([name, value]) =>
    Object.hasOwn(allowed, name.toLowerCase()) ? !isListed(allowed, name, value) : !isAnyOther,
  );
  return unlisted === undefined ? undefined : `the parameter ${unlisted[0]} is not allowed${ofValue(unlisted[1])}`;
}

const ANY = "*";

/** Values of requests may be secrets: only short words of a choice are told. */
function ofValue(value: Plain | undefined): string {
  return typeof value === "boolean" || typeof value === "number" ? ` to be ${value}` : "";
}

function isListed(values: ParameterValues, name: string, value: Plain | undefined): boolean {
  const key = name.toLowerCase();
  const listed = Object.hasOwn(values, key) ? values[key] : undefined;
  return listed !== undefined && (listed.length === 0 || listed.some((one) => isSame(one, value)));
}

/** Strings may begin and end with `*` for any rest; a number fits nothing (README.md, 2.5). */
function isSame(listed: Plain, value: Plain | undefined): boolean {
  if (typeof listed === "number") return false;
  if (typeof listed !== "string" || typeof value !== "string") return JSON.stringify(listed) === JSON.stringify(value);
  if (listed.length < 2) return listed === value;
  const isOpen = { begin: listed.startsWith("*"), end: listed.endsWith("*") };
  const text = listed.slice(isOpen.begin ? 1 : 0, isOpen.end ? -1 : undefined);
  if (isOpen.begin && isOpen.end) return value.includes(text);
  if (isOpen.begin) return value.endsWith(text);
  return isOpen.end ? value.startsWith(text) : value === text;
}
