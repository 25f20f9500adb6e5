import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { loadLog } from "../../../src/node/index.ts";
import { runs } from "../../support/runs.ts";
import { builtCommandLine } from "../command-line/support.ts";
import { ask, put, read, type Told } from "./client.ts";

const hindcast = builtCommandLine();
const children: ChildProcess[] = [];

interface ReadyLine extends Pick<Told, "urls" | "rootTokens" | "keyShares" | "admin"> {
  readonly url: string;
  readonly pid: number;
  readonly worlds?: number;
}

async function served(...words: string[]): Promise<{ readonly child: ChildProcess; readonly ready: ReadyLine }> {
  const child = hindcast.start("serve", "--json", ...words);
  children.push(child);
  return { child, ready: await readyOf(child) };
}

function readyOf(child: ChildProcess): Promise<ReadyLine> {
  const errors: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  let text = "";
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      if (text.endsWith("\n")) resolve(JSON.parse(text) as ReadyLine);
    });
    child.once("exit", () => reject(new Error(`it ended before it was ready: ${errors.join("")}`)));
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
  const exit = child.exitCode === null && child.signalCode === null ? once(child, "exit") : [child.exitCode];
  child.kill(signal);
  return ((await exit) as [number | null])[0];
}

afterEach(async () => {
  for (const child of children.splice(0)) await end(child, "SIGKILL");
});

