import type { SecretsReading } from "../declare.ts";
import type { NamespacePlace } from "../place.ts";
import { clusterOf, type SecretsWorld } from "../world.ts";
import type { Lease, LeaseId } from "./state.ts";

// Each namespace has its own leases (decisions-secrets-core.md, D), but they lie in one table: its keys are their ids.

/** A lease of the request's namespace. */
export function leaseOf({ state, caller }: SecretsReading, id: string): Lease | undefined {
  const lease = clusterOf(state, caller.cluster).local.leases.get(id);
  return lease?.engine.namespace === caller.namespace ? lease : undefined;
}

/**
 * The leases of the request's namespace below a path, or the one that has it as its id.
 *
 * Our choice: a prefix ends where a segment does, as upstream has it, so that `ldap/library/op` does not mean `ops`.
 */
export function leasesBelow(state: SecretsWorld, at: NamespacePlace, path: string): readonly LeaseId[] {
  const { leases } = clusterOf(state, at.cluster).local;
  const named = leases.get(path);
  if (named !== undefined && named.engine.namespace === at.namespace) return [path as LeaseId];
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  return [...leases.entries({ prefix })]
    .filter(([, lease]) => lease.engine.namespace === at.namespace)
    .map(([id]) => id as LeaseId);
}

/** The leases of the request's namespace, as a listing walks through names. */
export function leasesOfNamespace({ state, caller }: SecretsReading): {
  firstFrom(from: string): readonly [string, Lease] | undefined;
} {
  const { leases } = clusterOf(state, caller.cluster).local;
  return {
    firstFrom: (from) => {
      for (const entry of leases.entries({ from })) if (entry[1].engine.namespace === caller.namespace) return entry;
      return undefined;
    },
  };
}
