import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { DECIDED_IDS } from "./decisions.ts";
import { type Graded, graded } from "./grade.ts";
import { play } from "./play.ts";
import { HOME, recorded } from "./recording.ts";
import { byFamily, familyTable, gradesSource, simulatedTable } from "./summary.ts";

// What real servers answered, request by request: README.md beside this file says how it was recorded and compared.

const { lines, explained } = recorded();
let all: readonly Graded[] = [];

beforeAll(async () => {
  all = (await play(lines)).map((played) => graded(played, explained));
});

describe("held against a real server", () => {
  it("every request that was recorded is played", () => {
    expect(all).toHaveLength(lines.filter(({ kind }) => kind === "request").length);
    expect(all.length).toBeGreaterThan(1500);
  });

  it("no answer differs in a way that nothing decides", () => {
    const shown = all
      .filter(({ ungraded }) => ungraded.length > 0)
      .map(({ played: { recorded: asked, ours }, ungraded }) => ({
        request: `${asked.id}: ${asked.method} ${asked.path}`,
        answered: ours.text.slice(0, 300),
        ungraded,
      }));
    expect(shown).toEqual([]);
  });

  it("says of each difference what decides it", () => {
    const differing = all.filter(({ grade }) => grade === "decided" || grade === "version");
    expect(differing.filter(({ because }) => because.length === 0 || because.includes(""))).toEqual([]);
  });

  it("decides nothing about requests that there are not, or whose answers are the same by now", () => {
    const differing = new Set(
      all.filter(({ grade }) => grade === "decided" || grade === "version").map(({ played }) => played.recorded.id),
    );
    expect(DECIDED_IDS.filter((id) => !differing.has(id))).toEqual([]);
  });
});

describe("what is told of it", () => {
  it("stands in the README: npm run fidelity -- --write", () => {
    const readme = readFileSync(new URL("../../README.md", HOME), "utf8");
    expect(readme).toContain(familyTable(all));
    expect(readme).toContain(simulatedTable(createSimulator().operations()));
  });

  it("stands in the table of the library: npm run fidelity -- --write", () => {
    const source = readFileSync(new URL("../../src/services/secrets/grades.ts", HOME), "utf8");
    expect(source).toBe(gradesSource(all));
  });

  it("is shown with the operations, and adds up to what was asked of them", () => {
    const rows = createSimulator().operations();
    expect(rows.find(({ name }) => name === "secrets.kv.read")?.graded).toMatchObject({ same: expect.any(Number) });
    expect(rows.find(({ name }) => name === "runs.policyChecks.read")?.graded).toBeUndefined();
    const told = rows.reduce((sum, { graded: counts }) => {
      return counts === undefined ? sum : sum + counts.same + counts.decided + counts.version;
    }, 0);
    expect(told).toBe(all.filter(({ played }) => played.ours.operation !== undefined).length);
    expect([...byFamily(all).keys()]).toContain("kv v1");
  });
});
