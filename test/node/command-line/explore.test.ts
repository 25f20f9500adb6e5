// @module-tag full: processes of their own.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { believing, shop } from "./explorations.ts";
import { builtCommandLine, recorded } from "./support.ts";

const hindcast = builtCommandLine();
const put = (file: string, text: string): void => writeFileSync(join(hindcast.folder, file), text);

beforeAll(() => {
  for (const [folder, isCareful] of [
    ["careful", true],
    ["careless", false],
  ] as const) {
    mkdirSync(join(hindcast.folder, folder));
    put(`${folder}/believing.ts`, believing(isCareful));
    put(`${folder}/shop.ts`, shop("the shop loses no order"));
  }
});

describe("explore", () => {
  it("finds what breaks a program, and leaves what tells of it", async () => {
    const { code, stdout } = await hindcast.run("explore", "careless/shop.ts", "--workers", "1");
    expect(code).toBe(1);
    await expect(stdout).toMatchFileSnapshot(recorded("explore-failing.txt"));
    const [, again = ""] = /again: npx hindcast explore careless\/shop\.ts --schedule '(.+)'\n/.exec(stdout) ?? [];
    expect(await hindcast.run("explore", "careless/shop.ts", "--schedule", again)).toMatchObject({ code: 1 });
    expect(await hindcast.run("explore", "careful/shop.ts", "--schedule", again)).toMatchObject({ code: 0 });
    const left = (ending: string): string => `hindcast-failures/the-shop-loses-no-order${ending}`;
    expect(await hindcast.run("run", left(".scenario.ts"))).toMatchObject({ code: 0, stderr: "" });
    expect(await hindcast.run("replay", left(".ndjson"))).toMatchObject({ code: 0 });
    expect(readFileSync(join(hindcast.folder, left(".html")), "utf8")).toContain("losesNoOrder");
  });

  it("tells the same of eight threads as of one, and of the same shard", async () => {
    const json = async (...words: string[]) =>
      (await hindcast.run("explore", "careful/shop.ts", "--json", ...words)).stdout;
    const one = await json("--workers", "1", "--seed", "7");
    expect(JSON.parse(one)).toMatchObject({ ok: true, schedules: 64, seed: 7 });
    expect(await json("--workers", "8", "--seed", "7")).toBe(one);
    const shards = await Promise.all(["1/3", "2/3", "3/3"].map((shard) => json("--workers", "1", "--shard", shard)));
    const told = shards.map((text) => JSON.parse(text) as { schedules: number; seed: string; shard: string });
    expect(told.map(({ schedules, seed, shard }) => [schedules, seed, shard])).toEqual([
      [22, "1 1/3", "1/3"],
      [21, "1 2/3", "2/3"],
      [21, "1 3/3", "3/3"],
    ]);
    expect(await json("--workers", "2", "--shard", "1/3")).toBe(shards[0]);
  });

  it("says on a terminal what it reached, and ends at ^C", async () => {
    const { stdout } = await hindcast.run("explore", "careful/shop.ts", "--workers", "1", "--schedules", "200");
    expect(stdout).toMatch(/^the shop loses no order: nothing found\n200 schedules, seed 1, [\d.]+ virtual days\n/);
    expect(stdout).toMatch(/reached: moves \d+, faults in states \d+; never: moves \d+\n/);
    expect(stdout).toMatch(/new per 1,000 schedules: [\d,]+, \d+, \d+\n/);
    const terminal = hindcast.onTerminal(80, "explore", "careful/shop.ts", "--budget", "1h", "--workers", "1");
    await terminal.until("virtual");
    terminal.press("\u0003");
    expect(await terminal.ended()).toBe(130);
  });

  it.each([
    [[], "explore needs a file"],
    [["nowhere.ts"], "there is no file nowhere.ts"],
    [["nothing.ts"], "nothing.ts exports no exploration by default"],
    [["broken.ts"], "broken.ts cannot be loaded: "],
    [["careful/shop.ts", "--workers", "0"], "--workers is 0: it is a whole number from 1 on"],
    [["careful/shop.ts", "--shard", "0/3"], "--shard is 0/3: it is 1/4 for the first of four"],
    [["careful/shop.ts", "--shard", "4/3"], "--shard is 4/3"],
    [["careful/shop.ts", "--schedules", "many"], "--schedules is many"],
    [["careful/shop.ts", "--budget", "soon"], 'budget is "soon", and has to be a duration'],
    [["careful/shop.ts", "--schedule", "soon"], '"soon" is no step'],
    [["careful/shop.ts", "--queue", "http://x"], "--queue is http://x: it is redis://host:6379"],
    [["careful/shop.ts", "--queue", "redis://127.0.0.1:1"], "the queue at redis://127.0.0.1:1 cannot be reached: "],
  ])("%j is told: %s", async (words, why) => {
    put("nothing.ts", "export const nothing = 1;\n");
    put("broken.ts", "export default {;\n");
    const { code, stderr, stdout } = await hindcast.run("explore", ...words);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(why);
    expect(existsSync(join(hindcast.folder, "hindcast-failures/nothing"))).toBe(false);
  });
});
