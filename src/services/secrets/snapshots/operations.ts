import { command, type SecretsDecision, type SecretsReading, view } from "../declare.ts";
import { text } from "../fields.ts";
import { listing } from "../listing.ts";
import { refuse } from "../rejections.ts";
import { bare, done, enveloped, withFile } from "../reply.ts";
import { clusterOf, type SecretsWorld } from "../world.ts";
import { archiveOf, urlInArchive } from "./archive.ts";
import { scheduleOf } from "./attempt.ts";
import type { SnapshotConfig } from "./configuration.ts";
import { readConfig, SNAPSHOT_FIELDS } from "./read-config.ts";
import { downloadSnapshot, uploadSnapshot } from "./restore.ts";
import { configShown, statusShown } from "./views.ts";

/** Over HTTP a snapshot is its file, in typed calls its URL. */
const BROUGHT = {
  evidence: "observed",
  fields: { snapshot_url: text },
  readsFile: (world: SecretsWorld, bytes: Uint8Array) => ({ snapshot_url: urlInArchive(world, bytes) }),
} as const;

/** Snapshots that clients take and bring back (README.md), and automated ones (decisions-secrets-core.md, B). They are local to a cluster, so a secondary has its own. */
export const snapshotOperations = {
  save: command({
    route: "GET /v1/sys/storage/raft/snapshot",
    evidence: "observed",
    neverWrapped: true,
    givesFile: true,
    decide: (decision) => {
      const snapshot_url = downloadSnapshot(decision, decision.caller.cluster);
      const file = archiveOf(decision.state, snapshot_url);
      if (file === undefined) throw new Error(`${snapshot_url} was taken and is not there`);
      return withFile(bare({ snapshot_url }), file);
    },
  }),
  restore: command({
    route: "POST /v1/sys/storage/raft/snapshot",
    ...BROUGHT,
    decide: (decision, input) => bring(decision, input, false),
  }),
  forceRestore: command({
    route: "POST /v1/sys/storage/raft/snapshot-force",
    ...BROUGHT,
    decide: (decision, input) => bring(decision, input, true),
  }),
  list: view({
    route: "LIST /v1/sys/storage/raft/snapshot-auto/config",
    evidence: "documented",
    sudo: true,
    enterprise: true,
    view: ({ state, caller }) => listing(clusterOf(state, caller.cluster).local.snapshots.keys()),
  }),
  read: view({
    route: "GET /v1/sys/storage/raft/snapshot-auto/config/:name",
    evidence: "chosen",
    sudo: true,
    enterprise: true,
    view: (reading, { name }) => enveloped(configShown(configOf(reading, name))),
  }),
  write: command({
    route: "POST /v1/sys/storage/raft/snapshot-auto/config/:name",
    evidence: "chosen",
    sudo: true,
    enterprise: true,
    fields: SNAPSHOT_FIELDS,
    decide: (decision, { name, ...given }) => {
      const { cluster } = decision.caller;
      decision.record({ type: "SnapshotConfigured", data: { cluster, name, config: readConfig(given) } });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/sys/storage/raft/snapshot-auto/config/:name",
    evidence: "chosen",
    sudo: true,
    enterprise: true,
    decide: (decision, { name }) => {
      const { cluster } = decision.caller;
      if (clusterOf(decision.state, cluster).local.snapshots.has(name)) {
        decision.record({ type: "SnapshotConfigDeleted", data: { cluster, name } });
      }
      return done();
    },
  }),
  status: view({
    route: "GET /v1/sys/storage/raft/snapshot-auto/status/:name",
    evidence: "chosen",
    enterprise: true,
    view: (reading, { name }) => {
      configOf(reading, name);
      return enveloped(statusShown(scheduleOf(reading.state, reading.caller.cluster, name)));
    },
  }),
};

function bring(
  decision: SecretsDecision,
  { snapshot_url = "" }: { readonly snapshot_url?: string | undefined },
  force: boolean,
) {
  uploadSnapshot(decision, decision.caller.cluster, snapshot_url, force);
  return done();
}

function configOf({ state, caller }: SecretsReading, name: string): SnapshotConfig {
  return clusterOf(state, caller.cluster).local.snapshots.get(name) ?? refuse("not_found", {});
}
