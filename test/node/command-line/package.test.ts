// @module-tag full: processes in a project of their own.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";
import { beforeAll, describe, expect, it } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { TYPESCRIPT, WORDS } from "./scenarios.ts";
import { builtCommandLine, CommandLine, type Ended, ended, ROOT } from "./support.ts";

const built = builtCommandLine();
const project = built.folder;
let hindcast: CommandLine;

// A user's project: what is published lies in its node_modules, beside what package.json says that it depends on. Whatever else
// it imported would not be found.
beforeAll(() => {
  const home = join(project, "node_modules/hindcast");
  mkdirSync(home, { recursive: true });
  cpSync(built.house, join(home, "dist"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(home, "package.json"));
  for (const name of [...Object.keys(manifest.dependencies), "vitest"]) {
    const place = join(project, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), place);
  }
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  mkdirSync(join(project, "scenarios/support"), { recursive: true });
  writeFileSync(join(project, "scenarios/typed.ts"), TYPESCRIPT);
  writeFileSync(join(project, "scenarios/support/words.ts"), WORDS);
  hindcast = new CommandLine(join(home, "dist"), project);
});

describe("the package in an empty project", () => {
  it("has the command line as its program", () => {
    expect(manifest.bin).toEqual({ hindcast: "./dist/src/node/cli.js" });
    expect(readFileSync(hindcast.program, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
  });

  it("brings its scenarios and its charts along", async () => {
    const { stdout, stderr } = await hindcast.run("list");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^own\n {2}typed +A story about a reader\n\nbuilt in\n/);
    expect((await hindcast.run("run", "library-loan")).code).toBe(0);
    expect((await hindcast.run("machines", "lease", "--svg")).stdout).toContain("</svg>");
  });

  it.each(["typed", "scenarios/typed.ts", "./scenarios/typed.ts#typed"])(
    "runs a scenario in TypeScript, with the library that runs it: %s",
    async (word) => {
      const { code, stdout, stderr } = await hindcast.run("run", word);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("A story about a reader\ntyped\n");
      expect(stdout).toContain("1 of 1 steps as expected, seed 1\n");
    },
  );

  it("names the place in a TypeScript file that cannot be read", async () => {
    writeFileSync(join(project, "wrong.ts"), "export const scenario = {\n  name: ;\n");
    const { code, stderr } = await hindcast.run("run", "wrong.ts");
    expect(code).toBe(2);
    expect(stderr).toContain("wrong.ts cannot be loaded");
  });

  it("leaves nothing behind", async () => {
    await hindcast.run("run", "typed");
    expect(statSync(join(project, "node_modules/.cache"), { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe("its doors for tests", () => {
  /** Runs a program of a user's project. */
  const run = (...words: readonly string[]): Promise<Ended> =>
    ended(spawn(process.execPath, words, { cwd: project, env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" } }));

  it("node:test runs the README's example, and a failure leaves the log that its report names", async () => {
    const example = readFileSync(join(ROOT, "test/readme/node-test.mjs"), "utf8");
    writeFileSync(join(project, "good.mjs"), example);
    expect(await run("--test", "good.mjs")).toMatchObject({ code: 0 });
    expect(existsSync(join(project, "a-token-ends.ndjson"))).toBe(false);
    writeFileSync(join(project, "bad.mjs"), example.replace('advance("1h")', 'advance("59m")'));
    const { code, stdout } = await run("--test", "bad.mjs");
    expect(code).toBe(1);
    const [, file = ""] = /npx hindcast replay (\S+)/.exec(stdout) ?? [];
    expect(file).toBe("a-token-ends.ndjson");
    expect((await hindcast.run("replay", file)).stdout).toContain("at #1, 2026-01-01 00:59:00\n");
    rmSync(join(project, file));
  });

  it("node:test runs five programs as it is told to, by mock timers, by installed ones and by injected ones", async () => {
    await build({
      configFile: false,
      root: ROOT,
      logLevel: "warn",
      build: {
        ssr: "test/programs/five.node-test.ts",
        outDir: join(project, "programs"),
        rolldownOptions: { external: ["hindcast"] },
      },
    });
    const { code, stdout } = await run("--test", "programs/five.node-test.js");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^# pass 7$/m)]);
  });

  it("a timer's origin is the program's line, wherever the package lies", async () => {
    writeFileSync(
      join(project, "origins.mjs"),
      `import { setTimeout as sleepFor } from "node:timers/promises";
const { createSimulator } = await import(process.argv[2]);
const { timers, clock } = createSimulator();
timers.setTimeout(() => {}, 1);
timers.sleep(1);
timers.install();
setTimeout(() => {}, 1);
sleepFor(1);
AbortSignal.timeout(1);
console.log(JSON.stringify(clock.pending().map(({ where }) => where && [where.file, where.line])));
`,
    );
    const file = join(project, "origins.mjs");
    for (const from of ["hindcast", pathToFileURL(join(built.house, "src/index.js")).href]) {
      const { stdout, stderr } = await run("origins.mjs", from);
      expect([JSON.parse(stdout), stderr]).toEqual([[4, 5, 7, 8, 9].map((line) => [file, line]), ""]);
    }
  });

  it("vitest finds the fixture, and the matchers with it", async () => {
    writeFileSync(
      join(project, "own.spec.ts"),
      `import { test } from "hindcast/vitest";
import { createSimulator } from "hindcast";
import { expect } from "vitest";
test("passes", ({ sim }) => {
  expect(sim.constructor).toBe(createSimulator().constructor);
  expect(() => sim.at(9)).toBeRejectedWith("unknown_place");
});
test("fails", ({ sim }) => expect(sim).toHaveRecorded("KvWritten"));
`,
    );
    const { code, stdout, stderr } = await run("node_modules/vitest/vitest.mjs", "run", "own.spec.ts");
    expect(code).toBe(1);
    expect(stdout).toContain("1 failed | 1 passed");
    const [, file = ""] = /npx hindcast replay (\S+)/.exec(stderr + stdout) ?? [];
    expect(file).toBe("hindcast-failures/own.spec.ts/fails-1.ndjson");
    expect((await hindcast.run("replay", file)).stdout).toContain("at #0, 2026-01-01 00:00:00\n");
    const page = file.replace(/ndjson$/, "html");
    expect(stderr + stdout).toContain(`          ${page}\n`);
    expect(readFileSync(join(project, page), "utf8")).toContain("<title>own.spec.ts &gt; fails</title>");
    expect(readFileSync(join(project, "hindcast-failures/index.html"), "utf8")).toMatch(
      /<a href="own\.spec\.ts\/fails-1\.html">own\.spec\.ts &gt; fails<\/a><br>[^<]+KvWritten/,
    );
  });
});
