import { describe, expect, it } from "vitest";
import { createSimulator, format, rehearse, replay, type Simulator } from "../../../src/index.ts";
import { reach } from "../transports.ts";
import { joined, replicatedWorld, rootOf } from "./replication/replicated-world.ts";

// amendments.md, S30: what doubles do not hold, and what would exhaust the stack, is kept as it was written.

const EXACT = '{"big":12345678901234567890,"one":1.0,"thousand":1e3,"zero":-0,"beyond":1e999}';
const DEEP = `{"a":${"[".repeat(9_999)}${"]".repeat(9_999)}}`;

const world = () => createSimulator({ seed: 11 });

async function asked(sim: Simulator, method: string, path: string, more: { body?: string; ttl?: string } = {}) {
  const { url, rootToken } = sim.secrets.cluster("main");
  const response = await reach(sim)(`${url}/v1/${path}`, {
    method,
    headers: { "X-Secrets-Token": rootToken, ...(more.ttl === undefined ? {} : { "X-Secrets-Wrap-TTL": more.ttl }) },
    ...(more.body === undefined ? {} : { body: more.body }),
  });
  return { status: response.status, text: await response.text(), response };
}

async function patched(sim: Simulator, body: string): Promise<Response> {
  const { url, rootToken } = sim.secrets.cluster("main");
  const headers = { "X-Secrets-Token": rootToken, "Content-Type": "application/merge-patch+json" };
  return await reach(sim)(`${url}/v1/kv2/data/a`, { method: "PATCH", headers, body });
}

/** What an answer has as its data, letter by letter. */
const dataIn = (text: string): string => /"data":(\{.*\}),"wrap_info"/.exec(text)?.[1] ?? text;

