import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { fileTrouble, LivingLogError } from "./living-log-error.ts";

/** Who holds a file. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Tells processes apart that had one number, where the system tells: what the process began with. */
  readonly begun?: string;
}

/** Tries before it is given up: others may take and leave the lock meanwhile. */
const TRIES = 10;

/**
 * Keeps other processes from writing to a file, by a file beside it that names its holder. A holder that was killed leaves it behind: a
 * lock whose process is gone is taken over.
 *
 * Names are taken by making a link, which one of many can do. That goes for a stale lock, too, so it is never taken away: whoever takes
 * over makes the name of its *successor*, which follows from what the stale one says, and is the holder from then on. Then it puts its own
 * lock in the place of the first one. Who had read the stale one before that, and finds the successor's name free again, sees
 * that the first is another by now.
 *
 * Our choice: a lock of our own. Libraries either ask how long ago a lock was touched, so that a process that was stopped for a
 * while loses it, or bring machine code for some systems.
 */
export class FileLock {
  readonly #path: string;
  #held = true;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * @param file by its real path: a lock stands beside the name
   * @throws LivingLogError `held` when somebody else holds it; `not_writable` when no file can be made beside it
   */
  static async take(file: string): Promise<FileLock> {
    const path = `${file}.lock`;
    const mark = randomBytes(6).toString("hex");
    const own = `${path}.${process.pid}.${mark}`;
    try {
      await writeFile(own, `${JSON.stringify({ ...thisProcess(), mark })}\n`, { flag: "wx" });
      for (let tries = 0; tries < TRIES; tries++) {
        const successors = await successorsOfStale(file, path);
        const [first, last] = [successors[0], successors.at(-1)];
        if (first === undefined || last === undefined) {
          if (await linked(own, path)) return new FileLock(path);
        } else if (await linked(own, last)) {
          const isStillFirst = (await successorOf(path, path))?.name === first;
          if (isStillFirst) await rename(own, path);
          for (const successor of successors) await rm(successor, { force: true });
          if (isStillFirst) return new FileLock(path);
        }
      }
      throw heldBy(file, path, undefined);
    } catch (error) {
      if (error instanceof LivingLogError) throw error;
      throw new LivingLogError("not_writable", file, `it cannot be locked: ${fileTrouble(error)}`, { cause: error });
    } finally {
      await rm(own, { force: true });
    }
  }

  async leave(): Promise<void> {
    if (!this.#held) return;
    this.#held = false;
    await rm(this.#path, { force: true });
  }
}

/** Whether the name was free, and now is ours: making a link fails where the name is taken, in one step. */
async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * If the holders of a lock and of its successors are all gone: the name of the first one's successor, and so on; the last of them is free.
 *
 * @throws LivingLogError `held` when one is not gone
 */
async function successorsOfStale(file: string, path: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (let lock = await successorOf(path, path); lock !== undefined; lock = await successorOf(path, lock.name)) {
    if (lock.of === undefined || isAlive(lock.of)) throw heldBy(file, path, lock.of);
    names.push(lock.name);
  }
  return names;
}

/** Who holds a lock, and the name of its successor; undefined where there is no lock. */
async function successorOf(
  path: string,
  lock: string,
): Promise<{ readonly of: Holder | undefined; readonly name: string } | undefined> {
  const text = await textOf(lock);
  if (text === undefined) return undefined;
  return { of: holderIn(text), name: `${path}.${createHash("sha256").update(text).digest("hex").slice(0, 24)}` };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function thisProcess(): Holder {
  const begun = beginningOf(process.pid);
  return { pid: process.pid, host: hostname(), ...(begun === undefined ? {} : { begun }) };
}

function holderIn(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    const isWhole = typeof holder?.pid === "number" && typeof holder.host === "string";
    return isWhole ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/** Of another machine nothing is known: its lock counts until somebody removes it. */
function isAlive({ pid, host, begun }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // Numbers are given again, above all to the first process of a container.
  return begun === undefined || beginningOf(pid) === begun;
}

/** When a process began, on systems that tell; with the run of the system, because that starts its count anew. */
function beginningOf(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in the second field may hold spaces and brackets; the 22nd field is the 20th behind it.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${boot}:${ticks}`;
  } catch {
    return undefined;
  }
}

function heldBy(file: string, path: string, holder: Holder | undefined): LivingLogError {
  const who = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}`;
  return new LivingLogError("held", file, `${who} writes to it; if that is not so, remove ${path}`);
}
