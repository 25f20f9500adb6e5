import { afterEach, beforeEach, expect } from "vitest";

/**
 * Bounds what each test of a file or a `describe` costs: ten times and more of what it should, so that what grows by the square of an input
 * fails, and a machine that is busy with other things fails nothing.
 *
 * @param seconds of the processor, not of the clock
 */
export function eachTakesAtMost(seconds: number): void {
  let before = 0;
  beforeEach(() => {
    before = processorSeconds();
  });
  afterEach(() => {
    expect(processorSeconds() - before, "seconds of the processor").toBeLessThan(seconds);
  });
}

/** What this process, which runs one test at a time, has had of the processor. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
