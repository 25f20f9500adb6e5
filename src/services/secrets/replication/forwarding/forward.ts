import type { Asked, SecretsCaller, SecretsDecision, SecretsOperation, SecretsReading } from "../../declare.ts";
import { ENGINE_NAMES } from "../../mounts/names.ts";
import { type ClusterName, localMountKey, type MountPath, mountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { type Reply, withWarning } from "../../reply.ts";
import { clusterOf, namespaceAt } from "../../world.ts";
import { isChangingRole } from "../outage.ts";
import { isPerformanceSecondary, reachedPrimary } from "../roles.ts";
import { arrivesLate } from "./arrival.ts";

// Source of all rules in this file: decisions-replication.md, 3.

type Context = SecretsDecision | SecretsReading;

/** Whether a request that was let in here is carried out by the performance primary. */
export function isForwarded(context: Context, operation: SecretsOperation, input: Asked["input"]): boolean {
  const { caller } = context;
  const { local } = clusterOf(context.state, caller.cluster);
  if (!isPerformanceSecondary(clusterOf(context.state, caller.cluster))) return false;
  const { engine, handler, access } = operation;
  if (engine !== undefined) {
    const mount = `${caller.mount ?? ENGINE_NAMES[engine]}/` as MountPath;
    if (local.mounts.size > 0 && local.mounts.has(localMountKey(mountPlace(caller, mount)))) return false;
    // What is not mounted here is told so here.
    if (namespaceAt(context.state, caller)?.mounts.get(mount)?.type !== engine) return false;
  }
  const { onSecondary = engine !== undefined && handler.kind === "command" ? "forwarded" : "here" } = access;
  return (typeof onSecondary === "function" ? onSecondary(context, input) : onSecondary) === "forwarded";
}

/**
 * Has a request carried out by the performance primary. The answer is the primary's, and comes at once; a warning tells when its effect
 * is not seen here within two seconds.
 */
export function forward(context: Context, path: string, perform: (there: Context) => Reply<unknown>): Reply<unknown> {
  const { cluster } = context.caller;
  const primary = reachedPrimary(context.state, cluster) ?? refuse("forwarding_failed", { path });
  const before = clusterOf(context.state, primary);
  if (isChangingRole(before, context.nowMs)) return refuse("changing_role", {});
  const there = onBehalf(context, primary);
  if (namespaceAt(there.state, there.caller) === undefined) {
    return refuse("namespace_not_found", { namespace: there.caller.namespace ?? "" });
  }
  const reply = perform(there);
  const after = clusterOf(context.state, primary);
  const wrote = after.replicated !== before.replicated || after.local !== before.local;
  return wrote && arrivesLate(context, cluster) ? withWarning(reply, NOT_YET_HERE) : reply;
}

const NOT_YET_HERE = "the change was made on the primary and has not arrived on this cluster yet: reads here are stale";

/** A look at the primary for a bearer of the secondary. What is recorded belongs to the decision under way. */
function onBehalf(context: Context, primary: ClusterName): Context {
  const { node: _, ...asking } = context.caller;
  const caller: SecretsCaller = { ...asking, cluster: primary, behalf: context.caller.cluster };
  const reading: SecretsReading = {
    get state() {
      return context.state;
    },
    nowMs: context.nowMs,
    caller,
    draw: context.draw,
  };
  if (!("record" in context)) return reading;
  return {
    get state() {
      return context.state;
    },
    nowMs: context.nowMs,
    caller,
    draw: context.draw,
    position: context.position,
    record: (event) => context.record(event),
    attempt: (work) => context.attempt(work),
    step: (machine, value, judgement, move) => context.step(machine, value, judgement, move),
  } satisfies SecretsDecision;
}
