import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allCharts } from "../../src/simulator/charts.ts";

const names = (folder: string, ending: string): string[] =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));

const charts = allCharts();

describe("the charts", () => {
  it.each(names("../../machines/", ".machine.ts"))("%s has a table of its transitions", (chart) => {
    expect(names("./", ".test.ts")).toContain(chart);
  });

  it.each(names("../../machines/", ".machine.ts"))("%s is asked through doors", (chart) => {
    const doors = names("./doors/", ".test.ts").map((file) =>
      readFileSync(new URL(`./doors/${file}.test.ts`, import.meta.url), "utf8"),
    );
    expect(doors.some((source) => source.includes(`/machines/${chart}.machine.ts"`))).toBe(true);
  });

  it.each(charts.map((chart) => [chart.id, chart] as const))(
    "%s says what it is, and what each state and each move is, in sentences",
    (_, { description, states, moves }) => {
      const told = [{ description }, ...states, ...moves];
      expect(told.filter((one) => !/^[A-Z].*\.$/.test(one.description))).toEqual([]);
    },
  );
});
