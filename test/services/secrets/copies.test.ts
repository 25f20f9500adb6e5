import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { copyOfIgnored, copyOfLocal } from "../../../src/services/secrets/copies.ts";
import type { Cluster, Ignored, Local } from "../../../src/services/secrets/state.ts";

const { local, ignored } = createSimulator({ seed: 1 }).state.secrets["main"] as Cluster;

/** With all members that a part has only sometimes. What they hold does not matter here. */
const full: { readonly local: Required<Local>; readonly ignored: Required<Ignored> } = {
  local: Object.freeze({ ...local, secondaryKey: { seed: "a" } as never }),
  ignored: Object.freeze({
    ...ignored,
    wal: {} as never,
    secondaryKey: {} as never,
    merkle: {} as never,
    generation: {} as never,
    roleChangedAtMs: 7 as never,
  }),
};

describe.each<[part: string, copyOf: (part: never) => object, parts: readonly object[]]>([
  ["local", copyOfLocal, [local, full.local]],
  ["ignored", copyOfIgnored, [ignored, full.ignored]],
])("a copy of a cluster's %s part", (_, copyOf, parts) => {
  it.each(parts)("has the very members of the part, in their order, and no others %#", (part) => {
    const copy = copyOf(part as never);
    expect(Object.entries(copy).length).toBe(Object.entries(part).length);
    for (const [name, member] of Object.entries(part)) expect(copy[name as never]).toBe(member);
    expect(Object.keys(copy)).toEqual(Object.keys(part));
  });

  it("may be written to, and is another object", () => {
    const copy = copyOf(parts[0] as never);
    expect(Object.isFrozen(copy)).toBe(false);
    expect(copy).not.toBe(parts[0]);
  });
});
