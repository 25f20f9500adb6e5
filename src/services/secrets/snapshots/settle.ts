import { type Flat, produceFlat } from "../../../kernel/draft.ts";
import type { FoldMeta } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import { copyOfIgnored } from "../copies.ts";
import { withIgnored } from "../folding.ts";
import type { ClusterName } from "../place.ts";
import { isDrSecondary } from "../replication/roles.ts";
import type { Cluster } from "../state.ts";
import { isAwake, type SecretsWorld } from "../world.ts";
import type { SnapshotConfig } from "./configuration.ts";
import { disturbAttempt, endSchedule, type Schedules, startSchedule, stopSchedule } from "./state.ts";

/**
 * Whether a cluster takes snapshots: it runs unsealed, has the licence, and is no disaster-recovery secondary.
 *
 * Source: decisions-secrets-core.md, B and B.2.
 */
function takesSnapshots(cluster: Cluster): boolean {
  return isAwake(cluster) && cluster.ignored.license === "enterprise" && !isDrSecondary(cluster);
}

/**
 * What follows from a commit for the schedules of a cluster, whatever the commit was: configurations are written, deleted, restored,
 * wiped and shipped, and clusters are sealed, stopped, demoted and come back.
 *
 * 1. A configuration that is new, or another object than before, starts from now.
 * 2. One that is gone makes no more attempts.
 * 3. While a cluster takes no snapshots nothing is armed: what it misses is not made up.
 * 4. When it takes them again all its configurations start from then, and an attempt that it left under way has failed.
 */
export function settleSnapshots<W extends SecretsWorld>(before: W, after: W, meta: FoldMeta): W {
  if (before.secrets === after.secrets) return after;
  let settled = after;
  for (const name in after.secrets) {
    const is = after.secrets[name];
    const was = before.secrets[name];
    if (is === undefined || is === was) continue;
    const change = changeOf(was, is, meta);
    if (change === undefined) continue;
    settled = withIgnored(settled, { cluster: name as ClusterName }, (ignored) =>
      produceFlat(ignored, change, copyOfIgnored),
    ) as W;
  }
  return settled;
}

type Change = (schedules: Flat<Schedules>) => void;

function changeOf(was: Cluster | undefined, is: Cluster, meta: FoldMeta): Change | undefined {
  const took = was !== undefined && takesSnapshots(was);
  const takes = takesSnapshots(is);
  const before = was?.local.snapshots ?? NONE;
  const after = is.local.snapshots;
  if (took === takes && (!takes || before === after)) return undefined;
  if (!takes)
    return (schedules) => {
      for (const name of [...schedules.snapshotSchedules.keys()]) stopSchedule(schedules, name);
    };
  if (!took)
    return (schedules) => {
      for (const name of [...schedules.snapshotSchedules.keys()]) disturbAttempt(schedules, name, meta);
      for (const [name, config] of after) startSchedule(schedules, name, config, meta);
    };
  return (schedules) => {
    for (const [name, , config] of Table.changes(before, after)) {
      if (config === undefined) endSchedule(schedules, name);
      else startSchedule(schedules, name, config, meta);
    }
  };
}

const NONE = Table.of<SnapshotConfig>();
