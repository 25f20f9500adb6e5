import { hashOfText, hexOf } from "../../../kernel/hash.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import { command, type SecretsDecision, type SecretsReading, view, withOthers } from "../declare.ts";
import { flag, seconds, text } from "../fields.ts";
import { childrenOf, listing } from "../listing.ts";
import { refuse } from "../rejections.ts";
import { leaseRule } from "../replication/forwarding/rules.ts";
import { accepted, done, type Envelope, enveloped, type Reply } from "../reply.ts";
import { clusterOf, mountAt } from "../world.ts";
import { leaseOf, leasesBelow, leasesOfNamespace } from "./namespaced.ts";
import { renewLease } from "./renew.ts";
import { forceRevocation, revokeNow, revokeSoon } from "./revoke.ts";
import type { Lease, LeaseId } from "./state.ts";

/** Prefixes are paths and may hold anything. */
const ANY_PREFIX = /^/;

const OF_LEASE = { evidence: "observed", onSecondary: leaseRule, names: ANY_PREFIX } as const;
const RENEWAL = { ...OF_LEASE, fields: { lease_id: text, increment: seconds } };
const REVOCATION = { ...OF_LEASE, fields: { lease_id: text, sync: flag } };

const OF_ALL_LEASES = { type: text, include_child_namespaces: flag };

/** A lease that a body or a path names; the body goes first. */
interface NamedLease {
  readonly lease_id?: string;
  readonly url_lease_id?: string;
}

function namedLease({ lease_id, url_lease_id }: NamedLease): LeaseId {
  return (lease_id || url_lease_id || refuse("lease_id_missing", {})) as LeaseId;
}

function atPath({ url_lease_id }: { readonly [name: string]: unknown }): "AtPath" | undefined {
  return url_lease_id === undefined ? undefined : "AtPath";
}

function renewed(decision: SecretsDecision, asked: NamedLease & { readonly increment?: number }) {
  const { lease, warnings } = renewLease(decision, decision.caller.cluster, namedLease(asked), asked.increment ?? 0);
  return enveloped(null, { lease, warnings });
}

function revokedOne(decision: SecretsDecision, asked: NamedLease & { readonly sync?: boolean }): Reply<undefined> {
  return revoked(decision, [namedLease(asked)], asked.sync);
}

/** Leases (decisions-secrets-core.md, A.9). Their other routes: README.md of the service; as a whole: cluster/README.md, 2. */
export const leaseOperations = {
  irrevocable: view({
    route: "LIST /v1/sys/leases",
    evidence: "observed",
    sudo: true,
    fields: { ...OF_ALL_LEASES, limit: text },
    view: (reading, { limit, ...asked }) => {
      const found = irrevocableLeases(reading, asked);
      const most = limitOf(limit);
      const leases = found.slice(0, most).map(([lease_id, { failedAttempts }, mount_id]) => ({
        lease_id,
        mount_id,
        error: `failed to revoke it ${failedAttempts} times`,
      }));
      const warnings =
        found.length > most ? [`there are more than ${most} irrevocable leases: a limit shows more`] : [];
      return enveloped({ lease_count: leases.length, leases }, { warnings });
    },
  }),
  count: view({
    route: "GET /v1/sys/leases/count",
    evidence: "observed",
    fields: OF_ALL_LEASES,
    view: (reading, asked) => {
      const found = irrevocableLeases(reading, asked);
      const counts: Record<string, number> = {};
      for (const [, , mount] of found) counts[mount] = (counts[mount] ?? 0) + 1;
      return enveloped({ lease_count: found.length, counts });
    },
  }),
  tidy: view({
    route: "POST /v1/sys/leases/tidy",
    evidence: "observed",
    view: () => ({ ...enveloped(null, { warnings: ["the tidying of leases was started"] }), status: 202 }),
  }),
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
  renew: withOthers(
    command({ route: "POST /v1/sys/leases/renew", ...RENEWAL, decide: renewed }),
    {
      AtPath: command({ route: "POST /v1/sys/leases/renew/**:url_lease_id", ...RENEWAL, decide: renewed }),
      Formerly: command({ route: "POST /v1/sys/renew", ...RENEWAL, decide: renewed }),
      FormerlyAtPath: command({ route: "POST /v1/sys/renew/**:url_lease_id", ...RENEWAL, decide: renewed }),
    },
    atPath,
  ),
  revoke: withOthers(
    command({ route: "POST /v1/sys/leases/revoke", ...REVOCATION, decide: revokedOne }),
    {
      AtPath: command({ route: "POST /v1/sys/leases/revoke/**:url_lease_id", ...REVOCATION, decide: revokedOne }),
      Formerly: command({ route: "POST /v1/sys/revoke", ...REVOCATION, decide: revokedOne }),
      FormerlyAtPath: command({ route: "POST /v1/sys/revoke/**:url_lease_id", ...REVOCATION, decide: revokedOne }),
    },
    atPath,
  ),
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

/** Leases that nothing revokes any more by itself, with the accessors of their mounts, in the order in which they expired. */
function irrevocableLeases(
  { state, caller }: SecretsReading,
  { type, include_child_namespaces = false }: { readonly type?: string; readonly include_child_namespaces?: boolean },
): readonly (readonly [id: string, lease: Lease, mount: string])[] {
  if (type?.toLowerCase() !== "irrevocable") refuse("not_found", {});
  const { cluster, namespace = "" } = caller;
  const isAsked = ({ engine }: Lease): boolean =>
    include_child_namespaces ? (engine.namespace ?? "").startsWith(namespace) : engine.namespace === caller.namespace;
  return [...clusterOf(state, cluster).local.leases]
    .filter(([, lease]) => lease.status === "irrevocable" && isAsked(lease))
    .sort(([, left], [, right]) => left.expiresAtMs - right.expiresAtMs)
    .map(([id, lease]) => [id, lease, mountAt(state, { cluster, ...lease.engine })?.accessor ?? ""] as const);
}

const MOST_LEASES = 10_000;

function limitOf(limit = `${MOST_LEASES}`): number {
  if (limit === "none") return Number.POSITIVE_INFINITY;
  return /^[1-9]\d{0,14}$/.test(limit) ? Number(limit) : refuse("lease_limit_invalid", { limit });
}

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
