import { describe, expect, it } from "vitest";
import { createSimulator } from "../../src/index.ts";

// An operation's label is that of the weakest line of the decisions that its answers rest on: `[contract]` or `[k]` is documented,
// `[upstream]` or `[u]` observed, `[chosen]` or `[c]` chosen.

const LABELS = { contract: "documented", upstream: "observed", chosen: "chosen" } as const;

/** The weakest lines: where each stands, how it is tagged, and whose answers rest on it. */
const WEAKEST: readonly (readonly [line: string, tag: keyof typeof LABELS, operations: string])[] = [
  ["directory 1, Hierarchy in LIST: the immediate children of the prefix", "upstream", "library.list staticRoles.list"],
  ["directory 1, GET static-role without a name lists", "contract", "staticRoles.listAll"],
  ["directory 3, GET: length is the number in force, 64 when unset", "chosen", "ldapConfig.read"],
  ["directory 3, check 2: a syntactic PEM check is enough", "chosen", "ldapConfig.write"],
  ["directory 3, DELETE always 204; roles, sets, queue and leases stay", "upstream", "ldapConfig.delete"],
  ["directory 5, GET: last_secrets_rotation only after a rotation", "upstream", "staticRoles.read"],
  ["directory 1, Case: names of dynamic roles are lower-cased", "chosen", "dynamicRoles.read"],
  ["directory 7, GET of a set; missing = 404", "upstream", "library.read"],
  ["directory 7, Status: borrower_entity_id is always there", "contract", "library.status"],
  ["directory 7, Check-out: lease and cap", "upstream", "library.checkOut"],
  ["directory 7, Check-in: names in order, or the only one", "upstream", "library.checkIn library.forceCheckIn"],
  ["oidc 1, LIST order: ascending by name", "chosen", "oidc.scopes.list oidc.assignments.list"],
  ["oidc 1, Array normalisation", "upstream", "oidc.assignments.read oidc.providers.read"],
  ["oidc 6, Base64: the decoded text is returned by GET", "upstream", "oidc.scopes.read"],
  ["core B, the path of the list and its keys", "contract", "snapshots.list"],
  ["core C, GET sys/plugins/catalog: sorted arrays, [] when none", "contract", "plugins.catalog"],
  [
    "replication 2, last_heartbeat, merkle_root and last_remote_wal",
    "chosen",
    "replication.dr.status replication.performance.status",
  ],
  [
    "replication 7, modes, paths and what a filter excludes",
    "chosen",
    `${["paths", "mount"]
      .flatMap((kind) => ["read", "write", "delete"].map((verb) => `replication.performance.${kind}Filter.${verb}`))
      .join(" ")} replication.performance.dynamicFilter replication.performance.secondaryDynamicFilter`,
  ],
  [
    "replication 8.1, GET attempt, DELETE attempt, and the last share",
    "upstream",
    "replication.dr.operationToken.attempt replication.dr.operationToken.cancel replication.dr.operationToken.update",
  ],
  ["replication 8.1, POST attempt with otp: ignored", "chosen", "replication.dr.operationToken.start"],
  ["replication 8.3, an unknown or deleted token: 403", "chosen", "replication.dr.operationToken.delete"],
  ["replication 8.4, a second call while one runs: 400", "chosen", "replication.dr.reindex"],
  ["replication 8.4, what a control corrupts", "chosen", "replication.dr.merkleCheck"],
];

describe("the evidence of operations", () => {
  const labels = new Map<string, string>(
    createSimulator()
      .operations()
      .map(({ name, evidence }) => [name, evidence]),
  );
  const cited = WEAKEST.flatMap(([line, tag, names]) =>
    names.split(" ").map((name) => ({ name: `secrets.${name}`, line, label: LABELS[tag] })),
  );

  it.each(cited)("$name is $label: $line", ({ name, label }) => {
    expect(labels.get(name)).toBe(label);
  });

  it("is documented of nothing without a line of the contract", () => {
    const documented = [...labels].filter(([, label]) => label === "documented").map(([name]) => name);
    const byContract = cited.filter(({ label }) => label === "documented").map(({ name }) => name);
    expect(documented.sort()).toEqual(byContract.sort());
  });
});
