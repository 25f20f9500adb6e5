import { execFileSync } from "node:child_process";
import { fstatSync, readFileSync } from "node:fs";

/** How often it is looked whether the parent is still there. */
const LOOKED_EVERY_MS = 250;

/**
 * Tells when the process that started this one is gone: a test run that was killed ends nothing by itself.
 *
 * Who starts us through npx is the parent of npm, which stays when that is killed. A pipe for our standard input ends with its other side,
 * which is known at once, and on systems that do not tell of processes.
 *
 * @returns a promise, and what ends the looking
 */
export function parentGone(): { readonly gone: Promise<void>; readonly ended: () => void } {
  const { stdin, ppid } = process;
  const above = wrappersOf(ppid);
  const isPiped = isPipe(0);
  let timer: NodeJS.Timeout | undefined;
  const gone = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (process.ppid !== ppid || above.some(isLeft)) resolve();
    }, LOOKED_EVERY_MS);
    if (isPiped) stdin.once("end", resolve).once("close", resolve).resume();
  });
  const ended = (): void => {
    clearInterval(timer);
    if (isPiped) stdin.destroy();
  };
  return { gone, ended };
}

/** A process, and the one that started it. */
type Started = readonly [pid: number, parent: number];

/** Where npm started us, npm and the shell between, each with the process that started it. */
function wrappersOf(parent: number): readonly Started[] {
  const wrappers: Started[] = [];
  for (let pid = parent; wrappers.length < 2; ) {
    const above = parentOf(pid);
    if (above === undefined || above <= 1) return [];
    wrappers.push([pid, above]);
    if (NPM.test(commandOf(pid))) return wrappers;
    pid = above;
  }
  return [];
}

/** The title that npm gives itself, or the file that it is. */
const NPM = /^np[mx]\b|\bnp[mx]-cli\b|\/np[mx]\b/;

/** Whether the process that started another one is gone: that has another parent then. */
function isLeft([pid, parent]: Started): boolean {
  if (process.platform === "linux") return parentOf(pid) !== parent;
  try {
    process.kill(parent, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function isPipe(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

/** The parent of a process; undefined where the system does not tell. */
function parentOf(pid: number): number | undefined {
  // The name stands in brackets, and may hold anything. Source: proc_pid_stat(5).
  const text =
    process.platform === "linux" ? read(`/proc/${pid}/stat`).replace(/^.*\)\s+\S+\s+/s, "") : ps(pid, "ppid=");
  const parent = Number.parseInt(text, 10);
  return parent > 0 ? parent : undefined;
}

function commandOf(pid: number): string {
  return process.platform === "linux" ? read(`/proc/${pid}/cmdline`).replaceAll("\0", " ") : ps(pid, "command=");
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function ps(pid: number, column: string): string {
  try {
    return execFileSync("ps", ["-o", column, "-p", `${pid}`], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
