import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createSimulator, rehearse } from "../../../src/index.ts";
import { loadLog } from "../../../src/node/index.ts";
import type { CommandLine } from "../command-line/support.ts";
import { ServedProcess } from "./served.ts";

const WRITERS = 8;
/** The root token of a cluster follows from the seed. */
const TOKEN = createSimulator().secrets.cluster("main").rootToken;
const HEADERS = { "X-Secrets-Token": TOKEN, "Content-Type": "application/json" };

/**
 * Kills a server with SIGKILL again and again while it is written to, brings it back each time, and holds what it has against what was
 * answered.
 *
 * @param answersOf how many writes are answered in a round before the server is killed
 */
export async function killAgainAndAgain(
  commandLine: CommandLine,
  rounds: number,
  answersOf: (round: number) => number,
): Promise<{ readonly answered: number; readonly torn: number }> {
  const file = join(commandLine.folder, `killed-${rounds}.ndjson`);
  const answered = new Set<string>();
  let torn = 0;
  for (let round = 0; round <= rounds; round++) {
    const load = round === 0 ? [] : ["--load", file];
    const server = await ServedProcess.start(commandLine, [...load, "--log", file]);
    if (server.told.tornBytes > 0) torn += 1;
    if (round > 0) await compare(server, file, answered);
    if (round === rounds) {
      expect(await server.end("SIGTERM")).toBe(0);
      break;
    }
    const gone = new AbortController();
    const enough = answered.size + answersOf(round);
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      writeOn(server.secrets, `${round}-${writer}`, answered, gone.signal),
    );
    const ticking = tick(server, gone.signal);
    while (answered.size < enough) await new Promise((resolve) => setImmediate(resolve));
    await server.end("SIGKILL");
    // What was answered is on its way to them. Node 20's fetch sometimes waits for ever where a connection ends as it begins.
    const giveUp = setTimeout(() => gone.abort(), 1_000);
    await Promise.all([...writers, ticking]);
    clearTimeout(giveUp);
  }
  expect(await rehearse(readFileSync(file, "utf8"))).toEqual({ ok: true });
  return { answered: answered.size, torn };
}

/** Writes one key after another until the server is gone. What was answered is noted. */
async function writeOn(url: string, name: string, answered: Set<string>, gone: AbortSignal): Promise<void> {
  for (let count = 0; ; count++) {
    const key = `${name}/${count}`;
    try {
      const body = JSON.stringify({ value: key, filling: "x".repeat((count * 37) % 5000) });
      const response = await fetch(`${url}/v1/kv/${key}`, { method: "POST", headers: HEADERS, body, signal: gone });
      if (response.status === 204) answered.add(key);
    } catch {
      return;
    }
  }
}

/** Moves the clock and makes tokens that expire: commits of timers come in between. */
async function tick(server: ServedProcess, gone: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await server.admin("/control/secrets/cluster/main/createToken", { policies: ["default"], ttl: "2s" }, gone);
      await server.admin("/clock/advance", { duration: "1s" }, gone);
    }
  } catch {
    // It was killed.
  }
}

async function compare(server: ServedProcess, file: string, answered: ReadonlySet<string>): Promise<void> {
  const { sim, tornBytes } = await loadLog(file);
  expect(tornBytes).toBe(0);
  const { stateHash } = (await server.admin("/state-hash")) as { readonly stateHash: string };
  expect(stateHash).toBe(sim.stateHash());
  const main = sim.secrets.cluster("main").as(TOKEN);
  const missing = [...answered].filter((key) => {
    try {
      return main.kv.read({ path: key }).data["value"] !== key;
    } catch {
      return true;
    }
  });
  expect(missing).toEqual([]);
}
