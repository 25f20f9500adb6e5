import { defineCommand, JSON_OPTION, table } from "../command.ts";
import { EXIT } from "../exit.ts";
import { allScenarios } from "../scenarios/find.ts";
import type { Found } from "../scenarios/found.ts";

/** The scenarios, one's own and those of the package, with a line each. */
export const list = defineCommand({
  name: "list",
  about: "Lists the scenarios: your own, in the folder scenarios, and those that come with hindcast.",
  args: JSON_OPTION,
  run: async ({ json }, { columns, style, print, printJson }) => {
    const { found, unreadable } = await allScenarios();
    if (json) {
      printJson({ scenarios: found.map(shown), unreadable });
      return EXIT.held;
    }
    for (const origin of ["own", "built in"] as const) {
      const rows = found
        .filter((one) => one.origin === origin)
        .map(({ scenario }) => [scenario.name, scenario.title] as const);
      if (rows.length > 0) print([style.strong(origin), ...table(rows, columns), ""]);
    }
    for (const { why } of unreadable) process.stderr.write(`hindcast: ${why}\n`);
    print(["hindcast run <name>"]);
    return EXIT.held;
  },
});

function shown({ scenario: { name, title, steps }, origin, file }: Found): object {
  return { name, title, steps: steps.length, origin, ...(origin === "own" ? { file } : {}) };
}
