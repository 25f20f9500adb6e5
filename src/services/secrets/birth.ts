import { type EpochMs, epochMs } from "../../kernel/brand.ts";
import { lazy } from "../../kernel/lazy.ts";
import { deepFreeze } from "../../kernel/plain.ts";
import { Draw } from "../../kernel/randomness.ts";
import { Table } from "../../kernel/table.ts";
import { NO_FAILURES } from "../kit/request-failures.ts";
import { toBase64 } from "./bytes.ts";
import { KEY_BYTES, sharesOfKey } from "./cluster/shamir.ts";
import type { License, SealState } from "./cluster/state.ts";
import { ENGINE_NAMES } from "./mounts/names.ts";
import { DEFAULT_SETTINGS, newMount } from "./mounts/state.ts";
import { newNamespace } from "./namespaces/state.ts";
import type { ClusterName } from "./place.ts";
import type { Quirk } from "./quirks.ts";
import { NO_LINKS, NO_PEERS } from "./replication/connections.ts";
import { lineageAtBirth } from "./replication/lineage/state.ts";
import { DISABLED, type ReplicationOptions } from "./replication/state.ts";
import type { Cluster } from "./state.ts";
import type { Local, Replicated } from "./storage.ts";
import type { Token, TokenId } from "./tokens/state.ts";

/** What a cluster begins with. */
export interface ClusterBirth extends ClusterDefaults {
  readonly name: ClusterName;
  readonly seed: string;
  readonly url: string;
  readonly atMs: EpochMs;
}

/** What every cluster of a simulator begins with. */
export interface ClusterDefaults {
  /** The version of the engine at `kv/`, where that is not 1. */
  readonly kv?: 2;
  readonly quirks: readonly Quirk[];
  readonly keyShares: number;
  readonly keyThreshold: number;
  readonly nodes: number;
  /** How long another node takes to become active, where that is not the default. */
  readonly electionMs?: number;
  readonly license: License;
  readonly version: string;
  /** Null for none. */
  readonly pluginDirectory: string | null;
  readonly replication: ReplicationOptions;
}

/** A new cluster: unsealed, with its root token and the engines that are mounted from the start. */
export function newCluster(birth: ClusterBirth): Cluster {
  const { name, seed, url, kv, quirks, atMs, license, version, nodes, electionMs, pluginDirectory, replication } =
    birth;
  const draw = new Draw(`${seed}:birth of cluster ${name}`);
  const rootToken = `scs.${draw.base62(24)}`;
  return {
    replicated: newReplicated(draw, atMs, kv),
    local: newLocal(draw, rootToken, atMs),
    ignored: {
      url,
      clusterAddress: `https://${new URL(url).hostname}:8201`,
      rootToken,
      createdAtMs: atMs,
      id: draw.uuid(),
      license,
      version,
      seal: newSeal(draw, birth),
      nodes: { count: nodes, active: 0, activeSinceMs: atMs, ...(electionMs === undefined ? {} : { electionMs }) },
      running: true,
      walIndex: 0,
      dr: DISABLED,
      links: NO_LINKS,
      peers: NO_PEERS,
      drOperationTokens: Table.of(),
      restores: 0,
      ...lineageAtBirth(name),
      requestFailures: NO_FAILURES,
      replication,
      quirks,
      snapshotSchedules: Table.of(),
      pluginDirectory,
      pluginFiles: Table.of(),
      pluginFilesKnown: false,
      podEnvironment: {},
      calendar: Table.of(),
    },
  };
}

function newSeal(draw: Draw, { keyShares, keyThreshold }: ClusterBirth): SealState {
  const key = draw.bytes(KEY_BYTES);
  return {
    status: "unsealed",
    key: toBase64(key),
    shares: sharesOfKey(key, keyShares, keyThreshold, draw).map(toBase64),
    threshold: keyThreshold,
    given: [],
    nonce: "",
  };
}

/** Each engine is mounted under its own name from the start (decisions-secrets-core.md, D.2). */
function newReplicated(draw: Draw, atMs: EpochMs, kv: 2 | undefined): Replicated {
  const root = newNamespace("root", atMs);
  let { mounts } = root;
  for (const type of ["ldap", kv === undefined ? "kv" : "kv2", "orchestrator"] as const) {
    const name = ENGINE_NAMES[type];
    const accessor = `${name}_${draw.uuid().slice(0, 8)}`;
    const settings = type === "kv2" ? { ...DEFAULT_SETTINGS, options: { version: "2" } } : DEFAULT_SETTINGS;
    mounts = mounts.set(`${name}/`, { ...newMount(type, accessor, draw.uuid(), atMs, settings), initial: true });
  }
  return { ...blankReplicated(), ...root, mounts };
}

function newLocal(draw: Draw, rootToken: string, atMs: EpochMs): Local {
  const accessor = draw.base62(24);
  const root: Token = {
    accessor,
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
    ...blankLocal,
    tokens: Table.of<Token>().set(rootToken, root),
    tokensByAccessor: Table.of<TokenId>().set(` ${accessor}`, rootToken as TokenId),
  };
}

/** The local part of a cluster that holds nothing: one that has just become a secondary. */
export const blankLocal = Object.freeze<Local>({
  tokens: Table.of(),
  tokensByParent: Table.of(),
  tokensByAccessor: Table.of(),
  tokensByNamespace: Table.of(),
  wrapped: Table.of(),
  cubbyholes: Table.of(),
  mounts: Table.of(),
  leases: Table.of(),
  leasesByToken: Table.of(),
  snapshots: Table.of(),
  oidcCodes: Table.of(),
  oidcExpiries: Table.of(),
  rollbackNotes: Table.of(),
  rollbackPasses: Table.of(),
  performance: DISABLED,
  activationTokens: 0,
  calendar: Table.of(),
});

/** The replicated part of such a cluster: no engine is mounted there. */
export const blankReplicated: () => Replicated = lazy(() =>
  deepFreeze({
    ...newNamespace("root", epochMs(0)),
    namespaces: Table.of(),
    plugins: Table.of(),
    calendar: Table.of(),
  }),
);
