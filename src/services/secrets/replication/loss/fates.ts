import { changesOf } from "../../../../kernel/blame.ts";
import type { LogPosition } from "../../../../kernel/brand.ts";
import type { ClusterName } from "../../place.ts";
import { clusterNamed, type SecretsWorld } from "../../world.ts";
import { type Part, throughOf } from "../lineage/state.ts";
import type { Changed, Comparison } from "./comparison.ts";
import { objectAt, type TouchedObject } from "./objects.ts";

/**
 * What became of an object: it is `missing`, there is `other` content, which `rival` wrote (absent where the cluster was born with it), or
 * it is `removed`, because who wrote it removed it later.
 */
export type Fate = { readonly fate: "missing" | "removed" } | { readonly fate: "other"; readonly rival?: LogPosition };

/** What a lost commit touched, and what became of it. */
export type LostObject = Pick<TouchedObject, "kind" | "path" | "change"> & Fate;

interface Rival {
  readonly writer: ClusterName;
  readonly since: LogPosition;
  readonly position: LogPosition;
}

/** What became of objects that a cluster lacks. */
export class Fates {
  readonly #comparison: Comparison;
  /** The last commit that removed what lies at a place. */
  readonly #removals = new Map<string, LogPosition>();
  readonly #rivals = new Map<string, Rival | undefined>();

  constructor(comparison: Comparison, changes: readonly Changed[]) {
    this.#comparison = comparison;
    for (const { claim, position, objects } of changes) {
      // What begins an epoch has cleared what was there, or put it back to another time: nobody removed it.
      if (position === claim.since) continue;
      for (const { change, place } of objects) if (change === "deleted") this.#removals.set(keyOf(place), position);
    }
  }

  of(touched: TouchedObject, changed: Changed): { readonly object: LostObject; readonly diverged: boolean } {
    const { kind, path, change, place } = touched;
    const { position } = changed;
    const rival = this.#rivalAt(place);
    const diverged = rival !== undefined && this.#isOfOtherSide(rival, changed);
    const isThere = objectAt(this.#comparison.target, place).value !== undefined;
    const isOther = diverged || (isThere && (change === "deleted" || !this.#isRemovedAfter(place, position)));
    const fate: Fate = isOther
      ? { fate: "other", ...(rival === undefined ? {} : { rival: rival.position }) }
      : { fate: this.#isRemovedAfter(place, position) ? "removed" : "missing" };
    return { object: { kind, path, change, ...fate }, diverged };
  }

  /** With it, or with the mount or namespace that it was in. */
  #isRemovedAfter(place: readonly string[], position: LogPosition): boolean {
    return place.some((_, depth) => (this.#removals.get(keyOf(place.slice(0, depth + 1))) ?? 0) >= position);
  }

  /** Both sides wrote it: what is there now was written by somebody else, and its writer did not have that then. */
  #isOfOtherSide(rival: Rival, { claim, then }: Changed): boolean {
    return rival.writer !== claim.writer && throughOf(then[claim.part], rival) < rival.position;
  }

  /** Who wrote what lies at a place now: the last epoch in which its writer changed it there tells. */
  #rivalAt(place: readonly string[]): Rival | undefined {
    const key = keyOf(place);
    if (!this.#rivals.has(key)) this.#rivals.set(key, this.#findRival(place));
    return this.#rivals.get(key);
  }

  #findRival(place: readonly string[]): Rival | undefined {
    const { past, target } = this.#comparison;
    if (objectAt(target, place).value === undefined) return undefined;
    for (const { writer, since, through } of target.ignored.lineage[place[0] as Part].toReversed()) {
      const look = (world: SecretsWorld) => objectAt(clusterNamed(world, writer), place);
      for (const { position } of changesOf(past.history, look, since, through ?? past.position)) {
        return { writer, since, position };
      }
    }
    return undefined;
  }
}

function keyOf(place: readonly string[]): string {
  return place.join("\0");
}
