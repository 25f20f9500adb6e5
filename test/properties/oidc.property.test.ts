import fc from "fast-check";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { Rejection, rehearse, replay, type Simulator } from "../../src/index.ts";
import { createSimulator, property } from "../support/checked.ts";
import { decoded, LoginWorld, REDIRECT } from "../support/oidc.ts";
import { runs } from "../support/runs.ts";
import { indexFaults } from "../support/world-checks.ts";

// What holds of logins whatever people do. Keys are of ES256, whose material is quickly made.

interface LoginKey {
  readonly verification?: string;
  readonly period?: string;
}

/** A world whose key `own` is of ES256 and allows every client. */
function quickWorld(seed = 3, { period = "24h", verification = "24h" }: LoginKey = {}): LoginWorld {
  const world = new LoginWorld(seed);
  const settings = { rotation_period: period, verification_ttl: verification };
  world.oidc.keys.write({ name: "own", algorithm: "ES256", allowed_client_ids: ["*"], ...settings });
  return world;
}

const oidcOf = (sim: Simulator) => {
  const main = sim.secrets.cluster("main");
  return main.as(main.rootToken).oidc;
};

describe("a code", () => {
  const attempt = fc.record({
    code: fc.nat({ max: 2 }),
    client: fc.constantFrom("app", "other", "public"),
    secret: fc.constantFrom("right", "right", "right", "wrong"),
    verifier: fc.constantFrom("right", "right", "right", "wrong", "none"),
    redirect: fc.constantFrom(REDIRECT, REDIRECT, REDIRECT, "https://elsewhere.test"),
    provider: fc.constantFrom("default", "default", "default", "wide", "none"),
    grant: fc.constantFrom("authorization_code", "authorization_code", "authorization_code", "password"),
    wait: fc.constantFrom(0, 0, 0, 60_000, 299_000),
  });

  property([fc.array(attempt, { maxLength: 12 })], runs(60))(
    "is spent at most once, by the first who gets as far as to show it",
    async (attempts) => {
      const world = quickWorld();
      world.oidc.providers.write({ name: "wide", allowed_client_ids: ["*"] });
      const verifier = "v".repeat(43);
      const clients = {
        app: world.register("app", { key: "own" }),
        other: world.register("other", { key: "own" }),
        public: world.register("public", { key: "own", client_type: "public" }),
      };
      const ask = (client: { client_id: string }) => world.code(client, { code_challenge: verifier });
      const codes = [await ask(clients.app), await ask(clients.app), await ask(clients.public)];
      const owners = ["app", "app", "public"];
      const startMs = world.sim.clock.now();
      const spent = new Set<number>();
      for (const { code, client, secret, verifier: shown, redirect, provider, grant, wait } of attempts) {
        world.sim.clock.advance(wait);
        const { client_id, client_secret = "" } = clients[client];
        const knowsClient = provider !== "none" && (client === "public" || secret === "right");
        const showsCode = knowsClient && grant === "authorization_code";
        const isInForce = showsCode && !spent.has(code) && world.sim.clock.now() < startMs + 300_000;
        const isRight =
          isInForce && owners[code] === client && provider === "default" && redirect === REDIRECT && shown === "right";
        if (isInForce) spent.add(code);
        const verifiers = { right: verifier, wrong: "w".repeat(43), none: undefined };
        const exchanged = oidcOf(world.sim).token({
          name: provider,
          code: codes[code],
          grant_type: grant,
          redirect_uri: redirect,
          client_id,
          client_secret: secret === "right" ? client_secret : "wrong",
          code_verifier: verifiers[shown],
        });
        if (isRight) await expect(exchanged).resolves.toMatchObject({ token_type: "Bearer" });
        else await expect(exchanged).rejects.toBeInstanceOf(Rejection);
      }
    },
  );
});

