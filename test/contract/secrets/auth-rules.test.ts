import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The rules of auth methods, tokens and identity stand in pages, in tables; each is named by the tests that hold it.

const PAGES = new URL("../../../src/services/secrets/auth/", import.meta.url);

/** The tests that hold the rules of a page, and the word that stands before the numbers of rules of another page. */
const TESTS: Readonly<Record<string, readonly (readonly [file: string, prefix: string])[]>> = {
  "README.md": [
    ["auth-methods.test.ts", ""],
    ["userpass.test.ts", "auth "],
    ["userpass.test.ts", ""],
    ["replication/logins.test.ts", ""],
  ],
  "approle/README.md": [
    ["approle.test.ts", ""],
    ["replication/logins.test.ts", "approle "],
  ],
  "ldap/README.md": [["ldap-logins.test.ts", ""]],
  "orchestrator/README.md": [["orchestrator-logins.test.ts", ""]],
  "userpass/README.md": [["userpass.test.ts", ""]],
  "../identity/README.md": [
    ["identity-lookups.test.ts", ""],
    ["identity-groups.test.ts", ""],
  ],
  "../tokens/README.md": [["token-roles.test.ts", ""]],
};

const pages = [
  ...readdirSync(PAGES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("README.md")),
  "../identity/README.md",
  "../tokens/README.md",
];

test.each(pages)("each rule of %s is held by a test that names it", (page) => {
  const rules = [...readFileSync(new URL(page, PAGES), "utf8").matchAll(/^\| (\d+(?:\.\d+)?) +\|/gm)].map(
    ([, id]) => id,
  );
  expect(rules.length).toBeGreaterThan(0);
  const named = (TESTS[page] ?? []).flatMap(([file, prefix]) => {
    const source = readFileSync(new URL(file, import.meta.url), "utf8");
    const names = [...source.matchAll(new RegExp(`"${prefix}(\\d[\\d., ]*):`, "g"))];
    return names.flatMap(([, ids = ""]) => ids.split(", "));
  });
  expect(rules.filter((id) => !named.includes(id as string))).toEqual([]);
});
