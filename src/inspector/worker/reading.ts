import { readLogInPieces } from "../../simulator/log.ts";
import { worldModel } from "../../simulator/services.ts";
import type { Opened, Reading, Source } from "../protocol.ts";
import { textsOf, unpacked } from "./log-bytes.ts";
import { OpenedLog } from "./opened-log.ts";

/** What is read in so many milliseconds is told together. */
const TOLD_MS = 100;
/** Telling may take this share of the time. */
const TELLING_SHARE = 0.05;
/** After so many milliseconds of reading, questions are answered. */
const BREATH_MS = 15;

/** Who is told of a log that is read. */
export interface Reader {
  /** There is something of it. */
  opened(log: OpenedLog): void;
  /** There is more of it, and that is the last of it if it does not go on. */
  grown(opened: Opened): void;
}

/** Reads a log, and tells now and then what is there. @throws LogError for a log that cannot be read */
export async function readSource(source: Source, reader: Reader): Promise<void> {
  let reading: Reading = source.kind === "live" ? { kind: "live" } : { kind: "share", share: 0 };
  let log: OpenedLog | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = TOLD_MS;
  let lastBreath = performance.now();
  const tell = (): void => {
    timer = undefined;
    if (log === undefined) return;
    const before = performance.now();
    reader.grown(log.overview(reading));
    waitMs = Math.max(TOLD_MS, (performance.now() - before) / TELLING_SHARE);
  };
  const progress = (share: number): void => {
    reading = { kind: "share", share };
  };
  const pieces = source.kind === "live" ? await followed(source) : unpacked(source.bytes, progress);
  try {
    await readLogInPieces(worldModel, pieces, {
      // Who wrote the page wrote the log whole, and gzip has a sum of its own: those of the lines take a sixth of the time.
      trust: { line: 0 },
      soFar: async (rebuilt) => {
        if (log === undefined) {
          log = new OpenedLog(rebuilt);
          reader.opened(log);
        }
        timer ??= setTimeout(tell, waitMs);
        if (performance.now() - lastBreath < BREATH_MS) return;
        await new Promise((resolve) => setTimeout(resolve, 0));
        lastBreath = performance.now();
      },
    });
    reading =
      source.kind === "live" ? { kind: "broken", message: "the listener has ended the log" } : { kind: "whole" };
  } catch (error) {
    if (log === undefined) throw error;
    const message = error instanceof Error ? error.message : String(error);
    reading = { kind: "broken", message: source.kind === "live" ? `the listener has gone (${message})` : message };
  } finally {
    clearTimeout(timer);
  }
  tell();
}

async function followed({ url, secret }: Source & { kind: "live" }): Promise<AsyncIterable<string>> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${secret}` } });
  if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  return textsOf(response.body);
}
