import { describe, expect, it } from "vitest";
import { doors, type Fields, type Subject } from "../driver.ts";
import { expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { type AuthWorld, authOf, authWorld } from "./auth-world.ts";

// src/services/secrets/auth/ldap/README.md: each test names the rules that it holds.

const CONFIG = {
  url: "ldap://one.test",
  binddn: "cn=admin,dc=example",
  bindpass: "bind-secret",
  userdn: "ou=people,dc=example",
  userattr: "uid",
  groupdn: "ou=groups,dc=example",
};
const ANN = { username: "ann", password: "p" };
const NOT_BOUND = "ldap operation failed: failed to bind as user";

/** A directory with people and groups, and a method that asks it. */
async function world(subject: Subject, config: Fields = {}): Promise<AuthWorld> {
  const made = await authWorld(subject, "ldap");
  const { directory } = made.sim;
  directory.addEntry("cn=admin,dc=example", { cn: "admin", userPassword: "bind-secret" });
  for (const uid of ["ann", "bob"]) {
    directory.addEntry(`cn=${uid} x,ou=people,dc=example`, {
      cn: `${uid} x`,
      uid,
      userPassword: "p",
      userPrincipalName: `${uid}@example`,
    });
  }
  directory.addEntry("cn=Dev,ou=groups,dc=example", { cn: "Dev", member: "cn=ann x,ou=people,dc=example" });
  directory.addEntry("cn=ops,ou=groups,dc=example", { cn: "ops", memberUid: "ann" });
  directory.addEntry("cn=dev,ou=elsewhere,dc=example", { cn: "elsewhere", memberUid: "ann" });
  await made.done("ldap.config.write", { ...CONFIG, ...config });
  return made;
}

describe.each(doors())("the method ldap through %s", (_, subject) => {
  it("1.1, 1.4: is configured, and never shows its password", async () => {
    const { done, call } = await authWorld(subject, "ldap");
    expectNotFound(await call("ldap.config.read"));
    expectDone(await call("ldap.config.write", { ...CONFIG, userattr: "UID", token_policies: "a" }));
    expectDone(await call("ldap.config.write", { certificate: "-----", starttls: true }));
    expect(await done("ldap.config.read")).toEqual({
      binddn: "cn=admin,dc=example",
      case_sensitive_names: false,
      certificate: "-----",
      connection_timeout: 30,
      deny_null_bind: true,
      discoverdn: false,
      groupattr: "cn",
      groupdn: "ou=groups,dc=example",
      groupfilter: "(|(memberUid={{.Username}})(member={{.UserDN}})(uniqueMember={{.UserDN}}))",
      insecure_tls: false,
      request_timeout: 90,
      starttls: true,
      tls_max_version: "tls12",
      tls_min_version: "tls12",
      token_bound_cidrs: [],
      token_explicit_max_ttl: 0,
      token_max_ttl: 0,
      token_no_default_policy: false,
      token_num_uses: 0,
      token_period: 0,
      token_policies: ["a"],
      token_ttl: 0,
      token_type: "default",
      upndomain: "",
      url: "ldap://one.test",
      userattr: "uid",
      userdn: "ou=people,dc=example",
      userfilter: "({{.UserAttr}}={{.Username}})",
      username_as_alias: false,
    });
  });

  it("1.2: maps users and groups", async () => {
    const { sim, done, call } = await world(subject);
    for (const kind of ["users", "groups"] as const) {
      expectNotFound(await call(`ldap.${kind}.list`));
      expectDone(await call(`ldap.${kind}.write`, { name: "Team/A", policies: "a,b" }));
      expect(await done(`ldap.${kind}.list`)).toEqual({ keys: ["team/a"] });
      expect(await done(`ldap.${kind}.read`, { name: "TEAM/a" })).toMatchObject({ policies: ["a", "b"] });
      expectDone(await call(`ldap.${kind}.delete`, { name: "team/A" }));
      expectNotFound(await call(`ldap.${kind}.read`, { name: "team/a" }));
      await expectNothingChanged(sim, async () => expectDone(await call(`ldap.${kind}.delete`, { name: "team/a" })));
    }
    await done("ldap.users.write", { name: "ann", groups: ["x", "y"] });
    expect(await done("ldap.users.read", { name: "ann" })).toEqual({ policies: [], groups: "x,y" });
    await done("ldap.config.write", { case_sensitive_names: true });
    await done("ldap.groups.write", { name: "Dev" });
    expectNotFound(await call("ldap.groups.read", { name: "dev" }));
  });

  it.each<[rule: string, fields: Fields, piece: string]>([
    ["1.3: a filter for users that is none", { userfilter: "(cn=" }, "invalid userfilter"],
    ["1.3: a filter for groups that is none", { groupfilter: "cn=x" }, "invalid groupfilter"],
    ["1.3: a TLS version that there is not", { tls_min_version: "ssl3" }, "invalid 'tls_min_version'"],
    ["1.3: versions that are crossed", { tls_min_version: "tls13" }, "'tls_max_version' must be greater"],
  ])("%s is refused with 400", async (_rule, fields, piece) => {
    const { sim, call } = await authWorld(subject, "ldap");
    await expectNothingChanged(sim, async () => expectRefused(await call("ldap.config.write", fields), 400, piece));
  });

  it("2.1, 2.9: lets in whom the directory lets in", async () => {
    const { login } = await authWorld(subject, "ldap");
    expectRefused(await login("ldap.login", ANN), 400, "auth method not configured");
    const made = await world(subject);
    const auth = authOf(await made.login("ldap.login", { ...ANN, username: "ANN" }));
    expect(auth.metadata).toEqual({ username: "ANN" });
    expect(made.lookup(auth.client_token)).toMatchObject({ display_name: "ldap-ANN", path: "auth/ldap/login/ANN" });
    const alias = async (id: string) =>
      ((await made.done("identity.entities.read", { id }))["aliases"] as { name: string; metadata: object }[])[0];
    expect(await alias(auth.entity_id)).toMatchObject({ name: "ann", metadata: { name: "ANN" } });
    expect(authOf(await made.login("ldap.login", ANN)).entity_id).toBe(auth.entity_id);
    await made.done("ldap.config.write", { username_as_alias: true });
    const other = authOf(await made.login("ldap.login", { ...ANN, username: "Ann" }));
    expect(await alias(other.entity_id)).toMatchObject({ name: "Ann" });
  });

  it("2.2: looks at the address first", async () => {
    const { sim, login } = await world(subject, { token_bound_cidrs: "10.0.0.0/8" });
    sim.directory.setAvailable(false);
    expectRefused(await login("ldap.login", ANN), 403, "permission denied");
    sim.directory.setAvailable(true);
    expect(authOf(await login("ldap.login", ANN, { address: "10.0.0.1" })).policies).toEqual(["default"]);
  });

  it("2.3: takes no empty password, unless told to", async () => {
    const { done, login } = await world(subject);
    expectRefused(await login("ldap.login", { username: "ann" }), 400, "password cannot be of zero length");
    await done("ldap.config.write", { deny_null_bind: false });
    expect(authOf(await login("ldap.login", { username: "ann" })).metadata).toEqual({ username: "ann" });
    expectRefused(await login("ldap.login", { username: "carl" }), 400, NOT_BOUND);
  });

  it("2.4: says when no server answers in time", async () => {
    const { sim, done, login } = await world(subject);
    sim.directory.setAvailable(false);
    expectRefused(await login("ldap.login", ANN), 400, "error connecting to directory");
    sim.directory.setAvailable(true);
    sim.directory.server("ldap://one.test").setDelay("1m");
    expectRefused(await login("ldap.login", ANN), 400, "error connecting to directory");
    await done("ldap.config.write", { url: "ldap://one.test,ldap://two.test" });
    expect(authOf(await login("ldap.login", ANN)).policies).toEqual(["default"]);
  });

  it.each<[rule: string, config: Fields, username: string]>([
    ["by the filter of a bind account", {}, "ann"],
    ["by a filter of one's own", { userfilter: "(&(uid={{.Username}})(cn=ann*))" }, "ann"],
    ["without a bind account, by the filter", { binddn: "", discoverdn: true }, "ann"],
    ["by the user principal name", { binddn: "", upndomain: "example" }, "ann"],
    ["by the DN that the name makes", { binddn: "", userattr: "cn" }, "ann x"],
  ])("2.5: finds an entry %s", async (_rule, config, username) => {
    const { login } = await world(subject, config);
    expect(authOf(await login("ldap.login", { username, password: "p" })).metadata).toEqual({ username });
  });

  it("2.6: says the same of all that is wrong", async () => {
    const { sim, done, login } = await world(subject);
    await expectNothingChanged(sim, async () => {
      expectRefused(await login("ldap.login", { ...ANN, password: "wrong" }), 400, NOT_BOUND);
      expectRefused(await login("ldap.login", { ...ANN, username: "carl" }), 400, NOT_BOUND);
      expectRefused(await login("ldap.login", { ...ANN, username: "*" }), 400, NOT_BOUND);
    });
    await done("ldap.config.write", { userfilter: "(uid=*)" });
    expectRefused(await login("ldap.login", ANN), 400, NOT_BOUND);
    await done("ldap.config.write", { userfilter: "(uid={{.Username}})", bindpass: "wrong" });
    expectRefused(await login("ldap.login", ANN), 400, NOT_BOUND);
  });

  it("2.7, 2.8: gives the policies of users and groups", async () => {
    const { done, login } = await world(subject, { token_policies: "all" });
    for (const name of ["dev", "ops", "elsewhere", "own"]) await done("ldap.groups.write", { name, policies: name });
    await done("ldap.users.write", { name: "ann", policies: "ann", groups: "own" });
    expect(authOf(await login("ldap.login", ANN)).policies).toEqual(["all", "ann", "default", "dev", "ops", "own"]);
    const warnings = async () => ((await login("ldap.login", ANN)).body as { warnings: string[] | null }).warnings;
    expect(await warnings()).toBeNull();
    await done("ldap.config.write", { groupattr: "none" });
    expect(authOf(await login("ldap.login", ANN)).policies).toContain("dev");
    await done("ldap.config.write", { groupdn: "" });
    expect(authOf(await login("ldap.login", ANN)).policies).toEqual(["all", "ann", "default", "own"]);
    expect(await warnings()).toEqual([expect.stringContaining("no LDAP groups found in groupDN")]);
  });

  it("2.10: asks again when a token is renewed", async () => {
    const { sim, done, login, call } = await world(subject);
    const { client_token: token } = authOf(await login("ldap.login", ANN));
    authOf(await call("tokens.renewSelf", {}, { token }));
    sim.directory.setAvailable(false);
    expectRefused(await call("tokens.renewSelf", {}, { token }), 400, "error connecting to directory");
    sim.directory.setAvailable(true);
    await done("ldap.groups.write", { name: "dev", policies: "more" });
    expectRefused(await call("tokens.renewSelf", {}, { token }), 500, "policies have changed, not renewing");
    await done("ldap.groups.delete", { name: "dev" });
    sim.directory.removeEntry("cn=ann x,ou=people,dc=example");
    expectRefused(await call("tokens.renewSelf", {}, { token }), 400, NOT_BOUND);
  });

  it("2.11: uses up what a test lets fail", async () => {
    const { sim, login } = await world(subject);
    sim.directory.failNext({ count: 1, operation: "bind" });
    sim.directory.failNext({ count: 1, operation: "search" });
    expectRefused(await login("ldap.login", ANN), 400, NOT_BOUND);
    expectRefused(await login("ldap.login", ANN), 400, NOT_BOUND);
    expect(authOf(await login("ldap.login", ANN)).policies).toEqual(["default"]);
  });
});