describe.each([
  ["numbers that no double holds", EXACT],
  ["ten thousand levels", DEEP],
])("%s", (_, body) => {
  /** What is left of it where the body that it stands in takes a level. */
  const inner = body.replace("[[[[", "[").replace("]]]]", "]");

  it.each(["kv/a", "cubbyhole/a"])("are read at %s as they were written", async (path) => {
    const sim = world();
    expect((await asked(sim, "POST", path, { body })).status).toBe(204);
    const read = await asked(sim, "GET", path);
    expect(dataIn(read.text)).toBe(body);
    expect(format(sim.explain(read.response))).toContain("read");
    expect(dataIn((await asked(sim.fork(), "GET", path)).text)).toBe(body);
    const log = sim.log.toNdjson();
    expect(dataIn((await asked(replay(log), "GET", path)).text)).toBe(body);
    expect(await rehearse(log)).toEqual({ ok: true });
  });

  it.each([
    ["of a read", "GET", "kv/a"],
    ["that was given to be wrapped", "POST", "sys/wrapping/wrap"],
  ])("are unwrapped from an answer %s", async (_rule, method, path) => {
    const sim = world();
    await asked(sim, "POST", "kv/a", { body });
    const wrapped = await asked(sim, method, path, { ttl: "5m", ...(method === "POST" ? { body } : {}) });
    const { token } = JSON.parse(wrapped.text).wrap_info;
    const again = await asked(sim, "POST", "sys/wrapping/rewrap", { body: JSON.stringify({ token }) });
    const rewrapped = JSON.parse(again.text).wrap_info.token;
    const unwrapped = await asked(sim, "POST", "sys/wrapping/unwrap", { body: JSON.stringify({ token: rewrapped }) });
    expect(dataIn(unwrapped.text)).toBe(body);
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });

  it("are read at version 2 of kv as they were written, in other bodies too", async () => {
    const sim = world();
    sim.secrets.cluster("main").mount("kv2", { type: "kv-v2" });
    for (const sent of [`{"data":${inner}}`, `{"options":{"cas":1}, "data" : ${inner} }`]) {
      expect((await asked(sim, "POST", "kv2/data/a", { body: sent })).status).toBe(200);
      const read = await asked(sim, "GET", "kv2/data/a");
      expect(/"data":\{"data":(\{.*\}),"metadata"/.exec(read.text)?.[1]).toBe(inner);
    }
    expect((await asked(sim, "GET", "kv2/subkeys/a")).status).toBe(200);
    const merged = await patched(sim, `{"data":{"more":[1.50],"one":null,"deep":${inner}}}`);
    expect(merged.status).toBe(200);
    const { text } = await asked(sim, "GET", "kv2/data/a");
    expect(text).toContain('"more":[1.50]');
    expect(text).toContain(`"deep":${inner}`);
    expect(text).not.toMatch(/"one":1\.0,"thousand":1e3,"zero":-0,"beyond":1e999,"more"/);
    const log = sim.log.toNdjson();
    expect((await asked(replay(log), "GET", "kv2/data/a")).text).toContain(inner);
    expect(await rehearse(log)).toEqual({ ok: true });
  });

  it("are replicated", async () => {
    const { sim, cluster } = replicatedWorld(["main", "b"]);
    await joined("performance", cluster("main"), cluster("b"));
    await asked(sim, "POST", "kv/a", { body });
    sim.settle();
    const second = cluster("b");
    const headers = { "X-Secrets-Token": rootOf(second) };
    expect(dataIn(await (await sim.fetch(`${second.url}/v1/kv/a`, { headers })).text())).toBe(body);
  });

  it("are no obstacle where nobody keeps them", async () => {
    const { status } = await asked(world(), "POST", "sys/policies/acl/p", {
      body: `${body.slice(0, -1)},"policy":"path \\"a\\" { capabilities = [\\"read\\"] }"}`,
    });
    expect(status).toBe(204);
  });
});

describe("a value that is kept as text", () => {
  it("is read by typed calls as far as doubles hold it", async () => {
    const sim = world();
    await asked(sim, "POST", "kv/a", { body: '{"big":12345678901234567890,"one":1.0}' });
    const client = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
    expect(client.kv.read({ path: "a" }).data).toEqual({ big: 12345678901234567000, one: 1 });
    const { token = "" } = client.kv.read({ path: "a" }, { wrapTtl: "5m" }).wrap_info ?? {};
    expect(client.wrapping.unwrap({ token })).toMatchObject({ data: { one: 1 } });
  });

  it("is none where doubles hold all", async () => {
    const sim = world();
    const body = '{"a":[true,false,null,-1,0.5,1e+21,"1.0 e \\" [", {"12345678901234567000": 9007199254740991}]}';
    await asked(sim, "POST", "kv/a", { body });
    const mount = sim.state.secrets["main"]?.replicated.mounts.get("kv/");
    expect(mount?.type === "kv" ? mount.entries.get("a") : undefined).toEqual(JSON.parse(body));
  });

  it("says how long it lives", async () => {
    const sim = world();
    await asked(sim, "POST", "kv/a", { body: '{"ttl":"90s","one":1.0}' });
    expect(JSON.parse((await asked(sim, "GET", "kv/a")).text).lease_duration).toBe(90);
  });
});

// As the recorded server answers (test/fidelity, kv-089).
it("escaped halves of surrogate pairs are replacement characters, whole pairs and escaped backslashes stay", async () => {
  const sim = world();
  await asked(sim, "POST", "kv/a", {
    body: '{"a":"\\ud800\\u0041\\udc00","b":"\\ud83d\\ude00","c":"\\\\ud800","\\udfff":1.0}',
  });
  expect(JSON.parse((await asked(sim, "GET", "kv/a")).text).data).toEqual({
    a: "\ufffdA\ufffd",
    b: "\u{1f600}",
    c: "\\ud800",
    "\ufffd": 1,
  });
});

it.each([
  ["a list for a text", '{"policy":1e999}'],
  ["a number beyond all measure for a duration", '{"policy":"","ttl":1e999}'],
])("%s is refused where fields are known", async (_rule, body) => {
  expect(
    (await asked(world(), "POST", body.includes("ttl") ? "auth/token/create" : "sys/policies/acl/p", { body })).status,
  ).toBe(400);
});
