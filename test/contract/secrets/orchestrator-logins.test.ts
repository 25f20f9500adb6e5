import { describe, expect, it } from "vitest";
import { doors, type Fields, type Subject } from "../driver.ts";
import { expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { type AuthWorld, authOf, authWorld } from "./auth-world.ts";

// src/services/secrets/auth/orchestrator/README.md: each test names the rules that it holds.

const BOUND = { bound_service_account_names: "app", bound_service_account_namespaces: "shop" };

interface World extends AuthWorld {
  /** A token of the account `app` in `shop`. */
  readonly jwt: string;
  readonly shown: { readonly role: string; readonly jwt: string };
}

/** An orchestrator that has given out a token, and a method that asks it. */
async function world(subject: Subject, role: Fields = {}): Promise<World> {
  const made = await authWorld(subject, "orchestrator");
  const { sim, done } = made;
  sim.orchestrator.addNamespace("shop");
  sim.orchestrator.addServiceAccount("shop", "app");
  await done("orchestrator.config.write", { orchestrator_host: "https://api.test" });
  const engineRole = { service_account_name: "app", allowed_orchestrator_namespaces: "*", token_default_ttl: "1h" };
  await done("orchestrator.roles.write", { name: "app", ...engineRole });
  const creds = await done("orchestrator.creds", { role: "app", orchestrator_namespace: "shop" });
  const jwt = String(creds["service_account_token"]);
  await done("orchestratorAuth.config.write", { orchestrator_host: "https://api.test" });
  await done("orchestratorAuth.roles.write", { name: "web", ...BOUND, audience: audienceIn(jwt), ...role });
  return { ...made, jwt, shown: { role: "web", jwt } };
}

function claimsIn(jwt: string): Record<string, unknown> {
  return JSON.parse(atob((jwt.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
}

const audienceIn = (jwt: string): string => (claimsIn(jwt)["aud"] as string[])[0] ?? "";

describe.each(doors())("the method orchestrator through %s", (_, subject) => {
  it("1.1: is configured, and never shows its token", async () => {
    const { done, call } = await authWorld(subject, "orchestrator");
    expectNotFound(await call("orchestratorAuth.config.read"));
    expectRefused(await call("orchestratorAuth.config.write"), 400, "no host provided");
    const orchestrator_host = "https://api.test";
    await done("orchestratorAuth.config.write", { orchestrator_host, token_reviewer_jwt: "x", issuer: "i" });
    const shown = await done("orchestratorAuth.config.read");
    expect(shown).toMatchObject({ orchestrator_host, issuer: "i", token_reviewer_jwt_set: true });
    expectDone(await call("orchestratorAuth.config.write", { orchestrator_host }));
    expect(await done("orchestratorAuth.config.read")).toEqual({
      orchestrator_host,
      orchestrator_ca_cert: "",
      issuer: "",
      disable_iss_validation: true,
      disable_local_ca_jwt: false,
      token_reviewer_jwt_set: false,
    });
  });

  it("1.2: has roles", async () => {
    const { sim, done, call } = await authWorld(subject, "orchestrator");
    expectNotFound(await call("orchestratorAuth.roles.list"));
    expectDone(await call("orchestratorAuth.roles.write", { name: "Web", ...BOUND, audience: "a", num_uses: 3 }));
    expectDone(await call("orchestratorAuth.roles.write", { name: "WEB", alias_name_source: "serviceaccount_name" }));
    expect(await done("orchestratorAuth.roles.list")).toEqual({ keys: ["web"] });
    expect(await done("orchestratorAuth.roles.read", { name: "web" })).toMatchObject({
      bound_service_account_names: ["app"],
      bound_service_account_namespaces: ["shop"],
      audience: "a",
      alias_name_source: "serviceaccount_name",
      num_uses: 3,
      token_num_uses: 3,
      token_policies: [],
    });
    expectDone(await call("orchestratorAuth.roles.delete", { name: "WEB" }));
    expectNotFound(await call("orchestratorAuth.roles.read", { name: "web" }));
    await expectNothingChanged(sim, async () =>
      expectDone(await call("orchestratorAuth.roles.delete", { name: "web" })),
    );
  });

  it.each<[rule: string, fields: Fields, piece: string]>([
    ["1.3: no names", { bound_service_account_names: "" }, "bound_service_account_names"],
    ["1.3: no namespaces", { bound_service_account_namespaces: "" }, "bound_service_account_namespaces"],
    ["1.3: every name, and more", { bound_service_account_names: "*,a" }, 'can not mix "*" with values'],
    ["1.3: every namespace, and more", { bound_service_account_namespaces: "a,*" }, 'can not mix "*" with values'],
    ["1.3: an alias of something else", { alias_name_source: "x" }, "alias_name_source"],
  ])("%s is refused with 400", async (_rule, fields, piece) => {
    const { sim, call } = await authWorld(subject, "orchestrator");
    await expectNothingChanged(sim, async () => {
      const role = { name: "web", ...BOUND, ...fields };
      expectRefused(await call("orchestratorAuth.roles.write", role), 400, piece);
    });
  });

  it("1.4: warns of a role without an audience", async () => {
    const { call } = await authWorld(subject, "orchestrator");
    const answer = await call("orchestratorAuth.roles.write", { name: "web", ...BOUND });
    expect(answer).toMatchObject({ status: 200, body: { warnings: [expect.stringContaining("an audience")] } });
  });

  it("2.1: asks for a role and a token", async () => {
    const { done, login } = await authWorld(subject, "orchestrator");
    await done("orchestratorAuth.roles.write", { name: "web", ...BOUND });
    expectRefused(await login("orchestratorAuth.login", { jwt: "x" }), 400, "missing role");
    expectRefused(await login("orchestratorAuth.login", { role: "web" }), 400, "missing jwt");
    expectRefused(await login("orchestratorAuth.login", { role: "none", jwt: "x" }), 400, 'invalid role name "none"');
    const text = "could not load backend configuration";
    expectRefused(await login("orchestratorAuth.login", { role: "web", jwt: "x" }), 500, text);
  });

  it("2.2: looks at the address", async () => {
    const { login, shown } = await world(subject, { token_bound_cidrs: "10.0.0.1" });
    expectRefused(await login("orchestratorAuth.login", shown), 403, "permission denied");
    expect(authOf(await login("orchestratorAuth.login", shown, { address: "10.0.0.1" })).policies).toEqual(["default"]);
  });

  it("2.3: looks at what the token says", async () => {
    const { done, login, shown, jwt } = await world(subject);
    for (const none of ["x", "a.b.c", `a.${btoa("{}")}.c`]) {
      expectRefused(await login("orchestratorAuth.login", { ...shown, jwt: none }), 403, "token is malformed");
    }
    const config = { orchestrator_host: "https://api.test", issuer: "x", disable_iss_validation: false };
    await done("orchestratorAuth.config.write", config);
    expectRefused(await login("orchestratorAuth.login", shown), 403, "invalid issuer");
    await done("orchestratorAuth.config.write", { ...config, issuer: claimsIn(jwt)["iss"] });
    await done("orchestratorAuth.roles.write", { name: "web", audience: "x" });
    expectRefused(await login("orchestratorAuth.login", shown), 403, "invalid audience");
    await done("orchestratorAuth.roles.write", { name: "web", audience: audienceIn(jwt) });
    expect(authOf(await login("orchestratorAuth.login", shown)).policies).toEqual(["default"]);
  });

  it.each<[names: string, namespaces: string, refusal: string | undefined]>([
    ["other", "shop", "service account name not authorized"],
    ["app", "other", "namespace not authorized"],
    ["a*", "*", undefined],
    ["*pp", "*ho*", undefined],
    ["b*", "shop", "service account name not authorized"],
  ])("2.4: a role of %s in %s says %s", async (names, namespaces, refusal) => {
    const { login, shown } = await world(subject, {
      bound_service_account_names: names,
      bound_service_account_namespaces: namespaces,
    });
    const answer = await login("orchestratorAuth.login", shown);
    if (refusal === undefined) expect(authOf(answer).policies).toEqual(["default"]);
    else expectRefused(answer, 403, refusal);
  });

  it.each<[what: string, happens: (world: World) => void]>([
    ["it is expired", ({ sim }) => void sim.clock.advance("1h")],
    ["nobody answers", ({ sim }) => sim.orchestrator.setAvailable(false)],
    ["its namespace is gone", ({ sim }) => sim.orchestrator.removeNamespace("shop")],
    ["the reviewer is refused", ({ sim }) => sim.orchestrator.requireToken("reviewer")],
  ])("2.5: a token is not in order once %s", async (_what, happens) => {
    const made = await world(subject);
    const { login, shown, sim, jwt } = made;
    expect(authOf(await login("orchestratorAuth.login", shown)).policies).toEqual(["default"]);
    happens(made);
    await expectNothingChanged(sim, async () => {
      expectRefused(await login("orchestratorAuth.login", shown), 403, "permission denied");
    });
    const forged = `${jwt.slice(0, jwt.lastIndexOf("."))}.AAAA`;
    expectRefused(await login("orchestratorAuth.login", { ...shown, jwt: forged }), 403, "permission denied");
  });

  it("2.6: is reviewed with the reviewer's token, the pod's, or itself", async () => {
    const { sim, done, login, shown, jwt } = await world(subject);
    const orchestrator_host = "https://api.test";
    const works = async () => (await login("orchestratorAuth.login", shown)).status === 200;
    sim.orchestrator.requireToken(jwt);
    expect(await works()).toBe(true);
    sim.orchestrator.requireToken("pod");
    expect(await works()).toBe(false);
    sim.secrets.cluster("main").setPodEnvironment({ tokenFile: "pod" });
    expect(await works()).toBe(true);
    await done("orchestratorAuth.config.write", { orchestrator_host, disable_local_ca_jwt: true });
    expect(await works()).toBe(false);
    await done("orchestratorAuth.config.write", { orchestrator_host, token_reviewer_jwt: "pod" });
    expect(await works()).toBe(true);
  });

  it("2.7: calls service accounts by their uids, or their names", async () => {
    const { done, login, shown, lookup } = await world(subject);
    const auth = authOf(await login("orchestratorAuth.login", shown));
    const uid = auth.metadata["service_account_uid"];
    const metadata = {
      service_account_uid: uid,
      service_account_name: "app",
      service_account_namespace: "shop",
      service_account_secret_name: "",
    };
    expect(auth.metadata).toEqual({ ...metadata, role: "web" });
    expect(lookup(auth.client_token)["display_name"]).toBe("orchestrator-shop-app");
    const aliasOf = async (id: string) => ((await done("identity.entities.read", { id }))["aliases"] as object[])[0];
    expect(await aliasOf(auth.entity_id)).toMatchObject({ name: uid, metadata });
    await done("orchestratorAuth.roles.write", { name: "web", alias_name_source: "serviceaccount_name" });
    const other = authOf(await login("orchestratorAuth.login", shown));
    expect(await aliasOf(other.entity_id)).toMatchObject({ name: "shop/app", metadata });
  });

  it("2.8: tokens are not renewed once the role is gone", async () => {
    const { done, login, shown, call } = await world(subject);
    const { client_token: token } = authOf(await login("orchestratorAuth.login", shown));
    authOf(await call("tokens.renewSelf", {}, { token }));
    await done("orchestratorAuth.roles.delete", { name: "web" });
    expectRefused(await call("tokens.renewSelf", {}, { token }), 500, 'role "web" does not exist during renewal');
  });

  it("2.9: uses up what a test lets fail", async () => {
    const { sim, login, shown } = await world(subject);
    sim.orchestrator.failNext({ count: 1, verb: "create", kind: "TokenReview" });
    expectRefused(await login("orchestratorAuth.login", shown), 403, "permission denied");
    expect(authOf(await login("orchestratorAuth.login", shown)).policies).toEqual(["default"]);
  });
});
