import fc from "fast-check";
import { expect } from "vitest";
import { createSimulator, type Simulator, type Vocabulary } from "../../src/index.ts";
import { renamed, renamedIdentifier, renamedText } from "../../src/languages/vocabulary/rename.ts";
import { membersOf, record, value } from "../../src/languages/vocabulary/shape.ts";
import { type ServiceWords, wordsOfVocabulary } from "../../src/languages/vocabulary/words.ts";
import { property } from "../support/property.ts";
import { runs } from "../support/runs.ts";

// A vocabulary only renames: whatever the table, what comes back is what was meant, and what happens is the same.

/** Some of these words, under other names or in each other's places; `fresh` makes a word that nobody has. */
function tableOf(words: readonly string[], fresh: (index: number) => string) {
  return fc
    .tuple(fc.subarray([...words]), fc.boolean(), fc.nat(words.length))
    .map(([chosen, isSwapped, by]): Record<string, string> => {
      const turn = chosen.length === 0 ? 0 : by % chosen.length;
      return Object.fromEntries(
        chosen.map((word, index) => [
          word,
          isSwapped ? (chosen[(index + turn) % chosen.length] as string) : fresh(index),
        ]),
      );
    });
}

const HEADERS = ["X-Secrets-Token", "X-Secrets-Namespace", "X-Secrets-Wrap-TTL"];
const SEGMENTS = ["kv", "ldap", "orchestrator", "config", "library", "mounts", "policies", "capabilities-self"];
const FIELDS = [
  "orchestrator_host",
  "orchestrator_ca_cert",
  "binddn",
  "bindpass",
  "schema",
  "type",
  "policy",
  "paths",
  "data",
];
const VALUES = ["open-dir", "racf", "ad", "ldap", "kv", "orchestrator"];

const secrets = fc.record({
  headers: tableOf(HEADERS, (index) => `X-Own-${index}`),
  segments: tableOf(SEGMENTS, (index) => `seg-${index}`),
  fields: tableOf(FIELDS, (index) => `own_${index}`),
  values: tableOf(VALUES, (index) => `val-${index}`),
  prefixes: fc.constantFrom<Record<string, string>>({}, { "scs.": "hvs." }, { "scs.": "tok-", "b.": "bat-" }),
});

const word = fc.oneof(fc.constantFrom(...SEGMENTS, ...FIELDS, ...VALUES, "own_1", "seg-0", "val-2"), fc.string());
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, word, fc.integer(), fc.boolean(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(word, tie("value"), { maxKeys: 5 }),
})).value;

property([secrets, json, word])("words, bodies and identifiers come back as they were", (table, body, text) => {
  const words = wordsOfVocabulary({ secrets: table }, () => undefined).secrets as ServiceWords;
  const shown = record(membersOf({ type: value, schema: value, keys: value }));
  const own = shown(body, { words, to: "own", context: undefined }, "");
  expect(shown(own, { words, to: "neutral", context: undefined }, "")).toEqual(body);
  for (const scope of ["segments", "fields", "values"] as const) {
    for (const [to, back] of [
      ["own", "neutral"],
      ["neutral", "own"],
    ] as const) {
      expect(renamed(words[scope], renamed(words[scope], text, to), back)).toBe(text);
    }
  }
  for (const neutral of ["scs.a", "b.a", "c.a"]) {
    expect(renamedIdentifier(words, renamedIdentifier(words, neutral, "own"), "neutral")).toBe(neutral);
  }
  expect(() => renamedText(words, text, { quoted: true })).not.toThrow();
});

/** Requests in neutral words. */
const request = fc.oneof(
  fc.constantFrom(
    ["POST", "orchestrator/config", { orchestrator_host: "https://a.test", orchestrator_ca_cert: "P" }] as const,
    ["GET", "orchestrator/config"] as const,
    ["DELETE", "orchestrator/config"] as const,
    ["POST", "ldap/config", { binddn: "cn=a", bindpass: "b", schema: "racf" }] as const,
    ["POST", "ldap/config", { schema: "open-dir" }] as const,
    ["GET", "ldap/config"] as const,
    ["GET", "ldap/library/none"] as const,
    ["LIST", "ldap/library"] as const,
    ["GET", "sys/mounts"] as const,
    ["POST", "sys/mounts/more", { type: "kv" }] as const,
    ["POST", "sys/mounts/most", { type: "orchestrator" }] as const,
    ["DELETE", "sys/mounts/more"] as const,
    ["POST", "sys/policies/acl/p", { policy: 'path "orchestrator/config" { capabilities = ["read"] }' }] as const,
    ["GET", "sys/policies/acl/p"] as const,
    ["POST", "sys/capabilities-self", { paths: ["orchestrator/config", "kv/a"] }] as const,
    ["GET", "nowhere/at/all"] as const,
  ),
  fc.tuple(
    fc.constantFrom("GET", "DELETE"),
    word.map((name) => `kv/${encodeURIComponent(name)}`),
  ),
  fc.tuple(
    fc.constant("POST"),
    word.map((name) => `kv/${encodeURIComponent(name)}`),
    fc.dictionary(word, word, { minKeys: 1, maxKeys: 3 }),
  ),
);

type Asked = readonly [method: string, path: string, body?: object];

/** What a client of the vocabulary sends: its table applied to words, and nothing to names that it chose itself. */
function spoken(table: NonNullable<Vocabulary["secrets"]>, [method, path, body]: Asked): Asked {
  const { segments = {}, fields = {}, values = {} } = table;
  const [mount = "", ...rest] = path.split("/");
  const isOwn = mount === "kv";
  const route = [mount, ...(isOwn ? [] : rest)].map((segment) => segments[segment] ?? segment);
  const sent =
    body === undefined || isOwn
      ? body
      : Object.fromEntries(
          Object.entries(body).map(([name, given]: [string, unknown]) => [
            fields[name] ?? name,
            ["type", "schema"].includes(name) && typeof given === "string"
              ? (values[given] ?? given)
              : name === "paths"
                ? (given as string[]).map((each) => spoken(table, ["GET", each])[1])
                : given,
          ]),
        );
  const below = isOwn ? rest : [];
  return [method, [...route, ...below].join("/"), ...(sent === undefined ? [] : [sent])] as unknown as Asked;
}

async function ask(sim: Simulator, header: string, [method, path, body]: Asked): Promise<number> {
  const main = sim.secrets.cluster("main");
  const response = await sim.fetch(`${main.url}/v1/${path}`, {
    method,
    headers: { [header]: main.rootToken },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.text();
  return response.status;
}

property([secrets, fc.array(request, { maxLength: 12 })], runs(60))(
  "a simulator that speaks another language leaves the same log",
  async (table, requests) => {
    const [plain, other] = [createSimulator(), createSimulator({ vocabulary: { secrets: table } })];
    const header = table.headers["X-Secrets-Token"] ?? "X-Secrets-Token";
    for (const each of requests as readonly Asked[]) {
      const expected = await ask(plain, "X-Secrets-Token", each);
      expect([each, await ask(other, header, spoken(table, each))]).toEqual([each, expected]);
    }
    expect(other.log.commits()).toEqual(plain.log.commits());
    expect(other.stateHash()).toBe(plain.stateHash());
  },
);
