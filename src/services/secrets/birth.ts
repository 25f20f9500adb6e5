import type { EpochMs } from "../../kernel/brand.ts";
import type { Deadline } from "../../kernel/calendar.ts";
import { Draw } from "../../kernel/randomness.ts";
import { Table } from "../../kernel/table.ts";
import type { Lease, LeaseId } from "./leases/state.ts";
import { newDirectoryMount } from "./mounts/state.ts";
import { newNamespace } from "./namespaces/state.ts";
import type { ClusterName } from "./place.ts";
import type { Quirk } from "./quirks.ts";
import type { Cluster, Local, Namespace, Replicated } from "./state.ts";
import type { Token } from "./tokens/state.ts";

/** What a cluster begins with. */
export interface ClusterBirth {
  readonly name: ClusterName;
  readonly seed: string;
  readonly url: string;
  readonly quirks: readonly Quirk[];
  readonly atMs: EpochMs;
}

/** A new cluster: unsealed, with its root token and the engines that are mounted from the start. */
export function newCluster({ name, seed, url, quirks, atMs }: ClusterBirth): Cluster {
  const draw = new Draw(`${seed}:birth of cluster ${name}`);
  const rootToken = `scs.${draw.base62(24)}`;
  return {
    replicated: newReplicated(draw),
    local: newLocal(draw, rootToken, atMs),
    ignored: {
      url,
      clusterAddress: `https://${new URL(url).hostname}:8201`,
      rootToken,
      createdAtMs: atMs,
      quirks,
      calendar: Table.of<Deadline>(),
    },
  };
}

function newReplicated(draw: Draw): Replicated {
  const accessor = `ldap_${draw.uuid().slice(0, 8)}`;
  const root = newNamespace("root");
  return {
    ...root,
    mounts: root.mounts.set("ldap/", newDirectoryMount(accessor, draw.uuid())),
    namespaces: Table.of<Namespace>(),
    calendar: Table.of<Deadline>(),
  };
}

function newLocal(draw: Draw, rootToken: string, atMs: EpochMs): Local {
  const root: Token = {
    accessor: draw.base62(24),
    type: "service",
    policies: ["root"],
    entityId: "",
    displayName: "root",
    meta: null,
    path: "auth/token/root",
    createdAtMs: atMs,
    creationTtlSeconds: 0,
    explicitMaxTtlSeconds: 0,
    periodSeconds: 0,
    renewable: false,
    orphan: true,
  };
  return {
    tokens: Table.of<Token>().set(rootToken, root),
    leases: Table.of<Lease>(),
    leasesByToken: Table.of<LeaseId>(),
    calendar: Table.of<Deadline>(),
  };
}
