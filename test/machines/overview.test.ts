import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { allCharts, type Chart } from "../../src/simulator/charts.ts";

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));

// `npm run pictures` writes it.
it("the table of the charts is as they are", async () => {
  await expect(overview(allCharts())).toMatchFileSnapshot("../../machines/README.md");
});

function overview(charts: readonly Chart[]): string {
  const users = new Map<string, string[]>();
  for (const [file, chart] of uses()) users.set(chart, [...(users.get(chart) ?? []), file]);
  return `${[
    "# The charts",
    "",
    "They decide every lifecycle: deciders ask them, and facts carry the state that they lead to. A chart imports nothing but",
    "XState and is never run. `hindcast machines <name>` tells its states and moves in sentences, and the picture behind its name",
    "shows them. `npm run pictures` draws the pictures and writes this page.",
    "",
    "| Chart | States | Moves | Guards | Used by |",
    "|---|---|---|---|---|",
    ...charts.map((chart) => `| ${cellsOf(chart, users.get(chart.id) ?? []).join(" | ")} |`),
  ].join("\n")}\n`;
}

function cellsOf({ id, description, states, moves }: Chart, users: readonly string[]): string[] {
  const entered = states.filter(({ isNeverEntered }) => !isNeverEntered);
  const known = states.length - entered.length;
  const code = (names: readonly string[]): string => [...new Set(names)].map((name) => `\`${name}\``).join(", ");
  return [
    `[${id}](pictures/${id}.svg): ${description}`,
    code(entered.map(({ name }) => name)) + (known === 0 ? "" : `, and ${known} that are never entered`),
    code(moves.map(({ event }) => event)),
    code(moves.flatMap(({ guard }) => guard ?? [])),
    users.map((file) => `[${file}](../src/${file})`).join(", "),
  ];
}

/** Which file of `src` asks a chart, or takes its words. */
function uses(): (readonly [file: string, chart: string])[] {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("simulator/charts.ts"))
    .sort()
    .flatMap((file) => {
      const source = readFileSync(posix.join(SOURCES, file), "utf8");
      const imports = source.matchAll(/^import \{[^}]*\} from "[^"]*\/machines\/(.*)\.machine\.ts";$/gm);
      return [...imports].map(([, chart = ""]) => [file, chart] as const);
    });
}
