import fc from "fast-check";
import { describe, expect } from "vitest";
import { LogError, replay } from "../../src/index.ts";
import type { Commit } from "../../src/kernel/commit.ts";
import { SumReader, type SumTrust } from "../../src/kernel/log-reader.ts";
import type { LogOutcome } from "../../src/simulator/log.ts";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { witnessLog } from "../support/world.ts";
import { lived, stories } from "../support/world-actions.ts";
import { eventfulLibrary } from "./support/library.ts";

/** A text in pieces of so many characters. */
async function* inPieces(text: string, size: number): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
}

async function witnessed(
  text: string,
  size: number,
  trust?: SumTrust,
): Promise<{ readonly commits: Commit[]; readonly outcome: LogOutcome }> {
  const commits: Commit[] = [];
  const witness = { begin: () => undefined, commit: (commit: Commit) => void commits.push(commit) };
  return { outcome: await witnessLog(inPieces(text, size), witness, trust === undefined ? {} : { trust }), commits };
}

/** The line and the words with which a log is refused by one reader. */
function faultOfOne(text: string): string | undefined {
  try {
    replay(text);
    return undefined;
  } catch (error) {
    if (error instanceof LogError) return error.message;
    throw error;
  }
}

/** The same by two: one for the sums, one for all else; the first line counts. */
async function faultOfTwo(text: string, size: number): Promise<string | undefined> {
  const sums = new SumReader();
  for await (const piece of inPieces(text, size)) if (!sums.add(piece)) break;
  const trust: SumTrust = { line: 0 };
  const own = await witnessed(text, size, trust).then(
    () => undefined,
    (error: unknown) => (error instanceof LogError ? error : Promise.reject(error)),
  );
  const { fault } = sums;
  return fault !== undefined && fault.line <= trust.line
    ? new LogError("damaged", fault.line, fault.what).message
    : own?.message;
}

describe("a log that is read and not kept", () => {
  property([stories(), fc.integer({ min: 1, max: 500 })], runs(30))(
    "tells each commit, the end, and the deadlines ahead, as one that is replayed",
    async (story, size) => {
      const sim = lived(story);
      const { commits, outcome } = await witnessed(sim.log.toNdjson(), size);
      expect(commits).toEqual(sim.log.commits());
      expect(outcome.end?.nowMs).toBe(sim.clock.now());
      expect(outcome.pending).toEqual(sim.clock.pending());
    },
  );

  const TEXT = eventfulLibrary().log.toNdjson();
  const anywhere = fc.nat({ max: TEXT.length - 1 });

  property(
    [anywhere, fc.constantFrom("", "x", "0", '"', "\n", "\r\n", "\ufffd", "}"), fc.integer({ min: 1, max: 5_000 })],
    runs(150),
  )("is refused by two readers for what one refuses it for, whatever was changed", async (at, put, size) => {
    const text = TEXT.slice(0, at) + put + TEXT.slice(at + 1);
    expect(await faultOfTwo(text, size)).toBe(faultOfOne(text));
  });

  property([anywhere, fc.integer({ min: 1, max: 5_000 })], runs(50))(
    "is refused by two readers wherever it was torn",
    async (at, size) => {
      const text = TEXT.slice(0, at);
      expect(await faultOfTwo(text, size)).toBe(faultOfOne(text));
    },
  );
});
