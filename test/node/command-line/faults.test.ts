import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { rehearse } from "../../../src/index.ts";
import { builtCommandLine, ended } from "./support.ts";

const hindcast = builtCommandLine();
const inFolder = (file: string): string => join(hindcast.folder, file);

/** A scenario without the library: a story is plain data. */
const story = (name: string, does: string): string => `export default {
  name: ${JSON.stringify(name)}, title: "A story", world: {}, cast: () => ({}),
  steps: [
    { title: "A token", does: (sim) => sim.secrets.cluster("main").createToken({ policies: ["default"] }) },
    { title: "It takes its time", does: ${does} },
    { title: "Another", does: (sim) => sim.secrets.cluster("main").createToken({ policies: ["default"] }) },
  ],
};\n`;

beforeAll(() => {
  mkdirSync(inFolder("scenarios"), { recursive: true });
  writeFileSync(inFolder("scenarios/own.mjs"), story("own-story", "() => {}"));
  writeFileSync(
    inFolder("scenarios/library-loan.js"),
    `${story("library-loan", "() => {}").replace("export default", "module.exports.mine =")}`,
  );
  writeFileSync(inFolder("scenarios/broken.mjs"), "export default {;\n");
  writeFileSync(inFolder("scenarios/helpers.mjs"), "export const nothing = 1;\n");
  writeFileSync(
    inFolder("two.mjs"),
    `${story("one", "() => {}").replace("default", "const first =")}${story("two", "() => {}").replace("default", "const second =")}`,
  );
  writeFileSync(
    inFolder("busy.mjs"),
    story("busy", "() => { const end = Date.now() + 60_000; while (Date.now() < end); }"),
  );
  writeFileSync(
    inFolder("slow.mjs"),
    story("slow", "() => { const end = Date.now() + 4_000; while (Date.now() < end); }"),
  );
  writeFileSync(inFolder("asleep.mjs"), story("asleep", "() => new Promise((resolve) => setTimeout(resolve, 60_000))"));
  writeFileSync(inFolder("stuck.mjs"), story("stuck", "() => new Promise(() => {})"));
  writeFileSync(
    inFolder("no-cast.mjs"),
    story("no-cast", "() => {}").replace("() => ({})", '() => { throw new Error("nobody came"); }'),
  );
  writeFileSync(inFolder("no-world.mjs"), story("no-world", "() => {}").replace("world: {}", "world: { seed: {} }"));
  writeFileSync(inFolder("steps.mjs"), story("steps", "() => { throw null; }"));
});

