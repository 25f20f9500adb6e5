import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { rehearse, replay } from "../../src/index.ts";
import { VERSION } from "../../src/simulator/version.ts";
import { worldModel } from "../../src/simulator/services.ts";

// Logs that released versions wrote. Every later version leads them to the recorded states.

interface RecordedState {
  readonly commits: number;
  readonly now: string;
  readonly pending: number;
  readonly stateHash: string;
}

const HOME = new URL("./", import.meta.url);
const versions = readdirSync(HOME, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const read = (version: string, file: string): string => readFileSync(new URL(`${version}/${file}`, HOME), "utf8");
const logsOf = (version: string): string[] =>
  readdirSync(new URL(`${version}/`, HOME)).filter((file) => file.endsWith(".ndjson"));

const statesOf = (version: string) => JSON.parse(read(version, "states.json")) as Record<string, RecordedState>;

const logs = versions.flatMap((version) => logsOf(version).map((file) => ({ version, file })));
const ofToday = logs.filter(({ version }) => version === VERSION);

describe("golden logs", () => {
  it("are there for this version: npm run golden writes them", () => {
    expect(versions).toContain(VERSION);
  });

  it.each(versions)("of version %s each have a recorded state, and no state is without its log", (version) => {
    expect(Object.keys(statesOf(version)).sort()).toEqual(logsOf(version).sort());
  });

  it.each(logs)("lead to the recorded state: $version/$file", ({ version, file }) => {
    const sim = replay(read(version, file));
    expect({
      commits: sim.position,
      now: new Date(sim.clock.now()).toISOString(),
      pending: sim.clock.pending().length,
      stateHash: sim.stateHash(),
    }).toEqual(statesOf(version)[file]);
  });

  it.each(logs)("can be taken to any position, and go on: $version/$file", ({ version, file }) => {
    const sim = replay(read(version, file));
    const folded = Array.from({ length: sim.position + 1 }, (_, position) => sim.at(position).stateHash());
    expect(folded.at(-1)).toBe(sim.stateHash());
    expect(() => sim.clock.advance("1d")).not.toThrow();
  });
});

/** They hold what is encrypted to a public key, which differs each time that it is written (test/contract/secrets/rekey.test.ts has them). */
const NEVER_THE_SAME: ReadonlySet<string> = new Set(["RekeyBackedUp", "RekeyBackupDeleted"]);

describe("golden logs of this version", () => {
  test.each(ofToday)("are decided again to the same facts: $file", async ({ version, file }) => {
    expect(await rehearse(read(version, file))).toEqual({ ok: true });
  });

  test.each(ofToday)("are written again byte for byte: $file", ({ version, file }) => {
    expect(replay(read(version, file)).log.toNdjson()).toBe(read(version, file));
  });

  it("have every type of fact that there is, in its present version", () => {
    const facts = ofToday.flatMap(({ version, file }) => replay(read(version, file)).log.events());
    const types = new Set(facts.map(({ type }) => type));
    const missing = Object.keys(worldModel.folds).filter((type) => !types.has(type) && !NEVER_THE_SAME.has(type));
    expect(missing).toEqual([]);
    const written = ofToday.flatMap(({ version, file }) =>
      read(version, file)
        .split("\n")
        .slice(1, -2)
        .flatMap((line) => (JSON.parse(line) as { events: { type: string; v: number }[] }).events),
    );
    const versionsOf: Readonly<Record<string, number | undefined>> = worldModel.versions ?? {};
    const outdated = written
      .filter(({ type, v }) => v !== (versionsOf[type] ?? 1))
      .map(({ type, v }) => `${type} ${v}`);
    expect([...new Set(outdated)]).toEqual([]);
  });
});
