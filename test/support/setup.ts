import { configureGlobal } from "fast-check";
import { afterAll, vi } from "vitest";
import { runs } from "./runs.ts";

// Properties that say nothing of their cases: a hundred of them, as in fast-check, and always the same.
configureGlobal(runs(100));

// `unstubGlobals` does so before each test of a file. What its last test put in the place of a global would stay for the next file of the worker.
afterAll(() => {
  vi.unstubAllGlobals();
});
