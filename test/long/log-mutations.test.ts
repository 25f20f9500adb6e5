import { env } from "node:process";
import { describe, expect, it } from "vitest";
import { LogError, replay, type Simulator } from "../../src/index.ts";
import { Draw } from "../../src/kernel/randomness.ts";
import { eventfulLibrary, openLibrary } from "../history/support/library.ts";
import { longLife } from "../history/support/lives.ts";
import { linesOf } from "../history/support/log-text.ts";

// 100,000 files that something has happened to. `HINDCAST_MUTATIONS_SEED=7` takes others; a failure names the seed and the number.

const SEED = env["HINDCAST_MUTATIONS_SEED"] ?? "20260101";
const FILES = 100_000;
/** Of so many, one is read up to its fault as well and compared with the original: that takes longer. */
const TAKEN_EVERY = 10;

interface Original {
  readonly sim: Simulator;
  readonly bytes: Buffer;
  readonly lines: readonly string[];
}

function original(sim: Simulator): Original {
  const text = sim.log.toNdjson();
  return { sim, bytes: Buffer.from(text), lines: linesOf(text) };
}

type Mutation = (bytes: Buffer, draw: Draw) => Buffer;

const cut = (bytes: Buffer, from: number, to: number, ...between: Buffer[]): Buffer =>
  Buffer.concat([bytes.subarray(0, from), ...between, bytes.subarray(to)]);

/** Bytes from one place to another, the first included. */
function stretch(bytes: Buffer, draw: Draw, longest: number): [number, number] {
  const from = draw.below(bytes.length);
  return [from, Math.min(bytes.length, from + 1 + draw.below(longest))];
}

function ofLines(change: (lines: Buffer[], draw: Draw) => void): Mutation {
  return (bytes, draw) => {
    const lines: Buffer[] = [];
    for (let from = 0; from < bytes.length; ) {
      const to = bytes.indexOf(0x0a, from) + 1;
      lines.push(bytes.subarray(from, to));
      from = to;
    }
    change(lines, draw);
    return Buffer.concat(lines);
  };
}

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "a byte becomes another": (bytes, draw) => {
    const at = draw.below(bytes.length);
    return cut(bytes, at, at + 1, Buffer.of(((bytes[at] ?? 0) + 1 + draw.below(255)) & 255));
  },
  "a bit is flipped": (bytes, draw) => {
    const at = draw.below(bytes.length);
    return cut(bytes, at, at + 1, Buffer.of((bytes[at] ?? 0) ^ (1 << draw.below(8))));
  },
  "a digit becomes another": (bytes, draw) => {
    const digits = [...bytes.keys()].filter((at) => (bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39);
    const at = digits[draw.below(digits.length)] ?? 0;
    return cut(bytes, at, at + 1, Buffer.of(0x30 + (((bytes[at] ?? 0) - 0x30 + 1 + draw.below(9)) % 10)));
  },
  "several bytes change": (bytes, draw) => {
    const copy = Buffer.from(bytes);
    for (let time = 0; time < 2 + draw.below(8); time++) copy[draw.below(copy.length)] = draw.below(256);
    return copy;
  },
  "the end is cut off": (bytes, draw) => bytes.subarray(0, draw.below(bytes.length)),
  "the beginning is cut off": (bytes, draw) => bytes.subarray(1 + draw.below(bytes.length - 1)),
  "a stretch is cut out": (bytes, draw) => cut(bytes, ...stretch(bytes, draw, 2_000)),
  "a stretch comes twice": (bytes, draw) => {
    const [from, to] = stretch(bytes, draw, 2_000);
    return cut(bytes, to, to, bytes.subarray(from, to));
  },
  "a stretch is put elsewhere": (bytes, draw) => {
    const [from, to] = stretch(bytes, draw, 200);
    const rest = cut(bytes, from, to);
    const at = draw.below(rest.length + 1);
    return cut(rest, at, at, bytes.subarray(from, to));
  },
  "a stretch is turned around": (bytes, draw) => {
    const [from, to] = stretch(bytes, draw, 20);
    return cut(bytes, from, to, Buffer.from(bytes.subarray(from, to)).reverse());
  },
  "bytes are inserted": (bytes, draw) => {
    const at = draw.below(bytes.length + 1);
    return cut(bytes, at, at, Buffer.from(draw.bytes(1 + draw.below(8))));
  },
  "a sign is inserted": (bytes, draw) => {
    const at = draw.below(bytes.length + 1);
    const signs = ["\n", "\r", " ", "}", '"', "\\", ",", "\ufeff", "\ufffd", "🔑"];
    return cut(bytes, at, at, Buffer.from(signs[draw.below(signs.length)] ?? ""));
  },
  "a line is removed": ofLines((lines, draw) => lines.splice(draw.below(lines.length), 1)),
  "a line comes twice": ofLines((lines, draw) => {
    const at = draw.below(lines.length);
    lines.splice(at, 0, lines[at] ?? Buffer.of());
  }),
  "two lines are swapped": ofLines((lines, draw) => {
    const [one, other] = [draw.below(lines.length), draw.below(lines.length)];
    [lines[one], lines[other]] = [lines[other] ?? Buffer.of(), lines[one] ?? Buffer.of()];
  }),
  "a line is put elsewhere": ofLines((lines, draw) => {
    const [line = Buffer.of()] = lines.splice(draw.below(lines.length), 1);
    lines.splice(draw.below(lines.length + 1), 0, line);
  }),
  "the lines are cut off": ofLines((lines, draw) => lines.splice(draw.below(lines.length))),
  "a line ends otherwise": ofLines((lines, draw) => {
    const at = draw.below(lines.length);
    const line = lines[at] ?? Buffer.of();
    lines[at] = Buffer.concat([
      line.subarray(0, -1),
      Buffer.from(["\r\n", "\r", "", "\n\n", " \n"][draw.below(5)] ?? ""),
    ]);
  }),
};

