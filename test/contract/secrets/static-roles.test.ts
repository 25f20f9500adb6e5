import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { type Answer, byRule, doors, type Fields } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { BASE, CONFIG, dnOf, initialPassword, seedAccount } from "./library-world.ts";

// decisions-directory.md, 5 and 6: static roles, and when their passwords rotate.

const START_MS = Date.UTC(2026, 0, 1);

function world(config: Fields | null = {}): Simulator {
  const sim = createSimulator({ seed: 5 });
  for (const account of ["svc-1", "svc-2", "svc-3"]) seedAccount(sim, account);
  const main = sim.secrets.cluster("main");
  if (config !== null) main.as(main.rootToken).ldapConfig.write({ ...CONFIG, ...config });
  return sim;
}

const admin = (sim: Simulator) => {
  const main = sim.secrets.cluster("main");
  return main.as(main.rootToken);
};

const passwordIn = (sim: Simulator, account: string) =>
  sim.directory.entry(dnOf(account))?.attributes["userPassword"]?.[0];

/** The instants at which an account's password has changed, in seconds from the start. */
const rotationSeconds = (sim: Simulator, role = "dev") =>
  sim.log
    .commits()
    .filter(({ events }) =>
      events.some(({ type, data }) => type === "StaticRoleRotated" && (data as { role: string }).role === role),
    )
    .map(({ atMs }) => (atMs - START_MS) / 1000);

const ROLE = { role_name: "dev", username: "svc-1", rotation_period: 60 };