describe("what is not understood: exit code 2, what to do next on the error stream, and nothing else", () => {
  it.each<readonly [words: readonly string[], says: string, next: string]>([
    [[], "which command?", "usage: hindcast <command>"],
    [["lst"], "there is no command lst", "hindcast list"],
    [["constructor"], "there is no command constructor", "hindcast --help"],
    [["__proto__"], "there is no command __proto__", "hindcast --help"],
    [["run", "libary-loan"], "no scenario is named libary-loan", "hindcast run library-loan"],
    [["run", "own-stroy"], "no scenario is named own-stroy", "hindcast run own-story"],
    [["run", "outage"], "no scenario is named outage", "hindcast run policy-outage"],
    [["run", "zzzzzzzz"], "no scenario is named zzzzzzzz", "hindcast list"],
    [["run", "__proto__"], "no scenario is named __proto__", "hindcast list"],
    [["run", "./missing.ts"], "there is no file ./missing.ts", "hindcast list"],
    [["run", "./scenarios"], "there is no file ./scenarios", "hindcast list"],
    [["run", "scenarios/broken.mjs"], "scenarios/broken.mjs cannot be loaded: SyntaxError", ""],
    [["run", "scenarios/helpers.mjs"], "exports no scenario", "defineScenario"],
    [["run", "two.mjs"], "two.mjs has several scenarios: one, two", "hindcast run two.mjs#one"],
    [["run", "two.mjs#three"], "two.mjs has no scenario three: there is one, two", ""],
    [["run", "library-loan", "--sed", "3"], "run has no option --sed; did you mean --seed", "hindcast run --help"],
    [["run", "library-loan", "--seed"], "--seed needs a value", "hindcast run --help"],
    [["run", "library-loan", "--seed="], "--seed needs a value", "hindcast run --help"],
    [["run", "library-loan", "--json=yes"], "--json takes no value", "hindcast run --help"],
    [["run", "library-loan", "region-outage"], "does not know what to do with region-outage", "hindcast run --help"],
    [["run", "library-loan", "--log", "no/such/folder/out.ndjson"], "the log cannot be written to no/such", ""],
    [["replay"], "replay needs the file of a log: <log>", "hindcast replay --help"],
    [["explain", "some.ndjson"], "explain needs a position", "hindcast explain --help"],
    [["machines", "libary-account"], "there is no chart libary-account", "hindcast machines library-account"],
    [["machines", "lease", "--out", "two.mjs/x"], "two.mjs/x cannot be written", ""],
    [["list", "extra"], "list does not know what to do with extra", "hindcast list --help"],
  ])("%j", { tags: "full" }, async (words, says, next) => {
    const { code, stdout, stderr } = await hindcast.run(...words);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^hindcast: /);
    expect(stderr).toContain(says);
    expect(stderr).toContain(next);
    expect(stderr).not.toContain("    at ");
  });

  it("is told as JSON where JSON was asked for, by every command", { tags: "full" }, async () => {
    for (const command of [
      "list",
      "run",
      "replay",
      "diff",
      "blame",
      "history",
      "log",
      "explain",
      "loss",
      "timeline",
      "sequence",
      "inspect",
      "gallery",
      "explore",
      "explore-worker",
      "serve",
      "machines",
    ]) {
      const { code, stdout, stderr } = await hindcast.run(command, "no-such-thing", "--json", "--nonsense");
      expect([code, stdout]).toEqual([2, ""]);
      expect(JSON.parse(stderr)).toMatchObject({
        error: { exitCode: 2, message: expect.stringContaining("--nonsense") },
      });
    }
  });

  it("is found on a terminal, too", async () => {
    const terminal = hindcast.onTerminal(80, "run", "libary-loan");
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text).toContain("no scenario is named libary-loan\n  hindcast run library-loan\n");
  });
});

describe("help and version", () => {
  it("are told on the standard output, for every command", { tags: "full" }, async () => {
    const { code, stdout } = await hindcast.run("--help");
    expect(code).toBe(0);
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect((await hindcast.run("--version")).stdout).toBe(`${version}\n`);
    const names = [...stdout.matchAll(/^ {2}([\w-]+) {2}/gm)].map(([, name = ""]) => name);
    expect(names).toEqual([
      "list",
      "run",
      "replay",
      "diff",
      "blame",
      "history",
      "log",
      "explain",
      "loss",
      "timeline",
      "sequence",
      "inspect",
      "gallery",
      "explore",
      "explore-worker",
      "serve",
      "machines",
    ]);
    for (const name of names) {
      const help = await hindcast.run(name, "--help");
      expect([help.code, help.stderr]).toEqual([0, ""]);
      expect(help.stdout).toContain(`usage: hindcast ${name}`);
      expect(help.stdout).toContain("--json");
    }
  });
});

