import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { keepLog, resumeLog } from "../../../src/node/index.ts";
import { FileLock } from "../../../src/node/living-log/file-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "hindcast-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Its number was given again. */
const gone = { pid: process.pid, host: hostname(), begun: "another run:1" };
const stale = JSON.stringify(gone);
let count = 0;
const newFile = (): string => {
  count += 1;
  mkdirSync(join(folder, `${count}`));
  return join(folder, `${count}`, "run.ndjson");
};

test("a holder that was killed while it took over leaves a lock that is taken over in its turn", async () => {
  const file = newFile();
  writeFileSync(`${file}.lock`, stale);
  // It has made its name, and comes no further.
  await new Promise<void>((resolve) => {
    const { link } = promises;
    vi.spyOn(promises, "link").mockImplementation(async (...paths) => {
      await link(...paths);
      resolve();
      return new Promise(() => undefined);
    });
    syncBuiltinESMExports();
    void FileLock.take(file);
  });
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await expect(FileLock.take(file)).rejects.toMatchObject({ fault: "held" });
  const names = readdirSync(join(file, "..")).filter((name) => name !== "run.ndjson.lock");
  for (const name of names) writeFileSync(join(file, "..", name), `${JSON.stringify({ ...gone, mark: "x" })}\n`);
  const lock = await FileLock.take(file);
  await expect(FileLock.take(file)).rejects.toMatchObject({ fault: "held" });
  await lock.leave();
});

test("a file has one lock, by whatever name it is asked for", async () => {
  const file = newFile();
  const aside = newFile();
  const log = await keepLog(createSimulator(), file);
  symlinkSync(file, aside);
  symlinkSync(join(file, ".."), join(folder, "way"));
  for (const name of [aside, join(folder, "way", "run.ndjson")]) {
    await expect(resumeLog(name)).rejects.toMatchObject({ fault: "held", file });
  }
  await log.close();
  const { log: again } = await resumeLog(aside);
  expect(again.file).toBe(file);
  await expect(resumeLog(file)).rejects.toMatchObject({ fault: "held" });
  await again.close();
  // Nobody could say which name another one writes to.
  linkSync(file, `${file}.other`);
  await expect(resumeLog(file)).rejects.toMatchObject({ fault: "not_writable" });
});