/** What is wrong with how a file was read; undefined when its damage was found. */
function unnoticed({ sim, lines }: Original, file: Buffer, isTaken: boolean): string | undefined {
  const text = file.toString("utf8");
  try {
    replay(text);
    return "it was taken as whole";
  } catch (error) {
    if (!(error instanceof LogError)) return `it was refused with ${String(error)}`;
    if (error.line > text.split("\n").length) return `the fault is in line ${error.line}`;
  }
  if (!isTaken) return undefined;
  let taken: Simulator;
  try {
    taken = replay(text, { acceptPrefix: true });
  } catch (error) {
    return error instanceof LogError ? undefined : `its prefix was refused with ${String(error)}`;
  }
  const { position } = taken;
  const read = linesOf(taken.log.toNdjson()).slice(0, position + 1);
  const isPrefix =
    read.every((line, index) => line === lines[index]) && taken.stateHash() === sim.at(position).stateHash();
  return isPrefix ? undefined : "what was taken of it is no prefix";
}

describe("of 100,000 damaged files", () => {
  const originals = [
    openLibrary().fork(0),
    openLibrary().fork(1),
    openLibrary(),
    eventfulLibrary(),
    longLife(1, 2),
    longLife(2, 3),
  ].map(original);
  const kinds = Object.keys(MUTATIONS);

  it.each(kinds)("each is found: %s", (kind) => {
    const draw = new Draw(`${SEED} ${kind}`);
    const mutate = MUTATIONS[kind] ?? expect.fail("no such mutation");
    const faults: string[] = [];
    let damaged = 0;
    for (let file = 0; damaged < FILES / kinds.length && faults.length < 5; file++) {
      const of = originals[file % originals.length] ?? expect.fail("no originals");
      const bytes = mutate(of.bytes, draw);
      // Two lines may be one and the same, and a stretch may read the same both ways.
      if (bytes.equals(of.bytes)) continue;
      damaged += 1;
      const fault = unnoticed(of, bytes, damaged % TAKEN_EVERY === 0);
      if (fault !== undefined) faults.push(`${kind}, seed ${SEED}, file ${file}: ${fault}`);
    }
    expect(faults).toEqual([]);
    expect(damaged).toBeGreaterThanOrEqual(FILES / kinds.length);
  });

  it("each is found: any byte of a small file becomes any other", () => {
    const small = originals[1] ?? expect.fail("no small file");
    const faults: string[] = [];
    for (let at = 0; at < small.bytes.length; at++) {
      const file = Buffer.from(small.bytes);
      for (let byte = 0; byte < 256; byte++) {
        if (byte === small.bytes[at]) continue;
        file[at] = byte;
        const fault = unnoticed(small, file, false);
        if (fault !== undefined) faults.push(`byte ${at} becomes ${byte}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  });
});