describe("the ready line", () => {
  test("holds URLs, root tokens and key shares in the words of the vocabulary, and the way to the admin path", async () => {
    const { ready, child } = await served(
      ...["--vocabulary", "hashicorp", "--secrets", "0", "--scheduler", "0", "--runs", "0", "--clusters", "east,west"],
      ...["--key-shares", "2", "--start", "2030-01-01T00:00:00Z", "--version-of", "1.14.0", "--license", "community"],
    );
    expect(ready).toMatchObject({
      pid: child.pid,
      admin: { url: `${ready.url}/hindcast`, secret: expect.stringMatching(/^[\w-]{32}$/) as string },
    });
    expect(ready.keyShares["east"]).toHaveLength(2);
    const vault = ready.urls.secrets["west"] ?? "";
    const { rootTokens } = ready;
    expect(rootTokens["west"]).toMatch(/^hvs\./);
    const self = await fetch(`${vault}/v1/auth/token/lookup-self`, {
      headers: { "X-Vault-Token": rootTokens["west"] ?? "" },
    });
    expect((await self.json()) as object).toMatchObject({ data: { creation_time: Date.UTC(2030, 0, 1) / 1000 } });
    const sealed = await (await fetch(`${vault}/v1/sys/seal-status`)).json();
    expect(sealed).toMatchObject({ n: 2, t: 2, version: "1.14.0" });
    // The issuer of OIDC is where it listens, at a port that was free by chance.
    const discovery = await fetch(`${vault}/v1/identity/oidc/provider/default/.well-known/openid-configuration`);
    expect((await discovery.json()) as object).toMatchObject({ issuer: `${vault}/v1/identity/oidc/provider/default` });
    const { body: journal } = await ask(ready.admin, "GET", "/journal");
    expect(journal.at(-1).request.url.startsWith(vault)).toBe(true);
    const { body: document } = await ask(ready.admin, "GET", "/openapi/secrets.json");
    expect(document.servers[0].url).toBe(ready.urls.secrets["east"]);
    expect(JSON.stringify(document.components.securitySchemes)).toContain("X-Vault-Token");
  });

  test("--start now begins at the present, and the neutral service tells who speaks real words", async () => {
    const before = Date.now();
    const { ready } = await served("--port", "0", "--start", "now");
    const { body: clock } = await ask(ready.admin, "GET", "/clock");
    expect(clock.nowMs).toBeGreaterThanOrEqual(before);
    expect(clock.nowMs).toBeLessThanOrEqual(Date.now());
    const refused = await fetch(`${ready.urls.secrets["main"]}/v1/kv/a`, { headers: { "X-Vault-Token": "hvs.x" } });
    expect([refused.status, refused.headers.get("X-Hindcast-Why")]).toEqual([
      403,
      expect.stringContaining("X-Vault-Token"),
    ]);
  });

  test("stands in a file that nobody else may read, as long as it answers", async () => {
    const file = join(hindcast.folder, "ready.json");
    const { ready, child } = await served("--port", "0", "--ready-file", file);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(ready);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await end(child)).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  test("does not come where a port is taken: exit code 1 and a word", async () => {
    const { ready } = await served("--port", "0");
    const { port } = new URL(ready.url);
    for (const words of [[], ["--worlds"]]) {
      const { code, stdout, stderr } = await hindcast.run("serve", "--port", port, ...words);
      expect([code, stdout, stderr]).toEqual([
        1,
        "",
        `hindcast: port ${port} is taken by another process (EADDRINUSE)\n`,
      ]);
    }
  });

  test.each([
    [["--vocabulary", "klingon"], "vocabulary"],
    [["--vocabulary", "./none.json"], "--vocabulary: ./none.json cannot be read"],
    [["--start", "soon"], '"soon" is no instant'],
    [["--license", "free"], "license"],
    [["--nodes", "0"], "--nodes must be a whole number from 1 on; got 0"],
    [["--key-shares", "2", "--key-threshold", "3"], "keyThreshold"],
    [["--idle", "1h"], "--idle belongs to --worlds"],
    [["--worlds", "--secrets", "8200"], "--secrets is of one world"],
    [["--worlds", "--max-bytes", "much"], "--max-bytes must be a number of bytes, KiB, MiB or GiB; got much"],
    [["--worlds", "--idle", "soon"], "idle"],
    [["--url-host", "a b"], "urlHost"],
  ])("does not come with %j: exit code 2", { tags: "full" }, async (words, says) => {
    const { code, stdout, stderr } = await hindcast.run("serve", "--port", "0", ...words);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
  });
});

describe("worlds", () => {
  test("killed again and again, every world that acknowledged a commit is there with its secret and URLs", async () => {
    const folder = join(hindcast.folder, "worlds");
    mkdirSync(folder);
    let port = "0";
    const known = new Map<string, { readonly told: Told; value: number }>();
    const { numRuns: rounds } = runs(3);
    for (let round = 0; round < rounds; round++) {
      const { child, ready } = await served("--worlds", "--port", port, "--log-dir", folder);
      ({ port } = new URL(ready.url));
      expect(ready.worlds).toBeGreaterThanOrEqual(known.size);
      for (const { told, value } of known.values()) expect(await read(told, "n")).toBe(value);
      const [first] = known.values();
      let isDown = false;
      const client = async (n: number): Promise<void> => {
        while (!isDown) {
          try {
            const body = first === undefined || n % 2 === 0 ? {} : { fork: first.told.id };
            const { status, body: told } = await ask(ready.admin, "POST", "/worlds", body);
            if (status !== 201) continue;
            if ((await put(told as Told, "n", n)) === 204)
              known.set((told as Told).id, { told: told as Told, value: n });
          } catch {
            // It was killed: nothing was answered.
            return;
          }
        }
      };
      const clients = Array.from({ length: 4 }, (_, n) => client(n));
      const before = known.size;
      await vi.waitFor(() => expect(known.size).toBeGreaterThan(before + 2), { timeout: 30_000 });
      await end(child, "SIGKILL");
      isDown = true;
      await Promise.all(clients);
    }
    const { child, ready } = await served("--worlds", "--port", port, "--log-dir", folder);
    for (const { told, value } of known.values()) {
      expect(await read(told, "n")).toBe(value);
      expect((await ask(told.admin, "GET", "/")).body).toMatchObject({ id: told.id, urls: told.urls });
    }
    // Logs are whole, and so are those that nobody was told of.
    expect(await end(child)).toBe(0);
    const logs = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
    expect(logs).toHaveLength(ready.worlds ?? 0);
    for (const log of logs) expect((await loadLog(join(folder, log))).tornBytes).toBe(0);
  });
});

describe("it ends", () => {
  test("within a second, with a request that waits and one that is half sent", async () => {
    const { child, ready } = await served("--port", "0", "--log", join(hindcast.folder, "end.ndjson"));
    const url = `${ready.urls.scheduler["global"]}/v1/acl/policies`;
    const boot = await fetch(`${ready.urls.scheduler["global"]}/v1/acl/bootstrap`, { method: "POST" });
    const { SecretID: token = "" } = (await boot.json()) as { SecretID?: string };
    const waiting = fetch(`${url}?index=1000&wait=300s`, { headers: { "X-Scheduler-Token": token } }).catch(
      () => "cut off",
    );
    await vi.waitFor(async () => expect((await ask(ready.admin, "GET", "/clock")).body.waiting).toHaveLength(1));
    const begun = performance.now();
    expect(await end(child)).toBe(0);
    await waiting;
    // The limit is 1 s on a machine that is idle: what is bounded here is that nobody waits for clients.
    expect(performance.now() - begun).toBeLessThan(20_000);
    const { sim, tornBytes } = await loadLog(join(hindcast.folder, "end.ndjson"));
    expect([sim.log.commits().some(({ command }) => command.name === "scheduler.acl.bootstrap"), tornBytes]).toEqual([
      true,
      0,
    ]);
  });

  test.runIf(process.platform !== "win32").each(["a file for its input", "a pipe for its input"] as const)(
    "with the process that started it, which gave it %s",
    async (input) => {
      const stdin = input === "a pipe for its input" ? "pipe" : "ignore";
      const starter = spawn(
        process.execPath,
        [
          "-e",
          `const { spawn } = require("node:child_process");
           const child = spawn(process.execPath, ${JSON.stringify([hindcast.program, "serve", "--port", "0", "--json", "--exit-with-parent"])}, { stdio: ["${stdin}", "inherit", "inherit"] });
           setInterval(() => {}, 1000);`,
        ],
        { stdio: ["ignore", "pipe", "pipe"] },
      );
      children.push(starter);
      const { pid, url } = await readyOf(starter);
      expect((await fetch(`${url}/hindcast/`)).status).toBe(401);
      starter.kill("SIGKILL");
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 30_000, interval: 50 });
    },
  );

  test("not with its input where nobody asked for that", async () => {
    const { child, ready } = await served("--port", "0");
    child.stdin?.end();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await fetch(`${ready.url}/hindcast/`)).status).toBe(401);
    expect(await end(child, "SIGINT")).toBe(0);
  });
});
