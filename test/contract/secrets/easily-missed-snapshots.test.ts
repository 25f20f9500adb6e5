import { expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { send } from "../driver.ts";
import { HOUR_MS, LOCAL, START_MS, snapshotWorld, urlsIn } from "./snapshot-world.ts";

// decisions-secrets-core.md, "Easily missed": the rows about snapshots and the plugin catalog, by their numbers.

const CONFIG = "/v1/sys/storage/raft/snapshot-auto/config/a";
const CATALOG = "/v1/sys/plugins/catalog";
const post = (path: string, body: object) => send(createSimulator(), "POST", path, { body: JSON.stringify(body) });

it("21: the interval runs from the end of the previous attempt, and slow snapshots drift", () => {
  const { sim, configure, begun } = snapshotWorld();
  sim.stores.setSnapshotDuration("15m");
  configure("a", {});
  sim.clock.advance("4h");
  expect(begun().map(([, hours]) => hours)).toEqual([1, 2.25, 3.5]);
});

it("22: retain 1 needs room for two, and a failing attempt prunes nothing", () => {
  const { sim, configure, status } = snapshotWorld();
  configure("a", { local_max_space: 1500 });
  sim.clock.advance("1h");
  const first = urlsIn(sim);
  sim.clock.advance("1h");
  expect(status("a").last_snapshot_error).not.toBe("");
  expect(urlsIn(sim)).toEqual(first);
});

it("23: lowering retain deletes nothing until the next success", () => {
  const { sim, configure } = snapshotWorld();
  configure("a", { retain: 3 });
  sim.clock.advance("3h");
  configure("a", { retain: 1 });
  sim.clock.advance("59m");
  expect(urlsIn(sim)).toHaveLength(3);
  sim.clock.advance("1m");
  expect(urlsIn(sim)).toHaveLength(1);
});

it("24: a POST that only sends the interval to an existing configuration is 400", async () => {
  const { sim } = snapshotWorld();
  const body = JSON.stringify({ interval: "1h", ...LOCAL });
  expect((await send(sim, "POST", CONFIG, { body })).status).toBe(204);
  const answer = await send(sim, "POST", CONFIG, { body: '{"interval": "2h"}' });
  expect(answer.status).toBe(400);
  expect(answer.errors).toContain("path_prefix");
});

it("25: the last URL stays on the last success after a failure, while the start moves", () => {
  const { sim, configure, status } = snapshotWorld();
  configure("a", {});
  sim.clock.advance("1h");
  const { last_snapshot_url } = status("a");
  sim.stores.setAvailable("local", false);
  sim.clock.advance("1h");
  expect(status("a")).toMatchObject({
    last_snapshot_url,
    last_snapshot_start: new Date(START_MS + 2 * HOUR_MS).toISOString().replace(".000", ""),
  });
});

it("26: a short sum registers, one that is not hexadecimal is 400, and a parent reference is 500", async () => {
  const path = `${CATALOG}/secret/x`;
  expect((await post(path, { sha256: "31", command: "x" })).status).toBe(204);
  expect((await post(path, { sha256: "xyz", command: "x" })).status).toBe(400);
  expect((await post(path, { sha256: "31", command: "../x" })).status).toBe(500);
});

it("27: DELETE of a built-in plugin is 204 and changes nothing", async () => {
  const sim = createSimulator();
  expect((await send(sim, "DELETE", `${CATALOG}/secret/kv`)).status).toBe(204);
  expect(sim.position).toBe(0);
  expect((await send(sim, "GET", `${CATALOG}/secret/kv`)).body).toMatchObject({ data: { builtin: true } });
});

it("28: the catalog and the typed list need no sudo, and reading one entry does", async () => {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  main.writePolicy("p", 'path "sys/plugins/*" { capabilities = ["read", "list"] }');
  const asking = { token: main.createToken({ policies: ["p"] }).token };
  expect((await send(sim, "GET", CATALOG, { asking })).status).toBe(200);
  expect((await send(sim, "LIST", `${CATALOG}/auth`, { asking })).status).toBe(200);
  expect((await send(sim, "GET", `${CATALOG}/secret/kv`, { asking })).status).toBe(403);
});
