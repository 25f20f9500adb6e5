import type { ForwardingRule } from "../../declare.ts";
import { booleanOf } from "../../fields.ts";
import { leaseOf } from "../../leases/namespaced.ts";
import { localMountKey, type MountPath, mountPlace } from "../../place.ts";
import { clusterOf, isMountLocal, mountOfPath } from "../../world.ts";

// Source of all rules in this file: decisions-replication.md, 3.

/** A lease that is unknown here and whose path lies in a shared mount is the primary's: that of a check-out is. */
export const leaseRule: ForwardingRule = (reading, { lease_id, url_lease_id }) => {
  const id = lease_id || url_lease_id;
  if (typeof id !== "string" || leaseOf(reading, id) !== undefined) return "here";
  const within = mountOfPath(reading.state, reading.caller, id);
  if (within === undefined) return "here";
  const { local } = clusterOf(reading.state, reading.caller.cluster);
  return local.mounts.has(localMountKey(mountPlace(reading.caller, within.path))) ? "here" : "forwarded";
};

/** A local mount is made here, and nobody else sees it. */
export const newMountRule: ForwardingRule = (_, { local }) => (booleanOf(local) === true ? "here" : "forwarded");

/** A mount that is there is changed where it is; an auth method lies below `auth/`. */
export const mountRule =
  (above: "" | "auth/"): ForwardingRule =>
  ({ state, caller }, { path }) => {
    const mount = `${above}${typeof path === "string" ? path : ""}/` as MountPath;
    return isMountLocal(state, mountPlace(caller, mount)) ? "here" : "forwarded";
  };
