import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type IPty, spawn as spawnOnTerminal } from "@lydell/node-pty";
import { afterAll, beforeAll } from "vitest";

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

  /** Runs a command on a pseudo terminal. */
  onTerminal(columns: number, ...words: string[]): Terminal {
    return new Terminal(
      spawnOnTerminal(process.execPath, [this.program, ...words], {
        cwd: this.folder,
        cols: columns,
        rows: 40,
        env: { ...ENVIRONMENT, NO_COLOR: "1" },
      }),
    );
  }
}

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
    this.#exit = new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
    pty.onData((text) => {
      this.#seen += text;
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
    const deadline = Date.now() + 15_000;
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

  kill(signal: string): void {
    this.#pty.kill(signal);
  }

  /** The exit code. */
  async ended(): Promise<number> {
    const code = await this.#exit;
    // What was printed last may come after the news of the end.
    await new Promise((resolve) => setTimeout(resolve, 50));
    return code;
  }
}

/** What is left on a terminal: lines that were cleared are gone. */
function plain(text: string): string {
  return (
    text
      .replaceAll("\r\n", "\n")
      .replace(/[^\n]*\r\u001b\[K/g, "")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
      .replace(/\u001b\[[?0-9;]*[A-Za-z]/g, "")
  );
}

/** Builds the package once for a file of tests. */
export function builtCommandLine(): CommandLine {
  // Below node_modules, so that the package finds its dependencies.
  const cache = join(ROOT, "node_modules/.cache/hindcast");
  mkdirSync(cache, { recursive: true });
  const house = mkdtempSync(join(cache, "built-"));
  const folder = mkdtempSync(join(tmpdir(), "hindcast-test-"));
  beforeAll(() => {
    const build = spawnSync(
      process.execPath,
      [join(ROOT, "node_modules/vite/bin/vite.js"), "build", "--outDir", house, "--logLevel", "error"],
      { cwd: ROOT, encoding: "utf8" },
    );
    if (build.status !== 0) throw new Error(build.stderr + build.stdout);
  });
  afterAll(() => {
    for (const made of [house, folder]) rmSync(made, { recursive: true, force: true });
  });
  return new CommandLine(house, folder);
}

/** The recorded text of a name: what a command prints does not change unawares. */
export function recorded(name: string): string {
  return join(ROOT, "test/node/command-line/recorded", name);
}
