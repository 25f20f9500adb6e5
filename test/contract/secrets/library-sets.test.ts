import { describe, expect, it } from "vitest";
import { type Answer, byRule, doors, type Fields } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { BASE, dnOf, initialPassword, type LibraryWorld, libraryWorld, seedAccount } from "./library-world.ts";

// decisions-directory.md, 7, on sets: how they are written, read and deleted.

const DAY = 86_400;

/** What is wrong with a set that is written, in the order in which it is looked at. */
interface Mistake {
  readonly rule: string;
  readonly fields: Fields;
  readonly status: number;
  readonly piece: string;
  /** What else makes the mistake one. */
  readonly given?: (world: LibraryWorld) => void;
}

const ops = { set_name: "ops" };

const CREATE_MISTAKES: readonly Mistake[] = [
  { rule: "a field of the wrong type", fields: { ttl: "1w" }, status: 400, piece: "Field validation failed: ttl" },
  {
    rule: "no configuration",
    fields: {},
    given: ({ sim, root }) => sim.secrets.cluster("main").as(root).ldapConfig.delete(),
    status: 400,
    piece: "config must exist",
  },
  {
    rule: "no names",
    fields: { service_account_names: [] },
    status: 400,
    piece: '"service_account_names" must be provided',
  },
  {
    rule: "a name that is managed already",
    fields: { service_account_names: ["svc-5"] },
    given: ({ set }) => set("other", ["svc-5"]),
    status: 400,
    piece: '"svc-5" is already managed',
  },
  { rule: "an empty name", fields: { service_account_names: ["svc-4", ""] }, status: 400, piece: "must not be empty" },
  {
    rule: "a max_ttl below the ttl",
    fields: { ttl: 60, max_ttl: 59 },
    status: 400,
    piece: "may not be less than ttl",
  },
  {
    rule: "an account that the directory lacks",
    fields: { service_account_names: ["nobody"] },
    status: 500,
    piece: "expected one matching entry",
  },
];

