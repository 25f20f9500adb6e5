// @module-tag full: the runner runs within the runner.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { replay } from "../../../src/index.ts";
import { type Run, run } from "./nested.ts";

/** Where tests run: globals of Node or of an imitated browser, processes or threads. */
const PLACES = [
  { name: "node", environment: "node", pool: "forks" },
  { name: "jsdom", environment: "jsdom", pool: "forks" },
  { name: "happy-dom", environment: "happy-dom", pool: "threads" },
  { name: "jsdom-vm", environment: "jsdom", pool: "vmThreads" },
] as const;

let ran: Run;

beforeAll(async () => {
  ran = await run(...PLACES.map((place) => ({ ...place, include: ["specs/everywhere.spec.ts"] })));
});

describe.each(PLACES)("in $name ($pool)", ({ name }) => {
  it("everything holds but what is meant to fail", () => {
    const failed = ran.tests.filter(({ failure, passed }) => !passed && failure?.file?.includes(`/${name}/`));
    expect(failed.map((test) => test.name)).toEqual(["a failure leaves its log here as well"]);
  });

  it("a failure leaves its log", () => {
    const place = `hindcast-failures/${name}/specs/everywhere.spec.ts`;
    const test = ran.tests.find(({ name, failure }) => /^a failure/.test(name) && failure?.file?.includes(place));
    expect(test?.messages[0]).toContain(`npx hindcast replay ${place}/a-failure-leaves-its-log-here-as-well-`);
    expect(replay(readFileSync(test?.failure?.file ?? "", "utf8")).at("here").position).toBe(0);
  });
});

it("as many tests ran in each place", () => {
  const failing = ran.tests.filter(({ passed }) => !passed).map(({ name, messages }) => [name, messages[0]]);
  expect(failing).toHaveLength(PLACES.length);
  expect(ran.tests.length % PLACES.length).toBe(0);
  expect(ran.tests.length / PLACES.length).toBeGreaterThan(14);
  // A context of jsdom cannot sign.
  expect(ran.output.match(/\d skipped\)/g)).toEqual(["1 skipped)"]);
  expect(ran.output).not.toContain("Unhandled");
});
