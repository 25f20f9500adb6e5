import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LogError, replay, type Simulator } from "../../src/index.ts";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { lived, stories } from "../support/world-actions.ts";
import { borrow, openLibrary } from "./support/library.ts";
import { linesOf } from "./support/log-text.ts";

// Bytes, because files are bytes: a changed byte can make text of what was no character, or two lines of one.

const bytesOf = (sim: Simulator): Buffer => Buffer.from(sim.log.toNdjson());

/** The line in which a byte lies; the line end belongs to its line. */
const lineOf = (bytes: Buffer, at: number): number => bytes.subarray(0, at).toString("latin1").split("\n").length;

/** The line at which a file is found to be damaged; undefined when it is taken as whole. */
function faultyLine(bytes: Buffer): number | undefined {
  try {
    replay(bytes.toString("utf8"));
    return undefined;
  } catch (error) {
    if (error instanceof LogError) return error.line;
    throw error;
  }
}

function changed(bytes: Buffer, at: number, to: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = to;
  return copy;
}

/** What can be taken of a damaged file is nothing but a prefix of the log. */
function expectPrefix(sim: Simulator, damaged: Buffer): void {
  let taken: Simulator;
  try {
    taken = replay(damaged.toString("utf8"), { acceptPrefix: true });
  } catch (error) {
    expect(error).toBeInstanceOf(LogError);
    return;
  }
  const { position } = taken;
  const lines = linesOf(taken.log.toNdjson()).slice(0, position + 1);
  expect(lines).toEqual(linesOf(sim.log.toNdjson()).slice(0, position + 1));
  expect(taken.stateHash()).toBe(sim.at(position).stateHash());
}

describe("a small file", () => {
  const sim = openLibrary().fork(1);
  sim.secrets.cluster("main").createToken({ id: "ünï 🔑 \ufffd", policies: ["default"], ttl: "1h" });
  sim.mark("🔑 \ufffd");
  const bytes = bytesOf(sim);

  it("shows a change of any bit of any byte, at its line", { tags: "full" }, () => {
    const unnoticed: string[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const line = lineOf(bytes, at);
      for (let bit = 0; bit < 8; bit++) {
        const found = faultyLine(changed(bytes, at, (bytes[at] ?? 0) ^ (1 << bit)));
        if (found !== line) unnoticed.push(`bit ${bit} of byte ${at} in line ${line}: ${found}`);
      }
    }
    expect(unnoticed).toEqual([]);
  });

  it("shows that it was cut, wherever it was cut", () => {
    const unnoticed: string[] = [];
    for (let length = 0; length < bytes.length; length++) {
      const found = faultyLine(bytes.subarray(0, length));
      if (found !== lineOf(bytes, length)) unnoticed.push(`cut after ${length}: ${found}`);
    }
    expect(unnoticed).toEqual([]);
  });

  it("shows what is inserted, and what is taken out of its middle", { tags: "full" }, () => {
    const unnoticed: string[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
      for (const inserted of [0x0a, 0x20, 0x7d, 0x80, bytes[at] ?? 0]) {
        const found = faultyLine(Buffer.concat([before, Buffer.of(inserted), after]));
        if (found === undefined) unnoticed.push(`${inserted} inserted at ${at}`);
      }
      if (faultyLine(Buffer.concat([before, after.subarray(1)])) === undefined) unnoticed.push(`byte ${at} taken out`);
    }
    expect(unnoticed).toEqual([]);
  });
});

describe("the file of a life at random", () => {
  property(
    [stories(30), fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 5, maxLength: 5 })],
    runs(30),
  )("shows a change of a single byte at its line, and what comes before it can be taken", (story, changes) => {
    const sim = lived(story);
    const bytes = bytesOf(sim);
    for (const [place, by] of changes) {
      const at = place % bytes.length;
      const damaged = changed(bytes, at, (bytes[at] ?? 0) ^ by);
      expect(faultyLine(damaged)).toBe(lineOf(bytes, at));
      expectPrefix(sim, damaged);
    }
  });

  property([stories(30), fc.array(fc.nat(), { minLength: 5, maxLength: 5 })], runs(30))(
    "shows that it was cut, and what comes before can be taken",
    (story, cuts) => {
      const sim = lived(story);
      const bytes = bytesOf(sim);
      for (const cut of cuts) {
        const damaged = bytes.subarray(0, cut % bytes.length);
        expect(faultyLine(damaged)).toBe(lineOf(bytes, damaged.length));
        expectPrefix(sim, damaged);
      }
    },
  );

  property([stories(30)], runs(15))("taken up to any line is what the simulator was there", (story) => {
    const sim = lived(story);
    const lines = linesOf(sim.log.toNdjson());
    for (let position = 0; position <= sim.position; position++) {
      const taken = replay(`${lines.slice(0, position + 1).join("\n")}\n`, { acceptPrefix: true });
      const view = sim.at(position);
      expect(taken.stateHash()).toBe(view.stateHash());
      expect(taken.clock.now()).toBe(view.clock.now());
      expect(taken.log.commits()).toEqual(JSON.parse(JSON.stringify(sim.log.commits().slice(0, position))));
    }
  });
});

it("two files that differ in one drawn password have different digests", () => {
  const digest = (seed: number): string | undefined => {
    const sim = openLibrary({ seed });
    borrow(sim, "ann");
    return /"digest":"(\w+)"/.exec(sim.log.toNdjson())?.[1];
  };
  expect(new Set(Array.from({ length: 100 }, (_, seed) => digest(seed))).size).toBe(100);
});
