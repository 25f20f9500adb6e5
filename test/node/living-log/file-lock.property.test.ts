import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import fc from "fast-check";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { FileLock } from "../../../src/node/living-log/file-lock.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";

/** A folder of which each step waits for its turn. */
const files = new Map<string, string>();
let turn: () => Promise<unknown> = async () => undefined;

function textOf(path: string): string {
  const text = files.get(path);
  if (text === undefined) throw failure("ENOENT");
  return text;
}

function add(path: string, text: string): void {
  if (files.has(path)) throw failure("EEXIST");
  files.set(path, text);
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

const STEPS: { readonly [N in "writeFile" | "link" | "readFile" | "rename" | "rm"]: (...args: never[]) => unknown } = {
  writeFile: add,
  link: (from: string, to: string) => add(to, textOf(from)),
  readFile: textOf,
  rename: (from: string, to: string) => {
    files.set(to, textOf(from));
    files.delete(from);
  },
  rm: (path: string) => files.delete(path),
};

beforeAll(() => {
  for (const [name, step] of Object.entries(STEPS)) {
    vi.spyOn(promises, name as keyof typeof STEPS).mockImplementation(async (...args: unknown[]) => {
      await turn();
      return step(...(args as never[])) as never;
    });
  }
  syncBuiltinESMExports();
});

afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Its number was given again. */
const gone = (mark: number): string =>
  JSON.stringify({ pid: process.pid, host: hostname(), begun: "another run:1", mark });

property([fc.scheduler(), fc.boolean(), fc.array(fc.boolean(), { minLength: 2, maxLength: 6 })], runs(2_000))(
  "whatever the order of their steps, no two hold a file, and of those who find it free one does",
  async (scheduler, isStale, leaving) => {
    files.clear();
    if (isStale) files.set("run.lock", gone(0));
    let holding = 0;
    let taken = 0;
    const take = async (leaves: boolean): Promise<void> => {
      const lock = await FileLock.take("run");
      taken += 1;
      holding += 1;
      expect(holding).toBe(1);
      if (!leaves) return;
      holding -= 1;
      await lock.leave();
    };
    turn = () => scheduler.schedule(Promise.resolve());
    const tried = Promise.allSettled(leaving.map(take));
    await scheduler.waitFor(tried);
    for (const result of await tried) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ fault: "held" });
    }
    expect(taken).toBeGreaterThan(0);
    expect([...files.keys()]).toEqual(holding === 0 ? [] : ["run.lock"]);
  },
);
