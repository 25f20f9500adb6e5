import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");

/** The blocks of the README that name an example: a comment with its file stands before each. */
const shown = [...readme.matchAll(/<!-- example: ([\w.-]+) -->\n```[jt]s\n([\s\S]*?)```/g)].map(
  ([, file = "", code = ""]) => ({ file, code }),
);

test("every block of code of the README is an example that the tests run", () => {
  expect(readme.match(/```[jt]s\n/g)).toHaveLength(shown.length);
});

test("every example stands in the README", () => {
  const files = readdirSync(new URL(".", import.meta.url)).filter((file) => file !== "readme.test.ts");
  expect(shown.map(({ file }) => file).sort()).toEqual(files.sort());
});

test.each(shown)("the block of $file is the file", ({ file, code }) => {
  expect(code).toBe(readFileSync(new URL(file, import.meta.url), "utf8"));
});

test("working code stands within the first thirty lines", () => {
  const lines = readme.split("\n");
  const end = lines.findIndex((line) => line === "```" && lines.indexOf("```ts") < lines.indexOf("```"));
  expect(end).toBeGreaterThan(0);
  expect(end).toBeLessThanOrEqual(30);
});

test("the README's commands are scripts of the package", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = [...readme.matchAll(/npm (?:run )?(test|start|[a-z]+(?::[a-z]+)*)(?=[`\s])/g)].map(
    ([, name = ""]) => name,
  );
  const commands = new Set(named.filter((name) => !["ci", "install", "pack", "packages"].includes(name)));
  expect([...commands].filter((name) => scripts[name] === undefined)).toEqual([]);
});
