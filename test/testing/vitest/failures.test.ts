// @module-tag full: the runner runs within the runner.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { rehearse, replay, type Simulator } from "../../../src/index.ts";
import { type Run, run } from "./nested.ts";

let ran: Run;
let placed: Run;

beforeAll(async () => {
  [ran, placed] = await Promise.all([
    run({ include: ["specs/failing.spec.ts"] }),
    run({ name: "Any place", include: ["specs/places.spec.ts"] }),
  ]);
});

/** The simulator whose log a test has left. */
function leftBy(name: string, by = ran): Simulator {
  const { failure } = by.named(name);
  if (failure?.file === undefined) throw new Error(`${name} left no file`);
  return replay(readFileSync(failure.file, "utf8"));
}

/** The line of an error that replays the log of its test. */
function replayLineOf(message: string | undefined): string | undefined {
  return message
    ?.split("\n")
    .find((line) => line.includes("npx hindcast replay"))
    ?.trim();
}

describe("a test that fails", () => {
  it.each([
    { name: "a comparison fails", position: 3, file: "a-comparison-fails-1.ndjson" },
    { name: "with fake timers", position: 3, file: "with-fake-timers-2.ndjson" },
    { name: "of a", position: 1, file: "of-a-5.ndjson" },
    { name: "of A", position: 1, file: "of-a-6.ndjson" },
    { name: "without anything recorded", position: 0, file: "without-anything-recorded-7.ndjson" },
    { name: "softly, twice", position: 3, file: "softly-twice-8.ndjson" },
    { name: "after it disposed of its simulator", position: 3, file: "after-it-disposed-of-its-simulator-9.ndjson" },
    { name: "what is thrown is no error", position: 3, file: "what-is-thrown-is-no-error-10.ndjson" },
    { name: "somebody waits", position: 1, file: "somebody-waits-11.ndjson" },
    { name: "a hook fails after the test", position: 3, file: "after-the-test-18-0.ndjson" },
    { name: "when it has finished", position: 3, file: "when-it-has-finished-19.ndjson" },
    { name: "when another fixture ends", position: 3, file: "when-another-fixture-ends-20.ndjson" },
  ])("$name: its log is written, and its error says how to replay it", async ({ name, position, file }) => {
    const { passed, messages, failure } = ran.named(name);
    const place = `hindcast-failures/specs/failing.spec.ts/${file}`;
    expect(passed).toBe(false);
    expect(failure).toEqual({ seed: 1, position, file: join(ran.folder, place) });
    expect(messages[0]).toContain(`hindcast  seed 1, at #${position}, 2026-01-01T0`);
    expect(replayLineOf(messages[0])).toBe(`npx hindcast replay ${place}`);
    const sim = leftBy(name);
    expect(sim.position).toBe(position);
    expect(await rehearse(readFileSync(join(ran.folder, place), "utf8"))).toEqual({ ok: true });
  });

  it("is told to people in the same words, above what the runner shows of it", () => {
    expect(ran.output).toContain(`a comparison fails
AssertionError: expected { alive: true } to deeply equal { alive: false }

hindcast  seed 1, at #3, 2026-01-01T01:00:00.000Z
          r1 2026-01-01T00:00:00Z POST https://secrets-main.test/v1/kv/a: 204 (#1, failing.spec.ts:8)
          npx hindcast replay hindcast-failures/specs/failing.spec.ts/a-comparison-fails-1.ndjson

- Expected
+ Received

  {
-   "alive": false,
+   "alive": true,
  }

 ❯ specs/failing.spec.ts:17:27
`);
  });

  it("says it once, however many errors it has", () => {
    const { messages } = ran.named("softly, twice");
    expect(messages).toHaveLength(2);
    expect(messages.map((message) => message.includes("npx hindcast"))).toEqual([true, false]);
  });

  it("tells who waited when it ended, and for how long they would have", () => {
    const [message] = ran.named("somebody waits").messages;
    expect(ran.output).toContain("Error: Test timed out in 200ms");
    expect(message).toMatch(
      /GET https:\/\/scheduler-global\.test\/v1\/acl\/policies\?index=1&wait=5m waited until 2026-01-01T00:05:/,
    );
  });

  it("has a log for each try, and each error leads to that of its own", () => {
    const { messages, failure } = ran.named("is tried again in vain");
    const place = "hindcast-failures/specs/failing.spec.ts/is-tried-again-in-vain-13";
    expect(messages.map(replayLineOf)).toEqual([
      `npx hindcast replay ${place}.ndjson`,
      `npx hindcast replay ${place}-retry1.ndjson`,
    ]);
    expect(failure).toEqual({ seed: 1, position: 6, file: join(ran.folder, `${place}-retry1.ndjson`) });
    expect(leftBy("is tried again in vain").position).toBe(6);
  });

  it("leaves the log of the repetition that failed", () => {
    const { messages } = ran.named("is repeated");
    expect(messages.map(replayLineOf)).toEqual([
      "npx hindcast replay hindcast-failures/specs/failing.spec.ts/is-repeated-14-repeat1.ndjson",
    ]);
  });

  it("without a simulator leaves nothing", () => {
    const { passed, messages, failure } = ran.named("Names: look/../alike?");
    expect([passed, failure]).toEqual([false, undefined]);
    expect(messages[0]).not.toContain("hindcast  seed");
  });
});

