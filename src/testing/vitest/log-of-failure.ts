/** What of a failed test is needed to name the file of its log. */
export interface FailedTest {
  readonly id: string;
  readonly name: string;
  readonly file: { readonly filepath: string; readonly name: string; readonly projectName?: string | undefined };
  /** How often it was tried before, by `retry` and by `repeats`. */
  readonly retries: number;
  readonly repeats: number;
}

/** Where the log of a failed test is: in a file, or, where there are none, in what the report says of the test. */
export type KeptLog =
  | { readonly file: string; readonly shown: string }
  | { readonly text: string; readonly why: string }
  | { readonly why: string };

/** A report is no place for a log that is longer than this. */
const LONGEST_TEXT = 1 << 20;

/** What is written at once. */
const PIECE_CHARACTERS = 1 << 18;

/**
 * Keeps the log of a failed test: in a file of a folder below the root of the tests, where there are files.
 *
 * It writes at once and waits for nothing, so that timers and ticks may be faked.
 */
export function keepLog(test: FailedTest, folder: string, lines: () => Iterable<string>): KeptLog {
  const files = filesHere();
  if (files === undefined) return textOf(lines(), "there are no files here");
  const { fs, path } = files;
  const file = fileOf(test, folder, path);
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    writeWhole(fs, file, lines());
  } catch (error) {
    return textOf(lines(), `it could not be written to ${file}: ${String(error)}`);
  }
  const near = path.relative(process.cwd(), file);
  return { file, shown: near.startsWith("..") || path.isAbsolute(near) ? file : near };
}

/** Removes the log that an earlier run of a test left, which passes now. */
export function dropLog(test: FailedTest, folder: string): void {
  const files = filesHere();
  if (files === undefined) return;
  const file = fileOf(test, folder, files.path);
  try {
    files.fs.rmSync(file, { force: true });
  } catch {
    // What cannot be removed is no fault of the test.
  }
}

function fileOf(test: FailedTest, folder: string, path: Files["path"]): string {
  return path.resolve(rootOf(test, path), folder, ...placeOf(test));
}

/** The file appears when it is whole: another run of the same test may write it at the same time. */
function writeWhole(fs: Files["fs"], file: string, lines: Iterable<string>): void {
  const draft = `${file}.${process.pid}.part`;
  const descriptor = fs.openSync(draft, "w");
  try {
    try {
      for (const piece of inPieces(lines)) fs.writeSync(descriptor, piece);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(draft, file);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

type Files = { readonly fs: typeof import("node:fs"); readonly path: typeof import("node:path") };

/** Asked of the process and not imported: a bundle for a browser would not load. */
function filesHere(): Files | undefined {
  const here = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process;
  if (typeof here?.getBuiltinModule !== "function") return undefined;
  return { fs: here.getBuiltinModule("node:fs"), path: here.getBuiltinModule("node:path") };
}

/** The folder to which the runner's names of files are relative. */
function rootOf({ file: { filepath, name } }: FailedTest, path: Files["path"]): string {
  return filepath.endsWith(`/${name}`) ? filepath.slice(0, -name.length) : path.resolve(process.cwd());
}

/** By project, file and name; the place of the test in its file tells those apart whose names look alike. */
function placeOf({ id, name, file, retries, repeats }: FailedTest): readonly string[] {
  const place = id.replace(/^-?[^_]*_/, "").replaceAll("_", "-");
  const again = `${repeats > 0 ? `-repeat${repeats}` : ""}${retries > 0 ? `-retry${retries}` : ""}`;
  const folders = file.name.split("/").map((part) => (part === ".." ? "_" : part));
  return [
    ...(file.projectName ? [wordOf(file.projectName)] : []),
    ...folders,
    `${wordOf(name)}-${place}${again}.ndjson`,
  ];
}

const LONGEST_WORD = 80;

function wordOf(name: string): string {
  const word = [...name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")].slice(0, LONGEST_WORD).join("");
  return word.replace(/^-+|-+$/g, "") || "test";
}

function textOf(lines: Iterable<string>, why: string): KeptLog {
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length > LONGEST_TEXT) return { why: `${why}, and it is too long for the report` };
  }
  return { text, why };
}

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
