import { decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import { describe, expect, it, test } from "vitest";
import { rehearse, replay, type Simulator } from "../../../../src/index.ts";
import { keyMaterial } from "../../../../src/languages/jws/key.ts";
import { signingSeed } from "../../../../src/services/secrets/wrapping/jwt.ts";
import { doors, send } from "../../driver.ts";
import { activationToken, KINDS, type Kind, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, 4.1 and 4.2: what activation tokens are, and how they are checked.

function world(kind: Kind) {
  const { sim, cluster } = replicatedWorld(["a", "b", "c"]);
  const [a, b, c] = [cluster("a"), cluster("b"), cluster("c")];
  const lead = a.as(a.rootToken).replication[kind];
  lead.primaryEnable();
  const own = (handle = b) => handle.as(handle.rootToken).replication[kind];
  return { sim, a, b, c, lead, own };
}

/** A token with other claims, or another signature. */
function forged(token: string, change: (claims: Record<string, unknown>) => object): string {
  const [header, claims = "", signature] = token.split(".");
  const read = JSON.parse(Buffer.from(claims, "base64url").toString());
  return [header, Buffer.from(JSON.stringify(change(read))).toString("base64url"), signature].join(".");
}

describe.each(KINDS)("a signed token for %s", (kind) => {
  test("is a JWT with the claims of the contract, under a signature that others verify", async () => {
    const { sim, a, lead } = world(kind);
    sim.clock.advance("1500ms");
    const { wrap_info, data, request_id } = await lead.secondaryToken({ id: "b", ttl: "10m" });
    expect(data).toBeNull();
    expect(request_id).toBe("");
    const { token = "" } = wrap_info ?? {};
    expect(wrap_info).toMatchObject({ ttl: 600, wrapped_accessor: "" });
    expect(decodeProtectedHeader(token)).toEqual({ alg: "ES512", typ: "JWT" });
    const { seal } = sim.state.secrets["a"]?.ignored ?? {};
    if (seal === undefined) throw new Error("no seal");
    const { members } = keyMaterial({ algorithm: "ES512", seed: signingSeed(seal) });
    const currentDate = new Date(sim.clock.now());
    const { payload } = await jwtVerify(token, await importJWK({ ...members }, "ES512"), { currentDate });
    const iat = Math.floor(sim.clock.now() / 1000);
    expect(payload).toEqual({
      addr: a.url,
      iat,
      nbf: iat,
      exp: iat + 600,
      jti: expect.stringMatching(/^scs\.[A-Za-z0-9]{24}$/),
      type: "wrapping",
    });
  });

  test("is not taken for what its bearer says was found out about it", async () => {
    const { sim, a, own } = world(kind);
    const token = await activationToken(kind, a, "b");
    const forgery = { token, prepared: { fault: "forged" } };
    await own().secondaryEnable(forgery);
    expect(statusOf(sim.secrets.cluster("b"), kind)["mode"]).toBe("secondary");
    expect(sim.log.commits().at(-1)?.command.input).toEqual({ token });
  });

  test("has the same bytes in every run and replay of one log", async () => {
    const [one, two] = [world(kind), world(kind)];
    expect(await activationToken(kind, one.a, "b")).toBe(await activationToken(kind, two.a, "b"));
    expect(one.sim.log.toNdjson()).toBe(two.sim.log.toNdjson());
    await one.own().secondaryEnable({ token: await activationToken(kind, one.a, "b2") });
    expect(await rehearse(one.sim.log.toNdjson())).toEqual({ ok: true });
  });

  test("works after a replay, where nobody remembers having signed it", async () => {
    const { sim, a } = world(kind);
    const token = await activationToken(kind, a, "b");
    const again = replay(sim.log.toNdjson());
    const b = again.secrets.cluster("b");
    await b.as(b.rootToken).replication[kind].secondaryEnable({ token });
    expect(statusOf(b, kind)).toMatchObject({ mode: "secondary", secondary_id: "b" });
  });

  it.each([
    ["no JWT", () => "hello"],
    ["two parts", (token: string) => token.split(".").slice(0, 2).join(".")],
    ["four parts", (token: string) => `${token}.x`],
    ["an empty part", (token: string) => token.replace(/\.[^.]*\./, "..")],
    ["no JSON inside", (token: string) => token.replace(/\.[^.]*\./, ".eA.")],
    ["other characters", (token: string) => token.replace(/\.[^.]*\./, ".%%.")],
    [
      "another algorithm",
      (token: string) => `${Buffer.from('{"alg":"none"}').toString("base64url")}${token.slice(token.indexOf("."))}`,
    ],
    ["another type", (token: string) => forged(token, (claims) => ({ ...claims, type: "service" }))],
    ["no jti", (token: string) => forged(token, ({ jti: _, ...claims }) => claims)],
    ["a list of claims", (token: string) => forged(token, () => [])],
  ] as const)("is refused as malformed: %s", async (_, change) => {
    const { sim, a, own } = world(kind);
    const token = await activationToken(kind, a, "b");
    const { position } = sim;
    await expect(own().secondaryEnable({ token: change(token) })).rejects.toMatchObject({
      code: "activation_token_malformed",
      status: 400,
    });
    expect(sim.position).toBe(position);
    await own().secondaryEnable({ token });
  });

  it.each([
    ["a later end", (token: string) => forged(token, (claims) => ({ ...claims, exp: Number(claims["exp"]) + 1 }))],
    [
      "the address with a path",
      (token: string) => forged(token, (claims) => ({ ...claims, addr: `${claims["addr"]}/v1` })),
    ],
    ["another claim", (token: string) => forged(token, (claims) => ({ ...claims, admin: true }))],
    [
      "another signature",
      (token: string) => token.replace(/[^.]*$/, (own) => own.slice(1) + (own.startsWith("A") ? "B" : "A")),
    ],
    ["a short signature", (token: string) => token.slice(0, -4)],
  ] as const)("is not unwrapped when somebody changed it, and is not used up by that: %s", async (_, change) => {
    const { sim, a, own } = world(kind);
    const token = await activationToken(kind, a, "b");
    const { position } = sim;
    const refused = own().secondaryEnable({ token: change(token) });
    await expect(refused).rejects.toMatchObject({ code: "unwrapping_failed", status: 400 });
    await expect(refused).rejects.toThrow("error unwrapping");
    expect(sim.position).toBe(position);
    await own().secondaryEnable({ token });
    expect(statusOf(sim.secrets.cluster("b"), kind)["mode"]).toBe("secondary");
  });
});

describe.each(doors())("a token that is encrypted to a public key, through %s", (_, { open }) => {
  describe.each(KINDS)("%s", (kind) => {
    const asked = async (w: ReturnType<typeof world>, fields: object = {}) => {
      const { secondary_public_key } = w.own().generatePublicKey().data;
      const door = open(w.sim, "a");
      const answer = await door.call(`replication.${kind}.secondaryToken`, {
        id: "b",
        secondary_public_key,
        ...fields,
      });
      return {
        answer,
        key: secondary_public_key,
        token: (answer.body as { data: { token: string } } | undefined)?.data.token ?? "",
      };
    };

    /** A token that was made in the words of a door is heard in them. */
    const joins = (sim: Simulator, token: string) =>
      open(sim, "b").call(`replication.${kind}.secondaryEnable`, { token });

    test("is data and not wrapped, and joins without a call to the primary's API", async () => {
      const w = world(kind);
      const { answer, token, key } = await asked(w);
      expect(Buffer.from(key, "base64")).toHaveLength(133);
      expect(answer).toMatchObject({ status: 200, body: { wrap_info: null, warnings: null, data: { token } } });
      expect((answer.body as { request_id: string }).request_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(Object.keys((answer.body as { data: object }).data)).toEqual(["token"]);
      expect(token).not.toContain(w.a.url);
      const joined = await open(w.sim, "b").call(`replication.${kind}.secondaryEnable`, {
        token,
        primary_api_addr: "https://nobody.test",
      });
      expect(joined).toMatchObject({ status: 200 });
      expect(statusOf(w.b, kind)).toMatchObject({ secondary_id: "b", state: "stream-wals" });
      expect(statusOf(w.a, kind)).toMatchObject({ known_secondaries: ["b"], secondaries: [{ node_id: "b" }] });
      expect(await rehearse(w.sim.log.toNdjson())).toEqual({ ok: true });
    });

    test("is used once, expires, and is nothing to another cluster", async () => {
      const w = world(kind);
      const { token } = await asked(w, { ttl: "1m" });
      await expect(w.own(w.c).secondaryEnable({ token })).rejects.toMatchObject({ code: "activation_token_malformed" });
      w.own(w.c).generatePublicKey();
      await expect(w.own(w.c).secondaryEnable({ token })).rejects.toMatchObject({ code: "activation_token_malformed" });
      w.sim.clock.advance("59999ms");
      const late = w.sim.fork();
      late.clock.advance(1);
      expect(await joins(late, token)).toMatchObject({ status: 400, code: "unwrapping_failed" });
      expect(await joins(w.sim, token)).toMatchObject({ status: 200 });
      const again = w.b.as(rootOfOrNone(w.b, kind)).replication[kind];
      if (kind === "performance") await expect(again.updatePrimary({ token })).rejects.toMatchObject({ status: 400 });
    });

    test("is refused when it was made for an old key", async () => {
      const w = world(kind);
      const { token, key } = await asked(w);
      expect(w.own().generatePublicKey().data.secondary_public_key).not.toBe(key);
      const refused = w.own().secondaryEnable({ token });
      await expect(refused).rejects.toMatchObject({ status: 400, code: "activation_token_malformed" });
      expect(statusOf(w.b, kind)["mode"]).toBe("disabled");
    });

    test("needs the primary's cluster address, and is not used up without it", async () => {
      const w = world(kind);
      const { token } = await asked(w);
      w.sim.network.cut(w.a, w.b);
      expect(await joins(w.sim, token)).toMatchObject({ status: 400, code: "bootstrap_failed" });
      w.sim.network.heal();
      expect(await joins(w.sim, token)).toMatchObject({ status: 200 });
    });

    test("dies with its id", async () => {
      const w = world(kind);
      const { token } = await asked(w);
      w.lead.revokeSecondary({ id: "b" });
      expect(await joins(w.sim, token)).toMatchObject({ status: 400, code: "unwrapping_failed" });
    });

    it.each(["x", "AAAA", Buffer.alloc(133, 4).toString("base64"), Buffer.alloc(133).toString("base64")])(
      "is not made for what is no key: %s",
      async (secondary_public_key) => {
        const w = world(kind);
        const { answer } = await asked(w, { secondary_public_key });
        expect(answer).toMatchObject({ status: 400, code: "public_key_malformed" });
        expect(statusOf(w.a, kind)["known_secondaries"]).toEqual([]);
      },
    );
  });
});

function rootOfOrNone(cluster: Parameters<typeof rootOf>[0], kind: Kind): string {
  return kind === "performance" ? rootOf(cluster) : cluster.rootToken;
}

describe("generate-public-key", () => {
  // decisions-replication.md, 4, and 1 for what it adds.
  test("is for a cluster that is not yet a secondary, or a performance secondary", async () => {
    for (const kind of KINDS) {
      const { sim, a, b, own } = world(kind);
      const path = `/v1/sys/replication/${kind}/secondary/generate-public-key`;
      expect(await send(sim, "POST", path, { cluster: "a" })).toMatchObject({ status: 400 });
      expect(await send(sim, "POST", path, { cluster: "b", asking: { token: null } })).toMatchObject({ status: 403 });
      const walIndex = sim.state.secrets["b"]?.ignored.walIndex ?? 0;
      expect(await send(sim, "POST", path, { cluster: "b" })).toMatchObject({ status: 200 });
      expect(sim.state.secrets["b"]?.ignored.walIndex).toBe(walIndex + (kind === "dr" ? 0 : 1));
      await own().secondaryEnable({ token: await activationToken(kind, a, "b") });
      const asking = { token: kind === "dr" ? b.rootToken : rootOf(b) };
      expect(await send(sim, "POST", path, { cluster: "b", asking })).toMatchObject({
        status: kind === "dr" ? 400 : 200,
      });
    }
  });

  test("says the same to whoever replays it", () => {
    const { sim, own } = world("dr");
    own().generatePublicKey();
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
  });
});
