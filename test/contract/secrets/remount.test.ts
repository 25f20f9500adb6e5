import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { doors, send } from "../driver.ts";
import { expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";

// src/services/secrets/mounts/README.md.

describe.each(doors())("through %s,", (_, { open }) => {
  const moving = (options?: Parameters<typeof createSimulator>[0]) => {
    const sim = createSimulator(options);
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    const move = async (from: string, to: string) => {
      const { status, body } = await door.call("mounts.remount", { from, to });
      expect({ status, body }).toMatchObject({ status: 200, body: { warnings: [expect.any(String)] } });
      const { migration_id, data } = body as { readonly migration_id: string; readonly data: unknown };
      expect(data).toEqual({ migration_id });
      return (await door.call("mounts.migration", { migration_id })).body;
    };
    return { sim, main, admin: main.as(main.rootToken), door, move };
  };

  it("what is in a mount goes with it, and what it is called by stays", async () => {
    const { main, admin, door, move } = moving();
    admin.kv.write({ path: "a", v: 1 });
    const { accessor, uuid } = admin.mounts.read({ path: "kv" }).data;
    const migration_info = { source_mount: "kv/", target_mount: "deep/store/", status: "success" };
    expect(await move("/kv/", "deep/store")).toMatchObject({ migration_info, data: { migration_info } });
    expect(admin.mounts.read({ path: "deep/store" }).data).toMatchObject({ accessor, uuid });
    expect((await door.call("kv.read", { path: "a" }, { mount: "deep/store" })).body).toMatchObject({ data: { v: 1 } });
    expectRefused(await door.call("kv.read", { path: "a" }), 404, "no handler");
    expectRefused(await door.call("mounts.read", { path: "kv" }), 400, "kv/");
    main.mount("kv", { type: "kv" });
  });

  it("a mount goes from one namespace to another", async () => {
    const { main, admin, move } = moving();
    main.createNamespace("team");
    main.createNamespace("team/deep");
    admin.kv.write({ path: "a", v: 1 });
    expect(await move("kv", "team/kv")).toMatchObject({ migration_info: { target_mount: "team/kv/" } });
    expect(main.as(main.rootToken, { namespace: "team" }).kv.read({ path: "a" }).data).toEqual({ v: 1 });
    const { mounts } = main.as(main.rootToken, { namespace: "team" });
    mounts.remount({ from: "kv", to: "deep/kv" });
    expect(main.as(main.rootToken, { namespace: "team/deep" }).kv.read({ path: "a" }).data).toEqual({ v: 1 });
    expect(await move("team/deep/kv", "kv")).toMatchObject({ migration_info: { status: "success" } });
    expect(admin.kv.read({ path: "a" }).data).toEqual({ v: 1 });
  });

  it("what is due in a mount is due where it went", async () => {
    const { sim, admin, move } = moving();
    sim.directory.addEntry("cn=svc,dc=example,dc=com", { cn: "svc" });
    admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
    admin.staticRoles.write({ role_name: "x", username: "svc", dn: "cn=svc,dc=example,dc=com", rotation_period: "1h" });
    admin.auth.enable({ path: "robots", type: "approle" });
    admin.at("auth/robots").approle.write({ role_name: "x", secret_id_ttl: "2h" });
    admin.at("auth/robots").approle.secretIds.generate({ role_name: "x" });
    const pending = sim.clock.pending().map(({ dueAtMs }) => dueAtMs);
    await move("ldap", "directory");
    await move("auth/robots", "auth/machines");
    expect(sim.clock.pending().map(({ dueAtMs }) => dueAtMs)).toEqual(pending);
    const { password } = admin.at("directory").staticRoles.credential({ role_name: "x" }).data;
    sim.clock.advance("1h");
    expect(admin.at("directory").staticRoles.credential({ role_name: "x" }).data.last_password).toBe(password);
    sim.clock.advance("1h");
    expect(() => admin.at("auth/machines").approle.secretIds.list({ role_name: "x" })).toThrow();
  });

  it("leases are revoked, logins end, and the method takes others where it went", async () => {
    const { sim, admin, door, move } = moving();
    admin.auth.enable({ path: "people", type: "userpass" });
    admin.at("auth/people").userpass.write({ username: "ann", password: "p" });
    const { client_token: token } = admin.at("auth/people").userpass.login({ username: "ann", password: "p" }).auth;
    sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
    admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
    admin.library.write({ set_name: "ops", service_account_names: ["svc-1"] });
    admin.library.checkOut({ set_name: "ops" });
    await move("auth/people", "auth/staff");
    await move("ldap", "directory");
    expect((await door.call("tokens.lookupSelf", {}, { token })).status).toBe(403);
    expect(sim.state.secrets["main"]?.local.leases.size).toBe(0);
    expect(admin.at("auth/staff").userpass.login({ username: "ann", password: "p" }).auth).toBeTruthy();
    expect(admin.at("directory").library.status({ set_name: "ops" }).data["svc-1"]).toMatchObject({ available: true });
  });

  it("a lease that cannot be revoked keeps its mount where it is", async () => {
    const { sim, admin, move } = moving();
    admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
    const creation_ldif = btoa("dn: cn={{.Username}},dc=example,dc=com\nobjectClass: person\ncn: {{.Username}}\n");
    const deletion_ldif = btoa("dn: cn={{.Username}},dc=example,dc=com\nchangetype: delete\n");
    admin.dynamicRoles.write({ role_name: "x", creation_ldif, deletion_ldif });
    admin.dynamicRoles.credentials({ role_name: "x" });
    sim.directory.failNext({ count: 1, operation: "delete" });
    expect(await move("ldap", "directory")).toMatchObject({ migration_info: { status: "failure" } });
    expect(admin.mounts.read({ path: "ldap" }).data.type).toBe("ldap");
    sim.clock.advance("20s");
    expect(await move("ldap", "directory")).toMatchObject({ migration_info: { status: "success" } });
  });

  it.each<[from: string, to: string, piece: string]>([
    ["nosuch", "x", "nosuch/"],
    ["", "x", ""],
    ["auth/nosuch", "auth/x", "auth/nosuch/"],
    ["kv", "ldap", "already in use"],
    ["kv", "kv", "already in use"],
    ["kv", "kv/below", "already in use"],
    ["kv", "", ""],
    ["kv", "a b", ""],
    ["kv", "auth/kv", "auth mount"],
    ["auth/people", "people", "auth mount"],
    ["auth/people", "auth/token", "under existing mount"],
    ["auth/token", "auth/x", "remount"],
    ["auth", "x", "auth/"],
    ...["sys", "identity", "cubbyhole"].flatMap((path): [string, string, string][] => [
      [path, "x", `${path}/`],
      ["kv", path, `${path}/`],
    ]),
  ])("%j does not go to %j", async (from, to, piece) => {
    const { sim, admin, door } = moving();
    admin.auth.enable({ path: "people", type: "userpass" });
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("mounts.remount", { from, to }), 400, piece);
    });
  });

  it("a local mount stays one", async () => {
    const { main, admin, move } = moving();
    main.mount("own", { type: "kv", local: true });
    admin.at("own").kv.write({ path: "a", v: 1 });
    await move("own", "mine");
    expect(admin.mounts.read({ path: "mine" }).data.local).toBe(true);
    expect(admin.at("mine").kv.read({ path: "a" }).data).toEqual({ v: 1 });
  });

  it("an id of nothing is not found", async () => {
    expectNotFound(await moving().door.call("mounts.migration", { migration_id: "none" }));
  });
});

it("PUT sys/remount moves, too", async () => {
  const sim = createSimulator();
  const body = JSON.stringify({ from: "kv", to: "x" });
  expect((await send(sim, "PUT", "/v1/sys/remount", { body })).status).toBe(200);
  expectDone(await send(sim, "POST", "/v1/x/a", { body: JSON.stringify({ v: 1 }) }));
});
