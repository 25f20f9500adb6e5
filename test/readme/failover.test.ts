import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

test("a failover loses what had not been shipped, and the simulator tells what that was", async () => {
  const sim = createSimulator({ secrets: { clusters: ["east", "west"], keyShares: 1, keyThreshold: 1 } });
  const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
  const { replication, kv } = east.as(east.rootToken);
  replication.dr.primaryEnable();
  const { wrap_info } = await replication.dr.secondaryToken({ id: "west" });
  await west.as(west.rootToken).replication.dr.secondaryEnable({ token: wrap_info?.token ?? "" });

  kv.write({ path: "orders/1", total: 12 }); // it is in west when the call returns
  sim.network.setLag(east, west, "5s");
  kv.write({ path: "orders/2", total: 7 }); // it is on its way
  sim.network.stop(east);

  const { operationToken, promote } = west.as().replication.dr;
  const { nonce, otp = "" } = await operationToken.start();
  const { encoded_token } = await operationToken.update({ nonce, key: east.keyShares[0] ?? "" });
  const bytes = [...atob(encoded_token)].map((byte, index) => byte.charCodeAt(0) ^ otp.charCodeAt(index));
  promote({ dr_operation_token: String.fromCharCode(...bytes) });

  expect(west.as(east.rootToken).kv.list({ prefix: "orders" }).data.keys).toEqual(["1"]);
  const order = { kind: "secret", path: "kv/orders/2", change: "created" };
  expect(sim.lossReport(east, west)).toMatchObject([{ command: "secrets.kv.write", objects: [order] }]);
});
