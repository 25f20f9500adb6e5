import type { LogPosition } from "../../../../kernel/brand.ts";
import type { SecretsEvents } from "../../events.ts";
import type { ClusterName } from "../../place.ts";
import { clusterNamed, clusterOf } from "../../world.ts";
import { isConnected } from "../connections.ts";
import { type Held, heldOf, type Lineage, throughOf } from "../lineage/state.ts";
import type { Changed, Claim, Comparison } from "./comparison.ts";
import { hasFact, haveCommon, haveMet, lineTo, linkOf } from "./comparison.ts";

/**
 * The first that made it certain that a commit does not arrive, with the position of the commit that did it. `cut`, `stopped` and `sealed`
 * broke the line that it would have come by (`cut` also stands for what operators take apart: a revoked, detached or demoted cluster); a
 * `promotion` or a `restore` began another history without it, a `wipe` cleared it. Nothing is broken where it is `in flight`, and `apart`
 * are clusters that never met. `local` and `filter` is what is not shipped.
 */
export type Because =
  | { readonly reason: "cut" | "stopped" | "sealed" | "promotion" | "wipe" | "restore"; readonly position: LogPosition }
  | { readonly reason: "in flight" | "apart" | "local" | "filter"; readonly position?: undefined };

/** Why commits are not there. */
export class Reasons {
  readonly #comparison: Comparison;

  constructor(comparison: Comparison) {
    this.#comparison = comparison;
  }

  of({ claim, then, position }: Changed): Because {
    const { target, to } = this.#comparison;
    const { isOnTheWay, brokeAt } = this.#line(claim, position);
    if (isOnTheWay) return this.#wipeBefore(claim, position) ?? brokeAt ?? { reason: "in flight" };
    const parting = this.#partingFrom(claim, then);
    if (parting !== undefined) return this.#beginning(parting.writer, parting.since);
    const met = haveCommon(then[claim.part], target.ignored.lineage[claim.part]);
    const ended = this.#end(claim);
    if (ended !== undefined) return ended;
    if (met && claim.since > 0) return this.#beginning(claim.writer, claim.since);
    return (met ? (brokeAt ?? this.#broken(to)) : this.#demotion(claim, then)) ?? { reason: "apart" };
  }

  /** The first epoch that the other side does not know, be it on its way to `to` still. Not that with which a cluster was born. */
  #partingFrom({ part }: Claim, then: Lineage): Held | undefined {
    const { world } = this.#comparison;
    return lineTo(this.#comparison, part)
      .map((name) => clusterOf(world, name).ignored.lineage[part])
      .filter((held) => haveCommon(held, then[part]))
      .flat()
      .find((held) => held.since > 0 && heldOf(then[part], held) === undefined);
  }

  /** The line by which it would come, as long as somebody on it has it: where it broke first, if it did. */
  #line(claim: Claim, position: LogPosition): { readonly isOnTheWay: boolean; readonly brokeAt?: Because } {
    const { world, to } = this.#comparison;
    const [, ...upstream] = lineTo(this.#comparison, claim.part);
    let [name, at]: [ClusterName, number] = [to, Number.POSITIVE_INFINITY];
    let brokeAt: Because | undefined;
    for (const next of upstream) {
      const link = linkOf(clusterOf(world, name));
      if (link?.downAt !== undefined && !isConnected(link) && link.downAt < at) {
        at = link.downAt;
        brokeAt = this.#breakAt(link.downAt, name);
      }
      const { lineage } = clusterOf(world, next).ignored;
      const broken = brokeAt === undefined ? {} : { brokeAt };
      if (throughOf(lineage[claim.part], claim) >= position) return { isOnTheWay: true, ...broken };
      name = next;
    }
    return { isOnTheWay: false, ...(brokeAt === undefined ? {} : { brokeAt }) };
  }

  /** It was there, and `to` was cleared when it joined anew; the first sync has not ended. */
  #wipeBefore(claim: Claim, position: LogPosition): Because | undefined {
    const { past, target, to } = this.#comparison;
    if (linkOf(target)?.bootstrapping !== true) return undefined;
    const wipedAt = (Math.max(...target.ignored.epochs.map(({ until }) => until ?? 0)) + 1) as LogPosition;
    const before = clusterNamed(past.history.stateAt(wipedAt - 1), to);
    const had = throughOf(before?.ignored.lineage[claim.part] ?? [], claim) >= position;
    return had && position < wipedAt ? { reason: "wipe", position: wipedAt } : undefined;
  }

  /** How an epoch began: with a restored snapshot, or by itself, where the line to those before may have been broken by then. */
  #beginning(writer: ClusterName, since: LogPosition): Because {
    const { past } = this.#comparison;
    if (hasFact(past, since, "SnapshotRestored", writer)) return { reason: "restore", position: since };
    const before = clusterNamed(past.history.stateAt(since - 1), writer);
    return this.#broken(writer, before) ?? { reason: "promotion", position: since };
  }

  /** What broke the line to whom a cluster gets its storage from; of one that was demoted, the line that it had before. */
  #broken(name: ClusterName, cluster = clusterNamed(this.#comparison.world, name)): Because | undefined {
    const link = cluster && (linkOf(cluster) ?? cluster.ignored.links.performance);
    return link?.downAt === undefined || isConnected(link) ? undefined : this.#breakAt(link.downAt, name);
  }

  /** Whether whoever wrote it was cleared, or put back to another time. */
  #end({ part, writer, since }: Claim): Because | undefined {
    const { world, past } = this.#comparison;
    const epochs = clusterOf(world, writer).ignored.epochs;
    const until = epochs.find((epoch) => epoch.part === part && epoch.since === since)?.until ?? past.position;
    const position = (until + 1) as LogPosition;
    if (position > past.position) return undefined;
    if (hasFact(past, position, "ReplicationSecondaryEnabled", writer)) return { reason: "wipe", position };
    return hasFact(past, position, "SnapshotRestored", writer) ? { reason: "restore", position } : undefined;
  }

  /** Whoever wrote it of its own was demoted, and so took what the other side has in its place. */
  #demotion({ writer, through }: Claim, then: Lineage): Because | undefined {
    const { past, target } = this.#comparison;
    if (through === null || !haveMet(then, target.ignored.lineage)) return undefined;
    return hasFact(past, through, "ReplicationPrimaryDemoted", writer)
      ? { reason: "cut", position: through }
      : undefined;
  }

  /** What broke the link of a secondary at a commit. */
  #breakAt(position: LogPosition, secondary: ClusterName): Because {
    const { past } = this.#comparison;
    const has = (type: keyof SecretsEvents): boolean => hasFact(past, position, type);
    const otherHas = (type: keyof SecretsEvents): boolean => has(type) && !hasFact(past, position, type, secondary);
    if (has("ClusterStopped") || has("ElectionStarted")) return { reason: "stopped", position };
    if (has("ClusterSealed")) return { reason: "sealed", position };
    if (otherHas("SnapshotRestored")) return { reason: "restore", position };
    if (otherHas("ReplicationSecondaryEnabled")) return { reason: "wipe", position };
    const isOnItsOwn = has("SecondaryPromoted") || hasFact(past, position, "ReplicationDisabled", secondary);
    return { reason: isOnItsOwn ? "promotion" : "cut", position };
  }
}
