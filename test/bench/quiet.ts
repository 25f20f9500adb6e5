import type { Circumstances } from "./harness/report.ts";

/** A machine that nobody else wants anything of. */
export const quiet: Circumstances = {
  node: "v20.20.2",
  cpu: "a processor",
  cores: 2,
  quick: false,
  loadAtStart: 0.25,
  yardstickMs: [5, 4, 6],
};
