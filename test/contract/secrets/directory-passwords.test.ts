import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { doors, type Fields } from "../driver.ts";
import { expectDone, expectNothingChanged, expectRefused } from "../expectations.ts";
import { BASE, dnOf, initialPassword, libraryWorld, seedAccount } from "./library-world.ts";

// decisions-directory.md, 2 and 4: the simulated directory as password changes see it, and how passwords are made.

const ops = { set_name: "ops", service_account_names: ["svc-1"] };

const BIND = { binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret" };

/** A simulator with an account, and an engine with this configuration. */
function configured(config: Fields = {}): Simulator {
  const sim = createSimulator({ seed: 3 });
  const cluster = sim.secrets.cluster("main");
  seedAccount(sim, "svc-1");
  cluster.as(cluster.rootToken).ldapConfig.write({ ...BIND, ...config });
  return sim;
}

/** The password that the engine hands out. */
function lentPassword(sim: Simulator): string {
  const cluster = sim.secrets.cluster("main");
  return cluster.as(cluster.rootToken).library.checkOut({ set_name: "ops" }).data.password;
}

function attribute(sim: Simulator, dn: string, name: string): string | Uint8Array | undefined {
  return sim.directory.entry(dn)?.attributes[name]?.[0];
}

describe.each(doors())("the password of an account, made through %s", (_, { open }) => {
  it.each<[config: Fields, length: number]>([
    [{}, 64],
    [{ length: 8 }, 8],
    [{ length: 100 }, 100],
    [{ length: 0 }, 64],
    [{ schema: "racf", userattr: "cn" }, 64],
  ])("with the configuration %j has %i letters and digits", async (config, length) => {
    const sim = configured(config);
    expectDone(await open(sim).call("library.write", ops));
    const written = config["schema"] === "racf" ? "racfPassword" : "userPassword";
    expect(attribute(sim, dnOf("svc-1"), written)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  it("comes from the password policy that the configuration names", async () => {
    const sim = configured({ password_policy: "pin" });
    const door = open(sim);
    const policy =
      'length = 12 rule "charset" { charset = "0123456789" } rule "charset" { charset = "-" min-chars = 2 }';
    expectDone(await door.call("passwordPolicies.write", { name: "pin", policy }));
    expectDone(await door.call("library.write", ops));
    expect(attribute(sim, dnOf("svc-1"), "userPassword")).toMatch(/^(?=.*-.*-)[-0-9]{12}$/);
  });

  it("is a new one each time, and the same for the same history", async () => {
    const story = async (): Promise<unknown[]> => {
      const sim = configured();
      const door = open(sim);
      await door.call("library.write", ops);
      const passwords = [attribute(sim, dnOf("svc-1"), "userPassword")];
      for (let round = 0; round < 3; round++) {
        await door.call("library.checkOut", { set_name: "ops" });
        await door.call("library.checkIn", { set_name: "ops" });
        passwords.push(attribute(sim, dnOf("svc-1"), "userPassword"));
      }
      return passwords;
    };
    const passwords = await story();
    expect(new Set(passwords).size).toBe(4);
    expect(await story()).toEqual(passwords);
  });

  it("schema open-dir replaces userPassword and leaves all else", async () => {
    const sim = configured();
    expectDone(await open(sim).call("library.write", ops));
    expect(sim.directory.entry(dnOf("svc-1"))?.attributes).toEqual({
      objectClass: ["person", "account"],
      cn: ["svc-1"],
      userPassword: [lentPassword(sim)],
    });
  });

  it("schema racf replaces racfPassword and racfAttributes and leaves all else", async () => {
    const sim = configured({ schema: "racf", userattr: "cn" });
    expectDone(await open(sim).call("library.write", ops));
    expect(sim.directory.entry(dnOf("svc-1"))?.attributes).toEqual({
      objectClass: ["person", "account"],
      cn: ["svc-1"],
      userPassword: [initialPassword("svc-1")],
      racfPassword: [lentPassword(sim)],
      racfAttributes: ["noexpired"],
    });
  });

  it("schema ad writes the password in quotes, as UTF-16LE bytes without a byte order mark", async () => {
    const sim = configured({ schema: "ad", userattr: "cn" });
    expectDone(await open(sim).call("library.write", ops));
    const bytes = attribute(sim, dnOf("svc-1"), "unicodePwd");
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect(new TextDecoder("utf-16le", { fatal: true, ignoreBOM: true }).decode(bytes as Uint8Array)).toBe(
      `"${lentPassword(sim)}"`,
    );
  });
});

describe.each(doors())("the bind account, through %s", (_, { open }) => {
  it("is made at the first POST of a configuration when the directory has none", async () => {
    const sim = createSimulator();
    expectDone(await open(sim).call("ldapConfig.write", BIND));
    expect(sim.directory.entry("CN=Admin, DC=example, DC=com")).toMatchObject({ dn: BIND.binddn });
    expect(attribute(sim, BIND.binddn, "userPassword")).toBe(BIND.bindpass);
  });

  it("is not made when there is an entry, whose password then decides", async () => {
    const sim = createSimulator();
    sim.directory.addEntry(BIND.binddn, { cn: "admin", userPassword: "another" });
    seedAccount(sim, "svc-1");
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", BIND));
    expectRefused(await door.call("library.write", ops), 500, 'LDAP Result Code 49 "Invalid Credentials"');
    expectDone(await door.call("ldapConfig.write", { bindpass: "another" }));
    expectDone(await door.call("library.write", ops));
  });

  it("is not made again by a later POST", async () => {
    const sim = configured();
    sim.directory.removeEntry(BIND.binddn);
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { starttls: true }));
    expect(sim.directory.entry(BIND.binddn)).toBeUndefined();
    expectRefused(await door.call("library.write", ops), 500, "LDAP Result Code 49");
  });

  it("opens only while the stored password equals the entry's", async () => {
    const sim = configured();
    const door = open(sim);
    sim.directory.addEntry(BIND.binddn, { cn: "admin", userPassword: "changed" });
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("library.write", ops), 500, "LDAP Result Code 49");
    });
    sim.directory.addEntry(BIND.binddn, { cn: "admin", userPassword: BIND.bindpass });
    expectDone(await door.call("library.write", ops));
  });

  it("with userattr userPrincipalName and an upndomain binds as <binddn>@<upndomain>", async () => {
    const sim = createSimulator();
    sim.directory.addEntry("cn=bind,ou=people,dc=example,dc=com", {
      userPrincipalName: "admin@example.com",
      userPassword: "upn-secret",
    });
    sim.directory.addEntry(dnOf("svc-1"), { userPrincipalName: "svc-1" });
    const door = open(sim);
    const config = { binddn: "admin", bindpass: "upn-secret", schema: "ad", upndomain: "example.com" };
    expectDone(await door.call("ldapConfig.write", config));
    expectDone(await door.call("library.write", ops));
  });

  it.each([true, false])("binds so when its binddn is a DN, seeded: %s", async (isSeeded) => {
    const sim = createSimulator();
    if (isSeeded) sim.directory.addEntry(BIND.binddn, { userPassword: BIND.bindpass });
    sim.directory.addEntry(dnOf("svc-1"), { userPrincipalName: "svc-1" });
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { ...BIND, schema: "ad", upndomain: "example.com" }));
    expectDone(await door.call("library.write", ops));
    // Only the account that was made has the principal name that a change of its own password looks for.
    if (!isSeeded) expectDone(await door.call("ldapConfig.rotateRoot"));
  });

  it("has containers above it that can be the userdn", async () => {
    const sim = createSimulator();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { ...BIND, binddn: "cn=admin,ou=new,dc=org", userdn: "dc=org" }));
    expectRefused(await door.call("library.write", ops), 500, "expected one matching entry");
  });

  it("of a later POST has containers above it as well", async () => {
    const sim = configured();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { binddn: "cn=other,ou=new,dc=elsewhere" }));
    expectDone(await door.call("ldapConfig.write", { binddn: BIND.binddn, userdn: "ou=new,dc=elsewhere" }));
    expectRefused(await door.call("library.write", ops), 500, "expected one matching entry");
  });
});

