import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { type Listener, listen } from "../../src/node/index.ts";
import { ended } from "../node/command-line/support.ts";

const sim = createSimulator();
const { rootToken } = sim.secrets.cluster("main");
let server: Listener;

beforeAll(async () => {
  server = await listen(sim);
});
afterAll(() => server.close());

const isThere = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

async function run(program: string, script: string): Promise<string> {
  const file = fileURLToPath(new URL(`../clients/${script}`, import.meta.url));
  const child = spawn(program, [file, server.urls.secrets["main"] ?? "", rootToken], { stdio: "pipe" });
  const { code, stdout, stderr } = await ended(child);
  expect([stderr, code]).toEqual(["", 0]);
  return stdout;
}

test.runIf(isThere("curl"))("curl", async () => {
  const told = await run("sh", "client.sh");
  expect(told.split("\n").map((line) => line.replace(/^(\S+ \S+) .* (\d+)$/, "$1 $2"))).toEqual([
    "POST /v1/kv/curl/a 204",
    "LIST /v1/kv/curl 200",
    "POST /v1/kv/curl/large 204",
    "GET /v1/kv/curl/a 200",
    "DELETE /v1/kv/curl/a 204",
    "",
  ]);
  expect(told).toContain('"keys":["a"]');
});

test.runIf(isThere("python3"))("Python", async () => {
  expect((await run("python3", "client.py")).split("\n")).toEqual([
    "POST /v1/kv/python/a 204 None",
    "LIST /v1/kv/python 200 {'keys': ['a']}",
    "GET /v1/kv/python/a 200 {'value': 'LIST / HTTP/1.1'}",
    "DELETE /v1/kv/python/a 204 None",
    "",
  ]);
});
