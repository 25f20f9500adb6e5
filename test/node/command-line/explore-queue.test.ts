// @module-tag full: processes of their own, and a store.
import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Redis, redis } from "../../support/redis.ts";
import { believing, shop } from "./explorations.ts";
import { builtCommandLine, ended } from "./support.ts";

const hindcast = builtCommandLine();
let store: Redis;

beforeAll(async () => {
  store = await redis();
  for (const [folder, isCareful] of [
    ["here", true],
    ["there", false],
  ] as const) {
    mkdirSync(join(hindcast.folder, folder));
    writeFileSync(join(hindcast.folder, folder, "believing.ts"), believing(isCareful));
    for (const name of ["shared", "refused", "waiting"]) {
      writeFileSync(join(hindcast.folder, folder, `${name}.ts`), shop(`${name} ${process.pid}`, { schedules: 400 }));
    }
  }
});
afterAll(() => store.end());

const worker = (file: string): ChildProcess =>
  hindcast.start("explore-worker", file, "--queue", store.url, "--workers", "1");

/** Comes when a process has said something. */
function said(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout?.on("data", (piece: Buffer) => {
      text += piece.toString();
      if (text.includes(words)) resolve();
    });
  });
}

it("tells the same where one of two workers is killed in the middle", async () => {
  const alone = await hindcast.run("explore", "here/shared.ts", "--json", "--workers", "1");
  expect(JSON.parse(alone.stdout)).toMatchObject({ ok: true, schedules: 400 });
  const [one, other] = [worker("here/shared.ts"), worker("here/shared.ts")];
  const [oneEnded, otherEnded] = [ended(one), ended(other)];
  const exploring = hindcast.run("explore", "here/shared.ts", "--json", "--queue", store.url);
  await said(other, "plays for shared");
  await new Promise((resolve) => void setTimeout(resolve, 500));
  other.kill("SIGKILL");
  const together = await exploring;
  expect(together.stderr).toBe("");
  expect(together.stdout).toBe(alone.stdout);
  expect(await otherEnded).toMatchObject({ signal: "SIGKILL" });
  const last = await oneEnded;
  expect(last).toMatchObject({ code: 0, stderr: "" });
  expect(last.stdout).toMatch(/^plays for shared \d+\nplayed \d+ schedules\n$/);
});

it("refuses a worker with another file, and goes on with what was broken off", async () => {
  const exploring = hindcast.start("explore", "here/refused.ts", "--json", "--queue", store.url);
  const exploringEnded = ended(exploring);
  const refused = await ended(worker("there/refused.ts"));
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain("the queue explores another file than this one");

  const working = worker("here/refused.ts");
  const workingEnded = ended(working);
  await said(working, "plays for refused");
  exploring.kill("SIGKILL");
  await exploringEnded;
  const again = await hindcast.run("explore", "here/refused.ts", "--json", "--queue", store.url);
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, schedules: 400 });
  expect(await workingEnded).toMatchObject({ code: 0 });
});

it("ends without an exploration after the time that it was told to wait", async () => {
  const words = ["explore-worker", "here/waiting.ts", "--queue", store.url, "--workers", "1", "--wait", "1s"] as const;
  expect(await hindcast.run(...words)).toMatchObject({ code: 0, stdout: "no exploration began within 1s\n" });
  expect(await hindcast.run("explore-worker", "here/waiting.ts")).toMatchObject({ code: 2 });
});