describe("assignments", () => {
  const ENTITIES = ["e0", "e1", "e2", "e3"];
  const GROUPS = ["g0", "g1", "g2", "g3"];
  /** Groups contain groups of higher numbers only, so there is no cycle. */
  const group = fc.record({
    entities: fc.subarray(ENTITIES),
    groups: fc.subarray(GROUPS),
  });
  const assignment = fc.record({ entities: fc.subarray([...ENTITIES, "*"]), groups: fc.subarray([...GROUPS, "*"]) });

  property(
    [
      fc.array(group, { minLength: 4, maxLength: 4 }),
      fc.array(assignment, { minLength: 2, maxLength: 2 }),
      fc.subarray(["a0", "a1"]),
      fc.subarray(ENTITIES),
      fc.subarray(ENTITIES, { maxLength: 1 }),
    ],
    runs(100),
  )("let in whom they name, and nobody else", async (groups, assignments, listed, disabled, deleted) => {
    const world = quickWorld();
    const main = world.sim.secrets.cluster("main");
    for (const id of ENTITIES) main.createEntity({ id, name: id });
    for (let index = GROUPS.length - 1; index >= 0; index--) {
      const members = groups[index]?.groups.filter((inner) => Number(inner.slice(1)) > index) ?? [];
      const id = GROUPS[index] as string;
      main.createGroup({ id, name: id, memberEntityIds: groups[index]?.entities ?? [], memberGroupIds: members });
    }
    const tokens = ENTITIES.map((id) => world.tokenOf(id));
    for (const [index, { entities, groups: named }] of assignments.entries()) {
      world.oidc.assignments.write({ name: `a${index}`, entity_ids: entities, group_ids: named });
    }
    const client = world.register("app", { key: "own", assignments: listed });
    for (const id of disabled) world.admin.identity.entities.write({ id, disabled: true });
    for (const id of deleted) world.admin.identity.entities.delete({ id });
    /** The reference: whether an entity is in a group, or in one that is in it. */
    const isIn = (entity: string, index: number): boolean =>
      (groups[index]?.entities.includes(entity) ?? false) ||
      (groups[index]?.groups ?? []).some(
        (inner) => Number(inner.slice(1)) > index && isIn(entity, Number(inner.slice(1))),
      );
    for (const [index, entity] of ENTITIES.entries()) {
      const isNamed = listed.some((name) => {
        const { entities = [], groups: named = [] } = assignments[Number(name.slice(1))] ?? {};
        return entities.includes(entity) || named.some((each) => each !== "*" && isIn(entity, Number(each.slice(1))));
      });
      const isBarred = disabled.includes(entity) || deleted.includes(entity);
      const { status } = await world.authorize(client, {}, tokens[index]);
      expect({ entity, status }).toEqual({ entity, status: isBarred ? 403 : isNamed ? 200 : 400 });
    }
    expect(indexFaults(world.sim.state)).toEqual([]);
  });
});

describe("claims", () => {
  const RESERVED = ["iat", "aud", "exp", "iss", "sub", "namespace", "nonce", "auth_time", "at_hash", "c_hash"];
  const name = fc.oneof(
    fc.constantFrom(...RESERVED, "__proto__", "constructor", "a", "ü"),
    fc.string({ maxLength: 6 }),
  );

  property([fc.array(name, { maxLength: 3 }), name, name], runs(150))(
    "of templates never stand in the place of reserved ones, however their names come about",
    async (names, ann, team) => {
      const world = quickWorld();
      if (ann !== "") world.admin.identity.entities.write({ id: world.ann, name: ann, metadata: { team } });
      const members = names.map((each) => `${JSON.stringify(each)}: "from a template"`);
      const template = `{ ${[...members, '{{identity.entity.metadata.team}}: "from metadata"'].join(", ")} }`;
      const claims = names.some((each) => each.includes("{{") || each.includes("}}"));
      const write = await world.configure("POST", "scope/s", { template });
      const isReserved = names.some((each) => RESERVED.includes(each));
      if (!claims) expect(write.status).toBe(isReserved ? 400 : 204);
      if (write.status !== 204) return;
      world.oidc.providers.write({ name: "default", scopes_supported: ["s"] });
      const { id_token } = await world.login(world.register("app", { key: "own" }), { scope: "openid s", nonce: "n" });
      const { claims: signed } = decoded(id_token);
      for (const reserved of RESERVED) expect(String(signed[reserved])).not.toMatch(/^from/);
      expect(signed).toMatchObject({ sub: world.ann, nonce: "n", namespace: "root" });
      expect(signed).not.toHaveProperty("auth_time");
      expect(Object.getPrototypeOf(signed)).toBe(Object.prototype);
    },
  );
});

