import { describe, expect, it } from "vitest";
import { doors, type Fields, httpDoor, typedDoor } from "../driver.ts";
import { expectData, expectEnvelope, expectNothingChanged, expectRefused } from "../expectations.ts";
import { initialPassword, libraryWorld } from "./library-world.ts";

// decisions-directory.md, 7, "Check-out" and "Status".

const ops = { set_name: "ops" };

/** The default and the maximum lease time of the mount: those of the system, 768 hours. */
const MOUNT_SECONDS = 2_764_800;

/** The table of section 7: what is lent for before the cap, by the set's `ttl` and what is requested. */
const TTL_TABLE: readonly { setTtl: number; requested: number | undefined; beforeCap: number; rule: string }[] = [
  { setTtl: 3600, requested: undefined, beforeCap: 3600, rule: "nothing requested: the set's ttl" },
  { setTtl: 3600, requested: 600, beforeCap: 600, rule: "less than the set's ttl: as requested" },
  { setTtl: 3600, requested: 3599, beforeCap: 3599, rule: "a second less than the set's ttl: as requested" },
  { setTtl: 3600, requested: 3600, beforeCap: 3600, rule: "the set's ttl: the set's ttl" },
  { setTtl: 3600, requested: 7200, beforeCap: 3600, rule: "more than the set's ttl: the set's ttl" },
  { setTtl: 3600, requested: 0, beforeCap: MOUNT_SECONDS, rule: "0: the mount's default, not the set's ttl" },
  {
    setTtl: 0,
    requested: undefined,
    beforeCap: MOUNT_SECONDS,
    rule: "set without ttl, nothing requested: the mount's",
  },
  { setTtl: 0, requested: 0, beforeCap: MOUNT_SECONDS, rule: "set without ttl, 0 requested: the mount's default" },
  { setTtl: 0, requested: 600, beforeCap: 600, rule: "set without ttl: as requested" },
  {
    setTtl: 0,
    requested: 9_999_999,
    beforeCap: 9_999_999,
    rule: "set without ttl, more than the mount's: as requested",
  },
];

/** A set's `max_ttl`: none, as small as it may be, between, and beyond the mount's maximum. */
const MAX_TTLS = [0, 3600, 86_400, 5_000_000];

const TTL_ROWS = TTL_TABLE.flatMap((row) =>
  MAX_TTLS.map((maxTtl) => {
    const cap = Math.min(MOUNT_SECONDS, maxTtl === 0 ? MOUNT_SECONDS : maxTtl);
    const seconds = Math.min(row.beforeCap, cap);
    return [`${row.rule}; max_ttl ${maxTtl}`, { ...row, maxTtl, seconds, isCapped: row.beforeCap > cap }] as const;
  }),
);

describe.each(doors())("the time of a check-out through %s", (_, { open }) => {
  it.each(TTL_ROWS)("%s", async (_rule, { setTtl, requested, maxTtl, seconds, isCapped }) => {
    const { sim, set } = libraryWorld();
    set("ops", ["svc-1"], { ttl: setTtl, max_ttl: maxTtl });
    const answer = expectEnvelope(await open(sim).call("library.checkOut", { ...ops, ttl: requested }));
    expect(answer.lease_duration).toBe(seconds);
    if (isCapped) {
      expect(answer.warnings).toEqual([expect.stringMatching(/max_ttl.*capped/)]);
    } else {
      expect(answer.warnings).toBeNull();
    }
    expect(sim.clock.pending()).toMatchObject([{ dueAtMs: sim.clock.now() + seconds * 1000 }]);
  });

  it.each<[ttl: unknown, seconds: number]>([
    ["600", 600],
    ["10m", 600],
    ["600.9s", 600],
    [null, 3600],
    ["", 86_400],
    ["0s", 86_400],
  ])("a requested ttl of %j lends for %i seconds", async (ttl, seconds) => {
    const { sim, set } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 3600 });
    expect(expectEnvelope(await open(sim).call("library.checkOut", { ...ops, ttl })).lease_duration).toBe(seconds);
  });

  it.each([[-1], ["-5m"], [1.5], ["1w"], [true], [[60]], [{}]])("a requested ttl of %j is refused", async (ttl) => {
    const { sim, set } = libraryWorld();
    set("ops", ["svc-1"]);
    await expectNothingChanged(sim, async () => {
      const answer = await open(sim).call("library.checkOut", { ...ops, ttl });
      expectRefused(answer, 400, "Field validation failed", "ttl");
    });
  });
});

