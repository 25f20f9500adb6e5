import fc from "fast-check";
import { Immer } from "immer";
import { describe, expect, it } from "vitest";
import { copyPlain, deepFreeze, MAX_PLAIN_DEPTH } from "../../src/kernel/plain.ts";
import { setOwn } from "../../src/languages/objects.ts";
import { property } from "../support/property.ts";
import { runs } from "../support/runs.ts";

class Pot {
  readonly size = 3;
}

/** What JSON can carry, `__proto__` keys and all. */
const plainData = fc.jsonValue({ maxDepth: 5, noUnicodeString: false }).map((value) => value as unknown);

describe("copying what comes from outside", () => {
  property([plainData], runs(300))("gives equal data of its own, frozen all the way down", (value) => {
    const text = JSON.stringify(value);
    const copy = copyPlain(value);
    expect(JSON.stringify(copy)).toBe(text);
    expect(partsOf(copy).filter((part) => !Object.isFrozen(part))).toEqual([]);
    const own = new Set(partsOf(value));
    expect(partsOf(copy).filter((part) => own.has(part))).toEqual([]);
  });

  property([plainData], runs(100))("leaves the caller's own as it was", (value) => {
    const text = JSON.stringify(value);
    copyPlain(value);
    expect(JSON.stringify(value)).toBe(text);
    expect(partsOf(value).filter((part) => Object.isFrozen(part))).toEqual([]);
  });

  it("leaves out members that are undefined, as JSON does", () => {
    expect(Object.keys(copyPlain({ a: undefined, b: 1 }) as object)).toEqual(["b"]);
  });

  it("reads a member once, whatever it would give later", () => {
    let reads = 0;
    const shifty = {
      get member() {
        reads += 1;
        return reads;
      },
    };
    expect(copyPlain(shifty)).toEqual({ member: 1 });
    expect(reads).toBe(1);
  });

  it("takes objects without a prototype", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(copyPlain(bare)).toEqual({ a: 1 });
  });

  it("refuses an object that inherits from another", () => {
    expect(() => copyPlain(Object.create({ inherited: 1 }))).toThrow(TypeError);
  });

  it("keeps __proto__ an ordinary member, and changes no prototype", () => {
    const hostile = JSON.parse('{"__proto__": {"isAdmin": true}, "inner": {"__proto__": 1}}') as unknown;
    const copy = copyPlain(hostile) as { readonly [key: string]: unknown };
    expect(Object.keys(copy)).toEqual(["__proto__", "inner"]);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy["isAdmin"]).toBeUndefined();
    expect(JSON.stringify(copy)).toBe(JSON.stringify(hostile));
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it.each<[what: string, value: unknown, complaint: string]>([
    ["a function", { a: () => 1 }, "input.a is a function; only plain data is accepted"],
    ["a symbol", [Symbol("s")], "input[0] is a symbol; only plain data is accepted"],
    ["a bigint", { a: [1n] }, "input.a[0] is a bigint; only plain data is accepted"],
    ["NaN", { a: { b: Number.NaN } }, "input.a.b is NaN, which is no finite number"],
    ["infinity", -Infinity, "input is -Infinity, which is no finite number"],
    ["a date", { at: new Date(0) }, "input.at is an instance of Date; only plain data is accepted"],
    ["a map", new Map(), "input is an instance of Map; only plain data is accepted"],
    ["bytes", { a: new Uint8Array(2) }, "input.a is an instance of Uint8Array; only plain data is accepted"],
    ["a class's instance", { pots: [new Pot()] }, "input.pots[0] is an instance of Pot; only plain data is accepted"],
    ["nothing at all", undefined, "input is undefined; only plain data is accepted"],
    ["nothing in a list", Array.of(1, undefined, 3), "input[1] is undefined; only plain data is accepted"],
  ])("refuses %s, and says where it is", (_, value, complaint) => {
    expect(() => copyPlain(value)).toThrow(new TypeError(complaint));
  });

  it("calls the whole by the name that it is given", () => {
    expect(() => copyPlain({ ttl: Number.NaN }, "createToken")).toThrow("createToken.ttl is NaN");
  });

  it("takes data as deep as its bound, and refuses what is deeper, a cycle above all", () => {
    const nested = (levels: number): unknown =>
      Array.from({ length: levels }).reduce<unknown>((inner) => [inner], "core");
    expect(JSON.stringify(copyPlain(nested(MAX_PLAIN_DEPTH)))).toBe(JSON.stringify(nested(MAX_PLAIN_DEPTH)));
    const tooDeep = `is nested deeper than ${MAX_PLAIN_DEPTH} levels`;
    expect(() => copyPlain(nested(MAX_PLAIN_DEPTH + 1))).toThrow(tooDeep);
    expect(() => copyPlain(nested(100_000))).toThrow(tooDeep);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(() => copyPlain(cycle)).toThrow(tooDeep);
  });
});

describe("setting a member of any name", () => {
  it.each(["a", "__proto__", "constructor"])("sets %s as the object's own", (key) => {
    const target: Record<string, number> = {};
    setOwn(target, key, 1);
    setOwn(target, key, 2);
    expect(Object.entries(target)).toEqual([[key, 2]]);
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
  });
});

describe("freezing deeply", () => {
  it("gives back what it was given, frozen all the way down", () => {
    const value = { list: [{ a: 1 }, [2]], nothing: null, text: "x" };
    expect(deepFreeze(value)).toBe(value);
    expect(partsOf(value).filter((part) => !Object.isFrozen(part))).toEqual([]);
  });

  it.each([1, "text", null, undefined, true])("gives back %j as it is", (value) => {
    expect(deepFreeze(value)).toBe(value);
  });

  it("freezes a member named __proto__", () => {
    const value = JSON.parse('{"__proto__": {"a": 1}}') as object;
    deepFreeze(value);
    expect(Object.isFrozen(Object.getOwnPropertyDescriptor(value, "__proto__")?.value)).toBe(true);
    expect(Object.isFrozen(Object.prototype)).toBe(false);
  });

  it("takes what is frozen as frozen below, and so visits shared parts once", () => {
    const inner = { a: 1 };
    deepFreeze(Object.freeze({ inner }));
    expect(Object.isFrozen(inner)).toBe(false);
  });

  it("ends on a cycle", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(Object.isFrozen(deepFreeze(cycle))).toBe(true);
  });

  it("refuses a draft, which would be revoked when its recipe ends", () => {
    new Immer().produce({ part: { n: 1 } }, (draft) => {
      expect(() => deepFreeze({ kept: draft.part })).toThrow(TypeError);
    });
    expect.assertions(1);
  });
});

/** A value and everything in it that can be frozen. */
function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
