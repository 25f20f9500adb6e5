import { type FailedTest, filesHere, placesOf, shownName, writeWhole } from "./kept-files.ts";
import { writeIndex } from "./page-of-failure.ts";

/** Where the log of a failed test is: in a file, or, where there are none, in what the report says of the test. */
export type KeptLog =
  | { readonly file: string; readonly shown: string }
  | { readonly text: string; readonly why: string }
  | { readonly why: string };

/** A report is no place for a log that is longer than this. */
const LONGEST_TEXT = 1 << 20;

/**
 * Keeps the log of a failed test: in a file of a folder below the root of the tests, where there are files.
 *
 * It writes at once and waits for nothing, so that timers and ticks may be faked.
 */
export function keepLog(test: FailedTest, folder: string, lines: () => Iterable<string>): KeptLog {
  const files = filesHere();
  if (files === undefined) return textOf(lines(), "there are no files here");
  const { log } = placesOf(test, folder, files);
  try {
    writeWhole(files, log, lines());
  } catch (error) {
    return textOf(lines(), `it could not be written to ${log}: ${String(error)}`);
  }
  return { file: log, shown: shownName(log, files) };
}

/** Removes the log and the page that an earlier run of a test left, which passes now. */
export function dropKept(test: FailedTest, folder: string): void {
  const files = filesHere();
  if (files === undefined) return;
  const places = placesOf(test, folder, files);
  try {
    files.fs.rmSync(places.log, { force: true });
    if (!files.fs.existsSync(places.page)) return;
    files.fs.rmSync(places.page);
    writeIndex(files, places.folder);
  } catch {
    // What cannot be removed is no fault of the test.
  }
}

function textOf(lines: Iterable<string>, why: string): KeptLog {
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length > LONGEST_TEXT) return { why: `${why}, and it is too long for the report` };
  }
  return { text, why };
}
