import { deleteObject } from "../../../surroundings/orchestrator/calls.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { ServiceAccountGrant } from "../leases/state.ts";
import type { MountPlace } from "../place.ts";
import { orchestratorAt } from "../world.ts";
import { SESSION_FAULTS, sessionAt } from "./session.ts";

/**
 * Deletes what was made for a lease that ends; each object is tried even if another could not be deleted, and one that is gone is
 * as good as deleted. A token of an account that was there before stays valid in the orchestrator until it expires.
 *
 * Source: decisions-orchestrator.md, 8.
 *
 * @returns what kept it from being done, in words; undefined when it was done
 */
export function deleteAccount(
  decision: SecretsRecorder,
  at: MountPlace,
  { objects }: ServiceAccountGrant,
): string | undefined {
  // Unmounting revokes its leases first, so a lease without a mount has nothing left to undo.
  if (orchestratorAt(decision.state, at) === undefined) return undefined;
  const session = sessionAt(decision, at);
  if (typeof session === "string") return SESSION_FAULTS[session];
  const faults = objects.flatMap((object) => {
    const deleted = deleteObject(decision, session, object);
    return deleted.ok || deleted.isMissing ? [] : [deleted.reason];
  });
  return faults.length === 0 ? undefined : faults.join("; ");
}
