import { describe, expect, it } from "vitest";
import { BASE62, Draw, seedKey } from "../../src/kernel/randomness.ts";

const drawn = <T>(count: number, from: (draw: Draw) => T, key = "smoke"): T[] => {
  const draw = new Draw(key);
  return Array.from({ length: count }, () => from(draw));
};

/** How far counts are from all being equal: about as many as there are, give or take a few times its root, by chance. */
function chiSquared(values: readonly number[], kinds: number): number {
  const counts = new Array<number>(kinds).fill(0);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  const expected = values.length / kinds;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

const likely = (chi: number, kinds: number): boolean => Math.abs(chi - (kinds - 1)) < 5 * Math.sqrt(2 * kinds);

describe("a stream", () => {
  it("is decided by its key", () => {
    expect(drawn(10, (draw) => draw.uint32(), "one")).toEqual(drawn(10, (draw) => draw.uint32(), "one"));
    expect(drawn(10, (draw) => draw.uint32(), "one")).not.toEqual(drawn(10, (draw) => draw.uint32(), "other"));
  });

  it("of each of many keys begins differently, however alike the keys are", () => {
    const first = Array.from({ length: 10_000 }, (_, position) => new Draw(`1:${position}`).uint32());
    expect(new Set(first).size).toBeGreaterThan(9_990);
    expect(
      likely(
        chiSquared(
          first.map((word) => word >>> 24),
          256,
        ),
        256,
      ),
    ).toBe(true);
    expect(
      likely(
        chiSquared(
          first.map((word) => word & 255),
          256,
        ),
        256,
      ),
    ).toBe(true);
  });

  it("gives unsigned words of 32 bits", () => {
    const words = drawn(10_000, (draw) => draw.uint32());
    expect(words.every((word) => Number.isInteger(word) && word >= 0 && word < 2 ** 32)).toBe(true);
    for (let bit = 0; bit < 32; bit++) {
      const set = words.filter((word) => (word >>> bit) & 1).length;
      expect(Math.abs(set - 5_000)).toBeLessThan(250);
    }
  });
});

describe("an integer below a bound", () => {
  it.each([1, 2, 3, 7, 62, 100, 256, 1_000])(
    "lies from 0 up to, not including, %i, each as likely as any other",
    (bound) => {
      const values = drawn(50_000, (draw) => draw.below(bound));
      expect(values.every((value) => Number.isInteger(value) && value >= 0 && value < bound)).toBe(true);
      if (bound > 1) expect(likely(chiSquared(values, bound), bound)).toBe(true);
    },
  );

  it.each([2 ** 31, 2 ** 31 + 1, 3 * 2 ** 30, 2 ** 32])(
    "is as likely in the upper half of %i as in the lower",
    (bound) => {
      const upper = drawn(10_000, (draw) => draw.below(bound)).filter((value) => value >= bound / 2).length;
      expect(Math.abs(upper - 5_000)).toBeLessThan(250);
    },
  );

  /** Ends what would go on for ever. */
  class Impatient extends Draw {
    #words = 0;

    override uint32(): number {
      this.#words += 1;
      if (this.#words > 1_000) throw new Error("a thousand words were drawn in vain");
      return super.uint32();
    }
  }

  it.each([0, -3, 1.5, Number.NaN, 2 ** 33])("is refused for a bound that nothing lies below evenly: %d", (bound) => {
    expect(() => new Impatient("below").below(bound)).toThrow(RangeError);
  });
});

describe("bytes", () => {
  it.each([0, 1, 3, 4, 5, 16, 1_001])("are as many as asked for: %i", (length) => {
    expect(new Draw("bytes").bytes(length)).toHaveLength(length);
  });

  it("have every value as likely as any other", () => {
    expect(likely(chiSquared([...new Draw("bytes").bytes(100_000)], 256), 256)).toBe(true);
  });

  it("begin alike, however many are asked for", () => {
    expect([...new Draw("bytes").bytes(6)]).toEqual([...new Draw("bytes").bytes(20)].slice(0, 6));
  });
});

describe("a text", () => {
  it.each([0, 1, 8, 24, 64, 500])("of %i characters of base62 has as many, and no others", (length) => {
    expect(new Draw("text").base62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  it("has each character of its alphabet as likely as any other", () => {
    const places = [...new Draw("text").base62(62_000)].map((character) => BASE62.indexOf(character));
    expect(likely(chiSquared(places, 62), 62)).toBe(true);
  });

  it("may have an alphabet of any size from 2 to 256", () => {
    for (const size of [2, 10, 33, 256]) {
      const alphabet = Array.from({ length: size }, (_, index) => String.fromCharCode(0x100 + index)).join("");
      const places = [...new Draw("text").text(alphabet, 20_000)].map((character) => alphabet.indexOf(character));
      expect(places).toHaveLength(20_000);
      expect(likely(chiSquared(places, size), size)).toBe(true);
    }
  });

  it("without a character draws nothing", () => {
    const draw = new Draw("text");
    draw.base62(0);
    expect(draw.uint32()).toBe(new Draw("text").uint32());
  });
});

describe("a UUID", () => {
  const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it("is of version 4, and none of ten thousand comes twice", () => {
    const uuids = drawn(10_000, (draw) => draw.uuid());
    expect(uuids.filter((uuid) => !VERSION_4.test(uuid))).toEqual([]);
    expect(new Set(uuids).size).toBe(10_000);
  });

  it("is random in every digit that its version does not fix", () => {
    const uuids = drawn(5_000, (draw) => draw.uuid().replaceAll("-", ""));
    for (let place = 0; place < 32; place++) {
      const digits = uuids.map((uuid) => Number.parseInt(uuid[place] as string, 16));
      if (place === 12) expect(new Set(digits)).toEqual(new Set([4]));
      else if (place === 16) expect(new Set(digits)).toEqual(new Set([8, 9, 10, 11]));
      else expect(likely(chiSquared(digits, 16), 16)).toBe(true);
    }
  });
});

describe("shuffling", () => {
  it("gives a copy with the same items", () => {
    const items = Object.freeze(Array.from({ length: 100 }, (_, index) => index));
    const shuffled = new Draw("shuffle").shuffle(items);
    expect(shuffled).not.toEqual(items);
    expect([...shuffled].sort((left, right) => left - right)).toEqual(items);
  });

  it("gives every order as likely as any other", () => {
    const orders = ["abcd", "abdc", "acbd", "acdb", "adbc", "adcb"].flatMap((order) =>
      [0, 1, 2, 3].map((turn) => order.slice(turn) + order.slice(0, turn)),
    );
    const found = drawn(24_000, (draw) => orders.indexOf(draw.shuffle(["a", "b", "c", "d"]).join("")));
    expect(new Set(orders).size).toBe(24);
    expect(likely(chiSquared(found, 24), 24)).toBe(true);
  });

  it.each([[[]], [["only"]]])("of %j draws nothing", (items) => {
    const draw = new Draw("shuffle");
    expect(draw.shuffle(items)).toEqual(items);
    expect(draw.uint32()).toBe(new Draw("shuffle").uint32());
  });
});

describe("the start of a seed's keys", () => {
  it("differs for different seeds, a number and a text of the same digits among them", () => {
    const seeds = [0, 1, -1, 1.5, 10, "0", "1", "", "1:2", '"', '"1"', "\ud800"];
    expect(new Set(seeds.map(seedKey)).size).toBe(seeds.length);
  });

  it("leaves no two places the same stream", () => {
    const keys = [1, 12, "1", "1:1", '1":1'].flatMap((seed) =>
      [1, 2, 12].flatMap((position) => [
        `${seedKey(seed)}:${position}`,
        ...[0, 1, 2, 12].map((served) => `${seedKey(seed)}:${position}:${served}`),
      ]),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});
