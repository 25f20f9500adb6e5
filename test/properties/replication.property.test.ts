import fc from "fast-check";
import { expect, test } from "vitest";
import { type ClusterHandle, Rejection, replay, type Simulator } from "../../src/index.ts";
import { isConnected } from "../../src/services/secrets/replication/connections.ts";
import { roleOf } from "../../src/services/secrets/replication/roles.ts";
import type { Cluster } from "../../src/services/secrets/state.ts";
import { joined, type ReplicatedWorld, replicatedWorld } from "../contract/secrets/replication/replicated-world.ts";
import { ReplicationChecker } from "../support/replication-checker.ts";
import { runs } from "../support/runs.ts";
import { indexFaults, thawedPlaces } from "../support/world-checks.ts";

// Whatever operators, clients and networks do: what a secondary holds is a version that its primary had, and the log tells all of it.

const NAMES = ["a", "b", "c", "d"] as const;

interface Step {
  readonly what: keyof typeof STEPS;
  readonly on: number;
  readonly with: number;
  readonly amount: number;
}

interface Acting {
  readonly made: ReplicatedWorld;
  readonly sim: Simulator;
  readonly on: ClusterHandle;
  readonly other: ClusterHandle;
  readonly amount: number;
}

const rootIn = ({ on }: Acting): string => on.createToken({ policies: ["root"] }).token;
const kindOf = ({ amount }: Acting): "dr" | "performance" => (amount % 2 === 0 ? "dr" : "performance");
const doorOf = (acting: Acting) => acting.on.as(rootIn(acting)).replication[kindOf(acting)];

async function tokenOf({ other }: Acting, kind: "dr" | "performance", id: string): Promise<string> {
  const door = other.as(other.createToken({ policies: ["root"] }).token).replication[kind];
  return (await door.secondaryToken({ id })).wrap_info?.token ?? "";
}

/** A door with whatever authority a secondary of that kind asks for. */
function asSecondary(acting: Acting) {
  const { on, made, sim } = acting;
  if (kindOf(acting) === "performance") return { door: on.as(rootIn(acting)).replication.performance, authority: {} };
  // No other cluster can come by one.
  const isSecondary = sim.state.secrets[on.name]?.ignored.dr.mode === "secondary";
  return {
    door: on.as().replication.dr,
    authority: { dr_operation_token: isSecondary ? made.operationToken(on) : "none" },
  };
}

const STEPS = {
  primaryEnable: (acting: Acting) => doorOf(acting).primaryEnable(),
  primaryDemote: (acting: Acting) => doorOf(acting).primaryDemote(),
  primaryDisable: (acting: Acting) => doorOf(acting).primaryDisable(),
  revoke: (acting: Acting) => doorOf(acting).revokeSecondary({ id: acting.other.name }),
  join: async (acting: Acting) => {
    const kind = kindOf(acting);
    const token = await tokenOf(acting, kind, acting.on.name);
    await acting.on.as(rootIn(acting)).replication[kind].secondaryEnable({ token });
  },
  attach: async (acting: Acting) => {
    const { door, authority } = asSecondary(acting);
    const token = await tokenOf(acting, kindOf(acting), `${acting.on.name}-${acting.amount}`);
    await door.updatePrimary({ ...authority, token });
  },
  attachByAddress: async (acting: Acting) => {
    const { door, authority } = asSecondary(acting);
    await door.updatePrimary({ ...authority, update_primary_addrs: [acting.other.clusterAddress] });
  },
  detach: async (acting: Acting) => {
    const { door, authority } = asSecondary(acting);
    await door.updatePrimary({ ...authority, token: "" });
  },
  promote: (acting: Acting) => {
    const { door, authority } = asSecondary(acting);
    door.promote({ ...authority, force: acting.amount > 5 });
  },
  secondaryDisable: (acting: Acting) => {
    const { door, authority } = asSecondary(acting);
    door.secondaryDisable(authority);
  },
  write: (acting: Acting) => acting.on.as(rootIn(acting)).kv.write({ path: `k${acting.amount}`, v: acting.amount }),
  token: ({ on, amount }: Acting) => on.createToken({ policies: ["default"], ttl: `${amount + 1}s` }),
  namespace: ({ on, amount }: Acting) => on.createNamespace(`n${amount % 3}`),
  namespaceGone: (acting: Acting) => acting.on.as(rootIn(acting)).namespaces.delete({ name: `n${acting.amount % 3}` }),
  namespaceToken: ({ on, amount }: Acting) => on.createToken({ policies: ["default"], namespace: `n${amount % 3}` }),
  mount: ({ on, amount }: Acting) => on.mount(`m${amount % 3}`, { type: "kv", local: amount > 6 }),
  unmount: (acting: Acting) => acting.on.as(rootIn(acting)).mounts.delete({ path: `m${acting.amount % 3}` }),
  filter: (acting: Acting) =>
    acting.on.as(rootIn(acting)).replication.performance.pathsFilter.write({
      id: acting.other.name,
      mode: acting.amount % 2 === 0 ? "allow" : "deny",
      paths: [`m${acting.amount % 3}`, `n${acting.amount % 3}`],
    }),
  unfilter: (acting: Acting) =>
    acting.on.as(rootIn(acting)).replication.performance.pathsFilter.delete({ id: acting.other.name }),
  cut: ({ sim, on, other }: Acting) => sim.network.cut(on, other),
  heal: ({ sim }: Acting) => sim.network.heal(),
  lag: ({ sim, on, other, amount }: Acting) => sim.network.setLag(on, other, amount * 700),
  point: ({ sim, on, other }: Acting) => sim.network.pointAddress(on.clusterAddress, other),
  stop: ({ sim, on }: Acting) => sim.network.stop(on),
  start: ({ sim, on }: Acting) => sim.network.start(on),
  seal: ({ on }: Acting) => on.seal(),
  unseal: ({ on }: Acting) => on.unseal(),
  advance: ({ sim, amount }: Acting) => sim.clock.advance(amount * 900),
  settle: ({ sim }: Acting) => sim.settle(),
} satisfies Record<string, (acting: Acting) => unknown>;

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    what: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
    on: fc.nat(3),
    with: fc.nat(3),
    amount: fc.nat(9),
  }),
  { minLength: 10, maxLength: 60 },
);