describe.each(doors())("the search for an account, through %s", (_, { open }) => {
  it.each<[rule: string, config: Fields, seed: (sim: Simulator) => void, piece: string | undefined]>([
    ["an entry under userdn", { userdn: BASE }, () => {}, undefined],
    ["userdn spelled otherwise", { userdn: " OU = Service , DC=EXAMPLE,dc=com" }, () => {}, undefined],
    ["an entry anywhere, without a userdn", {}, () => {}, undefined],
    ["an entry as the userdn itself", { userdn: dnOf("svc-1") }, () => {}, undefined],
    ["a userdn that is nowhere", { userdn: "ou=nowhere" }, () => {}, 'LDAP Result Code 32 "No Such Object"'],
    ["a userdn that is no DN", { userdn: "nowhere" }, () => {}, 'LDAP Result Code 32 "No Such Object"'],
    [
      "a userdn that is an added suffix",
      { userdn: "ou=empty,dc=org" },
      (sim) => sim.directory.addSuffix("ou=empty,dc=org"),
      "expected one matching entry",
    ],
    [
      "the ancestor of an added suffix",
      { userdn: "dc=org" },
      (sim) => sim.directory.addSuffix("ou=empty,dc=org"),
      "expected one matching entry",
    ],
    [
      "a userdn whose entries are gone, which stays a container",
      { userdn: "ou=gone,dc=org" },
      (sim) => {
        sim.directory.addEntry("cn=x,ou=gone,dc=org", {});
        sim.directory.removeEntry("cn=x,ou=gone,dc=org");
      },
      "expected one matching entry",
    ],
    [
      "two entries",
      { userdn: BASE },
      (sim) => sim.directory.addEntry(`cn=second,${BASE}`, { cn: "svc-1" }),
      "expected one matching entry",
    ],
    [
      "a second entry outside userdn",
      { userdn: BASE },
      (sim) => sim.directory.addEntry("cn=second,dc=example,dc=com", { cn: "svc-1" }),
      undefined,
    ],
    [
      "an entry below a name that only begins alike",
      { userdn: BASE },
      (sim) => sim.directory.addEntry(`cn=second,ou=x${BASE}`, { cn: "svc-1" }),
      undefined,
    ],
    [
      "a value in another case",
      { userattr: "uid" },
      (sim) => sim.directory.addEntry(`cn=upper,${BASE}`, { UID: "SVC-1" }),
      undefined,
    ],
    [
      "one of several values",
      { userattr: "uid" },
      (sim) => sim.directory.addEntry(`cn=several,${BASE}`, { uid: ["other", "svc-1"] }),
      undefined,
    ],
    ["an attribute that no entry has", { userattr: "uid" }, () => {}, "but found 0"],
  ])("%s", async (_rule, config, seed, piece) => {
    const sim = configured(config);
    seed(sim);
    const answer = await open(sim).call("library.write", ops);
    if (piece === undefined) expectDone(answer);
    else expectRefused(answer, 500, "1 error occurred:\n\t* ", piece);
  });

  it.each([
    "cn",
    "displayName",
    "distinguishedName",
    "dc",
    "dn",
    "name",
    "objectCategory",
    "objectClass",
    "objectGUID",
    "objectSid",
    "ou",
    "passwordLastSet",
    "racfid",
    "racfPassword",
    "racfPassPhrase",
    "racfAttributes",
    "sAMAccountName",
    "unicodePwd",
    "uid",
    "userPassword",
    "userPrincipalName",
  ])("can be by %s", async (userattr) => {
    const sim = configured({ userattr });
    sim.directory.addEntry(`cn=found,${BASE}`, { [userattr]: "sought" });
    expectDone(await open(sim).call("library.write", { set_name: "ops", service_account_names: ["sought"] }));
  });

  it.each(["CN", "Uid", "mail", "constructor", "__proto__", ""])("cannot be by %j", async (userattr) => {
    const sim = configured({ userattr });
    expectRefused(await open(sim).call("library.write", ops), 500, "unsupported userattr");
  });
});