describe.each(doors())("writing a set through %s", (_, { open }) => {
  it("a new set has a ttl and a max_ttl of a day and enforces its check-ins", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("library.write", { ...ops, service_account_names: ["svc-1"] }));
    expect(expectData(await door.call("library.read", ops))).toEqual({
      service_account_names: ["svc-1"],
      ttl: DAY,
      max_ttl: DAY,
      disable_check_in_enforcement: false,
    });
  });

  it.each<[spelling: string, names: unknown, read: readonly string[]]>([
    ["an array", ["svc-2", "svc-1"], ["svc-2", "svc-1"]],
    ["one name", "svc-1", ["svc-1"]],
    ["names with commas between them, each trimmed", " svc-1 ,svc-2,\tsvc-3", ["svc-1", "svc-2", "svc-3"]],
    ["an array whose elements stay whole", ["svc-1"], ["svc-1"]],
    ["names in another case, kept as given", ["SVC-1", "svc-2"], ["SVC-1", "svc-2"]],
  ])("the names are %s", async (_, names, read) => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("library.write", { ...ops, service_account_names: names }));
    expect(expectData(await door.call("library.read", ops))["service_account_names"]).toEqual(read);
  });

  it.each(byRule(CREATE_MISTAKES))("a set is not created with %s", async (_rule, { fields, given, status, piece }) => {
    const world = libraryWorld();
    given?.(world);
    const door = open(world.sim);
    await expectNothingChanged(world.sim, async () => {
      const written = { ...ops, service_account_names: ["svc-1"], ...fields };
      expectRefused(await door.call("library.write", written), status, piece);
    });
    expectNotFound(await door.call("library.read", ops));
  });

  it.each<[first: string, second: string, fields: Fields]>([
    ["Field validation failed", "config must exist", { service_account_names: ["svc-1"], ttl: "1w" }],
    ["config must exist", '"service_account_names" must be provided', {}],
    ['"service_account_names" must be provided', "may not be less than ttl", { ttl: 60, max_ttl: 59 }],
    ['"svc-5" is already managed', "must not be empty", { service_account_names: ["", "svc-5"] }],
    ["must not be empty", "may not be less than ttl", { service_account_names: "svc-1,", ttl: 60, max_ttl: 59 }],
    ["may not be less than ttl", "expected one", { service_account_names: ["nobody"], ttl: 60, max_ttl: 59 }],
  ])("of two mistakes, %j is told before %j", async (first, second, fields) => {
    const configured = first !== "config must exist" && second !== "config must exist";
    const { sim, set } = libraryWorld({ configured });
    if (configured) set("other", ["svc-5"]);
    const answer = await open(sim).call("library.write", { ...ops, ...fields });
    expectRefused(answer, 400, first);
    expect(answer.errors).not.toContain(second);
  });

  it.each<[rule: string, fields: Fields]>([
    ["absent", {}],
    ["null", { service_account_names: null }],
    ["an empty array", { service_account_names: [] }],
    ["an empty text", { service_account_names: "" }],
  ])("names that are %s count as not given", async (_, fields) => {
    const { sim } = libraryWorld();
    expectRefused(await open(sim).call("library.write", { ...ops, ...fields }), 400, "must be provided");
  });

  it("an empty element between commas is an empty name", async () => {
    const { sim } = libraryWorld();
    const written = { ...ops, service_account_names: "svc-1,,svc-2" };
    expectRefused(await open(sim).call("library.write", written), 400, "must not be empty");
  });

  it.each<[fields: Fields, accepted: boolean]>([
    [{ ttl: "48h" }, false],
    [{ ttl: 0 }, true],
    [{ ttl: "48h", max_ttl: 0 }, true],
    [{ ttl: "48h", max_ttl: "48h" }, true],
    [{ ttl: 0, max_ttl: 0 }, true],
    [{ ttl: 60, max_ttl: 59 }, false],
    [{ max_ttl: "12h" }, false],
    [{ max_ttl: "24h" }, true],
  ])("with the defaults filled in, %j is accepted: %s", async (fields, accepted) => {
    const { sim } = libraryWorld();
    const answer = await open(sim).call("library.write", { ...ops, service_account_names: ["svc-1"], ...fields });
    if (accepted) expectDone(answer);
    else expectRefused(answer, 400, "max_ttl may not be less than ttl");
  });

  it("creating a set rotates every listed account, in the order of the list, and makes each available", async () => {
    const { sim, password, available } = libraryWorld();
    expectDone(await open(sim).call("library.write", { ...ops, service_account_names: ["svc-2", "svc-1"] }));
    for (const account of ["svc-1", "svc-2"]) expect(password(account)).not.toBe(initialPassword(account));
    expect(password("svc-3")).toBe(initialPassword("svc-3"));
    expect(available("ops")).toEqual(["svc-2", "svc-1"]);
    const rotated = sim.log.events().filter(({ type }) => type === "DirectoryPasswordChanged");
    expect(rotated.map(({ data }) => (data as { entry: string }).entry)).toEqual([dnOf("svc-2"), dnOf("svc-1")]);
  });

  it("a creation that fails at an account leaves those before it with new passwords, and none managed", async () => {
    const { sim, password, set } = libraryWorld();
    const door = open(sim);
    const names = ["svc-1", "nobody", "svc-2"];
    expectRefused(await door.call("library.write", { ...ops, service_account_names: names }), 500, "but found 0");
    expect(password("svc-1")).not.toBe(initialPassword("svc-1"));
    expect(password("svc-2")).toBe(initialPassword("svc-2"));
    expectNotFound(await door.call("library.read", ops));
    set("other", ["svc-1", "svc-2"]);
    expect(expectData(await door.call("library.read", { set_name: "other" }))["service_account_names"]).toHaveLength(2);
  });

  it("an account is managed by one set only, and its name compares exactly", async () => {
    const { sim, set } = libraryWorld();
    set("other", ["svc-1"]);
    const door = open(sim);
    const write = (name: string): Promise<Answer> =>
      door.call("library.write", { ...ops, service_account_names: [name] });
    expectRefused(await write("svc-1"), 400, '"svc-1" is already managed');
    expectDone(await write("SVC-1"));
  });

  it("an account is sought under userdn only", async () => {
    const { sim } = libraryWorld();
    sim.directory.addEntry("cn=elsewhere,ou=people,dc=example,dc=com", { cn: "elsewhere" });
    sim.directory.addEntry(`cn=deep,ou=team,${BASE}`, { cn: "deep" });
    const door = open(sim);
    expectRefused(
      await door.call("library.write", { ...ops, service_account_names: ["elsewhere"] }),
      500,
      "expected one matching entry",
    );
    expectDone(await door.call("library.write", { ...ops, service_account_names: ["deep"] }));
  });

  it("a name that two entries have is refused with their number", async () => {
    const { sim } = libraryWorld();
    sim.directory.addEntry(`cn=twin,ou=team,${BASE}`, { cn: "svc-1" });
    const answer = await open(sim).call("library.write", { ...ops, service_account_names: ["svc-1"] });
    expectRefused(answer, 500, "1 error occurred:\n\t* ", "expected one matching entry", "2");
  });
});

