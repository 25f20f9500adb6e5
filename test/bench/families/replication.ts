import { drFailoverUnplanned } from "../../../scenarios/dr-failover-unplanned.ts";
import { createSimulator, runScenario, type Simulator } from "../../../src/index.ts";
import { Dice, microsecondsEach, microsecondsEachInTurn } from "../harness/measure.ts";
import { atMost, type Effort, type Family, type Row, row } from "../harness/row.ts";

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
  ],
};

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
