import fc from "fast-check";
import { describe, expect } from "vitest";
import { createSimulator, property } from "../../support/checked.ts";
import { runs } from "../../support/runs.ts";
import { reach } from "../transports.ts";

// decisions-secrets-core.md, A.8: which rule of a token's policies applies to a path, against the slowest reading of the
// text that one can write.

interface Rule {
  readonly path: string;
  readonly capabilities: readonly string[];
}

/** A path of policies: segments of few letters, so that rules meet often, some of them `+`, and perhaps a `*` at the end. */
const pattern = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "ab", "+"), { minLength: 1, maxLength: 4 }),
    fc.constantFrom("", "*", "/*", "/"),
  )
  .map(([segments, end]) => segments.join("/") + end)
  .filter((path) => !path.includes("+*"));

const capability = fc.constantFrom("read", "list", "delete", "update", "create", "sudo", "deny");

const policy = fc.array(fc.record({ path: pattern, capabilities: fc.uniqueArray(capability, { maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 5,
});

const path = fc
  .array(fc.constantFrom("a", "b", "ab", "aa"), { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join("/"));

/** Whether a pattern fits, by a regular expression that says what its marks mean. */
function fits({ path: wanted }: Rule, asked: string): boolean {
  const open = wanted.endsWith("*");
  const segments = (open ? wanted.slice(0, -1) : wanted).split("/");
  const source = segments.map((segment) => (segment === "+" ? "[^/]*" : segment)).join("/");
  return new RegExp(`^${source}${open ? ".*" : ""}$`).test(asked);
}

function hasMarks(wanted: string): boolean {
  return wanted.endsWith("*") || wanted.split("/").includes("+");
}

/** What makes a rule more specific, the weightiest first; of each the greater wins. */
function specificity({ path: wanted }: Rule): readonly (number | string)[] {
  const marks = [...wanted].map((character, index) => ({ character, index }));
  const first = marks.find(
    ({ character, index }) => character === "+" || (character === "*" && index === wanted.length - 1),
  );
  return [
    first?.index ?? Number.POSITIVE_INFINITY,
    wanted.endsWith("*") ? 0 : 1,
    -wanted.split("/").filter((segment) => segment === "+").length,
    wanted.length,
    wanted,
  ];
}

function isBefore(left: Rule, right: Rule): boolean {
  const [one, other] = [specificity(left), specificity(right)];
  for (const [index, weight] of one.entries()) {
    const against = other[index] as number | string;
    if (weight !== against) return weight > against;
  }
  return false;
}

/** A listing is one of the path and a slash, which is optional in exact rules only (amendments.md, S5). */
function granted(rules: readonly Rule[], asked: string, isListing = false): ReadonlySet<string> {
  const own = isListing ? `${asked}/` : asked;
  const exactly = isListing && !rules.some((rule) => rule.path === own) ? asked : own;
  const candidates = rules.filter((rule) => (hasMarks(rule.path) ? fits(rule, own) : rule.path === exactly));
  const exact = candidates.find((rule) => !hasMarks(rule.path));
  let best = exact ?? candidates[0];
  if (best === undefined) return new Set();
  if (exact === undefined) for (const rule of candidates) if (isBefore(rule, best)) best = rule;
  const chosen = best.path;
  const same = rules.filter((rule) => rule.path === chosen);
  const denied = same.some(({ capabilities }) => capabilities.length === 0 || capabilities.includes("deny"));
  return denied ? new Set() : new Set(same.flatMap(({ capabilities }) => capabilities));
}

describe("the capabilities of a token on a path", () => {
  property(
    [fc.array(policy, { minLength: 1, maxLength: 3 }), fc.array(path, { minLength: 1, maxLength: 8 })],
    runs(250),
  )("are those of the most specific rule, as the text reads", async (policies, paths) => {
    const sim = createSimulator();
    const cluster = sim.secrets.cluster("main");
    for (const [index, rules] of policies.entries()) {
      const blocks = rules.map((rule) => `path "${rule.path}" { capabilities = ${JSON.stringify(rule.capabilities)} }`);
      cluster.writePolicy(`p-${index}`, blocks.join("\n"));
    }
    const { token } = cluster.createToken({
      policies: policies.map((_, index) => `p-${index}`),
      noDefaultPolicy: true,
    });
    for (const asked of paths) {
      for (const [method, needed] of [
        ["GET", "read"],
        ["LIST", "list"],
        ["DELETE", "delete"],
        ["POST", "update"],
      ] as const) {
        const capabilities = granted(policies.flat(), asked, method === "LIST");
        const { status } = await reach(sim)(`${cluster.url}/v1/${asked}`, {
          method,
          headers: { "X-Secrets-Token": token },
        });
        expect(status, `${method} ${asked}`).toBe(capabilities.has(needed) ? 404 : 403);
      }
    }
  });
});