describe.each(doors())("a static role, through %s", (_, { open }) => {
  describe("is refused", () => {
    interface Refused {
      readonly rule: string;
      readonly config?: Fields | null;
      readonly before?: Fields;
      readonly fields: Fields;
      readonly status: number;
      readonly piece: string;
    }
    const rows: readonly Refused[] = [
      {
        rule: "without a username",
        fields: { rotation_period: 60 },
        status: 400,
        piece: "username is a required field",
      },
      {
        rule: "with an empty username",
        fields: { username: "", rotation_period: 60 },
        status: 400,
        piece: "username must not be empty",
      },
      {
        rule: "with an empty username on update",
        before: ROLE,
        fields: { username: "" },
        status: 400,
        piece: "username must not be empty",
      },
      {
        rule: "with a username that another role has",
        before: { ...ROLE, role_name: "other" },
        fields: { username: "svc-1", rotation_period: 60 },
        status: 400,
        piece: '"svc-1" is already managed',
      },
      {
        rule: "with another username",
        before: ROLE,
        fields: { username: "svc-2" },
        status: 400,
        piece: "cannot update static account username",
      },
      {
        rule: "with another DN",
        before: { ...ROLE, dn: dnOf("svc-1") },
        fields: { dn: dnOf("svc-2") },
        status: 400,
        piece: "cannot update static account distinguished name",
      },
      {
        rule: "with a DN when it had none (easily missed, 11)",
        before: ROLE,
        fields: { dn: dnOf("svc-1") },
        status: 400,
        piece: "cannot update static account distinguished name",
      },
      {
        rule: "without a rotation period",
        fields: { username: "svc-1" },
        status: 400,
        piece: "rotation_period is required",
      },
      {
        rule: "with a period below 5 s",
        fields: { username: "svc-1", rotation_period: 4 },
        status: 400,
        piece: "5 seconds or more",
      },
      {
        rule: "with a period that is cut to below 5 s",
        fields: { username: "svc-1", rotation_period: "4.9s" },
        status: 400,
        piece: "5 seconds or more",
      },
      {
        rule: "with a short period on update",
        before: ROLE,
        fields: { rotation_period: "4s" },
        status: 400,
        piece: "5 seconds or more",
      },
      {
        rule: "with skip_import_rotation on update (easily missed, 10)",
        before: ROLE,
        fields: { skip_import_rotation: false },
        status: 400,
        piece: "skip_import_rotation has no effect",
      },
      {
        rule: "without configuration, the flag not sent",
        config: null,
        fields: { username: "svc-1", rotation_period: 60 },
        status: 400,
        piece: "missing LDAP configuration",
      },
      {
        rule: "without configuration, the flag false",
        config: null,
        fields: { username: "svc-1", rotation_period: 60, skip_import_rotation: false },
        status: 500,
        piece: "config is currently unset",
      },
      {
        rule: "with a negative period",
        fields: { username: "svc-1", rotation_period: -60 },
        status: 400,
        piece: "Field validation failed",
      },
      {
        rule: "when no entry has the name",
        fields: { username: "nobody", rotation_period: 60 },
        status: 500,
        piece: "expected one matching entry",
      },
      {
        rule: "when no entry has the DN",
        fields: { username: "svc-1", dn: "cn=nobody,dc=example,dc=com", rotation_period: 60 },
        status: 500,
        piece: 'LDAP Result Code 32 "No Such Object"',
      },
      {
        rule: "when the DN is that of a container",
        fields: { username: "svc-1", dn: BASE, rotation_period: 60 },
        status: 500,
        piece: "found 0",
      },
      {
        rule: "when the attribute is none to search by",
        config: { userattr: "shoeSize" },
        fields: { username: "svc-1", rotation_period: 60 },
        status: 500,
        piece: "unsupported userattr",
      },
      {
        rule: "when the password policy is missing",
        config: { password_policy: "none" },
        fields: { username: "svc-1", rotation_period: 60 },
        status: 500,
        piece: "unable to generate password",
      },
      {
        rule: "when the bind fails",
        config: { binddn: dnOf("svc-2"), bindpass: "wrong" },
        fields: { username: "svc-1", rotation_period: 60 },
        status: 500,
        piece: "LDAP Result Code 49",
      },
      {
        rule: "as the first check that fails says",
        before: ROLE,
        fields: { username: "svc-2", dn: "x", rotation_period: 1, skip_import_rotation: true },
        status: 400,
        piece: "static account username",
      },
    ];
    it.each(byRule(rows))("%s", async (_rule, { config, before, fields, status, piece }) => {
      const sim = world(config === undefined ? {} : config);
      const door = open(sim);
      if (before !== undefined) expectDone(await door.call("staticRoles.write", before));
      await expectNothingChanged(sim, async () => {
        expectRefused(await door.call("staticRoles.write", { role_name: "dev", ...fields }), status, piece);
      });
      if (before?.["role_name"] !== "dev") expectNotFound(await door.call("staticRoles.read", { role_name: "dev" }));
      expect(sim.clock.pending()).toHaveLength(before === undefined ? 0 : 1);
    });
  });

  it("rotates the password when it is created", async () => {
    const sim = world();
    const door = open(sim);
    expectDone(await door.call("staticRoles.write", ROLE));
    expect(passwordIn(sim, "svc-1")).toMatch(/^[0-9A-Za-z]{64}$/);
    expect(expectData(await door.call("staticRoles.credential", { role_name: "dev" }))).toEqual({
      dn: "",
      username: "svc-1",
      password: passwordIn(sim, "svc-1"),
      last_password: "",
      ttl: 60,
      rotation_period: 60,
      last_secrets_rotation: "2026-01-01T00:00:00Z",
    });
    expect(expectData(await door.call("staticRoles.read", { role_name: "dev" }))).toEqual({
      dn: "",
      username: "svc-1",
      rotation_period: 60,
      last_secrets_rotation: "2026-01-01T00:00:00Z",
    });
  });

  it.each([
    ["by the role", {}, { skip_import_rotation: true }],
    ["by the configuration", { skip_static_role_import_rotation: true }, {}],
  ])(
    "leaves it when told so %s: nothing is known until it rotates (easily missed, 9)",
    async (_rule, config, fields) => {
      const sim = world(config);
      const door = open(sim);
      expectDone(await door.call("staticRoles.write", { ...ROLE, ...fields }));
      expect(passwordIn(sim, "svc-1")).toBe(initialPassword("svc-1"));
      sim.clock.advance("20s");
      expect(expectData(await door.call("staticRoles.credential", { role_name: "dev" }))).toEqual({
        dn: "",
        username: "svc-1",
        password: "",
        last_password: "",
        ttl: 40,
        rotation_period: 60,
        last_secrets_rotation: "0001-01-01T00:00:00Z",
      });
      expect(expectData(await door.call("staticRoles.read", { role_name: "dev" }))).not.toHaveProperty(
        "last_secrets_rotation",
      );
      sim.clock.advance("40s");
      const first = expectData(await door.call("staticRoles.credential", { role_name: "dev" }));
      expect(first).toMatchObject({ password: passwordIn(sim, "svc-1"), last_password: "", ttl: 60 });
      sim.clock.advance("60s");
      const second = expectData(await door.call("staticRoles.credential", { role_name: "dev" }));
      expect(second).toMatchObject({ password: passwordIn(sim, "svc-1"), last_password: first["password"] });
    },
  );

  it("created without the configuration and the first rotation fails at its first rotation", async () => {
    const sim = world(null);
    const door = open(sim);
    expectDone(await door.call("staticRoles.write", { ...ROLE, skip_import_rotation: true }));
    expectRefused(
      await door.call("staticRoles.rotate", { role_name: "dev" }),
      500,
      "unable to finish rotating credentials",
      "config is currently unset",
    );
    expectDone(await door.call("staticRoles.write", { role_name: "dev", rotation_period: "2m" }));
    expectData(await door.call("staticRoles.credential", { role_name: "dev" }));
    expectDone(await door.call("staticRoles.delete", { role_name: "dev" }));
  });

  it("is found by its DN when it has one, whatever the username", async () => {
    const sim = world();
    expectDone(await open(sim).call("staticRoles.write", { ...ROLE, username: "whoever", dn: dnOf("svc-2") }));
    expect(passwordIn(sim, "svc-2")).not.toBe(initialPassword("svc-2"));
  });

  it("loses its DN by an empty one, and is found by its username from then on (easily missed, 11)", async () => {
    const sim = world();
    const door = open(sim);
    expectDone(await door.call("staticRoles.write", { ...ROLE, dn: dnOf("svc-2") }));
    const second = passwordIn(sim, "svc-2");
    expectDone(await door.call("staticRoles.write", { role_name: "dev", dn: "" }));
    expectDone(await door.call("staticRoles.rotate", { role_name: "dev" }));
    expect(passwordIn(sim, "svc-2")).toBe(second);
    expect(passwordIn(sim, "svc-1")).not.toBe(initialPassword("svc-1"));
  });

  it("with upndomain is found by the principal name of its DN", async () => {
    const sim = world({ userattr: "userPrincipalName", upndomain: "corp.test", schema: "ad", binddn: "admin" });
    sim.directory.addEntry("cn=ann,ou=service,dc=example,dc=com", { userPrincipalName: "ann@corp.test" });
    expectDone(await open(sim).call("staticRoles.write", { ...ROLE, username: "x", dn: "ann" }));
    expect(sim.directory.entry("cn=ann,ou=service,dc=example,dc=com")?.attributes).toHaveProperty("unicodePwd");
  });

  it("is the same whatever the case of its name, and frees its username when deleted (easily missed, 13 and 30)", async () => {
    const sim = world();
    const door = open(sim);
    expectDone(await door.call("staticRoles.write", { ...ROLE, role_name: "Dev" }));
    expect(expectData(await door.call("staticRoles.list"))).toEqual({ keys: ["dev"] });
    const password = passwordIn(sim, "svc-1");
    expectRefused(
      await door.call("library.write", { set_name: "ops", service_account_names: ["svc-1"] }),
      400,
      '"svc-1" is already managed',
    );
    expectDone(await door.call("staticRoles.delete", { role_name: "DEV" }));
    expect(passwordIn(sim, "svc-1")).toBe(password);
    expect(sim.clock.pending()).toEqual([]);
    expectDone(await door.call("library.write", { set_name: "ops", service_account_names: ["svc-1"] }));
    expectRefused(await door.call("staticRoles.write", ROLE), 400, '"svc-1" is already managed');
    expectDone(await door.call("library.delete", { set_name: "ops" }));
    expectDone(await door.call("staticRoles.write", ROLE));
    expectDone(await door.call("staticRoles.delete", { role_name: "nobody" }));
  });

  it("compares usernames exactly", async () => {
    const sim = world();
    const door = open(sim);
    expectDone(await door.call("staticRoles.write", ROLE));
    expectDone(await door.call("staticRoles.write", { ...ROLE, role_name: "other", username: "SVC-1" }));
  });

  it("missing answers 404 on a read, 400 on its credential and its rotation (easily missed, 1)", async () => {
    const door = open(world());
    expectNotFound(await door.call("staticRoles.read", { role_name: "x" }));
    expectRefused(await door.call("staticRoles.credential", { role_name: "x" }), 400, "unknown role: x");
    expectRefused(await door.call("staticRoles.rotate", { role_name: "x" }), 400, "role doesn't exist: x");
    expectRefused(await door.call("staticRoles.credential", { role_name: "Org/X" }), 400, "unknown role: org/x");
    expectRefused(await door.call("staticRoles.rotate", { role_name: "Org/X" }), 400, "role doesn't exist: org/x");
  });

  it("lists by hierarchy, by GET as well (easily missed, 24)", async () => {
    const sim = world();
    const door = open(sim);
    const names = ["org", "org/dev", "org/dev/api", "zed"];
    expectNotFound(await door.call("staticRoles.list"));
    expectNotFound(await door.call("staticRoles.listAll"));
    for (const role_name of names) {
      expectDone(
        await door.call("staticRoles.write", {
          role_name,
          username: role_name,
          rotation_period: 60,
          skip_import_rotation: true,
        }),
      );
    }
    expect(expectData(await door.call("staticRoles.list"))).toEqual({ keys: ["org", "org/", "zed"] });
    expect(expectData(await door.call("staticRoles.listAll"))).toEqual({ keys: ["org", "org/", "zed"] });
    expect(expectData(await door.call("staticRoles.list", { prefix: "ORG" }))).toEqual({ keys: ["dev", "dev/"] });
    expect(expectData(await door.call("staticRoles.list", { prefix: "org/dev/" }))).toEqual({ keys: ["api"] });
    expectNotFound(await door.call("staticRoles.list", { prefix: "zed" }));
    expectDone(await door.call("staticRoles.delete", { role_name: "org" }));
    expect(expectData(await door.call("staticRoles.list"))).toEqual({ keys: ["org/", "zed"] });
  });

  describe("rotates", () => {
    it("exactly at the ends of its periods (easily missed, 6)", async () => {
      const sim = world();
      expectDone(await open(sim).call("staticRoles.write", { ...ROLE, rotation_period: 7 }));
      sim.clock.advance("30s");
      expect(rotationSeconds(sim)).toEqual([7, 14, 21, 28]);
    });

    it("when asked, and then a whole period later (easily missed, 8)", async () => {
      const sim = world();
      const door = open(sim);
      expectDone(await door.call("staticRoles.write", ROLE));
      sim.clock.advance("50s");
      expectDone(await door.call("staticRoles.rotate", { role_name: "DEV" }));
      sim.clock.advance("100s");
      expect(rotationSeconds(sim)).toEqual([50, 110]);
    });

    it("again 10 s after a failure, for ever, whenever the period ends (easily missed, 7)", async () => {
      const sim = world();
      const door = open(sim);
      expectDone(await door.call("staticRoles.write", ROLE));
      sim.clock.advance("30s");
      sim.directory.failNext({ count: 2 });
      const before = expectData(await door.call("staticRoles.credential", { role_name: "dev" }));
      expectRefused(
        await door.call("staticRoles.rotate", { role_name: "dev" }),
        500,
        "unable to finish rotating credentials",
        "LDAP Result Code 53",
      );
      expect(expectData(await door.call("staticRoles.credential", { role_name: "dev" }))).toEqual(before);
      sim.clock.advance("15s");
      expect(rotationSeconds(sim)).toEqual([]);
      expect(expectData(await door.call("staticRoles.credential", { role_name: "dev" }))).toMatchObject({ ttl: 15 });
      sim.clock.advance("5s");
      expect(rotationSeconds(sim)).toEqual([50]);
      sim.clock.advance("60s");
      expect(rotationSeconds(sim)).toEqual([50, 110]);
    });

    it("late after an outage: ttl stays 0 meanwhile, and the period begins anew", async () => {
      const sim = world();
      const door = open(sim);
      expectDone(await door.call("staticRoles.write", ROLE));
      sim.directory.setAvailable(false);
      sim.clock.advance("85s");
      expect(expectData(await door.call("staticRoles.credential", { role_name: "dev" }))).toMatchObject({ ttl: 0 });
      sim.directory.setAvailable(true);
      sim.clock.advance("70s");
      expect(rotationSeconds(sim)).toEqual([90, 150]);
    });

    it("when an update makes it overdue, after the answer, and only then (easily missed, 8)", async () => {
      const sim = world();
      const door = open(sim);
      expectDone(await door.call("staticRoles.write", ROLE));
      sim.clock.advance("30s");
      expectDone(await door.call("staticRoles.write", { role_name: "dev", rotation_period: 45 }));
      expect(rotationSeconds(sim)).toEqual([]);
      sim.clock.advance("10s");
      sim.directory.failNext({ count: 1 });
      expectDone(await door.call("staticRoles.write", { role_name: "dev", rotation_period: 40 }));
      expect(rotationSeconds(sim)).toEqual([]);
      sim.clock.advance("5s");
      expectDone(await door.call("staticRoles.write", { role_name: "dev", rotation_period: 5 }));
      expect(rotationSeconds(sim)).toEqual([45]);
      sim.clock.advance("5s");
      expect(rotationSeconds(sim)).toEqual([45, 50]);
    });

    it("later after an empty update when it never has, and no retry is left by one", async () => {
      const sim = world();
      const door = open(sim);
      expectDone(await door.call("staticRoles.write", { ...ROLE, skip_import_rotation: true }));
      sim.clock.advance("40s");
      sim.directory.failNext({ count: 1 });
      expectRefused(await door.call("staticRoles.rotate", { role_name: "dev" }), 500, "LDAP Result Code 53");
      expectDone(await door.call("staticRoles.write", { role_name: "dev" }));
      sim.clock.advance("2m");
      expect(rotationSeconds(sim)).toEqual([100, 160]);
    });

    it("those that are due at one instant by name, whatever came first", async () => {
      const sim = world();
      const door = open(sim);
      for (const [role_name, username] of [
        ["b", "svc-2"],
        ["c", "svc-3"],
        ["a", "svc-1"],
      ]) {
        expectDone(await door.call("staticRoles.write", { role_name, username, rotation_period: 60 }));
      }
      sim.clock.advance("60s");
      const rotated = sim.log.events().filter(({ type }) => type === "StaticRoleRotated");
      expect(rotated.map(({ data }) => (data as { role: string }).role)).toEqual(["a", "b", "c"]);
    });

    it.each<[string, (sim: Simulator) => void, (sim: Simulator) => void]>([
      ["sealed", (sim) => sim.secrets.cluster("main").seal(), (sim) => sim.secrets.cluster("main").unseal()],
      [
        "stopped",
        (sim) => sim.network.stop(sim.secrets.cluster("main")),
        (sim) => sim.network.start(sim.secrets.cluster("main")),
      ],
    ])("once, earliest due first, after it was %s for many periods (easily missed, 6)", async (_rule, away, back) => {
      const sim = world();
      const door = open(sim);
      expectDone(await door.call("staticRoles.write", { role_name: "late", username: "svc-1", rotation_period: 20 }));
      expectDone(await door.call("staticRoles.write", { role_name: "early", username: "svc-2", rotation_period: 15 }));
      away(sim);
      sim.clock.advance("95s");
      expect(sim.log.events().filter(({ type }) => type === "StaticRoleRotated")).toEqual([]);
      back(sim);
      const rotated = sim.log.events().filter(({ type }) => type === "StaticRoleRotated");
      expect(rotated.map(({ data }) => (data as { role: string }).role)).toEqual(["early", "late"]);
      sim.clock.advance("15s");
      expect(rotationSeconds(sim, "early")).toEqual([95, 110]);
    });

    it("no more once its engine is unmounted or its namespace deleted", async () => {
      const sim = world();
      const door = open(sim);
      expectDone(await door.call("staticRoles.write", ROLE));
      const main = sim.secrets.cluster("main");
      main.createNamespace("team");
      main.mount("ldap", { type: "ldap", namespace: "team" });
      main.mount("own", { type: "ldap", local: true });
      const team = { namespace: "team" };
      const own = { mount: "own" };
      for (const asking of [team, own]) {
        expectDone(await door.call("ldapConfig.write", CONFIG, asking));
        expectDone(await door.call("staticRoles.write", { ...ROLE, username: "svc-2" }, asking));
      }
      expect(sim.clock.pending()).toHaveLength(3);
      sim.clock.advance("61s");
      expect(sim.log.events().filter(({ type }) => type === "StaticRoleRotated")).toHaveLength(3);
      admin(sim).mounts.delete({ path: "own" });
      admin(sim).mounts.delete({ path: "ldap" });
      admin(sim).namespaces.delete({ name: "team" });
      expect(sim.clock.pending()).toEqual([]);
    });
  });

  it("needs create, update, read, list and delete as its paths say", async () => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    const can = (capabilities: string) => {
      main.writePolicy(capabilities, `path "ldap/*" { capabilities = ["${capabilities}"] }`);
      return { token: main.createToken({ policies: [capabilities] }).token };
    };
    const denied = (answer: Answer) => expectRefused(answer, 403, "permission denied");
    denied(await door.call("staticRoles.write", ROLE, can("update")));
    expectDone(await door.call("staticRoles.write", ROLE, can("create")));
    denied(await door.call("staticRoles.write", { role_name: "dev" }, can("create")));
    expectDone(await door.call("staticRoles.write", { role_name: "dev" }, can("update")));
    denied(await door.call("staticRoles.rotate", { role_name: "dev" }, can("create")));
    expectDone(await door.call("staticRoles.rotate", { role_name: "dev" }, can("update")));
    expectData(await door.call("staticRoles.credential", { role_name: "dev" }, can("read")));
    denied(await door.call("staticRoles.list", {}, can("read")));
    expectData(await door.call("staticRoles.list", {}, can("list")));
    denied(await door.call("staticRoles.delete", { role_name: "dev" }, can("update")));
    expectDone(await door.call("staticRoles.delete", { role_name: "dev" }, can("delete")));
  });
});