describe.each(doors())("changing a set through %s", (_, { open }) => {
  const settings = { ttl: 3600, max_ttl: 7200, disable_check_in_enforcement: true };

  it.each<[sent: Fields]>([
    [{ ttl: 60 }],
    [{ max_ttl: 0 }],
    [{ disable_check_in_enforcement: false }],
    [{ service_account_names: ["svc-2", "svc-1"] }],
    [{}],
    [{ ttl: null, service_account_names: null }],
  ])("only what is sent changes: %j", async (sent) => {
    const { sim, set } = libraryWorld();
    set("ops", ["svc-1", "svc-2"], settings);
    const door = open(sim);
    expectDone(await door.call("library.write", { ...ops, ...sent }));
    const given = Object.entries(sent).filter(([, value]) => value !== null);
    expect(expectData(await door.call("library.read", ops))).toEqual({
      service_account_names: ["svc-1", "svc-2"],
      ...settings,
      ...Object.fromEntries(given),
    });
  });

  const mistakes: readonly Mistake[] = [
    { rule: "a field of the wrong type", fields: { max_ttl: -1 }, status: 400, piece: "Field validation failed" },
    {
      rule: "an added name that is managed elsewhere",
      fields: { service_account_names: ["svc-1", "svc-2", "svc-5"] },
      given: ({ set }) => set("other", ["svc-5"]),
      status: 400,
      piece: '"svc-5" is already managed',
    },
    {
      rule: "a removed name that is checked out",
      fields: { service_account_names: ["svc-2"] },
      status: 400,
      piece: '"svc-1" can\'t be deleted',
    },
    {
      rule: "an added name that is empty",
      fields: { service_account_names: ["svc-1", "svc-2", ""] },
      status: 400,
      piece: "must not be empty",
    },
    { rule: "a ttl above the stored max_ttl", fields: { ttl: 7201 }, status: 400, piece: "may not be less than ttl" },
    {
      rule: "a max_ttl below the stored ttl",
      fields: { ttl: undefined, max_ttl: 3599 },
      status: 400,
      piece: "may not be less than ttl",
    },
    {
      rule: "an added account that the directory lacks",
      fields: { service_account_names: ["svc-1", "svc-2", "nobody"] },
      status: 500,
      piece: "expected one matching entry",
    },
  ];
  it.each(byRule(mistakes))(
    "%s leaves the whole set as it was, also a ttl that is sent with it",
    async (_rule, mistake) => {
      const world = libraryWorld();
      world.set("ops", ["svc-1", "svc-2"], settings);
      world.lend("ops");
      mistake.given?.(world);
      const door = open(world.sim);
      const before = expectData(await door.call("library.read", ops));
      await expectNothingChanged(world.sim, async () => {
        expectRefused(
          await door.call("library.write", { ...ops, ttl: 1800, ...mistake.fields }),
          mistake.status,
          mistake.piece,
        );
      });
      expect(expectData(await door.call("library.read", ops))).toEqual(before);
    },
  );

  it("an empty list is no list of accounts", async () => {
    const { sim, set } = libraryWorld();
    set("ops", ["svc-1"]);
    const answer = await open(sim).call("library.write", { ...ops, service_account_names: [] });
    expectRefused(answer, 400, "at least one service account");
  });

  it("mistakes are told in order: configuration, managed elsewhere, checked out, the common checks", async () => {
    const { sim, set, lend, root } = libraryWorld();
    set("ops", ["svc-1", "svc-2"], settings);
    set("other", ["svc-5"]);
    lend("ops");
    const door = open(sim);
    const write = (service_account_names: readonly string[]): Promise<Answer> =>
      door.call("library.write", { ...ops, service_account_names, ttl: 7201 });
    expectRefused(await write(["svc-5"]), 400, "already managed");
    expectRefused(await write(["svc-2"]), 400, "can't be deleted");
    expectRefused(await write([]), 400, "can't be deleted");
    expectRefused(await write(["svc-1"]), 400, "may not be less than ttl");
    sim.secrets.cluster("main").as(root).ldapConfig.delete();
    expectRefused(await write(["svc-5"]), 400, "config must exist");
  });

  it("added accounts are rotated and available, accounts that stay keep their check-outs and passwords", async () => {
    const { sim, set, lend, available, password } = libraryWorld();
    set("ops", ["svc-1", "svc-2"]);
    lend("ops");
    const before = [password("svc-1"), password("svc-2")];
    const names = ["svc-3", "svc-2", "svc-1"];
    expectDone(await open(sim).call("library.write", { ...ops, service_account_names: names }));
    expect(available("ops")).toEqual(["svc-3", "svc-2"]);
    expect([password("svc-1"), password("svc-2")]).toEqual(before);
    expect(password("svc-3")).not.toBe(initialPassword("svc-3"));
  });

  it("a removed account is free for another set and keeps its password", async () => {
    const { sim, set, password } = libraryWorld();
    set("ops", ["svc-1", "svc-2"]);
    const before = password("svc-2");
    const door = open(sim);
    expectDone(await door.call("library.write", { ...ops, service_account_names: ["svc-1"] }));
    expect(password("svc-2")).toBe(before);
    expectDone(await door.call("library.write", { set_name: "other", service_account_names: ["svc-2"] }));
  });

  it("an addition that fails at the second account leaves the first with a new password, and unmanaged", async () => {
    const { sim, set, password } = libraryWorld();
    set("ops", ["svc-1"]);
    const door = open(sim);
    const names = ["svc-1", "svc-2", "nobody"];
    expectRefused(await door.call("library.write", { ...ops, service_account_names: names }), 500, "expected one");
    expect(password("svc-2")).not.toBe(initialPassword("svc-2"));
    expect(expectData(await door.call("library.read", ops))["service_account_names"]).toEqual(["svc-1"]);
    expectDone(await door.call("library.write", { set_name: "other", service_account_names: ["svc-2"] }));
  });

  it("leases that run keep their expiry, and a renewal takes the new values", async () => {
    const { sim, set, lend, root } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 3600, max_ttl: 7200 });
    const { lease } = lend("ops");
    const door = open(sim);
    expectDone(await door.call("library.write", { ...ops, ttl: 600, max_ttl: 1200 }));
    const client = sim.secrets.cluster("main").as(root);
    expect(client.leases.lookup({ lease_id: lease }).data.ttl).toBe(3600);
    expect(client.leases.renew({ lease_id: lease }).lease_duration).toBe(600);
    expect(client.leases.renew({ lease_id: lease, increment: 5000 }).lease_duration).toBe(1200);
  });
});

