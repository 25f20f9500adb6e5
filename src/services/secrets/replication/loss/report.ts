import { changesOf } from "../../../../kernel/blame.ts";
import type { EpochMs, LogPosition } from "../../../../kernel/brand.ts";
import { type Command, programOf } from "../../../../kernel/commit.ts";
import { deepFreeze } from "../../../../kernel/plain.ts";
import { valueAt } from "../../../../kernel/state-path.ts";
import type { SecretsCaller } from "../../declare.ts";
import type { ClusterName } from "../../place.ts";
import type { Cluster } from "../../state.ts";
import { clusterNamed, type SecretsWorld } from "../../world.ts";
import { shipsNamespace } from "../filters/filtered-view.ts";
import type { Filter } from "../filters/state.ts";
import { heldOf, type Lineage, PARTS, throughOf } from "../lineage/state.ts";
import type { Changed, Claim, Comparison, Filtering, Past } from "./comparison.ts";
import { areOfOneSet, filtersTo, hasFact, lineageThen, sharesLocal } from "./comparison.ts";
import { Fates, type LostObject } from "./fates.ts";
import { type TouchedObject, touchedObjects } from "./objects.ts";
import { type Because, Reasons } from "./reasons.ts";

/**
 * Why a commit is not there: `lost`, or `diverged` where the other cluster has written the same object. `local` is never shipped, and
 * `filtered` is what a filter keeps back.
 */
export type LossKind = "lost" | "diverged" | "local" | "filtered";

/** A commit that one cluster acknowledged and another one lacks. */
export interface LostCommit {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** What was asked for, such as `secrets.kv.write`. */
  readonly command: string;
  readonly kind: LossKind;
  /** What made it certain that it does not arrive. */
  readonly because: Because;
  readonly acknowledgedTo: Acknowledged;
  readonly objects: readonly LostObject[];
}

/** Who was told that it is done. */
export interface Acknowledged {
  /** The program that asked; `author` is the author of the test. */
  readonly program: string;
  /** The accessor of the token; absent where none was sent, and for control calls. */
  readonly accessor?: string;
  readonly displayName?: string;
}

/** What of a cluster would be lost with it. */
export interface LossForecast {
  /** Who holds it. */
  readonly cluster: string;
  /** Who acknowledged it. */
  readonly writer: string;
  /** The positions of the commits, in order. */
  readonly commits: readonly LogPosition[];
}

export interface LossOptions {
  /** What `from` had at that position; the position of `past` if absent. */
  readonly had?: LogPosition;
  readonly all?: boolean;
}

/**
 * What `from` acknowledged and `to` does not hold: commits of epochs of `from` beyond what the lineage of `to` has of them. Of a cluster
 * and itself, what it held at another time, whoever had acknowledged it.
 */
export function lossReport(
  past: Past,
  from: ClusterName,
  to: ClusterName,
  { had = past.position, all = false }: LossOptions = {},
): readonly LostCommit[] {
  const world = past.history.stateAt(past.position);
  const source = clusterNamed(past.history.stateAt(had), from);
  const target = clusterNamed(world, to);
  if (source === undefined || target === undefined) return [];
  const claims = from === to ? heldBy(source) : acknowledgedBy(from, source);
  return missing({ past, had, world, from, to, source, target }, claims, all);
}

/** What would be lost if `to` were promoted now: what others of its set hold, and it does not. */
export function lossForecast(past: Past, to: ClusterName): readonly LossForecast[] {
  const world = past.history.stateAt(past.position);
  const target = clusterNamed(world, to);
  if (target === undefined) return [];
  return Object.entries(world.secrets).flatMap(([name, source]) => {
    const from = name as ClusterName;
    if (from === to || !areOfOneSet(world, from, to)) return [];
    const comparison = { past, had: past.position, world, from, to, source, target };
    const claims = heldBy(source);
    return [...new Set(claims.map(({ writer }) => writer))].flatMap((writer): LossForecast | readonly never[] => {
      const own = claims.filter((claim) => claim.writer === writer);
      const commits = missing(comparison, own, false).map(({ position }) => position);
      return commits.length === 0 ? [] : { cluster: from, writer, commits };
    });
  });
}

function acknowledgedBy(writer: ClusterName, { ignored }: Cluster): readonly Claim[] {
  return ignored.epochs.map(({ part, since, until }) => ({ part, writer, since, through: until }));
}

function heldBy({ ignored }: Cluster): readonly Claim[] {
  return PARTS.flatMap((part) => ignored.lineage[part].map((held) => ({ part, ...held })));
}

function missing(comparison: Comparison, claims: readonly Claim[], all: boolean): readonly LostCommit[] {
  const changes = claims
    .flatMap((claim) => changesBeyond(comparison, claim, all))
    .sort((left, right) => left.position - right.position);
  const fates = new Fates(comparison, [...changes, ...changesSince(comparison)]);
  const reasons = new Reasons(comparison);
  const rows = new Map<string, LostCommit>();
  for (const change of changes) {
    const { command, atMs, failed } = comparison.past.history.commitAt(change.position);
    // What a timer did, and what was refused, is told as what became of the objects: nobody was told that it is done.
    if (command.via === "timer" || failed !== undefined) continue;
    // What a wipe took is told as the commits that wrote it.
    if (hasFact(comparison.past, change.position, "ReplicationSecondaryEnabled", change.claim.writer)) continue;
    for (const { shipping, touched } of byShipping(change)) {
      if (shipping !== "shipped" && !all) continue;
      const told = touched.map((object) => fates.of(object, change));
      const row = `${change.position} ${shipping}`;
      const known = rows.get(row);
      const isDiverged = known?.kind === "diverged" || told.some(({ diverged }) => diverged);
      rows.set(row, {
        position: change.position,
        atMs,
        command: command.name,
        kind: shipping === "shipped" ? (isDiverged ? "diverged" : "lost") : shipping,
        because: known?.because ?? (shipping === "shipped" ? reasons.of(change) : NOT_SHIPPED[shipping]),
        acknowledgedTo: known?.acknowledgedTo ?? acknowledgedTo(command, change),
        objects: [...(known?.objects ?? []), ...told.map(({ object }) => object)],
      });
    }
  }
  return deepFreeze([...rows.values()]);
}

