import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, recorded } from "./support.ts";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const shown = [...readme.matchAll(/<!-- output: ([\w.-]+) -->\n```text\n([\s\S]*?)```/g)].map(
  ([, file = "", text = ""]) => ({ file, text }),
);

describe("what the README shows of the command line", () => {
  it.each(shown)("stands in $file as it was recorded", ({ file, text }) => {
    expect(text).not.toBe("");
    expect(readFileSync(recorded(file), "utf8")).toContain(text);
  });

  it.each([
    "list",
    "run",
    "replay",
    "diff",
    "blame",
    "history",
    "log",
    "explain",
    "loss",
    "timeline",
    "sequence",
    "inspect",
    "gallery",
    "machines",
  ])("has a section on %s", (name) => {
    expect(readme).toContain(`\n### ${name}\n\n\`npx hindcast ${name}`);
  });

  it("shows no other text", () => {
    expect(readme.match(/```text\n/g)).toHaveLength(shown.length + 1);
  });
});
