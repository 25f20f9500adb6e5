import { hashOfText, hexOf } from "../../../kernel/hash.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import { command, type SecretsDecision, type SecretsReading, view } from "../declare.ts";
import { flag, seconds, text } from "../fields.ts";
import { childrenOf, listing } from "../listing.ts";
import { refuse } from "../rejections.ts";
import { leaseRule } from "../replication/forwarding/rules.ts";
import { accepted, done, type Envelope, enveloped, type Reply } from "../reply.ts";
import { clusterOf } from "../world.ts";
import { leaseOf, leasesBelow, leasesOfNamespace } from "./namespaced.ts";
import { renewLease } from "./renew.ts";
import { forceRevocation, revokeNow, revokeSoon } from "./revoke.ts";
import type { LeaseId } from "./state.ts";

/** Prefixes are paths and may hold anything. */
const ANY_PREFIX = /^/;

/** Leases (decisions-secrets-core.md, A.9). */
export const leaseOperations = {
  list: view({
    route: "LIST /v1/sys/leases/lookup/**:prefix",
    evidence: "observed",
    names: ANY_PREFIX,
    sudo: true,
    view: (reading, { prefix }) => children(reading, prefix),
  }),
  lookup: view({
    route: "POST /v1/sys/leases/lookup",
    evidence: "observed",
    onSecondary: leaseRule,
    fields: { lease_id: text },
    view: (reading, { lease_id }) => {
      if (lease_id === undefined || lease_id === "") return refuse("lease_id_missing", {});
      const lease = leaseOf(reading, lease_id);
      if (lease === undefined || reading.nowMs >= lease.expiresAtMs) {
        return refuse("invalid_lease", { lease: lease_id });
      }
      return enveloped({
        id: lease_id,
        issue_time: rfc3339(lease.issuedAtMs),
        expire_time: rfc3339(lease.expiresAtMs),
        last_renewal: lease.lastRenewalAtMs === undefined ? null : rfc3339(lease.lastRenewalAtMs),
        renewable: lease.renewable && lease.status !== "irrevocable",
        ttl: Math.floor((lease.expiresAtMs - reading.nowMs) / 1000),
      });
    },
  }),
  renew: command({
    route: "POST /v1/sys/leases/renew",
    evidence: "observed",
    onSecondary: leaseRule,
    fields: { lease_id: text, increment: seconds },
    decide: (decision, { lease_id, increment }) => {
      if (lease_id === undefined || lease_id === "") return refuse("lease_id_missing", {});
      const { lease, warnings } = renewLease(decision, decision.caller.cluster, lease_id as LeaseId, increment ?? 0);
      return enveloped(null, { lease, warnings });
    },
  }),
  revoke: command({
    route: "POST /v1/sys/leases/revoke",
    evidence: "observed",
    onSecondary: leaseRule,
    fields: { lease_id: text, sync: flag },
    decide: (decision, { lease_id, sync }) => {
      if (lease_id === undefined || lease_id === "") return refuse("lease_id_missing", {});
      return revoked(decision, [lease_id as LeaseId], sync);
    },
  }),
  revokePrefix: command({
    route: "POST /v1/sys/leases/revoke-prefix/**:prefix",
    evidence: "observed",
    names: ANY_PREFIX,
    sudo: true,
    fields: { sync: flag },
    decide: (decision, { prefix, sync }) => {
      return revoked(decision, leasesBelow(decision.state, decision.caller, prefix), sync);
    },
  }),
  revokeForce: command({
    route: "POST /v1/sys/leases/revoke-force/**:prefix",
    evidence: "observed",
    names: ANY_PREFIX,
    sudo: true,
    decide: (decision, { prefix }) => {
      forceRevocation(decision, decision.caller.cluster, leasesBelow(decision.state, decision.caller, prefix));
      return done();
    },
  }),
};

/** Revokes before the answer, unless the caller will not wait. */
function revoked(decision: SecretsDecision, leases: readonly LeaseId[], sync = true): Reply<undefined> {
  const { cluster } = decision.caller;
  const held = leases.filter((lease) => leaseOf(decision, lease) !== undefined);
  if (sync) revokeNow(decision, cluster, held);
  else revokeSoon(decision, cluster, held);
  return sync ? done() : accepted();
}

/**
 * The leases of tokens, which lie below `auth/` (amendments.md, S37).
 *
 * Our choice: what a token is called there follows from its accessor, as nobody must find out a token from it.
 */
function* tokenChildren({ state, caller }: SecretsReading, below: string): Generator<string> {
  for (const { accessor, path, namespace, type, expiresAtMs } of clusterOf(
    state,
    caller.cluster,
  ).local.tokens.values()) {
    if (type === "batch" || expiresAtMs === undefined || namespace !== caller.namespace) continue;
    const id = `${path}/h${hexOf(hashOfText(accessor))}`;
    if (!path.startsWith("auth/") || !id.startsWith(below)) continue;
    const rest = id.slice(below.length);
    const slash = rest.indexOf("/");
    yield slash < 0 ? rest : rest.slice(0, slash + 1);
    // At the top all of them are one.
    if (below === "") return;
  }
}

function children(reading: SecretsReading, prefix: string): Reply<Envelope<{ keys: string[] }>> {
  const below = prefix === "" ? "" : `${prefix.replace(/\/$/, "")}/`;
  const names = new Set([...childrenOf(leasesOfNamespace(reading), below), ...tokenChildren(reading, below)]);
  return listing([...names].sort());
}