describe.each(doors())("a check-out through %s", (_, { open }) => {
  it("gives a name, its password and a renewable lease", async () => {
    const { sim, set, password } = libraryWorld();
    set("ops", ["svc-1"]);
    const answer = expectEnvelope(await open(sim).call("library.checkOut", ops));
    expect(answer.data).toEqual({ service_account_name: "svc-1", password: password("svc-1") });
    expect(answer.lease_id).toMatch(/^ldap\/library\/ops\/check-out\/[0-9A-Za-z]{24}$/);
    expect(answer.renewable).toBe(true);
  });

  it("takes the first available account in the order of the set's list", async () => {
    const { sim, set, root } = libraryWorld();
    set("ops", ["svc-3", "svc-1", "svc-2"]);
    const door = open(sim);
    const lend = async (): Promise<unknown> =>
      expectData(await door.call("library.checkOut", ops))["service_account_name"];
    expect([await lend(), await lend(), await lend()]).toEqual(["svc-3", "svc-1", "svc-2"]);
    const client = sim.secrets.cluster("main").as(root).library;
    client.checkIn({ set_name: "ops", service_account_names: ["svc-2"] });
    client.checkIn({ set_name: "ops", service_account_names: ["svc-3"] });
    expect([await lend(), await lend()]).toEqual(["svc-3", "svc-2"]);
  });

  it("takes the first of more than a hundred", async () => {
    const { sim, set } = libraryWorld();
    const names = Array.from({ length: 120 }, (__, index) => `many-${index}`);
    for (const name of names) sim.directory.addEntry(`cn=${name},ou=service,dc=example,dc=com`, { cn: name });
    set("ops", names);
    const lent: unknown[] = [];
    for (const _name of names) lent.push(expectData(await open(sim).call("library.checkOut", ops)));
    expect(lent.map((data) => (data as Fields)["service_account_name"])).toEqual(names);
  });

  it("rotates nothing and needs no directory", async () => {
    const { sim, set, password, directoryUp } = libraryWorld();
    set("ops", ["svc-1"]);
    const before = password("svc-1");
    directoryUp(false);
    expect(expectData(await open(sim).call("library.checkOut", ops))["password"]).toBe(before);
    expect(password("svc-1")).toBe(before);
  });

  it("hands out the password of the last check-in", async () => {
    const { sim, set, lend, password, root } = libraryWorld();
    set("ops", ["svc-1"]);
    const created = password("svc-1");
    lend("ops");
    sim.secrets.cluster("main").as(root).library.checkIn(ops);
    const data = expectData(await open(sim).call("library.checkOut", ops));
    expect(data["password"]).toBe(password("svc-1"));
    expect(data["password"]).not.toBe(created);
    expect(data["password"]).not.toBe(initialPassword("svc-1"));
  });

  it("is refused when no account is available, and changes nothing", async () => {
    const { sim, set, lend } = libraryWorld();
    set("ops", ["svc-1"]);
    lend("ops");
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("library.checkOut", ops), 400, "No service accounts available");
    });
  });

  it("keeps the set's name in the lease id as the request spells it", async () => {
    const { sim, set } = libraryWorld();
    set("Org/Ops", ["svc-1"]);
    const { lease_id } = expectEnvelope(await open(sim).call("library.checkOut", { set_name: "ORG/ops" }));
    expect(lease_id).toMatch(/^ldap\/library\/ORG\/ops\/check-out\/[0-9A-Za-z]{24}$/);
  });

  it("at another mount begins its lease id with that mount", async () => {
    const { sim, root } = libraryWorld();
    const cluster = sim.secrets.cluster("main");
    cluster.mount("teams/dirs", { type: "ldap" });
    const engine = cluster.as(root).at("teams/dirs");
    engine.ldapConfig.write({ binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret" });
    engine.library.write({ set_name: "ops", service_account_names: ["svc-1"] });
    const { lease_id } = expectEnvelope(await open(sim).call("library.checkOut", ops, { mount: "teams/dirs" }));
    expect(lease_id).toMatch(/^teams\/dirs\/library\/ops\/check-out\/[0-9A-Za-z]{24}$/);
  });

  it("in a child namespace ends its lease id with a dot and the namespace's id", async () => {
    const { sim, root } = libraryWorld();
    const cluster = sim.secrets.cluster("main");
    const { id } = cluster.createNamespace("team");
    cluster.mount("ldap", { type: "ldap", namespace: "team" });
    const client = cluster.as(root, { namespace: "team" });
    client.ldapConfig.write({ binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret" });
    client.library.write({ set_name: "ops", service_account_names: ["svc-1"] });
    const { lease_id } = expectEnvelope(await open(sim).call("library.checkOut", ops, { namespace: "/team/" }));
    expect(lease_id).toMatch(new RegExp(`^ldap/library/ops/check-out/[0-9A-Za-z]{24}\\.${id}$`));
  });
});

describe.each(doors())("the status of a set through %s", (_, { open }) => {
  it("shows all accounts, and the borrower of those that are checked out", async () => {
    const { sim, set, lend, token } = libraryWorld();
    set("ops", ["svc-2", "svc-1"]);
    lend("ops", token({ entityId: "ann" }));
    const data = expectData(await open(sim).call("library.status", ops));
    expect(data).toEqual({
      "svc-2": {
        available: false,
        borrower_client_token: expect.stringMatching(/^[0-9a-f]{40}$/),
        borrower_entity_id: "ann",
      },
      "svc-1": { available: true },
    });
    expect(Object.keys(data)).toEqual(["svc-2", "svc-1"]);
  });

  it("shows an empty entity id of a borrower whose token has no entity", async () => {
    const { sim, set, lend, token } = libraryWorld();
    set("ops", ["svc-1"]);
    lend("ops", token());
    expect(expectData(await open(sim).call("library.status", ops))["svc-1"]).toMatchObject({ borrower_entity_id: "" });
  });

  it("shows equal borrowers of one token, others of another token of the same entity, and never a token", async () => {
    const { sim, set, lend, token } = libraryWorld();
    set("ops", ["svc-1", "svc-2", "svc-3"]);
    const [ann, other] = [token({ entityId: "ann" }), token({ entityId: "ann" })];
    for (const borrower of [ann, ann, other]) lend("ops", borrower);
    const data = expectData(await open(sim).call("library.status", ops)) as Record<string, Fields>;
    const borrowers = Object.values(data).map((account) => account["borrower_client_token"]);
    expect(borrowers[0]).toBe(borrowers[1]);
    expect(borrowers[0]).not.toBe(borrowers[2]);
    for (const borrower of borrowers) expect([ann, other]).not.toContain(borrower);
  });

  it("shows another borrower for the same token on another mount", async () => {
    const { sim, set, lend, root } = libraryWorld();
    const cluster = sim.secrets.cluster("main");
    cluster.mount("ldap2", { type: "ldap" });
    const second = cluster.as(root).at("ldap2");
    second.ldapConfig.write({ binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret" });
    second.library.write({ set_name: "ops", service_account_names: ["svc-2"] });
    second.library.checkOut(ops);
    set("ops", ["svc-1"]);
    lend("ops");
    const door = open(sim);
    const first = expectData(await door.call("library.status", ops))["svc-1"] as Fields;
    const other = expectData(await door.call("library.status", ops, { mount: "ldap2" }))["svc-2"] as Fields;
    expect(first["borrower_client_token"]).not.toBe(other["borrower_client_token"]);
  });

  it("shows an account that came back as available, and nothing else of it", async () => {
    const { sim, set, lend } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 60 });
    lend("ops");
    sim.clock.advance("60s");
    expect(expectData(await open(sim).call("library.status", ops))).toEqual({ "svc-1": { available: true } });
  });
});

describe.each(doors())("mounts through %s", (_, { open }) => {
  it("have configurations, sets and managed names of their own", async () => {
    const { sim, set } = libraryWorld();
    sim.secrets.cluster("main").mount("ldap2", { type: "ldap" });
    set("ops", ["svc-1"]);
    const door = open(sim);
    const written = { ...ops, service_account_names: ["svc-1"] };
    expectRefused(await door.call("library.write", written, { mount: "ldap2" }), 400, "config must exist");
    const config = { binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret" };
    expect((await door.call("ldapConfig.write", config, { mount: "ldap2" })).status).toBe(204);
    expect((await door.call("library.write", written, { mount: "ldap2" })).status).toBe(204);
    expect((await door.call("library.delete", ops)).status).toBe(204);
    expect(expectData(await door.call("library.read", ops, { mount: "ldap2" }))["ttl"]).toBe(86_400);
  });
});

describe("two doors to one cluster", () => {
  it("leave the same state and the same facts for the same story", async () => {
    const worlds = await Promise.all(
      [typedDoor, httpDoor()].map(async ({ open }) => {
        const { sim, token } = libraryWorld();
        const door = open(sim);
        const ann = { token: token({ entityId: "ann" }) };
        await door.call("library.write", { ...ops, service_account_names: ["svc-1", "svc-2"], max_ttl: "36h" });
        await door.call("library.checkOut", { ...ops, ttl: "10m" }, ann);
        await door.call("library.checkOut", ops, ann);
        await door.call("library.checkIn", { ...ops, service_account_names: "svc-1" }, ann);
        await door.call("library.checkIn", { ...ops, service_account_names: "svc-9" }, ann);
        sim.clock.advance("2h");
        await door.call("library.write", { ...ops, service_account_names: ["svc-2", "nobody"] });
        return { hash: sim.stateHash(), events: sim.log.events() };
      }),
    );
    expect(worlds[0]).toEqual(worlds[1]);
  });
});
