import { isDraft } from "immer";
import { setOwn } from "../languages/objects.ts";

/** Data that a log can carry: what JSON knows, and nothing else. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain | undefined };

/** How deep plain data may nest: deeper input is refused before it can exhaust the stack. */
export const MAX_PLAIN_DEPTH = 1_100;

/**
 * Copies data that comes from outside, so that a caller's own arrays and objects are never kept or frozen.
 *
 * Members that are `undefined` are left out, as JSON does. `__proto__` stays an ordinary own key.
 *
 * @param value what a caller gave
 * @param name how messages call it
 * @returns a fresh, frozen copy
 * @throws TypeError for anything that JSON cannot carry (functions, class instances, NaN, cycles), naming where it is
 */
export function copyPlain(value: unknown, name = "input"): Plain {
  return copy(value, name, 0);
}

function copy(value: unknown, name: string, depth: number): Plain {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${name} is ${value}, which is no finite number`);
    return value;
  }
  if (value === undefined) throw new TypeError(`${name} is undefined; only plain data is accepted`);
  if (typeof value !== "object") throw new TypeError(`${name} is a ${typeof value}; only plain data is accepted`);
  if (depth >= MAX_PLAIN_DEPTH) throw new TypeError(`${name} is nested deeper than ${MAX_PLAIN_DEPTH} levels`);
  if (Array.isArray(value)) {
    const items: Plain[] = [];
    for (let index = 0; index < value.length; index++) items.push(copy(value[index], `${name}[${index}]`, depth + 1));
    return Object.freeze(items);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new TypeError(
      `${name} is an instance of ${value.constructor?.name ?? "a class"}; only plain data is accepted`,
    );
  }
  const members: Record<string, Plain> = {};
  for (const key of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member !== undefined) setOwn(members, key, copy(member, `${name}.${key}`, depth + 1));
  }
  return Object.freeze(members);
}

/**
 * Freezes plain data all the way down and returns it. What is frozen already is taken as frozen below as well, so
 * shared parts are visited once in their life.
 *
 * @throws TypeError when a draft is inside: it would be revoked when its recipe ends, and the state with it
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) freezeObject(value);
  return value;
}

function freezeObject(value: object): void {
  try {
    if (Object.isFrozen(value)) return;
    Object.freeze(value);
  } catch (error) {
    // A draft refuses to be frozen: asking each value whether it is one would be a sixth of what freezing costs.
    throw isDraft(value) ? new TypeError("a draft cannot be kept: take its current value first") : error;
  }
  if (Array.isArray(value)) for (const item of value) deepFreeze(item as unknown);
  else for (const key in value) deepFreeze((value as Record<string, unknown>)[key]);
}
