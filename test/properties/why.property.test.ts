import fc from "fast-check";
import { expect, test } from "vitest";
import type { Simulator } from "../../src/index.ts";
import { aptStep } from "../support/failover-aptness.ts";
import { CLIENT_MOVES, type MoveName, NETWORK_MOVES, OPERATOR_MOVES } from "../support/failover-moves.ts";
import { begun, isPossible, taken } from "../support/failover-story.ts";
import { requestsOf } from "../support/journal.ts";
import { runs } from "../support/runs.ts";

// What is told of a refusal names tokens by their accessors, and shows nothing that opens anything.

const CLUSTERS = ["a", "b", "c"];

const step = fc.record({
  move: fc.constantFrom<MoveName>(...OPERATOR_MOVES, ...CLIENT_MOVES, ...CLIENT_MOVES, ...NETWORK_MOVES),
  on: fc.constantFrom(...CLUSTERS),
  other: fc.constantFrom(...CLUSTERS),
  n: fc.nat(9),
  through: fc.constantFrom("call" as const, "http" as const),
  isApt: fc.boolean(),
});

/** Who shows a stolen secret: as a token, or in a body. */
const theft = fc.record({
  on: fc.constantFrom(...CLUSTERS),
  path: fc.constantFrom(
    "kv/a",
    "sys/unseal",
    "sys/policies/acl/p",
    "auth/token/lookup",
    "auth/token/renew",
    "sys/replication/dr/secondary/promote",
    "sys/replication/dr/secondary/operation-token/update",
    "ldap/config",
    "ldap/library/ops/check-out",
    "identity/oidc/key/k",
  ),
  field: fc.constantFrom("token", "key", "dr_operation_token", "bindpass", "policy", "nonce"),
  n: fc.nat(),
  isToken: fc.boolean(),
});

const OF_MEMBERS =
  /"(?:token|\w*_token|SecretID|password|last_password|bindpass|client_secret|secret_id|secret|otp|key|keys|jwt)":"([^"]{6,})"/g;
const TOKENS = /\b(?:scs|b)\.[A-Za-z0-9_-]{20,}/g;

/** All that the log and the births of clusters hold and that opens something. */
function secretsOf(sim: Simulator): string[] {
  const text = sim.log.toNdjson();
  const clusters = CLUSTERS.map((name) => sim.secrets.cluster(name));
  return [
    ...new Set([
      ...[...text.matchAll(OF_MEMBERS)].map(([, secret = ""]) => secret),
      ...(text.match(TOKENS) ?? []),
      ...clusters.flatMap(({ rootToken, keyShares }) => [rootToken, ...keyShares]),
    ]),
  ].filter((secret) => !/^[a-z0-9/-]{1,12}$/.test(secret));
}

test("no text of a refusal holds a secret, in random worlds", async () => {
  const codes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40, size: "max" }),
      fc.array(theft, { maxLength: 8 }),
      async (steps, thefts) => {
        const sim = await begun({ seed: 8, secrets: { clusters: CLUSTERS }, history: { journalSize: 10_000 } });
        for (const { isApt, ...given } of steps) {
          const apt = isApt ? aptStep(sim, given) : given;
          if (isPossible(sim, apt)) await taken(sim, apt);
        }
        const stolen = secretsOf(sim);
        for (const { on, path, field, n, isToken } of thefts) {
          const secret = stolen[n % stolen.length] ?? "";
          const headers = { "X-Secrets-Token": isToken ? secret : sim.secrets.cluster(on).rootToken };
          const init = { method: "POST", headers, body: JSON.stringify({ [field]: secret }) };
          await sim.fetch(`${sim.secrets.cluster(on).url}/v1/${path}`, init).catch(() => undefined);
        }
        const secrets = secretsOf(sim);
        for (const entry of requestsOf(sim)) {
          if (entry.refusal === undefined) continue;
          const { code, text, facts } = sim.why(entry) ?? { code: "", text: "", facts: [] };
          codes.add(code);
          expect([code, facts.length]).not.toContain(0);
          for (const told of [text, entry.refusal.why, ...facts.map((fact) => fact.text)]) {
            for (const secret of secrets)
              if (told.includes(secret)) throw new Error(`${code} tells ${secret}: ${told}`);
          }
        }
      },
    ),
    runs(60),
  );
  expect(codes.size).toBeGreaterThan(10);
});