describe.each(doors())("rotate-root, through %s", (_, { open }) => {
  const bindPassword = (sim: Simulator) => sim.directory.entry(CONFIG.binddn)?.attributes["userPassword"]?.[0];

  it("gives the bind account a password that nobody can read", async () => {
    const sim = world();
    const door = open(sim);
    expect(expectData(await door.call("ldapConfig.read"))).not.toHaveProperty("last_bind_password_rotation");
    sim.clock.advance("90s");
    expectDone(await door.call("ldapConfig.rotateRoot"));
    expect(bindPassword(sim)).toMatch(/^[0-9A-Za-z]{64}$/);
    const config = expectData(await door.call("ldapConfig.read"));
    expect(config).toMatchObject({ last_bind_password_rotation: "2026-01-01T00:01:30Z" });
    expect(JSON.stringify(config)).not.toContain(bindPassword(sim));
    expectDone(await door.call("staticRoles.write", ROLE));
  });

  it("takes a password of the policy", async () => {
    const sim = world({ password_policy: "pin" });
    const door = open(sim);
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("ldapConfig.rotateRoot"), 500, "unable to generate password");
    });
    expectDone(
      await door.call("passwordPolicies.write", {
        name: "pin",
        policy: 'length = 9 rule "charset" { charset = "0123456789" }',
      }),
    );
    expectDone(await door.call("ldapConfig.rotateRoot"));
    expect(bindPassword(sim)).toMatch(/^\d{9}$/);
  });

  it("is refused without a configuration, and changes nothing when the directory refuses", async () => {
    const bare = world(null);
    expectRefused(await open(bare).call("ldapConfig.rotateRoot"), 500, "config is currently unset");
    const sim = world();
    sim.directory.failNext({ count: 1 });
    expectRefused(await open(sim).call("ldapConfig.rotateRoot"), 500, "LDAP Result Code 53");
    expect(bindPassword(sim)).toBe(CONFIG.bindpass);
    expectDone(await open(sim).call("ldapConfig.rotateRoot"));
  });

  it("is followed by ten minutes in which the password before is tried as well", async () => {
    const sim = world();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.rotateRoot"));
    sim.directory.addEntry(CONFIG.binddn, { userPassword: CONFIG.bindpass });
    sim.clock.advance(10 * 60_000 - 1);
    expectDone(await door.call("staticRoles.write", ROLE));
    sim.clock.advance(1);
    expectRefused(await door.call("staticRoles.rotate", { role_name: "dev" }), 500, "LDAP Result Code 49");
  });

  it("always needs update", async () => {
    const sim = world();
    const main = sim.secrets.cluster("main");
    main.writePolicy("creator", 'path "ldap/*" { capabilities = ["create", "read"] }');
    const { token } = main.createToken({ policies: ["creator"] });
    expectRefused(await open(sim).call("ldapConfig.rotateRoot", {}, { token }), 403, "permission denied");
  });
});

