import { snapshotScheduleMachine } from "../../../../machines/snapshot-schedule.machine.ts";
import { epochMs } from "../../../kernel/brand.ts";
import {
  nextNumber,
  oldestOf,
  type SnapshotPlace,
  type Stores,
  storeFault,
  storesOf,
  urlOf,
  useOf,
} from "../../../surroundings/stores/state.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { clusterOf, type SecretsWorld } from "../world.ts";
import { placeOf } from "./destination.ts";
import type { SnapshotAttempt, SnapshotSchedule } from "./state.ts";

// Source of all rules in this file: decisions-secrets-core.md, B.2 and B.3.

const UNASKED = { undisturbed: true, allowed: true, taken: true };

/** How the attempts of a configuration went; undefined before it is known. */
export function scheduleOf(world: SecretsWorld, cluster: ClusterName, name: string): SnapshotSchedule | undefined {
  return clusterOf(world, cluster).ignored.snapshotSchedules.get(name);
}

/** An attempt is due: it begins with the storage as it is now, and ends at once if attempts take no time. */
export function beginSnapshot(decision: SecretsRecorder, cluster: ClusterName, name: string): void {
  const config = clusterOf(decision.state, cluster).local.snapshots.get(name);
  if (config === undefined) return;
  const status = scheduleOf(decision.state, cluster, name)?.status ?? "waiting";
  const next = decision.step(snapshotScheduleMachine, status, UNASKED, { type: "attempt" });
  if (next?.value !== "running") throw new Error(`a schedule that is ${status} begins no attempt`);
  if (status === next.value) return;
  const stores = storesOf(decision.state);
  const place = placeOf(cluster, config);
  const { snapshotBytes: bytes, snapshotDurationMs } = stores;
  const maxBytes = config.storage.type === "local" ? config.storage.maxSpaceBytes : undefined;
  const endsAtMs = epochMs(decision.nowMs + snapshotDurationMs);
  decision.record({
    type: "SnapshotStarted",
    data: {
      cluster,
      name,
      status: next.value,
      place: { ...place, number: nextNumber(stores, place, decision.nowMs) },
      bytes,
      retain: config.retain,
      ...(maxBytes === undefined ? {} : { maxBytes }),
      allowed: isRoom(stores, place, bytes, maxBytes),
      ...(snapshotDurationMs === 0 ? {} : { endsAtMs }),
    },
  });
  if (snapshotDurationMs === 0) endSnapshot(decision, cluster, name);
}

/** Whether a place may hold so many bytes more. Nothing is deleted to make room: it is written first. */
function isRoom(stores: Stores, place: SnapshotPlace, bytes: number, maxBytes: number | undefined): boolean {
  return maxBytes === undefined || useOf(stores, place).bytes + bytes <= maxBytes;
}

/**
 * An attempt ends: its object appears, and then the oldest at its place are deleted until no more are left than are to be kept. One
 * that fails deletes nothing.
 *
 * Our choice: whether the store is there and takes the object counts now, when it is written; whether there is room counted at the start
 * (amendments.md, S46).
 */
export function endSnapshot(decision: SecretsRecorder, cluster: ClusterName, name: string): void {
  const schedule = scheduleOf(decision.state, cluster, name);
  if (schedule?.attempt === undefined) return;
  const { attempt, status } = schedule;
  const stores = storesOf(decision.state);
  const { number: _, ...at } = attempt.place;
  const fault = storeFault(stores, urlOf(attempt.place), attempt.bytes);
  const judgement = {
    undisturbed: attempt.disturbed === undefined,
    allowed: attempt.allowed,
    taken: fault === undefined,
  };
  const next = decision.step(snapshotScheduleMachine, status, judgement, { type: "end" });
  switch (next?.value) {
    case "succeeded": {
      const pruned = prunedBy(decision, attempt, useOf(stores, at).objects + 1 - attempt.retain);
      decision.record({ type: "SnapshotStored", data: { cluster, name, status: next.value, pruned } });
      return;
    }
    case "failed": {
      const error = reason(judgement, attempt, fault);
      decision.record({ type: "SnapshotFailed", data: { cluster, name, status: next.value, error } });
      return;
    }
    default:
      throw new Error(`a schedule that is ${status} ends no attempt`);
  }
}

/** The oldest of what lies at a place, the object that is being written among them: it need not be the youngest. */
function prunedBy(decision: SecretsRecorder, { place }: SnapshotAttempt, count: number) {
  const { number, ...at } = place;
  const oldest = oldestOf(storesOf(decision.state), at, count);
  const isOlder = oldest.length < count || BigInt(oldest.at(-1)?.number ?? 0) > BigInt(number);
  if (count <= 0 || !isOlder) return oldest;
  return [...oldest, place]
    .sort((left, right) => (BigInt(left.number) < BigInt(right.number) ? -1 : 1))
    .slice(0, count);
}

function reason(
  { undisturbed, allowed }: { readonly undisturbed: boolean; readonly allowed: boolean },
  { bytes }: SnapshotAttempt,
  fault: string | undefined,
): string {
  if (!undisturbed)
    return "snapshot interrupted: the cluster was sealed, stopped or not the primary while it was taken";
  if (!allowed) return `not enough space: local_max_space does not allow a snapshot of ${bytes} bytes more`;
  return fault ?? "the store took no snapshot";
}
