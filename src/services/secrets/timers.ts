import type { Plain } from "../../kernel/plain.ts";
import { revokeLease, scheduleRetry } from "./leases/revoke.ts";
import type { LeaseId } from "./leases/state.ts";
import type { ClusterName } from "./place.ts";
import type { SecretsRecorder } from "./recorder.ts";
import { REPLICATION_DUE, SHARED_GONE } from "./replication/settle/ship.ts";
import type { Vanished } from "./replication/settle/vanished.ts";
import { endWhatHungOn } from "./replication/shared-gone.ts";
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
  /** A sync has ended, or an entry has arrived: what that means follows from the time by itself. */
  [REPLICATION_DUE]: () => {},
  [SHARED_GONE]: (decision, input, cluster) => endWhatHungOn(decision, cluster, input as unknown as Vanished),
  "timer.tokenExpiry": (decision, input, cluster) => revokeToken(decision, cluster, input["token"] as TokenId),
};
