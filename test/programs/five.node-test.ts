// The five programs where node:test runs them: `node --test` runs what the bundler makes of this file.
import { deepEqual, ok } from "node:assert/strict";
import { mock, test } from "node:test";
import { following, injected, installed, type Mode } from "./modes.ts";
import { loansOf } from "./pool.ts";
import { stories } from "./stories.ts";

const mockTimers = following("following the mock timers of node:test", {
  begin: (now) => mock.timers.enable({ apis: ["setTimeout", "Date"], now }),
  tick: (ms) => mock.timers.tick(ms),
  end: () => mock.timers.reset(),
});

/** What a program told, and what the services recorded. */
async function journal(story: keyof typeof stories, mode: Mode): Promise<unknown> {
  const { sim, told } = await stories[story](mode);
  const commits = sim.log
    .commits()
    .map(({ position, atMs, command }) => [position, atMs, command.name, command.caller]);
  ok(told.length > 0 && commits.length > 0);
  return { told, commits };
}

for (const story of Object.keys(stories) as (keyof typeof stories)[]) {
  void test(`${story}: installed and mocked timers give the journal that injected ones give`, async () => {
    const expected = await journal(story, injected);
    deepEqual(await journal(story, installed), expected);
    // Mock timers that are due at one instant fire in the order of a heap, which knows no arming: another worker comes first.
    if (story !== "pool") deepEqual(await journal(story, mockTimers), expected);
  });
}

void test("pool: mocked timers let nobody borrow what is lent, and everybody borrow", async () => {
  const { told } = await stories.pool(mockTimers);
  ok(Math.min(...loansOf(told)) > 10);
});
