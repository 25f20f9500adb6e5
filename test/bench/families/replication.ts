import { drFailoverUnplanned } from "../../../scenarios/dr-failover-unplanned.ts";
import { type ClusterHandle, createSimulator, runScenario, type Simulator } from "../../../src/index.ts";
import { acting } from "../../support/failover-acting.ts";
import { aptStep } from "../../support/failover-aptness.ts";
import { MOVES, type MoveName } from "../../support/failover-moves.ts";
import { taken } from "../../support/failover-story.ts";
import { furnished } from "../../support/failover-world.ts";
import { Dice, microsecondsEach, microsecondsEachInTurn } from "../harness/measure.ts";
import { atLeast, atMost, type Effort, type Family, type Round, type Row, row } from "../harness/row.ts";

/** What an entry of the log costs, by how many get it and not by how much is stored; and what a whole failover takes. */
export const replication: Family = {
  name: "replication",
  rows: [
    shipping(0, "dr"),
    shipping(1, "dr"),
    shipping(10, "dr"),
    shipping(100, "dr", {
      goal: atMost(200),
      note: "a kv write on a primary with 100,000 keys and 100 secondaries, which all have it when it is answered",
    }),
    shipping(100, "performance"),
    row({
      id: "failover-story-ms",
      unit: "ms",
      goal: atMost(20),
      prepare: (effort) => {
        const count = effort.count(200);
        let seed = 0;
        return async () => {
          const each = await microsecondsEachInTurn(count, async () => {
            const { ok } = await runScenario(drFailoverUnplanned, { seed: seed++ });
            if (!ok) throw new Error(`it does not end as told with seed ${seed - 1}`);
          });
          return each / 1_000;
        };
      },
      note: "a complete unplanned failover: dr-failover-unplanned with its expectations, once with each seed",
    }),
    lossReport(0, { goal: atMost(5), note: "after 100,000 kv writes, all of which the secondary has" }),
    lossReport(1),
    lossReport(100),
    row({
      id: "failover-schedules-per-second",
      unit: "schedules/s",
      goal: atLeast(1_500),
      note: "50 moves at random of operators, clients, networks and clocks, over four clusters that replicate",
      // Some ninety commands, reads and timers of all kinds: V8 goes on compiling for the first few thousand schedules.
      warmUps: 5,
      // Between two rounds there is nothing of what a schedule makes, so that a collection forgets the hidden classes of all of it, and with
      // them the compiled code. One that comes by itself does not, and those are in what is measured.
      collects: false,
      prepare: failoverSchedules,
    }),
  ],
};

/** What happens in a failover, each as likely as it stands here often. */
const FAILOVER_MOVES: readonly (readonly MoveName[])[] = [
  ["primaryEnable", "primaryDemote", "primaryDisable", "revokeSecondary", "join", "attach"],
  ["attachByAddress", "detach", "promote", "promoteByForce", "secondaryDisable", "pathsFilter", "unfilter"],
  ["write", "write", "forget", "token", "checkOut", "checkIn", "policy"],
  ["write", "token", "limitedToken", "cubbyhole", "namespaceToken", "renew"],
  ["cut", "heal", "healAll", "lag", "prompt", "stop", "start", "start", "seal", "unseal", "point", "pointBack"],
  ["seconds", "seconds", "next", "settle"],
];

/** The moves of the model-based run, each schedule on a fork of one world: those of a failover. */
async function failoverSchedules(effort: Effort): Promise<Round> {
  const clusters = ["a", "b", "c", "d"];
  const begun = createSimulator({ seed: 8, secrets: { clusters } });
  await furnished(begun, "a");
  await MOVES.join(acting(begun, "b", "a", 0));
  await MOVES.join(acting(begun, "c", "a", 1));
  const dice = new Dice(1);
  const count = effort.count(500);
  return async () => {
    let [done, signed] = [0, 0];
    const before = performance.now();
    for (let schedule = 0; schedule < count; schedule++) {
      const sim = begun.fork();
      for (let step = 0; step < 50; step++) {
        const on = dice.pick(clusters);
        const other = dice.pick(clusters.filter((name) => name !== on));
        const move = dice.pick(dice.pick(FAILOVER_MOVES));
        if (await taken(sim, aptStep(sim, { move, on, other, n: dice.below(10) }))) done += 1;
      }
      const news = sim.log.commits().slice(begun.position);
      signed += news.filter(({ command }) => command.name.endsWith("secondaryToken")).length;
    }
    const value = (count * 1_000) / (performance.now() - before);
    const [steps, tokens] = [done, signed].map((sum) => (sum / count).toFixed(1));
    return { value, detail: `in each ${steps} of the moves were not refused, and ${tokens} activation tokens signed` };
  };
}

type Kind = "dr" | "performance";

function shipping(secondaries: number, kind: Kind, declared: Partial<Row> = {}): Row {
  const base = `shipping-us-${kind}`;
  return row({
    id: `${base}@${secondaries}`,
    unit: "us",
    ...declared,
    prepare: async (effort) => {
      const { sim, names } = await replicated(secondaries, kind, effort);
      const dice = new Dice(1);
      const count = effort.count(secondaries >= 100 ? 1_000 : 10_000);
      return () => {
        const fork = sim.fork().secrets.cluster("primary");
        const { kv } = fork.as(fork.rootToken);
        return microsecondsEach(count, () => {
          for (let write = 0; write < count; write++) {
            kv.write({ path: dice.pick(names), password: `password ${write}` });
          }
        });
      };
    },
  });
}

/** A report after so many writes, of which the secondary lacks a few from the middle of it all: other clusters went on since. */
function lossReport(lost: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `loss-report-ms@${lost}`,
    unit: "ms",
    ...declared,
    prepare: async (effort) => {
      const { sim } = await replicated(1, "dr", effort);
      const [primary, secondary] = [sim.secrets.cluster("primary"), sim.secrets.cluster("s0")];
      const write = (cluster: ClusterHandle, count: number) => {
        const { kv } = cluster.as(cluster.rootToken);
        for (let key = 0; key < count; key++) kv.write({ path: `app/${key}`, password: "other" });
      };
      if (lost > 0) sim.network.cut(primary, secondary);
      write(primary, lost);
      const other = sim.secrets.addCluster("other");
      write(other, effort.size(100_000));
      const count = effort.count(200);
      return () =>
        microsecondsEach(count, () => {
          for (let report = 0; report < count; report++) {
            const rows = sim.lossReport(primary, secondary);
            if (rows.length !== lost) throw new Error(`${rows.length} commits are told, and ${lost} were lost`);
          }
        }) / 1_000;
    },
  });
}

async function replicated(
  secondaries: number,
  kind: Kind,
  effort: Effort,
): Promise<{ readonly sim: Simulator; readonly names: readonly string[] }> {
  const others = Array.from({ length: secondaries }, (_, place) => `s${place}`);
  const sim = createSimulator({ secrets: { clusters: ["primary", ...others] } });
  const primary = sim.secrets.cluster("primary");
  const root = primary.as(primary.rootToken);
  const names = Array.from({ length: effort.size(100_000) }, (_, index) => `app/${index % 100}/key-${index}`);
  for (const path of names) root.kv.write({ path, password: "first" });
  root.replication[kind].primaryEnable();
  for (const id of others) {
    const { wrap_info } = await root.replication[kind].secondaryToken({ id });
    const other = sim.secrets.cluster(id);
    await other.as(other.rootToken).replication[kind].secondaryEnable({ token: wrap_info?.token ?? "" });
  }
  return { sim, names };
}