describe("scenarios of one's own", () => {
  it("are listed before those that come with it, and a file that cannot be loaded hides none of them", async () => {
    const { code, stdout, stderr } = await hindcast.run("list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^own\n {2}library-loan +A story\n {2}own-story +A story\n\nbuilt in\n/);
    expect(stderr).toContain("scenarios/broken.mjs cannot be loaded");
    const json = JSON.parse((await hindcast.run("list", "--json")).stdout) as { unreadable: object[] };
    expect(json.unreadable).toMatchObject([{ why: expect.stringContaining("SyntaxError") }]);
  });

  it("are run by their names, and come before one of the same name", async () => {
    expect((await hindcast.run("run", "own-story")).stdout).toContain("3 of 3 steps as expected, seed 1\n");
    expect((await hindcast.run("run", "library-loan")).stdout).toContain("3 of 3 steps as expected, seed 1\n");
    expect((await hindcast.run("run", "two.mjs#two")).stdout).toContain("A story\ntwo\n");
  });

  it.each([
    ["no-cast.mjs", "no-cast cannot begin: Error: nobody came"],
    ["no-world.mjs", "no-world cannot begin: TypeError: "],
  ])("%s does not even begin: exit code 1", async (file, says) => {
    const { code, stdout, stderr } = await hindcast.run("run", file);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain("    at ");
  });

  it("may throw whatever they like", async () => {
    const { code, stdout } = await hindcast.run("run", "steps.mjs");
    expect(code).toBe(1);
    expect(stdout).toContain("  FAILED  null\n");
  });

  it("that wait for what nobody does are told so, and do not end without a word", async () => {
    const { code, stderr } = await hindcast.run("run", "stuck.mjs");
    expect(code).toBe(1);
    expect(stderr).toContain("it waits for something that nobody does");
  });
});

describe("a reader that goes away", { tags: "full" }, () => {
  it.each([
    ["run", "token-expiry-storm"],
    ["run", "token-expiry-storm", "--json"],
    ["machines", "--svg"],
  ])("leaves no message: %s %s", async (...words) => {
    const child = hindcast.start(...words);
    child.stdout?.destroy();
    const { code, stderr } = await ended(child);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("takes nothing from the log or the exit code", async () => {
    const child = hindcast.start("run", "library-loan", "--log", "unread.ndjson");
    child.stdout?.destroy();
    expect((await ended(child)).code).toBe(0);
    expect(await rehearse(readFileSync(inFolder("unread.ndjson"), "utf8"))).toEqual({ ok: true });
  });

  it("behaves as programs of a shell expect", async () => {
    const words = [process.execPath, hindcast.program, "run", "library-loan"].map((word) => `'${word}'`).join(" ");
    const { code, stdout, stderr } = await ended(
      spawn("sh", ["-c", `${words} | head -n 1`], { cwd: hindcast.folder, stdio: "pipe" }),
    );
    expect([code, stdout, stderr]).toEqual([0, "A story\n", ""]);
  });
});

describe("an interrupted run", () => {
  it.each(["busy.mjs", "asleep.mjs"])("ends at once, and the log keeps the steps that were done: %s", async (file) => {
    const child = hindcast.start("run", file, "--log", "interrupted.ndjson");
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    while (!said.includes("A token\n") || !isSettled("interrupted.ndjson", 1)) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    child.kill("SIGINT");
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    expect([code, signal]).toEqual([null, "SIGINT"]);
    expect(await rehearse(readFileSync(inFolder("interrupted.ndjson"), "utf8"))).toEqual({ ok: true });
    expect(readdirSync(hindcast.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("leaves the terminal as it was while it waits for a key", async () => {
    const terminal = hindcast.onTerminal(80, "run", "library-loan", "--step");
    await terminal.until("q quit ");
    terminal.press("\u0003");
    expect(await terminal.ended()).toBe(130);
  });

  it("ends on a terminal by its own key, too", async () => {
    const terminal = hindcast.onTerminal(80, "run", "asleep.mjs");
    await terminal.until("A token");
    terminal.press("\u0003");
    await terminal.ended();
    expect(terminal.text).not.toContain("Another");
  });
});

/** Whether a log holds so many commits. */
function isSettled(file: string, commits: number): boolean {
  return existsSync(inFolder(file)) && readFileSync(inFolder(file), "utf8").includes(`"commits":${commits},`);
}

describe("what takes over a second", { tags: "full" }, () => {
  it("is talked about on a terminal, even while a step leaves nobody else a turn, and nothing of it stays", async () => {
    const terminal = hindcast.onTerminal(80, "run", "slow.mjs");
    await terminal.until("step 2 of 3: It takes its time, ");
    expect(await terminal.ended()).toBe(0);
    const { stdout, stderr } = await hindcast.run("run", "slow.mjs");
    expect(stderr).toBe("");
    expect(terminal.text).toBe(stdout);
  });
});
