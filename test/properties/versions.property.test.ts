import fc from "fast-check";
import { expect } from "vitest";
import { Rejection, rehearse, replay } from "../../src/index.ts";
import { createSimulator, property } from "../support/checked.ts";

// What always holds of secrets with versions, held against a list (src/services/secrets/kv2/README.md, "Versions").

interface Kept {
  readonly data: object;
  /** The instant from which on it is deleted. */
  readonly deletedAtMs?: number;
  readonly isDestroyed?: true;
}

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("write", "patch"), cas: fc.option(fc.nat({ max: 9 })) }) },
  fc.record({
    type: fc.constantFrom("delete", "undelete", "destroy"),
    versions: fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ type: fc.constant("deleteCurrent") }),
  fc.record({ type: fc.constant("wait"), seconds: fc.nat({ max: 90 }) }),
);

property([fc.array(act, { maxLength: 30 }), fc.constantFrom(0, 1, 3), fc.constantFrom(0, 60)])(
  "what is read of versions is what became of them, and a log tells it again",
  async (acts, max_versions, delete_version_after) => {
    const sim = createSimulator({ secrets: { kv: 2 } });
    const main = sim.secrets.cluster("main");
    const { kv2 } = main.as(main.rootToken);
    const path = "a";
    kv2.config.write({ max_versions });
    kv2.metadata.write({ path, delete_version_after });
    const versions = new Map<number, Kept>();
    let current = 0;
    const now = () => sim.clock.now();
    const deletion = () => (delete_version_after === 0 ? {} : { deletedAtMs: now() + delete_version_after * 1000 });
    const isDeleted = ({ deletedAtMs = Number.POSITIVE_INFINITY }: Kept) => now() >= deletedAtMs;
    const isThere = (version: Kept | undefined) =>
      version !== undefined && !isDeleted(version) && version.isDestroyed === undefined;
    const add = (data: object) => {
      current += 1;
      versions.set(current, { data, ...deletion() });
      versions.delete(current - (max_versions || 10));
    };
    const change = (numbers: readonly number[], changed: (kept: Kept) => Kept) => {
      for (const number of numbers) {
        const kept = versions.get(number);
        if (kept !== undefined && kept.isDestroyed === undefined) versions.set(number, changed(kept));
      }
    };
    const remove = (kept: Kept): Kept => (isDeleted(kept) ? kept : { ...kept, deletedAtMs: now() });

    for (const [step, each] of acts.entries()) {
      if ("cas" in each) {
        const given = { path, data: { step }, ...(each.cas === null ? {} : { options: { cas: each.cas } }) };
        const fits = each.cas === null || each.cas === current;
        const before = versions.get(current);
        const isTaken = fits && (each.type === "write" || isThere(before));
        expect(isDone(() => (each.type === "write" ? kv2.write(given) : kv2.patch(given)))).toBe(isTaken);
        if (isTaken) add({ step });
      } else if ("versions" in each) {
        if (each.type === "delete") kv2.delete({ path, versions: each.versions });
        if (each.type === "undelete") kv2.undelete({ path, versions: each.versions });
        if (each.type === "destroy") kv2.destroy({ path, versions: each.versions });
        change(each.versions, (kept) => {
          if (each.type === "delete") return remove(kept);
          if (each.type === "destroy") return { ...kept, isDestroyed: true };
          return { data: kept.data, ...deletion() };
        });
      } else if ("seconds" in each) sim.clock.advance(each.seconds * 1000);
      else {
        kv2.delete({ path });
        change([current], remove);
      }
      const shown = kv2.metadata.read({ path }).data;
      expect(Object.keys(shown.versions).map(Number)).toEqual([...versions.keys()]);
      expect(shown.current_version).toBe(current);
      for (const [version, kept] of versions) {
        expect(isDone(() => expect(kv2.read({ path, version }).data.data).toEqual(kept.data))).toBe(isThere(kept));
        expect(shown.versions[version]?.destroyed).toBe(kept.isDestroyed === true);
      }
    }
    expect(sim.clock.pending()).toEqual([]);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  },
);

/** Whether it was done, and not refused. */
function isDone(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}
