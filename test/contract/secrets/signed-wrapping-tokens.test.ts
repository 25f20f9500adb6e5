import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import { expect, it } from "vitest";
import { createSimulator, rehearse, type Simulator } from "../../../src/index.ts";
import { keyMaterial } from "../../../src/languages/jws/key.ts";
import { signingSeed } from "../../../src/services/secrets/wrapping/jwt.ts";
import { send } from "../driver.ts";
import { expectData, expectRefused } from "../expectations.ts";

// amendments.md, S35 and S45.

interface Wrapped {
  readonly wrap_info: { readonly token: string; readonly accessor: string; readonly wrapped_accessor: string };
}

async function wrapped(sim: Simulator, format: string, method = "GET", path = "kv/a", body?: string): Promise<Wrapped> {
  const headers = { "X-Secrets-Wrap-TTL": "5m", "X-Secrets-Wrap-Format": format };
  const answer = await send(sim, method, `/v1/${path}`, { headers, ...(body === undefined ? {} : { body }) });
  expect(answer.status).toBe(200);
  return answer.body as Wrapped;
}

async function world(): Promise<Simulator> {
  const sim = createSimulator({ seed: 12 });
  await send(sim, "POST", "/v1/kv/a", { body: '{"v":1}' });
  return sim;
}

it("a wrapping token that is asked for as a JWT says where it belongs, under a signature that others verify", async () => {
  const sim = await world();
  sim.clock.advance("1500ms");
  const { wrap_info } = await wrapped(sim, "jwt", "POST", "auth/token/create", "{}");
  expect(decodeProtectedHeader(wrap_info.token)).toEqual({ alg: "ES512", typ: "JWT" });
  const { seal } = sim.state.secrets["main"]?.ignored ?? {};
  if (seal === undefined) throw new Error("no seal");
  const key = await importJWK({ ...keyMaterial({ algorithm: "ES512", seed: signingSeed(seal) }).members }, "ES512");
  const { payload } = await jwtVerify(wrap_info.token, key, { currentDate: new Date(sim.clock.now()) });
  const iat = Math.floor(sim.clock.now() / 1000);
  expect(payload).toEqual({
    accessor: wrap_info.wrapped_accessor,
    addr: sim.secrets.cluster("main").url,
    iat,
    nbf: iat,
    exp: iat + 300,
    jti: expect.stringMatching(/^scs\.\w{24}$/),
    type: "wrapping",
  });
});

it("is looked up, wrapped again and unwrapped as the token inside is, in a field or the header", async () => {
  const sim = await world();
  const { token } = (await wrapped(sim, "jwt")).wrap_info;
  const body = JSON.stringify({ token });
  expect(expectData(await send(sim, "POST", "/v1/sys/wrapping/lookup", { body }))).toMatchObject({ creation_ttl: 300 });
  const fork = sim.fork();
  expect(expectData(await send(fork, "POST", "/v1/sys/wrapping/unwrap", { body }))).toEqual({ v: 1 });
  expectRefused(await send(fork, "POST", "/v1/sys/wrapping/unwrap", { asking: { token } }), 400, "not valid");
  const other = sim.fork();
  expect((await send(other, "POST", "/v1/sys/wrapping/rewrap", { body })).status).toBe(200);
  expectRefused(await send(other, "POST", "/v1/sys/wrapping/unwrap", { body }), 400, "not valid");
  expect(expectData(await send(sim, "POST", "/v1/sys/wrapping/unwrap", { asking: { token } }))).toEqual({ v: 1 });
  expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
});

it("has equal bytes in equal runs, and none of its own that somebody else signed", async () => {
  const [one, two] = [await world(), await world()];
  const { token } = (await wrapped(one, "jwt")).wrap_info;
  expect((await wrapped(two, "jwt")).wrap_info.token).toBe(token);
  const forged = `${token.slice(0, token.lastIndexOf("."))}.${"A".repeat(176)}`;
  expectRefused(await send(one, "POST", "/v1/sys/wrapping/unwrap", { asking: { token: forged } }), 400, "not valid");
  const body = JSON.stringify({ token: forged });
  expectRefused(await send(one, "POST", "/v1/sys/wrapping/unwrap", { body }), 400, "not valid");
});

it.each(["", "JWT", "bogus"])("the format %j is none", async (format) => {
  expect((await wrapped(await world(), format)).wrap_info.token).toMatch(/^scs\.\w{24}$/);
});

it("what is signed for others speaks the words of the wire, and is taken in them", async () => {
  const sim = createSimulator({ seed: 7, vocabulary: "hashicorp", secrets: { clusters: ["a", "b", "c"] } });
  const ask = async (cluster: string, method: string, path: string, body?: object, headers = {}) => {
    const { url, rootToken } = sim.secrets.cluster(cluster);
    const init = { method, headers: { "X-Vault-Token": rootToken, ...headers } };
    const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
    const response = await sim.fetch(`${url}/v1/${path}`, sent);
    return { status: response.status, body: JSON.parse((await response.text()) || "null") };
  };
  const wrap = { "X-Vault-Wrap-TTL": "60", "X-Vault-Wrap-Format": "jwt" };
  const { token } = (await ask("a", "GET", "sys/mounts", undefined, wrap)).body.wrap_info;
  expect(decodeJwt(token).jti).toMatch(/^hvs\.\w{24}$/);
  expect((await ask("a", "POST", "sys/wrapping/unwrap", undefined, { "X-Vault-Token": token })).status).toBe(200);

  await ask("a", "POST", "sys/replication/performance/primary/enable", {});
  const plain = (await ask("a", "POST", "sys/replication/performance/primary/secondary-token", { id: "b" })).body;
  expect(decodeJwt(plain.wrap_info.token).jti).toMatch(/^hvs\.\w{24}$/);
  const enable = "sys/replication/performance/secondary/enable";
  expect((await ask("b", "POST", enable, { token: plain.wrap_info.token })).status).toBe(200);

  const { secondary_public_key } = (
    await ask("c", "POST", "sys/replication/performance/secondary/generate-public-key", {})
  ).body.data;
  const wanted = { id: "c", secondary_public_key };
  const encrypted = (await ask("a", "POST", "sys/replication/performance/primary/secondary-token", wanted)).body;
  expect((await ask("c", "POST", enable, { token: encrypted.data.token })).status).toBe(200);
  expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
});
