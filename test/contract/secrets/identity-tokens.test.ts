import { createLocalJWKSet, jwtVerify } from "jose";
import { describe, expect, it, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { ALGORITHMS } from "../../../src/languages/jws/algorithms.ts";
import { LoginWorld } from "../../support/oidc.ts";
import { byRule, doors, type Fields, type OperationName } from "../driver.ts";
import { expectDone, expectNothingChanged, expectRefused } from "../expectations.ts";

// oidc/README.md: roles, and tokens that a bearer has signed about its own entity.

interface Refusal {
  readonly rule: string;
  readonly given?: readonly (readonly [OperationName, Fields])[];
  readonly call: readonly [OperationName, Fields];
  readonly says: string;
}

const ROLE = ["oidc.roles.write", { name: "r", key: "default", ttl: "2h" }] as const;

const REFUSALS: readonly Refusal[] = [
  { rule: "no key", call: ["oidc.roles.write", { name: "r", template: "{" }], says: "the key parameter is required" },
  {
    rule: "a template that is none comes before a key that is not there",
    call: ["oidc.roles.write", { name: "r", key: "none", template: "{{x}}" }],
    says: "error parsing template",
  },
  {
    rule: "a claim that tokens have anyway",
    call: ["oidc.roles.write", { name: "r", key: "default", template: '{"iss": 1}' }],
    says: 'top level key "iss" not allowed',
  },
  {
    rule: "a key that is not there",
    call: ["oidc.roles.write", { name: "r", key: "none", ttl: "99d" }],
    says: 'key "none" does not exist',
  },
  {
    rule: "tokens that live longer than their key verifies them",
    call: ["oidc.roles.write", { name: "r", key: "default", ttl: "25h" }],
    says: "ttl cannot be longer than the verification_ttl",
  },
  {
    rule: "a key that roles use, before clients",
    given: [
      ["oidc.keys.write", { name: "k" }],
      ["oidc.clients.write", { name: "app", key: "k" }],
      ["oidc.roles.write", { name: "r", key: "k" }],
    ],
    call: ["oidc.keys.delete", { name: "k" }],
    says: "currently referenced by these roles: r",
  },
  {
    rule: "a key that would verify for less than a role's tokens live",
    given: [ROLE],
    call: ["oidc.keys.write", { name: "default", verification_ttl: "1h" }],
    says: "roles with a token ttl greater than 3600 seconds",
  },
  {
    rule: "an issuer with a path",
    call: ["oidc.config.write", { issuer: "https://a.test/b" }],
    says: "invalid issuer",
  },
  {
    rule: "a token of no role",
    call: ["oidc.identityTokens.generate", { name: "r" }],
    says: 'role "r" not found',
  },
  {
    rule: "a key that does not allow the role",
    given: [
      ["oidc.keys.write", { name: "k" }],
      ["oidc.roles.write", { name: "r", key: "k" }],
    ],
    call: ["oidc.identityTokens.generate", { name: "r" }],
    says: "does not list the client ID of the role",
  },
  {
    rule: "a bearer without entity",
    given: [ROLE],
    call: ["oidc.identityTokens.generate", { name: "r" }],
    says: "no entity associated with the request's token",
  },
];

describe.each(doors())("identity tokens through %s", (_, { open }) => {
  test.each(byRule(REFUSALS))("%s", async (_rule, { given = [], call, says }) => {
    const sim = createSimulator();
    const door = open(sim);
    for (const each of given) expectDone(await door.call(...each));
    await expectNothingChanged(sim, async () => expectRefused(await door.call(...call), 400, says));
  });
});

function world() {
  const login = new LoginWorld();
  const main = login.sim.secrets.cluster("main");
  const ann = main.as(main.createToken({ policies: ["root"], entityId: login.ann }).token).oidc.identityTokens;
  const { keys } = login.oidc;
  const rotating = { rotation_period: "1h", verification_ttl: "2h", allowed_client_ids: "*" };
  return {
    main,
    annId: login.ann,
    ann,
    keys,
    rotating,
    roles: login.oidc.roles,
    config: login.oidc.config,
    sim: login.sim,
    admin: login.admin,
  };
}

describe("identity tokens", () => {
  it("read a role back as it was written, and draw a client id once", () => {
    const { roles } = world();
    roles.write({ name: "r", key: "default", template: btoa('{"a": 1}') });
    const first = roles.read({ name: "r" }).data;
    expect(first).toMatchObject({ key: "default", template: '{"a": 1}', ttl: 86_400 });
    expect(first.client_id).toMatch(/^[0-9A-Za-z]{26}$/);
    roles.write({ name: "r", ttl: "1h" });
    expect(roles.read({ name: "r" }).data).toEqual({ ...first, ttl: 3600 });
    expect(roles.list().data.keys).toEqual(["r"]);
    roles.delete({ name: "r" });
    expect(() => roles.read({ name: "r" })).toThrow();
  });

  test.each(ALGORITHMS)("are verified by what is published: %s", async (algorithm) => {
    const { keys, roles, ann, rotating, sim, main, annId } = world();
    keys.write({ name: "k", algorithm, ...rotating });
    roles.write({
      name: "r",
      key: "k",
      ttl: "1h",
      template: '{"name": {{identity.entity.name}}, "of": {"at": {{time.now}}} }',
    });
    const { token, client_id, ttl } = (await ann.generate({ name: "r" })).data;
    const { issuer, jwks_uri } = ann.configuration();
    const published = createLocalJWKSet(await (await sim.fetch(jwks_uri)).json());
    const now = sim.clock.now();
    const { payload } = await jwtVerify(token, published, { issuer, audience: client_id, currentDate: new Date(now) });
    expect(ttl).toBe(3600);
    expect(payload).toMatchObject({ sub: annId, name: "ann", of: { at: now / 1000 }, exp: now / 1000 + 3600 });
    expect(await ann.introspect({ token })).toEqual({ active: true });
    expect(issuer).toBe(`${main.url}/v1/identity/oidc`);
  });

  it("are active until they end, are of another key, issuer or audience, or their entity is not", async () => {
    const { keys, roles, config, ann, main, rotating, sim, admin, annId } = world();
    keys.write({ name: "k", algorithm: "EdDSA", ...rotating });
    roles.write({ name: "r", key: "k", ttl: "90m", client_id: "app" });
    const { token } = (await ann.generate({ name: "r" })).data;
    const { introspect } = main.as(main.rootToken).oidc.identityTokens;
    const said = async (shown = token, client_id = "") => (await introspect({ token: shown, client_id })).error;
    expect(await said(token, "app")).toBeUndefined();
    expect(await said(token, "other")).toContain("invalid audience claim");
    expect(await said("x.y.z")).toContain("error parsing token");
    expect(await said("")).toContain("error parsing token");
    expect(await said(`${token.slice(0, -4)}AAAA`)).toContain("unable to validate the token signature");
    config.write({ issuer: "https://other.test" });
    expect(await said()).toContain("invalid issuer claim");
    config.write({ issuer: "" });
    admin.identity.entities.write({ id: annId, disabled: true });
    expect(await said()).toBe("entity is disabled");
    admin.identity.entities.write({ id: annId, disabled: false });
    // The key rotated meanwhile, and still verifies.
    sim.clock.advance("89m");
    expect(await said()).toBeUndefined();
    sim.clock.advance("1m");
    expect(await said()).toContain("token is expired");
    admin.identity.entities.delete({ id: annId });
    roles.delete({ name: "r" });
    expect(await said()).toContain("unable to validate the token signature");
  });

  it("answer a client that asks over the wire in other words, for tokens of the wire", async () => {
    const sim = createSimulator({ vocabulary: "hashicorp" });
    const main = sim.secrets.cluster("main");
    const entityId = main.createEntity({ name: "ann" }).id;
    const { token } = main.createToken({ policies: ["root"], entityId });
    const ask = async (method: string, path: string, json?: object) => {
      const headers = { "X-Vault-Token": token };
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const response = await sim.fetch(`${main.url}/v1/identity/oidc/${path}`, { method, headers, ...body });
      return response.status === 204 ? undefined : response.json();
    };
    await ask("POST", "role/r", { key: "default" });
    const signed = (await ask("GET", "token/r")).data.token;
    expect(await ask("POST", "introspect", { token: signed })).toEqual({ active: true });
    expect((await ask("GET", ".well-known/keys")).keys).toHaveLength(2);
    expect((await ask("POST", "config", { issuer: "https://who.test" })).warnings).toHaveLength(1);
    expect((await ask("GET", "config")).data).toEqual({ issuer: "https://who.test" });
    expect((await ask("GET", ".well-known/openid-configuration")).issuer).toBe("https://who.test/v1/identity/oidc");
  });
});
