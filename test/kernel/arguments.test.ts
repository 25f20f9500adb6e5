import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { optionsSchema, readArgument } from "../../src/kernel/arguments.ts";

const schema = v.strictObject({
  name: v.string("a name is a text"),
  cups: v.optional(v.array(v.number("a cup is a number")), []),
  pot: v.optional(optionsSchema({ litres: v.number(), lid: v.optional(v.boolean()) })),
});

describe("the argument of a control call", () => {
  it("is read as its schema says, with its defaults", () => {
    expect(readArgument(schema, "brew", { name: "tea" })).toEqual({ name: "tea", cups: [] });
  });

  it.each<[given: unknown, complaint: string]>([
    [{ name: 3 }, "brew: name is 3: a name is a text"],
    [{ name: "tea", cups: [1, "two"] }, 'brew: cups.1 is "two": a cup is a number'],
    [{}, "brew: name is missing"],
    [{ name: "tea", pot: {} }, "brew: pot.litres is missing"],
    [{ name: "tea", pot: 3 }, "brew: pot is 3: the options are an object, and there is litres, lid"],
    [{ name: "tea", pot: { litres: 1, handle: 2 } }, "brew: pot.handle: no such option, there is litres, lid"],
    [undefined, "brew: the argument is undefined: Invalid type: Expected Object but received undefined"],
  ])("is refused by call, place, value and expectation: %j", (given, complaint) => {
    expect(() => readArgument(schema, "brew", given)).toThrow(new TypeError(complaint));
  });

  it("is refused with a member that nobody asked for", () => {
    expect(() => readArgument(schema, "brew", { name: "tea", milk: true })).toThrow(/^brew: milk: Invalid key/);
  });

  it("is not repeated at length", () => {
    const long = () => readArgument(v.strictObject({ n: v.number("it is a number") }), "brew", { n: "x".repeat(500) });
    expect(long).toThrow(new TypeError(`brew: n is "${"x".repeat(60)}"...: it is a number`));
  });
});
