/** What of a failed test is needed to name the file of its log. */
export interface FailedTest {
  readonly id: string;
  readonly name: string;
  readonly file: { readonly filepath: string; readonly name: string; readonly projectName?: string | undefined };
  /** How often it was tried before, by `retry` and by `repeats`. */
  readonly retries: number;
  readonly repeats: number;
}

/** Where a test keeps something: all of them in a folder, each below the name of its file. */
export interface KeptPlaces {
  readonly folder: string;
  readonly log: string;
  readonly page: string;
}

export function placesOf(test: FailedTest, folder: string, { path }: Files): KeptPlaces {
  const all = path.resolve(rootOf(test, path), folder);
  const own = path.join(all, ...placeOf(test));
  return { folder: all, log: `${own}.ndjson`, page: `${own}.html` };
}

/** A file as people are told of it: from where they are, if it is below. */
export function shownName(file: string, { path }: Files): string {
  const near = path.relative(process.cwd(), file);
  return near.startsWith("..") || path.isAbsolute(near) ? file : near;
}

/** The file appears when it is whole: another run of the same test may write it at the same time. */
export function writeWhole({ fs, path }: Files, file: string, lines: Iterable<string>): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
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

/** What is asked of the platform to keep what failed tests leave. */
export type Files = {
  readonly fs: typeof import("node:fs");
  readonly path: typeof import("node:path");
  readonly util: typeof import("node:util");
  readonly zlib: typeof import("node:zlib");
};

/** Asked of the process and not imported: a bundle for a browser would not load. */
export function filesHere(): Files | undefined {
  const here = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process;
  if (typeof here?.getBuiltinModule !== "function") return undefined;
  return {
    fs: here.getBuiltinModule("node:fs"),
    path: here.getBuiltinModule("node:path"),
    util: here.getBuiltinModule("node:util"),
    zlib: here.getBuiltinModule("node:zlib"),
  };
}

/** The folder to which the runner's names of files are relative. */
function rootOf({ file: { filepath, name } }: FailedTest, path: Files["path"]): string {
  return filepath.endsWith(`/${name}`) ? filepath.slice(0, -name.length) : path.resolve(process.cwd());
}

/** Its name there: by project, file and name; the place of the test in its file tells those apart whose names look alike. */
function placeOf({ id, name, file, retries, repeats }: FailedTest): readonly string[] {
  const place = id.replace(/^-?[^_]*_/, "").replaceAll("_", "-");
  const again = `${repeats > 0 ? `-repeat${repeats}` : ""}${retries > 0 ? `-retry${retries}` : ""}`;
  const folders = file.name.split("/").map((part) => (part === ".." ? "_" : part));
  return [...(file.projectName ? [wordOf(file.projectName)] : []), ...folders, `${wordOf(name)}-${place}${again}`];
}

const LONGEST_WORD = 80;

function wordOf(name: string): string {
  const word = [...name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")].slice(0, LONGEST_WORD).join("");
  return word.replace(/^-+|-+$/g, "") || "test";
}

/** What is written at once. */
const PIECE_CHARACTERS = 1 << 18;

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

/** The name of the files that an exploration leaves, and of its scenario. */
export function fileName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, 80).replace(/-$/, "") || "exploration";
}