describe.each(doors())("the servers of a configuration, through %s", (_, { open }) => {
  const TWO = { url: "ldap://one.test, LDAP://Two.test" };

  it.each<[rule: string, faults: (sim: Simulator) => void, reached: boolean]>([
    [
      "the first is down, the second answers",
      (sim) => sim.directory.server("ldap://one.test").setAvailable(false),
      true,
    ],
    [
      "both are down",
      (sim) => {
        sim.directory.server("ldap://one.test").setAvailable(false);
        sim.directory.server("ldap://TWO.test").setAvailable(false);
      },
      false,
    ],
    [
      "both are down, and one is back",
      (sim) => {
        sim.directory.server("ldap://one.test").setAvailable(false);
        sim.directory.server("ldap://two.test").setAvailable(false);
        sim.directory.server("ldap://two.test").setAvailable(true);
      },
      true,
    ],
    ["another server is down", (sim) => sim.directory.server("ldap://three.test").setAvailable(false), true],
    ["the whole directory is down", (sim) => sim.directory.setAvailable(false), false],
    [
      "the first is too slow, the second answers",
      (sim) => sim.directory.server("ldap://one.test").setDelay("30s"),
      true,
    ],
    [
      "both are too slow",
      (sim) => {
        sim.directory.server("ldap://one.test").setDelay("30s");
        sim.directory.server("ldap://two.test").setDelay("1h");
      },
      false,
    ],
    [
      "both are slow, and not too slow",
      (sim) => {
        sim.directory.server("ldap://one.test").setDelay(29_999);
        sim.directory.server("ldap://two.test").setDelay(29_999);
      },
      true,
    ],
  ])("%s", async (_rule, faults, reached) => {
    const sim = configured(TWO);
    faults(sim);
    const nowMs = sim.clock.now();
    const answer = await open(sim).call("library.write", ops);
    if (reached) expectDone(answer);
    else expectRefused(answer, 500, "1 error occurred:\n\t* ");
    expect(sim.clock.now()).toBe(nowMs);
  });

  it.each<[config: Fields, delayMs: number, reached: boolean]>([
    [{ request_timeout: 5 }, 4_999, true],
    [{ request_timeout: 5 }, 5_000, false],
    [{ request_timeout: 5, connection_timeout: 2 }, 2_000, false],
    [{ request_timeout: 2, connection_timeout: 5 }, 2_000, false],
    [{ request_timeout: 0 }, 29_999, true],
    [{ request_timeout: 0 }, 30_000, false],
    [{ connection_timeout: 0 }, 89_999, true],
    [{ connection_timeout: 0 }, 90_000, false],
    [{ request_timeout: 0, connection_timeout: 0 }, 86_400_000, true],
  ])("with %j a delay of %i ms is in time: %s", async (config, delayMs, reached) => {
    const sim = configured({ url: "ldap://one.test", ...config });
    sim.directory.server("ldap://one.test").setDelay(delayMs);
    const answer = await open(sim).call("library.write", ops);
    if (reached) expectDone(answer);
    else expectRefused(answer, 500, "1 error occurred:\n\t* ");
  });

  it("are not tried in turn when the bind or the search fails", async () => {
    const sim = configured(TWO);
    sim.directory.failNext({ count: 1, operation: "bind", resultCode: 51 });
    const door = open(sim);
    expectRefused(await door.call("library.write", ops), 500, 'LDAP Result Code 51 "Busy"');
    expectDone(await door.call("library.write", ops));
  });
});

