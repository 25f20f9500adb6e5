import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";

const names = (folder: string, ending: string): string[] =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));

describe("the charts", () => {
  it.each(names("../../machines/", ".machine.ts"))("%s has a table of its transitions", (chart) => {
    expect(names("./", ".test.ts")).toContain(chart);
  });
});
