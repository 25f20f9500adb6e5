import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";

/** A script overwrites a value that much depends on, and nobody notices for a day. */
export const restoreYesterday = defineScenario({
  name: "restore-yesterday",
  title: "A bad write is undone from yesterday's snapshot",
  world: { seed: 13, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    east.writePolicy("shop", 'path "kv/shop/*" { capabilities = ["create", "read", "update", "list"] }');
    const token = (displayName: string, ttl: string) =>
      east.createToken({ policies: ["shop"], displayName, ttl }).token;
    return { operator: east.rootToken, clerk: token("clerk", "30d"), script: token("script", "30d") };
  },

  steps: [
    {
      title: "A shop keeps its rates in the service, and the operator takes a snapshot each day",
      does: (sim, { operator, clerk }) => {
        const east = sim.secrets.cluster("east");
        east.as(clerk).kv.write({ path: "shop/rates", eur: 1, usd: 1.08 });
        east.as(operator).snapshots.write({
          name: "daily",
          interval: "1d",
          retain: 7,
          path_prefix: "shop/",
          storage_type: "cloud1-bucket",
          cloud1_bucket: "backups",
          cloud1_region: "north",
        });
        sim.clock.advance("3d");
      },
      expectation: "three of them lie in the bucket, and hold the same",
      expect: (sim) => {
        expectEqual(new Set(sim.stores.list("cloud1://backups/").map(({ stateHash }) => stateHash)).size, 1);
        expectEqual(sim.stores.list("cloud1://backups/").length, 3);
      },
    },
    {
      title: "An hour later a script writes nonsense over them; the clerk goes on with other things",
      does: (sim, { clerk, script }) => {
        sim.clock.advance("1h");
        const east = sim.secrets.cluster("east");
        east.as(script).kv.write({ path: "shop/rates", eur: "NaN" });
        sim.clock.advance("5h");
        east.as(clerk).kv.write({ path: "shop/orders/1", total: 12 });
        sim.clock.advance("19h");
        east.as(clerk).kv.write({ path: "shop/orders/2", total: 7 });
        sim.mark("noticed");
      },
      expectation: "a day later it is noticed, and the log tells who did it",
      expect: (sim, { script }) => {
        const culprit = sim.blame('secrets.east.replicated.mounts["kv/"].entries["shop/rates"].eur');
        expectEqual(culprit?.command.caller?.["token"], script);
        expectEqual(rates(sim, script), { eur: "NaN" });
      },
    },
    {
      title: "The operator sees that today's snapshot has the nonsense in it, too, and restores yesterday's",
      does: (sim, { operator }) => {
        const [yesterday] = snapshotsBefore(sim, culpritMs(sim)).slice(-1);
        if (yesterday === undefined) throw new Error("no snapshot is older than the bad write");
        const after = sim.stores.list("cloud1://backups/").filter(({ storedAtMs }) => storedAtMs > culpritMs(sim));
        expectEqual(after.length, 1);
        sim.secrets.cluster("east").as(operator).tokens.create({ display_name: "made at night", ttl: "8h" });
        sim.mark("before the restoration");
        sim.secrets.cluster("east").restoreSnapshot(yesterday);
      },
      expectation: "the rates are right again, for whoever had a token then",
      expect: (sim, { clerk }) => expectEqual(rates(sim, clerk), { eur: 1, usd: 1.08 }),
    },
    {
      title: "What is lost is what was written since",
      expectation: "the orders of a day and the token of the night, and the difference tells each of them",
      expect: (sim, { clerk }) => {
        const { kv } = sim.secrets.cluster("east").as(clerk);
        for (const order of ["1", "2"]) expectRefusal("not_found", () => kv.read({ path: `shop/orders/${order}` }));
        const lost = sim.diff("before the restoration", sim.position).filter(({ after }) => after === undefined);
        const paths = lost.map(({ path }) => path);
        expectEqual(paths.filter((path) => path.includes('entries["shop/orders/')).length, 2);
        expectEqual(paths.filter((path) => path.includes("local.tokens[")).length, 1);
      },
    },
    {
      title: "The clerk enters the orders once more, from the past that the simulator still has",
      does: (sim, { clerk }) => {
        const past = sim.at("noticed").secrets.cluster("east").as(clerk);
        const { kv } = sim.secrets.cluster("east").as(clerk);
        for (const order of past.kv.list({ prefix: "shop/orders" }).data.keys) {
          kv.write({ path: `shop/orders/${order}`, ...past.kv.read({ path: `shop/orders/${order}` }).data });
        }
      },
      expectation: "only the nonsense is gone",
      expect: (sim, { clerk }) => {
        const place = 'secrets.east.replicated.mounts["kv/"]';
        const changed = sim.diff("noticed", sim.position).map(({ path }) => path);
        expectEqual(
          changed.filter((path) => path.startsWith(place)).map((path) => path.slice(place.length)),
          ['.entries["shop/rates"].eur', '.entries["shop/rates"].usd'],
        );
        expectEqual(sim.secrets.cluster("east").as(clerk).kv.list({ prefix: "shop/orders" }).data.keys, ["1", "2"]);
      },
    },
    {
      title: "The schedule begins anew",
      does: (sim) => {
        sim.clock.advance("1d");
      },
      expectation: "a day after the restoration there is a snapshot with the right rates",
      expect: (sim, { clerk }) => {
        const [latest] = sim.stores.list("cloud1://backups/").slice(-1);
        expectEqual(latest?.storedAtMs, sim.clock.now());
        const fork = sim.fork();
        fork.secrets.cluster("east").restoreSnapshot(latest?.url ?? "");
        expectEqual(rates(fork, clerk), { eur: 1, usd: 1.08 });
      },
    },
  ],
});

function rates(sim: Simulator, token: string): unknown {
  return sim.secrets.cluster("east").as(token).kv.read({ path: "shop/rates" }).data;
}

/** When the bad write happened, as the log has it. */
function culpritMs(sim: Simulator): number {
  const path = 'secrets.east.replicated.mounts["kv/"].entries["shop/rates"].eur';
  return sim.blame(path)?.atMs ?? 0;
}

function snapshotsBefore(sim: Simulator, instantMs: number): string[] {
  const stored = sim.stores.list("cloud1://backups/").filter(({ storedAtMs }) => storedAtMs < instantMs);
  return stored.map(({ url }) => url);
}
