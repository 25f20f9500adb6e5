import { expect, test } from "vitest";
import { joined, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

test("an unplanned failover", async () => {
  const { sim, cluster, operationToken } = replicatedWorld(["a", "b", "c"]);
  const [a, b, c] = [cluster("a"), cluster("b"), cluster("c")];
  await joined("dr", a, b);
  a.as(a.rootToken).kv.write({ path: "x", v: 1 });
  expect(statusOf(b, "dr")).toMatchObject({ state: "stream-wals", last_remote_wal: statusOf(a, "dr")["last_wal"] });
  expect(statusOf(b, "dr")["merkle_root"]).toBe(statusOf(a, "dr")["merkle_root"]);
  sim.network.stop(a);
  sim.clock.advance("11s");
  b.as().replication.dr.promote({ dr_operation_token: operationToken(b) });
  expect(b.as(a.rootToken).kv.read({ path: "x" }).data).toEqual({ v: 1 });
  await joined("performance", b, c, "c");
  expect(c.as(rootOf(c)).kv.read({ path: "x" }).data).toEqual({ v: 1 });
  b.as(a.rootToken).kv.write({ path: "x", v: 2 });
  expect(c.as(rootOf(c)).kv.read({ path: "x" }).data).toEqual({ v: 2 });
  expect(sim.clock.pending()).toEqual([]);
});