describe.each(doors())("deleting a set through %s", (_, { open }) => {
  it("frees its accounts and changes no password", async () => {
    const { sim, set, password } = libraryWorld();
    set("ops", ["svc-1", "svc-2"]);
    const before = [password("svc-1"), password("svc-2")];
    const door = open(sim);
    expectDone(await door.call("library.delete", ops));
    expectNotFound(await door.call("library.read", ops));
    expect([password("svc-1"), password("svc-2")]).toEqual(before);
    expectDone(await door.call("library.write", { set_name: "other", service_account_names: ["svc-1", "svc-2"] }));
  });

  it("is refused while an account is checked out, and nothing is deleted", async () => {
    const { sim, set, lend } = libraryWorld();
    set("ops", ["svc-1", "svc-2"]);
    lend("ops");
    const door = open(sim);
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("library.delete", ops), 400, '"svc-1" can\'t be deleted');
    });
  });

  it("of a set that is not there is done already", async () => {
    const { sim } = libraryWorld();
    await expectNothingChanged(sim, async () => expectDone(await open(sim).call("library.delete", ops)));
  });

  it("of org leaves org/dev", async () => {
    const { sim, set } = libraryWorld();
    set("org", ["svc-1"]);
    set("org/dev", ["svc-2"]);
    const door = open(sim);
    expectDone(await door.call("library.delete", { set_name: "org" }));
    expectNotFound(await door.call("library.read", { set_name: "org" }));
    expect(expectData(await door.call("library.read", { set_name: "org/dev" }))["service_account_names"]).toEqual([
      "svc-2",
    ]);
  });
});