describe("a test that does not fail", () => {
  it.each(["passes", "is meant to fail"])("%s: has nothing to tell", (name) => {
    expect(ran.named(name)).toMatchObject({ passed: true, messages: [], failure: undefined });
  });

  it("leaves no log, but for tries that failed", () => {
    const left = readdirSync(join(ran.folder, "hindcast-failures/specs/failing.spec.ts"));
    expect(left.filter((file) => !/^is-tried-again-12/.test(file))).toHaveLength(12 + 2 + 1);
    expect(left.filter((file) => /^is-tried-again-12/.test(file))).toEqual([
      "is-tried-again-12-retry1.ndjson",
      "is-tried-again-12.ndjson",
    ]);
    expect(left.filter((file) => !file.endsWith(".ndjson"))).toEqual([]);
  });
});

describe("where logs go", () => {
  it("nowhere, with simLogs: false; the seed is told all the same", () => {
    const { messages, failure } = placed.named("nowhere keeps no log");
    expect(failure).toEqual({ seed: 1, position: 0 });
    expect(messages[0]).toContain("hindcast  seed 1, at #0, 2026-01-01T00:00:00.000Z");
    expect(replayLineOf(messages[0])).toBeUndefined();
  });

  it("to a folder of one's own, by project, quoted where a shell would not take it", () => {
    const { messages, failure } = placed.named("elsewhere keeps its log");
    const place = "re ports/logs/any-place/specs/places.spec.ts/keeps-its-log-1-0.ndjson";
    expect(failure?.file).toBe(join(placed.folder, place));
    expect(replayLineOf(messages[0])).toBe(`npx hindcast replay '${place}'`);
    expect(leftBy("elsewhere keeps its log", placed).position).toBe(0);
  });

  it("into the report where the folder cannot be made, without hiding why the test failed", () => {
    const { messages, failure } = placed.named("in vain cannot write");
    expect(messages[0]).toContain("expected +0 to be 1");
    expect(messages[0]).toContain(
      "replay(task.meta.hindcast.log): the log is in the report, it could not be written to",
    );
    expect(replay(failure?.log ?? "").at("here").position).toBe(0);
  });

  it("into the report where there are no files", () => {
    const { messages, failure } = placed.named("without files keeps its log in the report");
    expect(messages[0]).toContain('hindcast  seed "a seed", at #1, 2026-01-01T00:00:00.000Z');
    expect(messages[0]).toContain("replay(task.meta.hindcast.log): the log is in the report, there are no files here");
    expect(replay(failure?.log ?? "").clock.pending()).toHaveLength(1);
    expect(failure).toMatchObject({ seed: "a seed", position: 1 });
  });

  it("and nowhere where it is too long for a report", () => {
    const { messages, failure } = placed.named("without files keeps no log that is too long");
    expect(messages[0]).toContain("the log is lost: there are no files here, and it is too long for the report");
    expect(failure).toEqual({ seed: "a seed", position: 12 });
  });

  it("a folder that is none is refused", () => {
    expect(placed.named("wrong says so").messages[0]).toContain("simLogs is 7: it is a folder, or false for none");
  });
});
