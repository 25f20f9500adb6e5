import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { CommandLine } from "../command-line/support.ts";

/** What `serve --json` tells at the start. */
interface Told {
  readonly url: string;
  readonly urls: { readonly secrets: { readonly [cluster: string]: string } };
  readonly adminSecret: string;
  readonly tornBytes: number;
}

/** A server in a process of its own. */
export class ServedProcess {
  readonly told: Told;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, told: Told) {
    this.#child = child;
    this.told = told;
  }

  static async start(commandLine: CommandLine, words: readonly string[], limitBlocks?: number): Promise<ServedProcess> {
    const command = [commandLine.program, "serve", "--secrets", "0", "--json", ...words];
    const child =
      limitBlocks === undefined
        ? spawn(process.execPath, command, { cwd: commandLine.folder, stdio: "pipe" })
        : spawn("sh", ["-c", `ulimit -f ${limitBlocks}; exec "$0" "$@"`, process.execPath, ...command], {
            cwd: commandLine.folder,
            stdio: "pipe",
          });
    let [stdout, stderr] = ["", ""];
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const told = await new Promise<Told>((resolve, reject) => {
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        if (stdout.endsWith("}\n")) resolve(JSON.parse(stdout) as Told);
      });
      child.once("exit", (code) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
    });
    return new ServedProcess(child, told);
  }

  get secrets(): string {
    return this.told.urls.secrets["main"] ?? "";
  }

  /** Asks the admin path. */
  async admin(path: string, body?: object, signal: AbortSignal | null = null): Promise<unknown> {
    const response = await fetch(`${this.told.url}/hindcast${path}`, {
      headers: { Authorization: `Bearer ${this.told.adminSecret}`, "Content-Type": "application/json" },
      signal,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const exit = once(this.#child, "exit");
    this.#child.kill(signal);
    const [code] = (await exit) as [number | null];
    return code;
  }
}