describe.each(doors())("a set without configuration, through %s", (_, { open }) => {
  function unconfigured(): LibraryWorld {
    const world = libraryWorld();
    world.set("ops", ["svc-1", "svc-2"]);
    world.lend("ops");
    world.sim.secrets.cluster("main").as(world.root).ldapConfig.delete();
    return world;
  }

  it("is read and listed, and shows its status", async () => {
    const door = open(unconfigured().sim);
    expect(expectData(await door.call("library.read", ops))["ttl"]).toBe(DAY);
    expect(expectData(await door.call("library.list"))["keys"]).toEqual(["ops"]);
    expect(Object.keys(expectData(await door.call("library.status", ops)))).toEqual(["svc-1", "svc-2"]);
  });

  it("lends the password that is stored", async () => {
    const { sim, password } = unconfigured();
    const data = expectData(await open(sim).call("library.checkOut", ops));
    expect(data).toEqual({ service_account_name: "svc-2", password: password("svc-2") });
  });

  it.each<["library.checkIn" | "library.forceCheckIn"]>([["library.checkIn"], ["library.forceCheckIn"]])(
    "takes nothing back: %s is refused before the set is looked up",
    async (operation) => {
      const { sim } = unconfigured();
      const door = open(sim);
      for (const set_name of ["ops", "nowhere"]) {
        const names = ["svc-1"];
        const answer = await door.call(operation, { set_name, service_account_names: names });
        expectRefused(answer, 500, "1 error occurred:\n\t* ", "missing LDAP configuration");
      }
    },
  );

  it("is neither created nor changed", async () => {
    const door = open(unconfigured().sim);
    expectRefused(await door.call("library.write", { ...ops, ttl: 60 }), 400, "config must exist");
    const other = { set_name: "other", service_account_names: ["svc-3"] };
    expectRefused(await door.call("library.write", other), 400, "config must exist");
  });

  it("can be deleted when nothing is lent", async () => {
    const { sim, set, root } = libraryWorld();
    set("ops", ["svc-1"]);
    sim.secrets.cluster("main").as(root).ldapConfig.delete();
    const door = open(sim);
    expectDone(await door.call("library.delete", ops));
    expectNotFound(await door.call("library.list"));
  });
});

