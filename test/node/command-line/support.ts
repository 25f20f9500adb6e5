import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { type IPty, spawn as spawnOnTerminal } from "@lydell/node-pty";
import { afterAll } from "vitest";

/** The project. */
export const ROOT: string = fileURLToPath(new URL("../../../", import.meta.url));

/** What a process left. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line as it is published, and an empty folder to run it in. */
export class CommandLine {
  /** Where the package was built. */
  readonly house: string;
  /** Where commands are run: nothing is in it but what a test puts there. */
  readonly folder: string;

  constructor(house: string, folder: string) {
    this.house = house;
    this.folder = folder;
  }

  get program(): string {
    return join(this.house, "src/node/cli.js");
  }

  /** Runs a command whose output goes to a pipe. */
  run(...words: string[]): Promise<Ended> {
    return ended(this.start(...words));
  }

  start(...words: string[]): ChildProcess {
    return spawn(process.execPath, [this.program, ...words], { cwd: this.folder, env: ENVIRONMENT, stdio: "pipe" });
  }

  /** Runs a command on a pseudo terminal, without colours unless they are wanted. */
  onTerminal(columns: number, ...words: readonly [...([] | [{ readonly colours: true }]), ...string[]]): Terminal {
    const [first, ...rest] = words;
    const isColoured = typeof first === "object";
    return new Terminal(
      spawnOnTerminal(
        "/bin/sh",
        ["-c", TELLING_ITS_END, process.execPath, this.program, ...(isColoured ? rest : words)] as string[],
        {
          cwd: this.folder,
          cols: columns,
          rows: 40,
          env: isColoured ? ENVIRONMENT : { ...ENVIRONMENT, NO_COLOR: "1" },
        },
      ),
    );
  }
}

/**
 * Runs a command, tells its exit code, and waits until that was read: the library closes a terminal 200 ms after its process has ended,
 * whether all was read by then or not, and a machine that is busy with other things may read later.
 */
const TELLING_ITS_END = `trap : INT; "$0" "$@"; printf '\\036%d\\036' $?; read -r _`;

const TOLD = new RegExp(`${"\u001e"}(\\d+)${"\u001e"}`);

/** No colours are forced, nothing of the outer run is seen. */
const ENVIRONMENT: Record<string, string> = {
  PATH: process.env["PATH"] ?? "",
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
};

/** What a process printed, when it has ended. */
export async function ended(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** A command on a pseudo terminal, and the person in front of it. */
export class Terminal {
  readonly #pty: IPty;
  readonly #exit: Promise<number>;
  #seen = "";
  #looked = 0;

  constructor(pty: IPty) {
    this.#pty = pty;
    this.#exit = new Promise((resolve) => {
      const reading = pty.onData((text) => {
        this.#seen += text;
        const [end, code] = TOLD.exec(this.#seen) ?? [];
        if (end === undefined) return;
        reading.dispose();
        this.#seen = this.#seen.slice(0, this.#seen.indexOf(end));
        pty.write("\n");
        resolve(Number(code));
      });
    });
  }

  /** Everything that was printed, as it came. */
  get raw(): string {
    return this.#seen;
  }

  /** The lines that were printed, without what moves the cursor. */
  get text(): string {
    return plain(this.#seen);
  }

  /** Waits until something is printed after what was waited for before. @returns what was printed since then */
  async until(sought: string): Promise<string> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const at = this.#seen.indexOf(sought, this.#looked);
      if (at >= 0) {
        const from = this.#looked;
        this.#looked = at + sought.length;
        return plain(this.#seen.slice(from, at));
      }
      if (Date.now() > deadline) throw new Error(`${JSON.stringify(sought)} was not printed:\n${this.#seen}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  /** The exit code, once all is read that was printed. */
  ended(): Promise<number> {
    return this.#exit;
  }
}

/** What is left on a terminal: lines that were cleared are gone. */
function plain(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n").replace(CLEARED, ""));
}

const CLEARED = new RegExp(`[^\\n]*${"\r\u001b"}\\[K`, "g");

/** The command line as it is published, for a file of tests. */
export function builtCommandLine(): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), "hindcast-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return new CommandLine(builtHouse(), folder);
}

/** Below node_modules, so that the package finds its dependencies. */
const BUILDS = join(ROOT, "node_modules/.cache/hindcast");
const OLD_BUILD_MS = 24 * 3_600_000;

/** The package is built once for what it is made of, by whichever worker asks first. */
function builtHouse(): string {
  const house = join(BUILDS, `built-${digestOfSources()}`);
  if (existsSync(house)) return house;
  mkdirSync(BUILDS, { recursive: true });
  const making = mkdtempSync(join(BUILDS, "making-"));
  const build = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/vite/bin/vite.js"), "build", "--outDir", making, "--logLevel", "error"],
    { cwd: ROOT, encoding: "utf8" },
  );
  if (build.status !== 0) throw new Error(build.stderr + build.stdout);
  try {
    renameSync(making, house);
  } catch (error) {
    // Another worker has built the same in the meantime.
    if (!existsSync(house)) throw error;
    rmSync(making, { recursive: true, force: true });
  }
  for (const other of readdirSync(BUILDS)) {
    const place = join(BUILDS, other);
    if (statSync(place).mtimeMs < Date.now() - OLD_BUILD_MS) rmSync(place, { recursive: true, force: true });
  }
  return house;
}

function digestOfSources(): string {
  const digest = createHash("sha256");
  const add = (file: string): void => {
    digest.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  };
  for (const file of ["package-lock.json", "package.json", "vite.config.ts"]) add(file);
  for (const folder of ["machines", "scenarios", "src"]) {
    const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
    for (const file of entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()) {
      add(file.slice(ROOT.length));
    }
  }
  return digest.digest("hex").slice(0, 16);
}

/** The recorded text of a name: what a command prints does not change unawares. */
export function recorded(name: string): string {
  return join(ROOT, "test/node/command-line/recorded", name);
}
