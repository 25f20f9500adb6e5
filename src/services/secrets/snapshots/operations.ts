import { command, type SecretsReading, view } from "../declare.ts";
import { listing } from "../listing.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped } from "../reply.ts";
import { clusterOf } from "../world.ts";
import { scheduleOf } from "./attempt.ts";
import type { SnapshotConfig } from "./configuration.ts";
import { readConfig, SNAPSHOT_FIELDS } from "./read-config.ts";
import { configShown, statusShown } from "./views.ts";

/** Automated snapshots (decisions-secrets-core.md, B). They are local to a cluster, so a secondary has its own. */
export const snapshotOperations = {
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

function configOf({ state, caller }: SecretsReading, name: string): SnapshotConfig {
  return clusterOf(state, caller.cluster).local.snapshots.get(name) ?? refuse("not_found", {});
}
