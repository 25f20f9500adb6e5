import { gunzipSync } from "node:zlib";
import { parseTar } from "nanotar";
import { describe, expect, it } from "vitest";
import { createSimulator, rehearse, replay, type Simulator } from "../../../src/index.ts";
import { doors } from "../driver.ts";
import { expectDone, expectRefused } from "../expectations.ts";

// src/services/secrets/snapshots/README.md.

const PATH = "/v1/sys/storage/raft/snapshot";
const OTHER_KEYS = "could not verify hash file, possibly the snapshot is using a different set of unseal keys";

function world(): Simulator {
  const sim = createSimulator({ secrets: { clusters: ["main", "other"] } });
  const main = sim.secrets.cluster("main");
  main.as(main.rootToken).kv.write({ path: "a", v: 1 });
  return sim;
}

function ask(sim: Simulator, cluster: string, method: string, path: string, body?: Uint8Array<ArrayBuffer>) {
  const { url, rootToken } = sim.secrets.cluster(cluster);
  return sim.fetch(url + path, {
    method,
    headers: { "X-Secrets-Token": rootToken },
    ...(body === undefined ? {} : { body }),
  });
}

async function saved(sim: Simulator, cluster = "main"): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await ask(sim, cluster, "GET", PATH)).arrayBuffer());
}

const valueIn = (sim: Simulator) => {
  const main = sim.secrets.cluster("main");
  return main.as(main.rootToken).kv.read({ path: "a" }).data;
};

describe.each(doors())("snapshots that clients take, through %s,", (_, { open }) => {
  const urlOf = async (sim: Simulator, cluster?: string) =>
    ((await open(sim, cluster).call("snapshots.save")).body as { readonly snapshot_url: string }).snapshot_url;

  it("put the storage back that was there when they were taken", async () => {
    const sim = world();
    const snapshot_url = await urlOf(sim);
    const main = sim.secrets.cluster("main");
    main.as(main.rootToken).kv.write({ path: "a", v: 2 });
    expectDone(await open(sim).call("snapshots.restore", { snapshot_url }));
    expect(valueIn(sim)).toEqual({ v: 1 });
  });

  it("are two where two are taken in one instant", async () => {
    const sim = world();
    expect(await urlOf(sim)).not.toBe(await urlOf(sim));
    expect(sim.stores.list("client://main/")).toHaveLength(2);
  });

  it("of another cluster are refused, and forced they seal it under the keys of the other", async () => {
    const sim = world();
    const [main, other] = [sim.secrets.cluster("main"), sim.secrets.cluster("other")];
    const snapshot_url = await urlOf(sim);
    const rootThen = main.rootToken;
    const keysThen = main.keyShares;
    expectRefused(await open(sim, "other").call("snapshots.restore", { snapshot_url }), 400, OTHER_KEYS);
    expectDone(await open(sim, "other").call("snapshots.forceRestore", { snapshot_url }));
    expect(other.as().seal.status()).toMatchObject({ sealed: true });
    for (const key of keysThen.slice(0, 3)) other.as().seal.unseal({ key });
    expect(other.as(rootThen).kv.read({ path: "a" }).data).toEqual({ v: 1 });
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });

  it("of before a rekey have to be forced, and then the former shares count", async () => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    const snapshot_url = await urlOf(sim);
    const former = main.keyShares.slice(0, 3);
    const { rekey, seal } = main.as();
    const { nonce } = await rekey.start({ secret_shares: 1, secret_threshold: 1 });
    for (const key of former) await rekey.update({ key, nonce });
    const [later = ""] = main.keyShares;
    expectRefused(await open(sim).call("snapshots.restore", { snapshot_url }), 400, OTHER_KEYS);
    expectDone(await open(sim).call("snapshots.forceRestore", { snapshot_url }));
    expect(seal.unseal({ key: later })).toMatchObject({ sealed: true });
    seal.unseal({ reset: true });
    for (const key of former) seal.unseal({ key });
    expect(seal.status()).toMatchObject({ sealed: false });
  });

  it("are no snapshots of another simulator", async () => {
    const sim = createSimulator();
    const snapshot_url = await urlOf(world());
    expectRefused(await open(sim).call("snapshots.restore", { snapshot_url }), 400, OTHER_KEYS);
    expectRefused(await open(sim).call("snapshots.forceRestore", { snapshot_url }), 404, snapshot_url);
  });

  it.each([
    [{}, 500, "failed to read snapshot file"],
    [{ snapshot_url: "file:///x-1.snap" }, 400, OTHER_KEYS],
    [{ snapshot_url: "client://main/snapshot-1.snap" }, 400, OTHER_KEYS],
  ])("are not %o", async (fields, status, text) => {
    const sim = world();
    const { length } = sim.log.commits();
    expectRefused(await open(sim).call("snapshots.restore", fields), status, text);
    expect(sim.log.commits()).toHaveLength(length);
  });
});

describe("the file of a snapshot", () => {
  it("is an archive with sums, of the members that clients look for", async () => {
    const response = await ask(world(), "main", "GET", PATH);
    expect(response.headers.get("content-type")).toBe("application/gzip");
    expect(response.headers.get("content-disposition")).toBe("attachment");
    const tar = Uint8Array.from(gunzipSync(await response.arrayBuffer()));
    expect(parseTar(tar).map(({ name }) => name)).toEqual([
      "meta.json",
      "state.bin",
      "SHA256SUMS",
      "SHA256SUMS.sealed",
    ]);
  });

  it("is the same for each who takes a fork's, and tells one state from another", async () => {
    const [sim, again] = [world(), world()];
    const file = await saved(sim);
    expect(await saved(again)).toEqual(file);
    expect(await saved(sim)).not.toEqual(file);
  });

  it("is taken by PUT and POST, whatever type it is said to have", async () => {
    const sim = world();
    const file = await saved(sim);
    for (const method of ["PUT", "POST"]) expect((await ask(sim, "main", method, PATH, file)).status).toBe(204);
  });

  it("is refused with each of its bytes changed, or some missing", async () => {
    const sim = world();
    const file = await saved(sim);
    const { length } = sim.log.commits();
    const damaged = [...file.keys()].map((at) => file.map((byte, index) => (index === at ? byte ^ 1 : byte)));
    const cut = [0, 1, 9, 10, 40, file.length - 1].map((length) => file.slice(0, length));
    for (const bytes of [...damaged, ...cut, Uint8Array.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0, 0x25, 0)]) {
      for (const path of [PATH, `${PATH}-force`]) {
        const { status } = await ask(sim, "main", "POST", path, bytes);
        // A changed name is that of a snapshot that nobody took.
        expect([400, 404, 500]).toContain(status);
      }
    }
    expect(sim.log.commits()).toHaveLength(length);
  });

  it("is for whoever may read it, and never wrapped", async () => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    const headers = { "X-Secrets-Token": main.createToken({ policies: ["default"] }).token };
    expect((await sim.fetch(main.url + PATH, { headers })).status).toBe(403);
    const wrapped = { "X-Secrets-Token": main.rootToken, "X-Secrets-Wrap-TTL": "5m" };
    const response = await sim.fetch(main.url + PATH, { headers: wrapped });
    expect(response.headers.get("content-type")).toBe("application/gzip");
  });
});