describe.each(doors())("the servers of a configuration, through %s", (_, { open }) => {
  const ONE = "ldap://one.test";
  const TWO = "ldap://two.test";

  it.each<[rule: string, config: Fields, set: (sim: Simulator) => void, reached: boolean]>([
    ["one down, the next is tried", {}, (sim) => sim.directory.server(ONE).setAvailable(false), true],
    [
      "all down, the change fails",
      {},
      (sim) => {
        for (const url of [ONE, TWO]) sim.directory.server(url).setAvailable(false);
      },
      false,
    ],
    [
      "one as slow as the smaller timeout is down",
      { url: ONE, request_timeout: 10, connection_timeout: 30 },
      (sim) => sim.directory.server(ONE).setDelay("10s"),
      false,
    ],
    [
      "one faster than it is not",
      { url: ONE, request_timeout: 10, connection_timeout: 30 },
      (sim) => sim.directory.server(ONE).setDelay(9_999),
      true,
    ],
    [
      "the connection's timeout may be the smaller one",
      { url: ONE, request_timeout: 90, connection_timeout: 3 },
      (sim) => sim.directory.server(ONE).setDelay("3s"),
      false,
    ],
    [
      "0 is no timeout",
      { url: ONE, request_timeout: 0, connection_timeout: 0 },
      (sim) => sim.directory.server(ONE).setDelay("1h"),
      true,
    ],
    [
      "0 leaves the other",
      { url: ONE, request_timeout: 0, connection_timeout: 5 },
      (sim) => sim.directory.server(ONE).setDelay("5s"),
      false,
    ],
    ["a slow one is passed by", { request_timeout: 5 }, (sim) => sim.directory.server(ONE).setDelay("5s"), true],
  ])("%s", async (_rule, config, set, reached) => {
    const sim = world(config);
    set(sim);
    const answer = await open(sim).call("staticRoles.write", ROLE);
    if (reached) expectDone(answer);
    else expectRefused(answer, 500, "error connecting");
    expect(sim.clock.now()).toBe(START_MS);
  });
});