async function act(made: ReplicatedWorld, step: Step): Promise<void> {
  const [on, other] = [NAMES[step.on], NAMES[step.with]].map((name) => made.cluster(name ?? "a"));
  if (on === undefined || other === undefined || on.name === other.name) return;
  const asleep = (cluster: ClusterHandle): boolean => !made.sim.state.secrets[cluster.name]?.ignored.running;
  const isOfNetwork = ["start", "stop", "cut", "heal", "lag", "point", "advance", "settle"].includes(step.what);
  if (!isOfNetwork && (asleep(on) || asleep(other))) return;
  try {
    await STEPS[step.what]({ made, sim: made.sim, on, other, amount: step.amount });
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
  }
}

/** Versions of its storage that a cluster had, by its index; the last of an index is the one that ships. */
type Versions = Map<string, Map<number, Cluster>>;

function check({ sim }: ReplicatedWorld, versions: Versions): void {
  const { secrets } = sim.state;
  for (const [name, cluster] of Object.entries(secrets)) {
    const { links, peers, wal, walIndex } = cluster.ignored;
    if (wal !== undefined) {
      expect(wal.base).toBeLessThanOrEqual(walIndex);
      expect(wal.entries.size).toBeLessThanOrEqual(walIndex - wal.base);
    }
    for (const [kind, link] of Object.entries(links)) {
      if (link.status !== "stream-wals") continue;
      const upstream = secrets[link.upstream] as Cluster;
      expect(link.applied).toBeLessThanOrEqual(upstream.ignored.walIndex);
      const peer = upstream.ignored.peers.filter((known) => known.cluster === name && known.kind === kind);
      expect(peer.filter(({ down }) => down === undefined)).toHaveLength(1);
      const held = versions.get(link.upstream)?.get(link.applied);
      if (held === undefined) continue;
      if (kind === "dr") expect(cluster.local).toBe(held.local);
      if (kind === "dr" || link.filtered === undefined) expect(cluster.replicated).toBe(held.replicated);
    }
    for (const peer of peers) {
      const other = secrets[peer.cluster] as Cluster;
      const link = other.ignored.links[peer.kind];
      const role = roleOf(other, peer.kind);
      const isHere = isConnected(link) && link.upstream === name;
      expect(peer.down === undefined).toBe(isHere && role.mode === "secondary" && role.credential === peer.credential);
    }
    if (cluster.ignored.dr.mode === "secondary") continue;
    const known = versions.get(name) ?? new Map<number, Cluster>();
    versions.set(name, known.set(walIndex, cluster));
  }
}

const OPTIONS = [{}, { syncDurations: { diff: "1s", sync: "1s" }, walBuffer: 3 }] as const;

test.each(OPTIONS)("a secondary holds what its primary had, and all is replayed: %j", async (options) => {
  await fc.assert(
    fc.asyncProperty(steps, async (todo) => {
      const made = replicatedWorld(NAMES, options);
      const versions: Versions = new Map();
      const checker = new ReplicationChecker(made.sim);
      const [a, b, c] = [made.cluster("a"), made.cluster("b"), made.cluster("c")];
      await joined("dr", a, b);
      await joined("performance", a, c, "c");
      check(made, versions);
      for (const step of todo) {
        await act(made, step);
        check(made, versions);
        expect(checker.faults()).toEqual([]);
      }
      expect(thawedPlaces(made.sim.state, new WeakSet())).toEqual([]);
      expect(indexFaults(made.sim.state)).toEqual([]);
      expect(replay(made.sim.log.toNdjson()).stateHash()).toBe(made.sim.stateHash());
      const { sim } = made;
      sim.network.heal();
      for (const name of NAMES) {
        sim.network.start(made.cluster(name));
        made.cluster(name).unseal();
      }
      sim.settle();
      expect(checker.faultsAtEnd()).toEqual([]);
      for (const cluster of Object.values(sim.state.secrets)) {
        for (const link of [cluster.ignored.links.dr, cluster.ignored.links.performance]) {
          if (isConnected(link)) expect(link.applied).toBe(sim.state.secrets[link.upstream]?.ignored.walIndex);
        }
      }
    }),
    runs(60),
  );
});