/** How what is claimed comes to the other cluster, if it does. */
interface Shipment {
  /** The last position that is held. */
  readonly held: number;
  /** What filters keep back of what is held, and of what is to come. */
  readonly filtersOfHeld: readonly Filter[];
  readonly filtering: Filtering;
  /** It is local to clusters that share nothing local. */
  readonly isLocal: boolean;
}

function shipmentOf(comparison: Comparison, claim: Claim, then: Lineage): Shipment {
  const lineage = comparison.target.ignored.lineage[claim.part];
  const isReplicated = claim.part === "replicated";
  return {
    held: throughOf(lineage, claim),
    filtersOfHeld: heldOf(lineage, claim)?.filters ?? [],
    filtering: isReplicated ? filtersTo(comparison, claim) : { filters: [], through: 0 },
    isLocal: !isReplicated && !sharesLocal(comparison, then),
  };
}

/**
 * The commits of a claim that changed what may not be there: those beyond what is held, and all of them where what a filter keeps back is
 * asked for.
 */
function changesBeyond(comparison: Comparison, claim: Claim, all: boolean): readonly Missing[] {
  const { had, source, target } = comparison;
  const { part, since } = claim;
  // What goes on is whole where both hold the very same.
  if (claim.through === null && source[part] === target[part]) return [];
  const then = lineageThen(comparison, claim);
  const shipment = shipmentOf(comparison, claim, then);
  if (shipment.isLocal && !all) return [];
  const after = Math.max(all && shipment.filtersOfHeld.length > 0 ? since - 1 : shipment.held, 0);
  return changesIn(comparison, claim, after, claim.through ?? had, then).map((change) => ({ ...change, shipment }));
}

/** The commits by which a writer changed a part, after one position, up to another. */
function changesIn(
  comparison: Comparison,
  claim: Claim,
  after: number,
  upTo: number,
  then = lineageThen(comparison, claim),
): readonly Changed[] {
  const { part, writer, filters } = claim;
  const look = ({ secrets }: SecretsWorld) => valueAt(secrets, [writer, part]);
  return [...changesOf(comparison.past.history, look, after, upTo)].flatMap((change): Changed | readonly never[] => {
    const [was, is] = [clusterNamed(change.before, writer), clusterNamed(change.after, writer)];
    if (was === undefined || is === undefined) return [];
    const objects = touchedObjects(was, is, part).filter((object) => !isKeptBack(object, filters));
    return { ...change, claim, then, objects };
  });
}

/** What a cluster went on to change itself after the moment that is looked back to, and has no more. */
function changesSince(comparison: Comparison): readonly Changed[] {
  const { past, had, from, target } = comparison;
  if (had === past.position) return [];
  return acknowledgedBy(from, target).flatMap((claim) => {
    const held = throughOf(target.ignored.lineage[claim.part], claim);
    return changesIn(comparison, claim, Math.max(had, held), claim.through ?? past.position);
  });
}

/** A commit that changed what may not be there, and how it would come. */
interface Missing extends Changed {
  readonly shipment: Shipment;
}

const SHIPPINGS = ["shipped", "local", "filtered"] as const;
type Shipping = (typeof SHIPPINGS)[number];

const NOT_SHIPPED = { local: { reason: "local" }, filtered: { reason: "filter" } } as const;

/** The objects of a commit that are not there, by whether they are ever shipped. */
function byShipping({ shipment, position, objects }: Missing) {
  const isHeld = position <= shipment.held;
  const { filters, through } = isHeld
    ? { filters: shipment.filtersOfHeld, through: shipment.held }
    : shipment.filtering;
  const shippingOf = (object: TouchedObject): Shipping | "held" => {
    if (position <= through && isKeptBack(object, filters)) return "filtered";
    if (isHeld) return "held";
    return shipment.isLocal ? "local" : "shipped";
  };
  return SHIPPINGS.flatMap((shipping) => {
    const touched = objects.filter((object) => shippingOf(object) === shipping);
    return touched.length === 0 ? [] : [{ shipping, touched }];
  });
}

function isKeptBack({ within }: TouchedObject, filters: readonly Filter[] = []): boolean {
  return within !== "" && filters.some((filter) => !shipsNamespace(filter, within));
}

function acknowledgedTo(command: Command, { before, after }: Changed): Acknowledged {
  const program = programOf(command);
  const { cluster, token } = (command.caller ?? {}) as Partial<SecretsCaller>;
  if (cluster === undefined || token === undefined || command.via === "control") return { program };
  // A token that ended with this commit was there before it.
  const known = [after, before].map((world) => clusterNamed(world, cluster)?.local.tokens.get(token)).find(Boolean);
  return known === undefined ? { program } : { program, accessor: known.accessor, displayName: known.displayName };
}
