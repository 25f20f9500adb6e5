import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { send } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";

// decisions-secrets-core.md, A.6.

interface Body {
  readonly request_id: string;
  readonly data: unknown;
  readonly auth: { readonly accessor: string; readonly client_token: string } | null;
  readonly wrap_info: { readonly [name: string]: unknown } | null;
  readonly [name: string]: unknown;
}

const INVALID = "wrapping token is not valid or does not exist";

async function world(): Promise<{ readonly sim: Simulator; readonly token: string }> {
  const sim = createSimulator({ seed: 12 });
  await send(sim, "POST", "/v1/kv/a", { body: '{"v": 1}' });
  return { sim, token: sim.secrets.cluster("main").rootToken };
}

async function wrap(sim: Simulator, method = "GET", path = "kv/a", body?: string, ttl = "5m"): Promise<Body> {
  const answer = await send(sim, method, `/v1/${path}`, {
    headers: { "X-Secrets-Wrap-TTL": ttl },
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status).toBe(200);
  return answer.body as Body;
}

const unwrapOf = (sim: Simulator, token: string) => send(sim, "POST", "/v1/sys/wrapping/unwrap", { asking: { token } });
const tokenIn = (body: Body): string => String(body.wrap_info?.["token"]);

describe("a wrapped answer", () => {
  it("shows where it waits, and nothing else", async () => {
    const { sim } = await world();
    expect(await wrap(sim)).toEqual({
      request_id: "",
      lease_id: "",
      renewable: false,
      lease_duration: 0,
      data: null,
      warnings: null,
      auth: null,
      wrap_info: {
        token: expect.stringMatching(/^scs\.\w{24}$/),
        accessor: expect.stringMatching(/^\w{24}$/),
        ttl: 300,
        creation_time: "2026-01-01T00:00:00Z",
        creation_path: "kv/a",
        wrapped_accessor: "",
      },
    });
  });

  it("is had once, with its own request id, by its token in the header", async () => {
    const { sim } = await world();
    const token = tokenIn(await wrap(sim));
    const first = await unwrapOf(sim, token);
    expect(first.body).toMatchObject({ data: { v: 1 }, wrap_info: null, lease_duration: 2_764_800 });
    expect((first.body as Body).request_id).toMatch(/^[0-9a-f]{8}-/);
    await expectNothingChanged(sim, async () => expectRefused(await unwrapOf(sim, token), 400, INVALID));
  });

  it("is had by a caller who sends its token in the body", async () => {
    const { sim } = await world();
    const token = tokenIn(await wrap(sim));
    const { token: caller } = sim.secrets.cluster("main").createToken({ policies: [] });
    const body = JSON.stringify({ token });
    const sent = { asking: { token: caller }, body };
    expect(expectData(await send(sim, "POST", "/v1/sys/wrapping/unwrap", sent))).toEqual({ v: 1 });
    expectRefused(await send(sim, "POST", "/v1/sys/wrapping/unwrap", sent), 400, INVALID);
  });

  it("with a token inside names its accessor", async () => {
    const { sim } = await world();
    const body = await wrap(sim, "POST", "auth/token/create", '{"policies": ["default"]}');
    const inside = (await unwrapOf(sim, tokenIn(body))).body as Body;
    expect(body.wrap_info?.["wrapped_accessor"]).toBe(inside.auth?.accessor);
    expect(
      (await send(sim, "GET", "/v1/auth/token/lookup-self", { asking: { token: inside.auth?.client_token ?? "" } }))
        .status,
    ).toBe(200);
  });

  it("is gone when its time is over: valid while now is before it", async () => {
    const { sim } = await world();
    const [one, other] = [tokenIn(await wrap(sim)), tokenIn(await wrap(sim))];
    sim.clock.advance(299_999);
    expectData(await unwrapOf(sim, one));
    sim.clock.advance(1);
    expectRefused(await unwrapOf(sim, other), 400, INVALID);
    expectRefused(
      await send(sim, "POST", "/v1/sys/wrapping/lookup", { body: JSON.stringify({ token: other }) }),
      400,
      INVALID,
    );
  });

  it("opens for its token only at unwrap: anywhere else it is 403, and used up", async () => {
    const { sim } = await world();
    const token = tokenIn(await wrap(sim));
    expectRefused(await send(sim, "GET", "/v1/kv/a", { asking: { token } }), 403, "permission denied");
    expectRefused(await unwrapOf(sim, token), 400, INVALID);
    const again = tokenIn(await wrap(sim));
    expectRefused(await send(sim, "POST", "/v1/sys/wrapping/rewrap", { asking: { token: again } }), 403, "denied");
    expectRefused(await unwrapOf(sim, again), 400, INVALID);
  });

  it("of a read is a command, and what it read is what it was then", async () => {
    const { sim } = await world();
    const { position } = sim;
    const token = tokenIn(await wrap(sim));
    expect(sim.position).toBe(position + 1);
    await send(sim, "POST", "/v1/kv/a", { body: '{"v": 2}' });
    expect(expectData(await unwrapOf(sim, token))).toEqual({ v: 1 });
  });

  it("repeats nothing of its data beside it, whatever that has", async () => {
    const { sim } = await world();
    const token = tokenIn(await wrap(sim, "POST", "sys/wrapping/wrap", '{"a": 1, "data": 2, "request_id": "mine"}'));
    const body = (await unwrapOf(sim, token)).body as Body;
    expect(body).toMatchObject({ data: { a: 1, data: 2, request_id: "mine" } });
    expect(body).not.toHaveProperty("a");
    expect(body.request_id).not.toBe("mine");
  });

  it("is put away again when whoever has it asks for that", async () => {
    const { sim } = await world();
    const headers = { "X-Secrets-Wrap-TTL": "1m" };
    const asking = { token: tokenIn(await wrap(sim)) };
    const again = (await send(sim, "POST", "/v1/sys/wrapping/unwrap", { asking, headers })).body as Body;
    expect(again.wrap_info).toMatchObject({ ttl: 60, creation_path: "sys/wrapping/unwrap" });
    expect((await unwrapOf(sim, tokenIn(again))).body).toMatchObject({ data: { v: 1 }, wrap_info: null });
  });

  it("of a listing was made on a path with its slash", async () => {
    const { sim } = await world();
    expect((await wrap(sim, "LIST", "kv")).wrap_info).toMatchObject({ creation_path: "kv/" });
  });

  it("is gone after less than a second where its time says so", async () => {
    const { sim } = await world();
    const headers = { "X-Secrets-Wrap-TTL": "500ms" };
    const made = async () => (await send(sim, "GET", "/v1/kv/a", { headers })).body as Body;
    const [one, other] = [await made(), await made()];
    expect(one.wrap_info).toMatchObject({ ttl: 0 });
    sim.clock.advance(499);
    expectData(await unwrapOf(sim, tokenIn(one)));
    sim.clock.advance(1);
    expectRefused(await unwrapOf(sim, tokenIn(other)), 400, INVALID);
  });

  it("is looked at with its token in the header, too", async () => {
    const { sim } = await world();
    const asking = { token: tokenIn(await wrap(sim)) };
    const shown = { creation_ttl: 300, creation_time: "2026-01-01T00:00:00Z", creation_path: "kv/a" };
    expect(expectData(await send(sim, "GET", "/v1/sys/wrapping/lookup", { asking }))).toEqual(shown);
  });

  it("is made by a plain token, too", async () => {
    const { sim } = await world();
    const asking = { token: sim.secrets.cluster("main").createToken({ policies: [] }).token };
    const sent = { asking, headers: { "X-Secrets-Wrap-TTL": "1m" }, body: '{"a":1}' };
    const made = (await send(sim, "POST", "/v1/sys/wrapping/wrap", sent)).body as Body;
    expect(expectData(await unwrapOf(sim, tokenIn(made)))).toEqual({ a: 1 });
  });
});

describe("an answer is not wrapped", () => {
  it.each(["0", "", "0s"])("for %j", async (ttl) => {
    const { sim } = await world();
    const answer = await send(sim, "GET", "/v1/kv/a", { headers: { "X-Secrets-Wrap-TTL": ttl } });
    expect(expectData(answer)).toEqual({ v: 1 });
  });

  it.each(["-1", "1w", "soon", "1.5"])("for %j, which is 400", async (ttl) => {
    const { sim } = await world();
    const answer = await send(sim, "GET", "/v1/kv/a", {
      headers: { "X-Secrets-Wrap-TTL": ttl },
      asking: { token: null },
    });
    expectRefused(answer, 400, "Wrap-TTL");
  });

  it("when it is an error, empty, or asks for no token", async () => {
    const { sim } = await world();
    const headers = { "X-Secrets-Wrap-TTL": "1m" };
    await expectNothingChanged(sim, async () => {
      expectNotFound(await send(sim, "GET", "/v1/kv/b", { headers }));
      expectNotFound(await send(sim, "LIST", "/v1/kv/b", { headers }));
    });
    expectDone(await send(sim, "POST", "/v1/kv/b", { headers, body: '{"v": 1}' }));
    expect((await send(sim, "GET", "/v1/sys/health", { headers })).body).toMatchObject({ initialized: true });
  });

  it("by wrap without the header", async () => {
    const { sim } = await world();
    expectRefused(await send(sim, "POST", "/v1/sys/wrapping/wrap", { body: "{}" }), 400, "wrap");
  });
});

describe("a wrapping token", () => {
  it("is looked up without a token, which does not use it up", async () => {
    const { sim } = await world();
    const token = tokenIn(await wrap(sim));
    for (const asking of [{ token: null }, { token: "nobody" }, {}]) {
      const looked = await send(sim, "POST", "/v1/sys/wrapping/lookup", { asking, body: JSON.stringify({ token }) });
      expect(expectData(looked)).toEqual({
        creation_ttl: 300,
        creation_time: "2026-01-01T00:00:00Z",
        creation_path: "kv/a",
      });
    }
    expectData(await unwrapOf(sim, token));
    const root = JSON.stringify({ token: sim.secrets.cluster("main").rootToken });
    expectRefused(await send(sim, "POST", "/v1/sys/wrapping/lookup", { body: root }), 400, INVALID);
    expectRefused(await send(sim, "POST", "/v1/sys/wrapping/lookup", { asking: { token: null } }), 400, INVALID);
  });

  it("is exchanged for another of the same path and the full time", async () => {
    const { sim } = await world();
    const old = tokenIn(await wrap(sim));
    sim.clock.advance("4m");
    const answer = await send(sim, "POST", "/v1/sys/wrapping/rewrap", { body: JSON.stringify({ token: old }) });
    expect(answer.body).toMatchObject({ request_id: "", wrap_info: { ttl: 300, creation_path: "kv/a" } });
    expectRefused(await unwrapOf(sim, old), 400, INVALID);
    sim.clock.advance("4m");
    expect(expectData(await unwrapOf(sim, tokenIn(answer.body as Body)))).toEqual({ v: 1 });
  });

  it("that nobody knows is 400, and no token at all is 403", async () => {
    const { sim } = await world();
    expectRefused(await unwrapOf(sim, "scs.nobody"), 400, INVALID);
    expectRefused(await unwrapOf(sim, sim.secrets.cluster("main").rootToken), 400, INVALID);
    expectRefused(await send(sim, "POST", "/v1/sys/wrapping/unwrap", { body: '{"token": "x"}' }), 400, INVALID);
    expectRefused(await send(sim, "POST", "/v1/sys/wrapping/unwrap", { asking: { token: null } }), 403, "denied");
    const sent = { asking: { token: "nobody" }, body: '{"token": "x"}' };
    expectRefused(await send(sim, "POST", "/v1/sys/wrapping/unwrap", sent), 403, "denied");
  });
});

describe("wrapping through the typed door", () => {
  it("is an option of every call", async () => {
    const { sim, token } = await world();
    const client = sim.secrets.cluster("main").as(token);
    const { wrap_info, data } = client.kv.read({ path: "a" }, { wrapTtl: 60 });
    expect(data).toBeNull();
    expect(wrap_info?.ttl).toBe(60);
    expect(client.wrapping.unwrap({ token: wrap_info?.token ?? "" })).toMatchObject({ data: { v: 1 } });
  });

  it.each([-1, "1w", 1.5, {}])("refuses wrapTtl %j", async (wrapTtl) => {
    const { sim, token } = await world();
    const client = sim.secrets.cluster("main").as(token);
    await expectNothingChanged(sim, () => {
      expect(() => client.kv.read({ path: "a" }, { wrapTtl: wrapTtl as string })).toThrow(TypeError);
      expect(() => client.kv.read({ path: "a" }, { wrapTtl: wrapTtl as string })).toThrow("wrapTtl");
    });
  });

  it("is refused in the past, and uses nothing up", async () => {
    const { sim, token } = await world();
    const client = sim.at(sim.position).secrets.cluster("main").as(token);
    expect(() => client.kv.read({ path: "a" }, { wrapTtl: 60 })).toThrow(expect.objectContaining({ status: 400 }));
  });
});