describe("published keys", () => {
  const MINUTE = 60;
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("wait" as const),
        seconds: fc.integer({ min: 1, max: 400 }).map((m) => m * MINUTE),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("login" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("period" as const),
        seconds: fc.integer({ min: 60, max: 300 }).map((m) => m * MINUTE),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("verification" as const),
        seconds: fc.integer({ min: 30, max: 300 }).map((m) => m * MINUTE),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("algorithm" as const), algorithm: fc.constantFrom("ES256", "EdDSA") }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("ttl" as const),
        seconds: fc.integer({ min: 1, max: 120 }).map((m) => m * MINUTE),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("seal" as const),
        seconds: fc.integer({ min: 1, max: 300 }).map((m) => m * MINUTE),
      }),
    },
  );

  property([fc.nat({ max: 500 }), fc.array(step, { maxLength: 25 })], runs(60))(
    "verify every token that has not expired, at any time",
    async (ageMinutes, steps) => {
      const world = quickWorld(4, { period: "2h", verification: "2h" });
      world.sim.clock.advance(ageMinutes * 60_000);
      const client = world.register("app", { key: "own", id_token_ttl: "1h" });
      interface Issued {
        readonly token: string;
        readonly ttl: number;
        readonly expMs: number;
        held: boolean;
      }
      const issued: Issued[] = [];
      for (const each of steps) {
        try {
          if (each.do === "wait") world.sim.clock.advance(each.seconds * 1000);
          else if (each.do === "period") world.oidc.keys.write({ name: "own", rotation_period: each.seconds });
          else if (each.do === "verification") {
            world.oidc.keys.write({ name: "own", verification_ttl: each.seconds });
            // What the key promises no longer covers tokens that live longer.
            for (const token of issued) if (token.ttl > each.seconds) token.held = false;
          } else if (each.do === "algorithm") world.oidc.keys.write({ name: "own", algorithm: each.algorithm });
          else if (each.do === "ttl") world.oidc.clients.write({ name: "app", id_token_ttl: each.seconds });
          else if (each.do === "seal") {
            world.sim.secrets.cluster("main").seal();
            world.sim.clock.advance(each.seconds * 1000);
            world.sim.secrets.cluster("main").unseal();
          } else {
            const { id_token: token } = await world.login(client, {}, world.tokenOf(world.ann));
            const { exp = 0, iat = 0 } = decoded(token).claims as { exp?: number; iat?: number };
            issued.push({ token, ttl: exp - iat, expMs: exp * 1000, held: true });
          }
        } catch (error) {
          if (!(error instanceof Rejection)) throw error;
        }
        const keys = (await world.keys()) as unknown as JSONWebKeySet["keys"];
        const nowMs = world.sim.clock.now();
        for (const { token } of issued.filter(({ expMs, held }) => held && nowMs < expMs)) {
          await expect(
            jwtVerify(token, createLocalJWKSet({ keys }), { currentDate: new Date(nowMs) }),
          ).resolves.toBeDefined();
        }
        expect(indexFaults(world.sim.state)).toEqual([]);
      }
    },
    60_000,
  );
});

describe("a replay", () => {
  property([fc.nat({ max: 1_000 }), fc.constantFrom("RS256", "ES384", "EdDSA")], runs(8))(
    "gives the same codes, key ids, claims and token bytes",
    async (seed, algorithm) => {
      const world = quickWorld(seed);
      world.oidc.keys.write({ name: "own", algorithm });
      const client = world.register("app", { key: "own" });
      const code = await world.code(client);
      const log = world.sim.log.toNdjson();
      const { client_id, client_secret } = client;
      const exchange = (sim: Simulator) =>
        oidcOf(sim).token({
          name: "default",
          grant_type: "authorization_code",
          code,
          redirect_uri: REDIRECT,
          client_id,
          client_secret,
        });
      const [first, again] = [await exchange(world.sim), await exchange(replay(log))];
      expect(again).toEqual(first);
      expect(await rehearse(world.sim.log.toNdjson())).toEqual({ ok: true });
      const replayed = replay(world.sim.log.toNdjson());
      expect(replayed.stateHash()).toBe(world.sim.stateHash());
      expect(oidcOf(replayed).publicKeys({ name: "default" })).toEqual(
        oidcOf(world.sim).publicKeys({ name: "default" }),
      );
    },
  );

  test("makes no key when a simulator is created, and none depends on the machine", () => {
    const sim = createSimulator({ seed: 1 });
    expect(sim.clock.pending()).toEqual([]);
    const ring = sim.state.secrets["main"]?.replicated.oidc.keys.get("default")?.ring;
    expect(ring).toEqual([]);
  });
});
