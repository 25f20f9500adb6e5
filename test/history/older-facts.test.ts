import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { replay } from "../../src/index.ts";
import { worldModel } from "../../src/simulator/services.ts";
import { withCommits } from "./support/log-text.ts";

// Facts of version 1, made of the golden logs by taking away what their upcasters add: such logs are on users' disks.

const HOME = new URL("../golden/0.1.0/", import.meta.url);
const { upcasters = {} } = worldModel;
const logs = readdirSync(HOME)
  .filter((file) => file.endsWith(".ndjson"))
  .map((file) => ({ file, text: readFileSync(new URL(file, HOME), "utf8") }));

/** A log as it was written before facts carried the states that charts lead to. */
function older(text: string): string {
  return withCommits(text, (commits) =>
    commits.map((commit) => ({
      ...commit,
      events: commit.events.map((event) => {
        if (upcasters[event.type] === undefined) return event;
        const { status: _, mode: __, ...data } = event.data;
        return { ...event, v: 1, data };
      }),
    })),
  );
}

describe("facts of version 1", () => {
  it("are those that have upcasters, and some golden log has each", () => {
    const all = logs.map(({ text }) => text).join("");
    for (const type of Object.keys(upcasters)) expect(all).toContain(`"type":"${type}"`);
  });

  it.each(logs.filter(({ text }) => older(text) !== text))("lead to the same state: $file", ({ text }) => {
    expect(replay(older(text)).stateHash()).toBe(replay(text).stateHash());
  });
});
