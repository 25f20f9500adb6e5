import { type FailedTest, filesHere, placesOf, shownName, writeWhole } from "../../explore/kept-files.ts";
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

/**
 * Removes what earlier runs of a test left and is no longer so: the log and the page of a try that passes now, and with the first try those
 * of all later ones, of which there may be fewer by now.
 */
export function dropKept(test: FailedTest, folder: string, passed: boolean): void {
  const files = filesHere();
  if (files === undefined) return;
  const { fs, path } = files;
  const places = placesOf(test, folder, files);
  const ofTest = path.dirname(places.log);
  const stem = path.basename(places.log, ".ndjson");
  const isFirst = test.retries === 0 && test.repeats === 0;
  const isOld = (name: string): boolean => {
    const [, again] = (name.startsWith(stem) && KEPT.exec(name.slice(stem.length))) || [];
    return again === "" ? passed : again !== undefined && isFirst;
  };
  try {
    const old = fs.existsSync(ofTest) ? fs.readdirSync(ofTest).filter(isOld) : [];
    for (const name of old) fs.rmSync(path.join(ofTest, name), { force: true });
    if (old.some((name) => name.endsWith(".html"))) writeIndex(files, places.folder);
  } catch {
    // What cannot be removed is no fault of the test.
  }
}

/** How the name of what a try left ends. */
const KEPT = /^((?:-repeat\d+)?(?:-retry\d+)?)\.(?:ndjson|html)$/;

function textOf(lines: Iterable<string>, why: string): KeptLog {
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length > LONGEST_TEXT) return { why: `${why}, and it is too long for the report` };
  }
  return { text, why };
}