describe.each(doors())("names of sets through %s", (_, { open }) => {
  const bob = ["svc-1"];

  it("Foo and foo are one set, which is listed as foo", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("library.write", { set_name: "Foo/Bar", service_account_names: bob }));
    expect(expectData(await door.call("library.list", { prefix: "FOO" }))["keys"]).toEqual(["bar"]);
    expect(expectData(await door.call("library.read", { set_name: "fOO/bar" }))["service_account_names"]).toEqual(bob);
    expectDone(await door.call("library.delete", { set_name: "FOO/BAR" }));
    expectNotFound(await door.call("library.list"));
  });

  it.each(["a", "_", "7", "a.b", "a-b", "a/b", "a..b", "a_b/c.d-e", "constructor", "prototype", "a".repeat(500)])(
    "%s is one",
    async (set_name) => {
      const { sim } = libraryWorld();
      const door = open(sim);
      expectDone(await door.call("library.write", { set_name, service_account_names: bob }));
      expect(expectData(await door.call("library.read", { set_name }))["service_account_names"]).toEqual(bob);
      expect(expectData(await door.call("library.status", { set_name }))).toEqual({ "svc-1": { available: true } });
      expectData(await door.call("library.checkOut", { set_name }));
      expect(expectData(await door.call("library.checkIn", { set_name }))["check_ins"]).toEqual(bob);
    },
  );

  it.each(["-a", "a-", ".a", "a.", "a//b", "a b", "a%b", "ä", "a:b", "a\\b", "a*", "a+b", "a,b", "a?b", "a#b"])(
    "%j is none, whatever is done with it",
    async (set_name) => {
      const { sim } = libraryWorld();
      const door = open(sim);
      await expectNothingChanged(sim, async () => {
        for (const operation of [
          "library.read",
          "library.delete",
          "library.status",
          "library.checkOut",
          "library.checkIn",
          "library.forceCheckIn",
        ] as const) {
          expectRefused(await door.call(operation, { set_name }), 404, "1 error occurred:\n\t* unsupported path");
        }
        const written = { set_name, service_account_names: bob, ttl: "1w" };
        expectRefused(await door.call("library.write", written), 404, "unsupported path");
      });
    },
  );
});

describe.each(doors())("LIST of sets through %s", (_, { open }) => {
  const sets = ["b", "org", "org/dev", "org/dev/eu", "org/dev/us", "org/prod/eu", "org-x", "_z", "Zeta", "9"];

  function listed(): LibraryWorld {
    const world = libraryWorld();
    for (const [index, name] of sets.entries()) {
      seedAccount(world.sim, `a-${index}`);
      world.set(name, [`a-${index}`]);
    }
    return world;
  }

  it.each<[prefix: string | undefined, keys: readonly string[] | undefined]>([
    [undefined, ["9", "_z", "b", "org", "org-x", "org/", "zeta"]],
    ["org", ["dev", "dev/", "prod/"]],
    ["ORG", ["dev", "dev/", "prod/"]],
    ["org/dev", ["eu", "us"]],
    ["org/prod", ["eu"]],
    ["org/prod/eu", undefined],
    ["b", undefined],
    ["or", undefined],
    ["nowhere", undefined],
  ])("of %s shows the immediate children in byte order: %j", async (prefix, keys) => {
    const door = open(listed().sim);
    const answer = await door.call("library.list", { prefix });
    if (keys === undefined) expectNotFound(answer);
    else expect(expectData(answer)).toEqual({ keys });
  });

  it("of nothing is not found, also when the last set was just deleted", async () => {
    const { sim, set } = libraryWorld();
    const door = open(sim);
    expectNotFound(await door.call("library.list"));
    set("ops", ["svc-1"]);
    expect(expectData(await door.call("library.list"))["keys"]).toEqual(["ops"]);
    expectDone(await door.call("library.delete", ops));
    expectNotFound(await door.call("library.list"));
  });

  it("takes a slash behind its prefix", async () => {
    const door = open(listed().sim);
    expect(expectData(await door.call("library.list", { prefix: "org/dev/" }))["keys"]).toEqual(["eu", "us"]);
  });
});

describe.each(doors())("a set that is not there, through %s", (_, { open }) => {
  it("is 404 when it is read", async () => {
    expectNotFound(await open(libraryWorld().sim).call("library.read", { set_name: "x" }));
  });

  it.each<["library.status" | "library.checkOut" | "library.checkIn" | "library.forceCheckIn"]>([
    ["library.status"],
    ["library.checkOut"],
    ["library.checkIn"],
    ["library.forceCheckIn"],
  ])("is 400 in %s", async (operation) => {
    const answer = await open(libraryWorld().sim).call(operation, { set_name: "x" });
    expectRefused(answer, 400, '"x" doesn\'t exist');
  });
});
