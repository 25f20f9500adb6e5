import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

test("of a split brain each side is told what it does not know", async () => {
  const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
  const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
  const { replication, kv } = east.as(east.rootToken);
  replication.performance.primaryEnable();
  const { wrap_info } = await replication.performance.secondaryToken({ id: "west" });
  await west.as(west.rootToken).replication.performance.secondaryEnable({ token: wrap_info?.token ?? "" });
  const shop = west.as(west.createToken({ policies: ["root"], displayName: "shop" }).token);

  sim.network.cut(east, west);
  kv.write({ path: "stock", left: 4 });
  expect(sim.lossForecast(west)).toEqual([{ cluster: "east", writer: "east", commits: [6] }]);
  shop.replication.performance.promote();
  shop.kv.write({ path: "stock", left: 9 });

  const stock = { kind: "secret", path: "kv/stock", change: "created" };
  const because = { reason: "cut", position: 5 };
  expect(sim.lossReport(east, west)).toMatchObject([
    { position: 6, kind: "diverged", because, objects: [{ ...stock, fate: "other", rival: 8 }] },
  ]);
  expect(sim.lossReport(west, east)).toMatchObject([
    {
      position: 8,
      kind: "diverged",
      because,
      acknowledgedTo: { displayName: "token-shop" },
      objects: [{ ...stock, fate: "other", rival: 6 }],
    },
  ]);
});
