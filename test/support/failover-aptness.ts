import type { Simulator } from "../../src/index.ts";
import { isConnected } from "../../src/services/secrets/replication/connections.ts";
import { roleOf } from "../../src/services/secrets/replication/roles.ts";
import type { ReplicationKind, ReplicationRole } from "../../src/services/secrets/replication/state.ts";
import type { Cluster } from "../../src/services/secrets/state.ts";
import { CLIENT_MOVES, type MoveName } from "./failover-moves.ts";
import type { StoryStep } from "./failover-story.ts";

type Mode = "disabled" | "primary" | "secondary";

/** What a move needs of its clusters to be more than a refusal. */
interface Need {
  readonly kinds?: readonly ReplicationKind[];
  readonly on?: Mode;
  readonly other?: readonly Mode[];
  readonly running?: boolean;
  readonly sealed?: boolean;
  /** One is connected to the other. */
  readonly linked?: true;
  /** It becomes a secondary, for disaster recovery only without a performance role. */
  readonly joins?: true;
  /** Both are of one set. */
  readonly sameSet?: true;
}

const OF_DR: readonly ReplicationKind[] = ["dr"];
const OF_PERFORMANCE: readonly ReplicationKind[] = ["performance"];
const ofDrSecondary: Need = { on: "secondary", kinds: OF_DR };
const toPrimary: Need = { on: "secondary", other: ["primary"], sameSet: true };
const joining: Need = { on: "disabled", other: ["primary"], joins: true };
const filtering: Need = { on: "primary", kinds: OF_PERFORMANCE };

const NEEDS: { readonly [M in MoveName]?: Need } = {
  primaryEnable: { on: "disabled" },
  primaryDemote: { on: "primary" },
  primaryDisable: { on: "primary" },
  revokeSecondary: { on: "primary" },
  issueToken: { other: ["primary"] },
  join: { ...joining, other: ["disabled", "primary"] },
  joinEncrypted: joining,
  joinTooLate: joining,
  joinOtherKind: { on: "disabled", joins: true },
  attach: toPrimary,
  attachTwice: toPrimary,
  attachElsewhere: toPrimary,
  attachBothWays: toPrimary,
  attachByAddress: toPrimary,
  attachEncrypted: { ...toPrimary, kinds: OF_PERFORMANCE },
  attachNoWay: { on: "secondary" },
  detach: { on: "secondary" },
  promote: { on: "secondary" },
  promoteByForce: { on: "secondary" },
  secondaryDisable: { on: "secondary" },
  reindex: ofDrSecondary,
  merkleCheck: ofDrSecondary,
  operationTokenDeleted: ofDrSecondary,
  operationTokenShares: ofDrSecondary,
  operationTokenByPgp: ofDrSecondary,
  pathsFilter: filtering,
  mountFilter: filtering,
  unfilter: filtering,
  filterShown: { ...toPrimary, kinds: OF_PERFORMANCE },
  sealed: { sealed: false },
  unsealed: { sealed: true },
  start: { running: false },
  unseal: { sealed: true },
  cut: { linked: true },
  lag: { linked: true },
  cutLater: { linked: true },
};

const KINDS: readonly ReplicationKind[] = ["dr", "performance"];
const CLIENTS: ReadonlySet<string> = new Set(CLIENT_MOVES);

/** The step between the next clusters for which it makes sense, as it is when there are none. */
export function aptStep(sim: Simulator, step: StoryStep): StoryStep {
  const { secrets } = sim.state;
  const names = Object.keys(secrets);
  const isClients = CLIENTS.has(step.move);
  const need = NEEDS[step.move];
  if (need === undefined && !isClients) return step;
  const from = Math.max(names.indexOf(step.on), 0);
  const pairs = names.length * names.length;
  for (let place = 0; place < 2 * pairs; place++) {
    const on = names[(from + place) % names.length] ?? "";
    const other = names[(step.other.charCodeAt(0) + Math.floor(place / names.length)) % names.length] ?? "";
    if (on === other) continue;
    const n = place < pairs ? step.n : (step.n + 1) % 10;
    const here = secrets[on] as Cluster;
    const there = secrets[other] as Cluster;
    const kind = KINDS[n % 2] as ReplicationKind;
    if (need?.linked ? isLinked(here, other) : isClients ? serves(here) : meets(here, there, kind, need ?? {})) {
      return { ...step, on, other, n };
    }
  }
  return step;
}

function meets(here: Cluster, there: Cluster, kind: ReplicationKind, need: Need): boolean {
  if (need.running !== undefined) return here.ignored.running === need.running;
  if (need.sealed !== undefined) return here.ignored.running && (here.ignored.seal.status === "sealed") === need.sealed;
  if (need.kinds !== undefined && !need.kinds.includes(kind)) return false;
  if (!isAwake(here) || (need.other !== undefined && !isAwake(there))) return false;
  if (need.on === "disabled" && kind === "performance" && here.ignored.dr.mode === "secondary") return false;
  if (need.joins && kind === "dr" && here.local.performance.mode !== "disabled") return false;
  const [own, theirs] = [roleOf(here, kind), roleOf(there, kind)];
  if (need.on !== undefined && own.mode !== need.on) return false;
  if (need.other !== undefined && !need.other.includes(theirs.mode)) return false;
  return need.sameSet === undefined || setOf(own) === setOf(theirs);
}

const setOf = (role: ReplicationRole): string | undefined => (role.mode === "disabled" ? undefined : role.clusterId);

const isLinked = ({ ignored }: Cluster, other: string): boolean =>
  [ignored.links.dr, ignored.links.performance].some((link) => isConnected(link) && link.upstream === other);

const isAwake = ({ ignored }: Cluster): boolean => ignored.running && ignored.seal.status === "unsealed";
const serves = (cluster: Cluster): boolean => isAwake(cluster) && cluster.ignored.dr.mode !== "secondary";
