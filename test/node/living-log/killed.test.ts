import { join } from "node:path";
import { expect, test } from "vitest";
import { loadLog } from "../../../src/node/index.ts";
import { runs } from "../../support/runs.ts";
import { builtCommandLine } from "../command-line/support.ts";
import { killAgainAndAgain } from "./killing.ts";
import { ServedProcess } from "./served.ts";

const commandLine = builtCommandLine();

test("killed again and again under load, it has every write that was answered", async () => {
  const { numRuns: rounds } = runs(8);
  const { answered } = await killAgainAndAgain(commandLine, rounds, (round) => 1 + ((round * 67) % 180));
  expect(answered).toBeGreaterThan(rounds);
});

test.runIf(process.platform !== "win32")(
  "a disk that is full in the middle leaves every write that was answered, and no half line",
  async () => {
    const file = join(commandLine.folder, "full.ndjson");
    // Files of this process end after 64 blocks of 512 bytes, as if the disk did.
    const server = await ServedProcess.start(commandLine, ["--log", file], 64);
    const { rootToken } = (await server.admin("/control/secrets/cluster/main")) as { readonly rootToken: string };
    const answered: string[] = [];
    let refused = 0;
    for (let count = 0; refused < 3; count++) {
      const response = await fetch(`${server.secrets}/v1/kv/${count}`, {
        method: "POST",
        headers: { "X-Secrets-Token": rootToken, "Content-Type": "application/json" },
        body: JSON.stringify({ value: "x".repeat(500) }),
      });
      if (response.status === 204) answered.push(`${count}`);
      else {
        expect(response.status).toBe(503);
        expect(await response.text()).toContain("EFBIG");
        refused += 1;
      }
    }
    // It tells when it ends that something could not be written.
    expect(await server.end("SIGTERM")).toBe(1);
    const { sim, tornBytes } = await loadLog(file);
    expect(tornBytes).toBe(0);
    expect(answered.length).toBeGreaterThan(10);
    const main = sim.secrets.cluster("main").as(rootToken);
    for (const key of answered) expect(main.kv.read({ path: key }).data["value"]).toHaveLength(500);
  },
);

test("the command tells at the start what is wrong with a log", { tags: "full" }, async () => {
  const file = join(commandLine.folder, "held.ndjson");
  const server = await ServedProcess.start(commandLine, ["--log", file]);
  const held = await commandLine.run("serve", "--port", "0", "--load", file, "--log", file);
  expect([held.code, held.stderr]).toEqual([
    1,
    expect.stringMatching(/hindcast: .*held\.ndjson: process \d+ on .* writes to it/),
  ]);
  expect(await server.end("SIGINT")).toBe(0);
  const again = await commandLine.run("serve", "--port", "0", "--log", file);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`serve --load ${file} --log ${file}`)]);
  const nowhere = await commandLine.run("serve", "--port", "0", "--load", `${file}.not`);
  expect([nowhere.code, nowhere.stderr]).toEqual([3, expect.stringContaining("there is no such file (ENOENT)")]);
  const full = await commandLine.run("serve", "--port", "0", "--log", "/dev/full");
  expect([full.code, full.stderr]).toEqual([1, expect.stringContaining("/dev/full")]);
  for (const [words, what] of [
    [["--port", "x"], "a port is 0 to 65535"],
    [["--durability", "maybe"], "it is commit or none"],
    [["--follow-clock", "-1"], "a number above 0"],
    [["--cert", "a"], "--cert and --key"],
    [["--clusters", "A_B"], "DNS label"],
    [["--load", file, "--seed", "3"], "it has its own"],
  ] as const) {
    const ended = await commandLine.run("serve", ...words);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(what)]);
  }
});

test("what is served, where, and with which secret is told to people, and as JSON", async () => {
  const terminal = commandLine.onTerminal(
    200,
    "serve",
    "--clusters",
    "east,west",
    "--secrets",
    "0",
    "--follow-clock",
    "60",
  );
  await terminal.until("follows the real one, 60 times as fast");
  expect(terminal.text).toMatch(/secrets east +http:\/\/127\.0\.0\.1:\d+\n/);
  expect(terminal.text).toMatch(/secret +[\w-]{32}\n/);
  expect(terminal.text).toMatch(/root token west +\S+\n/);
  terminal.press("\u0003");
  expect(await terminal.ended()).toBe(0);
});