describe.each(doors())("injected failures, through %s", (_, { open }) => {
  it("are used up by one per password change, search and write together", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    sim.directory.failNext({ count: 2 });
    for (let round = 0; round < 2; round++) {
      expectRefused(await door.call("library.write", ops), 500, 'LDAP Result Code 53 "Unwilling To Perform"');
    }
    expectDone(await door.call("library.write", ops));
  });

  it("strike within one request, at the account whose turn it is", async () => {
    const { sim, password } = libraryWorld();
    const door = open(sim);
    sim.directory.failNext({ count: 1, dn: dnOf("SVC-2").toUpperCase() });
    const names = ["svc-1", "svc-2", "svc-3"];
    const written = { set_name: "ops", service_account_names: names };
    expectRefused(await door.call("library.write", written), 500, "LDAP Result Code 53");
    expect(names.map((name) => password(name) === initialPassword(name))).toEqual([false, true, true]);
    expectDone(await door.call("library.write", written));
  });

  it("of one entry wait until that entry's turn", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    sim.directory.failNext({ count: 1, dn: dnOf("svc-2") });
    expectDone(await door.call("library.write", ops));
    const other = { set_name: "other", service_account_names: ["svc-2"] };
    expectRefused(await door.call("library.write", other), 500, "LDAP Result Code 53");
  });

  it.each<["bind" | "search" | "modify"]>([["bind"], ["search"], ["modify"]])(
    "of the operation %s strike such an operation, with the result code that was asked for",
    async (operation) => {
      const { sim, password } = libraryWorld();
      const door = open(sim);
      sim.directory.failNext({ count: 1, operation, resultCode: 80 });
      expectRefused(await door.call("library.write", ops), 500, 'LDAP Result Code 80 "Other"');
      expect(password("svc-1")).toBe(initialPassword("svc-1"));
      expectDone(await door.call("library.write", ops));
    },
  );

  it.each<["bind" | "search" | "modify", dn: string]>([
    ["bind", BIND.binddn],
    ["search", dnOf("svc-2")],
    ["modify", dnOf("svc-2")],
  ])("of the operation %s on %s wait for that entry", async (operation, dn) => {
    const { sim } = libraryWorld();
    const door = open(sim);
    sim.directory.failNext({ count: 1, operation, dn: dnOf("svc-3") });
    sim.directory.failNext({ count: 1, operation, dn });
    const written = { set_name: "ops", service_account_names: ["svc-1", "svc-2"] };
    expectRefused(await door.call("library.write", written), 500, "LDAP Result Code 53");
    expectDone(await door.call("library.write", written));
  });

  it.each<["add" | "delete"]>([["add"], ["delete"]])(
    "of the operation %s do not strike a password change",
    async (op) => {
      const { sim } = libraryWorld();
      sim.directory.failNext({ count: 1, operation: op });
      expectDone(await open(sim).call("library.write", ops));
    },
  );
});
