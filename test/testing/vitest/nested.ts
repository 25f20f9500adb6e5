import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll } from "vitest";
import type { FailedSimulation } from "../../../src/testing/vitest/index.ts";

const ROOT: string = fileURLToPath(new URL("../../../", import.meta.url));

/** What a report tells of a test. */
export interface ReportedTest {
  readonly name: string;
  readonly file: string;
  /** Or was skipped. */
  readonly passed: boolean;
  readonly messages: readonly string[];
  readonly failure: FailedSimulation | undefined;
}

/** What a run of the runner left. */
export interface Run {
  readonly folder: string;
  readonly code: number | null;
  /** What people see. */
  readonly output: string;
  readonly tests: readonly ReportedTest[];
  named(name: string): ReportedTest;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
      readonly meta: { readonly hindcast?: FailedSimulation };
    }[];
  }[];
}

/**
 * Runs files of `fixtures` with the runner, in a process and a folder of their own.
 *
 * @param projects what the configuration says, by project
 */
export async function run(
  ...projects: readonly { readonly name?: string; readonly [option: string]: unknown }[]
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "hindcast-vitest-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(fileURLToPath(new URL("fixtures/", import.meta.url)), join(folder, "specs"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(folder, "vitest.config.mjs"), configOf(projects));
  const child = spawn(process.execPath, [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--maxWorkers=2"], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", CI: "true", TZ: process.env["TZ"] ?? "" },
    stdio: "pipe",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  output = stripVTControlCharacters(output);
  const tests = testsOf(folder, output);
  const named = (name: string): ReportedTest => {
    const found = tests.find((test) => test.name === name);
    if (found === undefined) throw new Error(`no test is named ${name}:\n${output}`);
    return found;
  };
  return { folder, code, output, tests, named };
}

function configOf(projects: readonly object[]): string {
  const alias = ["hindcast/vitest", "hindcast"].map((name) => ({
    find: name,
    replacement: join(ROOT, name === "hindcast" ? "src/index.ts" : "src/testing/vitest/index.ts"),
  }));
  const test =
    projects.length === 1 ? projects[0] : { projects: projects.map((project) => ({ extends: true, test: project })) };
  const reporters = ["default", ["json", { outputFile: "report.json" }]];
  // A bound for what hangs: no test is about time, and the machine may have much else to do.
  const bounds = { testTimeout: 5 * 60_000, hookTimeout: 5 * 60_000 };
  return `export default ${JSON.stringify({ resolve: { alias }, test: { reporters, ...bounds, ...test } })};\n`;
}

function testsOf(folder: string, output: string): ReportedTest[] {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as Report;
  } catch (error) {
    throw new Error(`the run left no report:\n${output}`, { cause: error });
  }
  return report.testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages, meta }) => ({
      name: fullName.trim(),
      file: file.slice(folder.length + 1),
      passed: status !== "failed",
      messages: failureMessages ?? [],
      failure: meta.hindcast,
    })),
  );
}
