import fc from "fast-check";
import { describe, expect } from "vitest";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { lived, newLendingWorld, perform, stories } from "../support/world-actions.ts";
import { logText } from "../support/world-checks.ts";

const seeds = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string());

describe("one seed and one story", () => {
  property([stories(), seeds], runs(40))("leave one log, byte for byte, and one state", (story, seed) => {
    const [one, other] = [lived(story, { seed }), lived(story, { seed })];
    expect(logText(other)).toBe(logText(one));
    expect(other.stateHash()).toBe(one.stateHash());
  });

  property([stories()], runs(40))("give one answer to each request", (story) => {
    const [one, other] = [newLendingWorld(), newLendingWorld()];
    for (const action of story) expect(perform(other, action)).toEqual(perform(one, action));
    expect(other.journal).toEqual(one.journal);
  });

  property([stories(), fc.constantFrom(1, 3, 100)], runs(30))(
    "leave one log wherever states are kept",
    (story, every) => {
      const sim = lived(story, { history: { checkpointEvery: every, journalSize: every } });
      expect(logText(sim)).toBe(logText(lived(story)));
    },
  );

  property([stories(), fc.infiniteStream(fc.boolean())], runs(40))(
    "leave one log, however much is read and looked up in between",
    (story, curious) => {
      const [sim, twin] = [newLendingWorld(), newLendingWorld()];
      for (const action of story) {
        if (curious.next().value) {
          perform(sim, { do: "readStatus", engine: "ldap", set: "ops", by: "root" });
          sim.at(Math.floor(sim.position / 2)).stateHash();
          sim.directory.search("", "(cn=svc-*)");
          sim.clock.pending();
        }
        expect(perform(sim, action)).toEqual(perform(twin, action));
      }
      expect(logText(sim)).toBe(logText(twin));
    },
  );
});

describe("two seeds", () => {
  property(
    [fc.uniqueArray(seeds, { minLength: 2, maxLength: 2, selector: (seed) => `${typeof seed} ${seed}` })],
    runs(40),
  )("leave two logs: what is drawn differs, and nothing else", ([one, other]) => {
    const story = [
      { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a", "svc-b"] },
      { do: "checkOut", engine: "ldap", set: "ops", by: "ann" },
    ] as const;
    const [first, second] = [lived(story, { seed: one as number }), lived(story, { seed: other as number })];
    expect(logText(first)).not.toBe(logText(second));
    const types = (sim: typeof first): string[] => sim.log.events().map(({ type }) => type);
    expect(types(first)).toEqual(types(second));
  });
});
