import type { Plain } from "../../kernel/plain.ts";
import { expireSecretIds } from "./auth/approle/secret-ids.ts";
import { endElection } from "./cluster/decide.ts";
import type { SecretsRecorder } from "./declare.ts";
import { revokeLease, scheduleRetry } from "./leases/revoke.ts";
import type { LeaseId, LeasingEngine } from "./leases/state.ts";
import { rotateDueKey } from "./oidc/keys/decide.ts";
import { rollbackPass } from "./orchestrator/rollback/decide.ts";
import type { ClusterName, MountPath, MountPlace, NamespacePath } from "./place.ts";
import { REPLICATION_DUE, SHARED_GONE } from "./replication/settle/ship.ts";
import type { Vanished } from "./replication/settle/vanished.ts";
import { endWhatHungOn } from "./replication/shared-gone.ts";
import { beginSnapshot, endSnapshot } from "./snapshots/attempt.ts";
import { rotateDueRole } from "./static-roles/decide.ts";
import { revokeToken } from "./tokens/revoke.ts";
import type { TokenId } from "./tokens/state.ts";

/** Decides what happens when a deadline of a cluster is reached. */
type TimerDecider = (decision: SecretsRecorder, input: { readonly [key: string]: Plain }, cluster: ClusterName) => void;

/** The deadlines of this service, by the names of their commands. */
export const secretsTimers: Readonly<Record<string, TimerDecider>> = {
  /** A lease has expired, is to be revoked right away, or is tried again. */
  "timer.leaseRevocation": (decision, input, cluster) => {
    const lease = input["lease"] as LeaseId;
    const attempt = revokeLease(decision, cluster, lease);
    if (attempt !== undefined) scheduleRetry(decision, cluster, lease, attempt);
  },
  "timer.election": (decision, _, cluster) => endElection(decision, cluster),
  "timer.snapshotAttempt": (decision, input, cluster) => beginSnapshot(decision, cluster, input["name"] as string),
  "timer.snapshotEnd": (decision, input, cluster) => endSnapshot(decision, cluster, input["name"] as string),
  /** The time of a named key has come. */
  "timer.keyRotation": (decision, input, cluster) => rotateDueKey(decision, cluster, input as never),
  "timer.rollback": (decision, input, cluster) => {
    rollbackPass(decision, cluster, input as unknown as LeasingEngine);
  },
  /** The static role of an engine that is due first. */
  "timer.staticRoleRotation": (decision, { namespace, mount }, cluster) => {
    rotateDueRole(decision, mountIn(cluster, namespace, mount));
  },
  /** The secret id of a method that expires first. */
  "timer.secretIdExpiry": (decision, { namespace, mount }, cluster) => {
    expireSecretIds(decision, mountIn(cluster, namespace, mount));
  },
  /** A sync has ended, or an entry has arrived: what that means follows from the time by itself. */
  [REPLICATION_DUE]: () => {},
  [SHARED_GONE]: (decision, input, cluster) => endWhatHungOn(decision, cluster, input as unknown as Vanished),
  "timer.tokenExpiry": (decision, input, cluster) => revokeToken(decision, cluster, input["token"] as TokenId),
};

function mountIn(cluster: ClusterName, namespace: Plain | undefined, mount: Plain | undefined): MountPlace {
  const at: MountPlace = { cluster, mount: mount as MountPath };
  return namespace === undefined ? at : { ...at, namespace: namespace as NamespacePath };
}
