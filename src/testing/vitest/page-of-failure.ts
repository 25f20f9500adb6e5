import { type FailedTest, type Files, filesHere, placesOf, shownName, writeWhole } from "../../explore/kept-files.ts";
import type { Pending } from "../../index.ts";
import { indexOfPages } from "../../inspector/index-of-pages.ts";
import type { TraceFailure } from "../../inspector/trace-html.ts";
import { placeOf } from "../../programs/where.ts";

/** An error as the runner keeps it. */
export interface KeptError {
  readonly message: string;
  readonly stack?: string | undefined;
  readonly diff?: string | undefined;
}

/** So many lines are shown before the one that failed, and after it. */
const LINES_AROUND = 5;

/** What every page begins with: the index of them reads no further. */
const HEAD_BYTES = 4_096;

const INDEX = "index.html";

/**
 * Writes the page of a test beside its log, and the index of the pages in that folder.
 *
 * @returns the name of the page; undefined where there are no files, and where the library runs from its sources
 */
export async function keepPage(
  test: FailedTest,
  folder: string,
  lines: () => Iterable<string>,
  error: KeptError | undefined,
  pending: readonly Pending[],
): Promise<string | undefined> {
  const files = filesHere();
  if (files === undefined) return undefined;
  const { pageOf, timersIn } = await import("../../inspector/trace-html.ts");
  const failure = error === undefined ? null : failureOf(error, files);
  const log = files.zlib.gzipSync([...lines()].join(""));
  const page = pageOf({ title: `${test.file.name} > ${test.name}`, failure, timers: timersIn(pending), log });
  if (page === undefined) return undefined;
  const places = placesOf(test, folder, files);
  try {
    writeWhole(files, places.page, [page]);
  } catch {
    // The error of the test says already that there is no place for its log.
    return undefined;
  }
  writeIndex(files, places.folder);
  return shownName(places.page, files);
}

function failureOf({ message, stack, diff }: KeptError, { fs, util }: Files): TraceFailure {
  const place = placeOf({ stack: stack ?? "" });
  const source = place === undefined || !fs.existsSync(place.file) ? undefined : fs.readFileSync(place.file, "utf8");
  return {
    message: util.stripVTControlCharacters(message),
    ...(stack === undefined ? {} : { stack: util.stripVTControlCharacters(stack) }),
    ...(diff === undefined ? {} : { diff: util.stripVTControlCharacters(diff) }),
    ...(place === undefined || source === undefined ? {} : { source: linesAround(source, place.line) }),
  };
}

function linesAround(source: string, line: number): string {
  const lines = source.split("\n");
  const first = Math.max(1, line - LINES_AROUND);
  return lines
    .slice(first - 1, line + LINES_AROUND)
    .map((text, index) => `${first + index === line ? ">" : " "} ${String(first + index).padStart(5)} | ${text}`)
    .join("\n");
}

/** Brings the index up to what lies in its folder. Workers write at the same time: who writes last has seen all pages. */
export function writeIndex(files: Files, folder: string): void {
  const { fs, path } = files;
  const file = path.join(folder, INDEX);
  for (let written: string | undefined; ; ) {
    const page = indexOf(files, folder);
    if (page === written) return;
    if (page === undefined) fs.rmSync(file, { force: true });
    else writeWhole(files, file, [page]);
    written = page;
  }
}

function indexOf(files: Files, folder: string): string | undefined {
  const { fs, path } = files;
  const names = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  const pages = names
    .filter((name) => name.endsWith(".html") && name !== INDEX)
    .sort()
    .map((name) => {
      const head = headOf(files, path.join(folder, name));
      const [, text = ""] = /<meta name="description" content="([^"<]*)">/.exec(head) ?? [];
      const [, title = name] = /<title>([^<]*)<\/title>/.exec(head) ?? [];
      const href = name.split(path.sep).map(encodeURIComponent).join("/");
      return { href, title, text };
    });
  if (pages.length === 0) return undefined;
  return indexOfPages("hindcast: failed tests", pages.length === 1 ? "1 test" : `${pages.length} tests`, pages);
}

/** How a page begins; another worker may remove it in this moment, and brings the index up to that. */
function headOf({ fs }: Files, file: string): string {
  if (!fs.existsSync(file)) return "";
  const head = new Uint8Array(HEAD_BYTES);
  const descriptor = fs.openSync(file, "r");
  try {
    return new TextDecoder().decode(head.subarray(0, fs.readSync(descriptor, head)));
  } finally {
    fs.closeSync(descriptor);
  }
}
