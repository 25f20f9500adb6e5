// @module-tag full: the runner runs within the runner.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { replay } from "../../../src/index.ts";
import { type Run, run } from "./nested.ts";

let ran: Run;

beforeAll(async () => {
  ran = await run(
    // Several files in as many processes, and one process for all of them.
    { name: "many", include: ["specs/concurrent.spec.ts", "specs/concurrent-too.spec.ts"] },
    {
      name: "one",
      include: ["specs/concurrent.spec.ts", "specs/concurrent-too.spec.ts"],
      isolate: false,
      fileParallelism: false,
      sequence: { groupOrder: 1 },
    },
    { name: "waiting", include: ["specs/waiting.spec.ts"] },
    { name: "options", include: ["specs/options.spec.ts"], provide: { simOptions: { seed: 11 } } },
  );
});

describe("tests that run at the same time", () => {
  it("never see each other, in one process and in many", () => {
    const concurrent = ran.tests.filter(({ file }) => file.includes("concurrent"));
    const failed = concurrent.filter(({ passed }) => !passed);
    expect(new Set(failed.map(({ name }) => name))).toEqual(
      new Set([
        "one suite and one of them fails beside the others",
        "another suite and one of them fails beside the others",
      ]),
    );
    expect(concurrent).toHaveLength(2 * 2 * (2 * 21 + 1));
    expect(failed).toHaveLength(2 * 2 * 2);
  });

  it("and each that fails leaves its own log", () => {
    const failed = ran.tests.filter(({ failure }) => failure !== undefined && failure.position === 10);
    expect(new Set(failed.map(({ failure }) => failure?.file)).size).toBe(8);
    for (const { name, failure } of failed) {
      const suite = name.replace(" and one of them fails beside the others", "");
      const sim = replay(readFileSync(failure?.file ?? "", "utf8"));
      const { kv } = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
      expect(kv.list().data.keys).toEqual([`failing ${suite}`]);
      expect(failure?.seed).toBe(suite === "one suite" ? 1 : suite);
    }
  });
});

describe("options", () => {
  it("can be those of a configuration, a file, a suite and a test", () => {
    const tests = ran.tests.filter(({ file }) => file.includes("options"));
    const failed = tests.filter(({ passed }) => !passed);
    expect(failed.map(({ name }) => name)).toEqual(["wrong ones fail the test that uses them"]);
    expect(tests.length).toBeGreaterThan(9);
  });

  it("that are wrong fail the test with what is wrong about them", () => {
    expect(ran.named("wrong ones fail the test that uses them").messages[0]).toContain(
      "TypeError: createSimulator: sed: no such option",
    );
  });
});

it("who still waits when a test has ended is rejected, and the runner tells what waited", () => {
  expect(ran.named("a watcher that nobody stops").passed).toBe(true);
  expect(ran.output).toContain("Unhandled Rejection");
  expect(ran.output).toMatch(
    /Error: the simulator was disposed of while GET https:\/\/scheduler-global\.test\/v1\/acl\/policies\?index=9 still waited/,
  );
  expect(ran.output.match(/Unhandled Rejection/g)).toHaveLength(1);
});
