import { describe, expect, it } from "vitest";
import { doors, type Fields } from "../driver.ts";
import {
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-secrets-core.md, A.9; decisions-directory.md, 7 "Leases of check-outs" and 9.

/** A set of an hour, renewable up to two, and a lease of its first account. */
function lent(settings: Fields = { ttl: 3600, max_ttl: 7200 }): LibraryWorld & { readonly lease_id: string } {
  const world = libraryWorld();
  world.set("ops", ["svc-1", "svc-2"], settings);
  return { ...world, lease_id: world.lend("ops").lease };
}

const UNKNOWN = "ldap/library/ops/check-out/000000000000000000000000";

describe.each(doors())("looking up a lease through %s", (_, { open }) => {
  it("shows its times, of which the last renewal is null at first", async () => {
    const { sim, lease_id } = lent();
    sim.clock.advance("10m");
    expect(expectData(await open(sim).call("leases.lookup", { lease_id }))).toEqual({
      id: lease_id,
      issue_time: "2026-01-01T00:00:00Z",
      expire_time: "2026-01-01T01:00:00Z",
      last_renewal: null,
      renewable: true,
      ttl: 3000,
    });
  });

  it("shows when it was renewed last, and the new expiry", async () => {
    const { sim, lease_id } = lent();
    sim.clock.advance("10m500ms");
    const door = open(sim);
    expectEnvelope(await door.call("leases.renew", { lease_id }));
    sim.clock.advance(250);
    expect(expectData(await door.call("leases.lookup", { lease_id }))).toEqual({
      id: lease_id,
      issue_time: "2026-01-01T00:00:00Z",
      expire_time: "2026-01-01T01:10:00.5Z",
      last_renewal: "2026-01-01T00:10:00.5Z",
      renewable: true,
      ttl: 3599,
    });
  });

  it.each<[rule: string, end: (world: ReturnType<typeof lent>) => void]>([
    ["expired", ({ sim }) => sim.clock.advance("1h")],
    ["was revoked", ({ sim, root, lease_id }) => sim.secrets.cluster("main").as(root).leases.revoke({ lease_id })],
    ["was checked in", ({ sim, root }) => sim.secrets.cluster("main").as(root).library.checkIn({ set_name: "ops" })],
    [
      "expired, and waits to be revoked",
      ({ sim, directoryUp }) => {
        directoryUp(false);
        sim.clock.advance("1h");
      },
    ],
  ])("that %s is refused", async (_rule, end) => {
    const world = lent();
    end(world);
    const { sim, lease_id } = world;
    expectRefused(await open(sim).call("leases.lookup", { lease_id }), 400, "invalid lease");
  });

  it.each([[UNKNOWN], ["x"], ["constructor"], [5]])("that is none (%j) is refused", async (lease_id) => {
    expectRefused(await open(lent().sim).call("leases.lookup", { lease_id }), 400, "invalid lease");
  });

  it.each(["lookup", "renew", "revoke"] as const)("without a lease_id is refused in %s", async (verb) => {
    const { sim } = lent();
    const door = open(sim);
    await expectNothingChanged(sim, async () => {
      expect((await door.call(`leases.${verb}`)).status).toBe(400);
      expect((await door.call(`leases.${verb}`, { lease_id: "" })).status).toBe(400);
      expect((await door.call(`leases.${verb}`, { lease_id: null })).status).toBe(400);
    });
  });
});

describe.each(doors())("renewing a lease through %s", (_, { open }) => {
  it.each<[settings: Fields, afterSeconds: number, increment: unknown, seconds: number, isCapped: boolean]>([
    [{ ttl: 3600, max_ttl: 7200 }, 600, undefined, 3600, false],
    [{ ttl: 3600, max_ttl: 7200 }, 600, 0, 3600, false],
    [{ ttl: 3600, max_ttl: 7200 }, 600, "", 3600, false],
    [{ ttl: 3600, max_ttl: 7200 }, 600, null, 3600, false],
    [{ ttl: 3600, max_ttl: 7200 }, 600, 60, 60, false],
    [{ ttl: 3600, max_ttl: 7200 }, 600, "1h40m", 6000, false],
    [{ ttl: 3600, max_ttl: 7200 }, 600, 6600, 6600, false],
    [{ ttl: 3600, max_ttl: 7200 }, 600, 6601, 6600, true],
    [{ ttl: 3600, max_ttl: 7200 }, 3599, "30d", 3601, true],
    [{ ttl: 3600, max_ttl: 3600 }, 1, undefined, 3599, true],
    [{ ttl: 0, max_ttl: 0 }, 0, undefined, 2_764_800, false],
    [{ ttl: 0, max_ttl: 0 }, 100, undefined, 2_764_700, true],
    [{ ttl: 3600, max_ttl: 0 }, 100, "40d", 2_764_700, true],
    [{ ttl: 0, max_ttl: 7200 }, 100, undefined, 7100, true],
  ])("%j, %i s after the check-out, increment %j: %i s, capped: %s", async (...row) => {
    const [settings, afterSeconds, increment, seconds, isCapped] = row;
    const { sim, lease_id, available } = lent(settings);
    sim.clock.advance(afterSeconds * 1000);
    const answer = expectEnvelope(await open(sim).call("leases.renew", { lease_id, increment }));
    expect(answer).toMatchObject({ lease_id, renewable: true, lease_duration: seconds, data: null });
    expect(answer.warnings).toEqual(isCapped ? [expect.stringMatching(/max_ttl.*capped/)] : null);
    sim.clock.advance(seconds * 1000 - 1);
    expect(available("ops")).toEqual(["svc-2"]);
    sim.clock.advance(1);
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
  });

  it("counts from now, and may shorten the lease", async () => {
    const { sim, lease_id } = lent();
    sim.clock.advance("1m");
    expectEnvelope(await open(sim).call("leases.renew", { lease_id, increment: 1 }));
    expect(sim.clock.pending()).toEqual([expect.objectContaining({ dueAtMs: sim.clock.now() + 1000 })]);
  });

  it("may exceed the set's ttl, up to max_ttl counted from the check-out in whole seconds", async () => {
    const { sim, lease_id, available } = lent();
    const issuedAtMs = sim.clock.now();
    sim.clock.advance(1500);
    const answer = expectEnvelope(await open(sim).call("leases.renew", { lease_id, increment: "3h" }));
    expect(sim.clock.pending()).toEqual([expect.objectContaining({ dueAtMs: issuedAtMs + 7_200_500 })]);
    expect(answer.lease_duration).toBe(7199);
    sim.clock.advance("2h");
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
  });

  it("within the second of its issue gives all of its time, and warns of nothing", async () => {
    const { sim, lease_id } = lent();
    sim.clock.advance(999);
    const answer = expectEnvelope(await open(sim).call("leases.renew", { lease_id, increment: "2h" }));
    expect(answer).toMatchObject({ lease_duration: 7200, warnings: null });
  });

  it("of a batch token's lease never promises more than the token has left", async () => {
    const { sim } = lent();
    const batch = { type: "batch", ttl: "10m" } as const;
    const main = sim.secrets.cluster("main");
    main.writePolicy("default-lender", 'path "ldap/library/*" { capabilities = ["update", "read"] }');
    const lender = { token: main.createToken({ policies: ["default-lender"], ...batch }).token };
    const made = expectEnvelope(await open(sim).call("library.checkOut", { set_name: "ops" }, lender));
    expect(made.lease_duration).toBe(600);
    sim.clock.advance("1m");
    const again = { lease_id: made.lease_id, increment: "2h" };
    expect(expectEnvelope(await open(sim).call("leases.renew", again)).lease_duration).toBe(540);
  });

  it("of a lease past a maximum that was lowered meanwhile is refused", async () => {
    const { sim, root, lease_id } = lent();
    sim.clock.advance("10m");
    const { library } = sim.secrets.cluster("main").as(root);
    library.write({ set_name: "ops", ttl: 60, max_ttl: 600 });
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("leases.renew", { lease_id }), 400, "past the max TTL");
    });
  });

  it.each([[UNKNOWN], ["x"]])("that is none (%j) is refused", async (lease_id) => {
    expectRefused(await open(lent().sim).call("leases.renew", { lease_id }), 400, "lease not found");
  });

  it.each([[-1], ["-1h"], [1.5], ["soon"], [{}]])("by %j is refused", async (increment) => {
    const { sim, lease_id } = lent();
    await expectNothingChanged(sim, async () => {
      const answer = await open(sim).call("leases.renew", { lease_id, increment });
      expectRefused(answer, 400, "Field validation failed", "increment");
    });
  });

  it("that has expired is refused, also while its revocation is tried again", async () => {
    const { sim, lease_id, directoryUp } = lent();
    directoryUp(false);
    sim.clock.advance("1h");
    expect((await open(sim).call("leases.renew", { lease_id })).status).toBe(400);
  });

  it("is refused at the very instant of its expiry", async () => {
    const { sim, lease_id } = lent();
    sim.clock.advance(3_600_000 - 1);
    const door = open(sim.fork());
    expectEnvelope(await door.call("leases.renew", { lease_id }));
    sim.clock.advance(1);
    expectRefused(await open(sim).call("leases.renew", { lease_id }), 400, "lease not found");
  });

  it("by another token than the borrower's is no matter: leases ask for permission only", async () => {
    const { sim, lease_id, token } = lent();
    expectEnvelope(await open(sim).call("leases.renew", { lease_id }, { token: token() }));
  });
});

describe.each(doors())("the expiry of a lease, with check-outs through %s", (_, { open }) => {
  it("checks the account in at exactly issue time + lease_duration, with a new password", async () => {
    const { sim, set, password, available } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 90 });
    const answer = expectEnvelope(await open(sim).call("library.checkOut", { set_name: "ops" }));
    const before = password("svc-1");
    sim.clock.advance(answer.lease_duration * 1000 - 1);
    expect(available("ops")).toEqual([]);
    const fired = sim.clock.advance(1);
    expect(fired).toHaveLength(1);
    expect(available("ops")).toEqual(["svc-1"]);
    expect(password("svc-1")).not.toBe(before);
    expect(sim.clock.pending()).toEqual([]);
  });

  it("asks nobody: neither borrower nor enforcement matter", async () => {
    const { sim, set, token, available } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 90, disable_check_in_enforcement: false });
    await open(sim).call("library.checkOut", { set_name: "ops" }, { token: token({ entityId: "ann" }) });
    sim.clock.advance("90s");
    expect(available("ops")).toEqual(["svc-1"]);
  });
});

describe.each(doors())("revoking a lease through %s", (_, { open }) => {
  it.each<[sync: unknown, status: number]>([
    [undefined, 204],
    [true, 204],
    ["true", 204],
    [null, 204],
    [false, 202],
    ["false", 202],
  ])("with sync %j answers %i, and the account is back by then", async (sync, status) => {
    const { sim, lease_id, available, password } = lent();
    const before = password("svc-1");
    const answer = await open(sim).call("leases.revoke", { lease_id, sync });
    expect(answer.status).toBe(status);
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
    expect(password("svc-1")).not.toBe(before);
    expect(sim.clock.pending()).toEqual([]);
  });

  it("is a check-in whoever asks", async () => {
    const { sim, lease_id, token, available } = lent();
    expectDone(await open(sim).call("leases.revoke", { lease_id }, { token: token() }));
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
  });

  it.each<[sync: boolean, status: number]>([
    [true, 204],
    [false, 202],
  ])("of an unknown lease with sync %s is %i", async (sync, status) => {
    const { sim } = lent();
    await expectNothingChanged(sim, async () => {
      const answer = await open(sim).call("leases.revoke", { lease_id: UNKNOWN, sync });
      expect(answer.status).toBe(status);
    });
  });

  it("that fails is 400, and the lease stays and is tried again", async () => {
    const { sim, lease_id, available, directoryUp } = lent();
    directoryUp(false);
    expect((await open(sim).call("leases.revoke", { lease_id })).status).toBe(400);
    expect(available("ops")).toEqual(["svc-2"]);
    expect(expectData(await open(sim).call("leases.lookup", { lease_id }))["id"]).toBe(lease_id);
    directoryUp(true);
    sim.clock.advance("20s");
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
  });

  it("that fails afterwards is 202 all the same, and tried again", async () => {
    const { sim, lease_id, available, directoryUp } = lent();
    directoryUp(false);
    expect((await open(sim).call("leases.revoke", { lease_id, sync: false })).status).toBe(202);
    expect(available("ops")).toEqual(["svc-2"]);
    directoryUp(true);
    sim.clock.advance("20s");
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
  });

  it("that failed once can be revoked by hand as soon as the directory is back", async () => {
    const { sim, lease_id, available, directoryUp } = lent();
    directoryUp(false);
    await open(sim).call("leases.revoke", { lease_id });
    directoryUp(true);
    expectDone(await open(sim).call("leases.revoke", { lease_id }));
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
    expect(sim.clock.pending()).toEqual([]);
  });
});

describe.each(doors())("listing leases through %s", (_, { open }) => {
  function many(): LibraryWorld {
    const world = libraryWorld();
    world.set("ops", ["svc-1", "svc-2"]);
    world.set("ops/eu", ["svc-3"]);
    world.set("opsx", ["svc-4"]);
    for (const set of ["ops", "ops", "ops/eu", "opsx"]) world.lend(set);
    return world;
  }

  it.each<[prefix: string | undefined, keys: unknown]>([
    [undefined, ["ldap/"]],
    ["ldap", ["library/"]],
    ["ldap/library", ["ops/", "opsx/"]],
    ["ldap/library/", ["ops/", "opsx/"]],
    ["ldap/library/ops", ["check-out/", "eu/"]],
    ["ldap/library/ops/check-out", [expect.stringMatching(/^\w{24}$/), expect.stringMatching(/^\w{24}$/)]],
  ])("below %s shows the next segments", async (prefix, keys) => {
    const { sim } = many();
    expect(expectData(await open(sim).call("leases.list", { prefix }))).toEqual({ keys });
  });

  it.each(["ldap/library/op", "nowhere", "ldap/library/ops/check-in"])("below %s is not found", async (prefix) => {
    expectNotFound(await open(many().sim).call("leases.list", { prefix }));
  });

  it("needs sudo", async () => {
    const { sim } = many();
    const cluster = sim.secrets.cluster("main");
    cluster.writePolicy("lists", 'path "sys/leases/lookup/*" { capabilities = ["list"] }');
    cluster.writePolicy("lists-all", 'path "sys/leases/lookup/*" { capabilities = ["list", "sudo"] }');
    const door = open(sim);
    const plain = cluster.createToken({ policies: ["lists"] });
    const mighty = cluster.createToken({ policies: ["lists-all"] });
    expectRefused(await door.call("leases.list", { prefix: "ldap" }, plain), 403, "permission denied");
    expectData(await door.call("leases.list", { prefix: "ldap" }, mighty));
  });
});

describe.each(doors())("revoking leases by prefix through %s", (_, { open }) => {
  function many(): LibraryWorld {
    const world = libraryWorld();
    world.set("ops", ["svc-1", "svc-2"]);
    world.set("ops/eu", ["svc-3"]);
    world.set("opsx", ["svc-4"]);
    for (const set of ["ops", "ops", "ops/eu", "opsx"]) world.lend(set);
    return world;
  }
  const PREFIX = "ldap/library/ops";

  function lentAccounts({ available }: LibraryWorld): readonly string[] {
    const free = new Set(["ops", "ops/eu", "opsx"].flatMap((set) => available(set)));
    return ["svc-1", "svc-2", "svc-3", "svc-4"].filter((account) => !free.has(account));
  }

  it.each<["leases.revokePrefix" | "leases.revokeForce"]>([["leases.revokePrefix"], ["leases.revokeForce"]])(
    "%s ends all leases below a path, and none beside it",
    async (operation) => {
      const world = many();
      expectDone(await open(world.sim).call(operation, { prefix: PREFIX }));
      expect(lentAccounts(world)).toEqual(["svc-4"]);
    },
  );

  it.each<["leases.revokePrefix" | "leases.revokeForce"]>([["leases.revokePrefix"], ["leases.revokeForce"]])(
    "%s of a prefix without leases is done",
    async (operation) => {
      const world = many();
      await expectNothingChanged(world.sim, async () => {
        expectDone(await open(world.sim).call(operation, { prefix: "ldap/library/op" }));
        expectDone(await open(world.sim).call(operation, { prefix: "nowhere" }));
      });
      expect(lentAccounts(world)).toHaveLength(4);
    },
  );

  it.each<["leases.revokePrefix" | "leases.revokeForce"]>([["leases.revokePrefix"], ["leases.revokeForce"]])(
    "%s of the whole id of a lease ends that lease",
    async (operation) => {
      const world = libraryWorld();
      world.set("ops", ["svc-1", "svc-2"]);
      const { lease } = world.lend("ops");
      world.lend("ops");
      expectDone(await open(world.sim).call(operation, { prefix: lease }));
      expect(world.available("ops")).toEqual(["svc-1"]);
    },
  );

  it("revoke-prefix that fails is 400: what was revoked before stays revoked, the rest is tried again", async () => {
    const world = many();
    world.sim.directory.failNext({ count: 1, dn: "cn=svc-3,ou=service,dc=example,dc=com" });
    expect((await open(world.sim).call("leases.revokePrefix", { prefix: PREFIX })).status).toBe(400);
    expect(lentAccounts(world)).toContain("svc-3");
    world.sim.clock.advance("20s");
    expect(lentAccounts(world)).not.toContain("svc-3");
  });

  it("revoke-force drops a lease whose revocation fails: the account stays lent, and nothing tries again", async () => {
    const world = many();
    world.directoryUp(false);
    expectDone(await open(world.sim).call("leases.revokeForce", { prefix: PREFIX }));
    expect(lentAccounts(world)).toHaveLength(4);
    expect(world.sim.clock.pending()).toHaveLength(1);
    world.directoryUp(true);
    const asked = { set_name: "ops", service_account_names: ["svc-1"] };
    expect(expectData(await open(world.sim).call("library.forceCheckIn", asked))).toEqual({ check_ins: ["svc-1"] });
  });

  it.each<["leases.revokePrefix" | "leases.revokeForce", path: string]>([
    ["leases.revokePrefix", "revoke-prefix"],
    ["leases.revokeForce", "revoke-force"],
  ])("%s needs update and sudo", async (operation, path) => {
    const world = many();
    const cluster = world.sim.secrets.cluster("main");
    const door = open(world.sim);
    for (const [capabilities, allowed] of [
      ['"update"', false],
      ['"sudo"', false],
      ['"create", "sudo"', false],
      ['"update", "sudo"', true],
    ] as const) {
      cluster.writePolicy("revokes", `path "sys/leases/${path}/*" { capabilities = [${capabilities}] }`);
      const answer = await door.call(operation, { prefix: PREFIX }, cluster.createToken({ policies: ["revokes"] }));
      if (allowed) expectDone(answer);
      else expectRefused(answer, 403, "permission denied");
    }
  });
});

describe.each(doors())("leases of namespaces through %s", (_, { open }) => {
  function two(): LibraryWorld & { readonly here: string; readonly there: string } {
    const world = libraryWorld();
    const cluster = world.sim.secrets.cluster("main");
    cluster.createNamespace("team");
    cluster.mount("ldap", { type: "ldap", namespace: "team" });
    const client = cluster.as(world.root, { namespace: "team" });
    client.ldapConfig.write({ binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret" });
    client.library.write({ set_name: "ops", service_account_names: ["svc-2"] });
    const there = client.library.checkOut({ set_name: "ops" }).lease_id;
    world.set("ops", ["svc-1"]);
    return { ...world, here: world.lend("ops").lease, there };
  }

  it("each namespace looks up, renews and revokes its own only", async () => {
    const { sim, here, there } = two();
    const door = open(sim);
    const team = { namespace: "team" };
    expectRefused(await door.call("leases.lookup", { lease_id: there }), 400, "invalid lease");
    expectRefused(await door.call("leases.lookup", { lease_id: here }, team), 400, "invalid lease");
    expectRefused(await door.call("leases.renew", { lease_id: here }, team), 400, "lease not found");
    expectRefused(await door.call("leases.renew", { lease_id: there }), 400, "lease not found");
    await expectNothingChanged(sim, async () => {
      expectDone(await door.call("leases.revoke", { lease_id: here }, team));
      expectDone(await door.call("leases.revoke", { lease_id: there }));
    });
    expect(expectData(await door.call("leases.lookup", { lease_id: there }, team))["id"]).toBe(there);
  });

  it("each namespace lists its own only", async () => {
    const { sim, here, there } = two();
    const door = open(sim);
    const prefix = "ldap/library/ops/check-out";
    const last = (id: string): unknown => id.split("/").at(-1);
    expect(expectData(await door.call("leases.list", { prefix }))).toEqual({ keys: [last(here)] });
    expect(expectData(await door.call("leases.list", { prefix }, { namespace: "team" }))).toEqual({
      keys: [last(there)],
    });
  });

  it("a prefix means the leases of the request's namespace only", async () => {
    const { sim, there } = two();
    const door = open(sim);
    expectDone(await door.call("leases.revokePrefix", { prefix: "ldap" }));
    expectNotFound(await door.call("leases.list"));
    expect(expectData(await door.call("leases.lookup", { lease_id: there }, { namespace: "team" }))["id"]).toBe(there);
  });
});

describe.each(doors())("a revocation that keeps failing, looked at through %s", (_, { open }) => {
  /** Attempts: at the expiry, then 20, 40, 80, 160 and 320 seconds after the one before. */
  const ATTEMPTS_SECONDS = [0, 20, 60, 140, 300, 620];

  it("is tried again after 20, 40, 80, 160 and 320 s, and is irrevocable after the sixth attempt", async () => {
    const { sim, lease_id, directoryUp } = lent();
    directoryUp(false);
    const expiryMs = sim.clock.now() + 3_600_000;
    const fired = sim.clock.advance("30d");
    expect(fired.map(({ dueAtMs }) => (dueAtMs - expiryMs) / 1000)).toEqual(ATTEMPTS_SECONDS);
    expect(sim.clock.pending()).toEqual([]);
    expectRefused(await open(sim).call("leases.lookup", { lease_id }), 400, "invalid lease");
  });

  it.each(ATTEMPTS_SECONDS.map((seconds, index) => [seconds, index] as const))(
    "that is mended before the attempt %i s after the expiry, ends there",
    async (seconds, index) => {
      const { sim, available, directoryUp } = lent();
      directoryUp(false);
      const before = index === 0 ? -1 : (ATTEMPTS_SECONDS[index - 1] ?? 0);
      sim.clock.advance(3_600_000 + before * 1000);
      expect(available("ops")).toEqual(["svc-2"]);
      directoryUp(true);
      sim.clock.advance((seconds - before) * 1000 - 1);
      expect(available("ops")).toEqual(["svc-2"]);
      sim.clock.advance(1);
      expect(available("ops")).toEqual(["svc-1", "svc-2"]);
      expect(sim.clock.pending()).toEqual([]);
      expectNotFound(await open(sim).call("leases.list"));
    },
  );

  it("each attempt makes a new password", async () => {
    const { sim, directoryUp, password } = lent();
    directoryUp(false);
    sim.clock.advance("1h");
    const fork = sim.fork();
    fork.directory.setAvailable(true);
    fork.clock.advance("20s");
    directoryUp(true);
    sim.clock.advance("20s");
    const dn = "cn=svc-1,ou=service,dc=example,dc=com";
    expect(fork.directory.entry(dn)?.attributes["userPassword"]).toEqual([password("svc-1")]);
    await open(sim).call("leases.list");
  });

  it("leaves the account to an explicit check-in, which ends the lease and its retries", async () => {
    const { sim, available, directoryUp } = lent();
    directoryUp(false);
    sim.clock.advance("1h");
    directoryUp(true);
    expect(expectData(await open(sim).call("library.checkIn", { set_name: "ops" }))).toEqual({ check_ins: ["svc-1"] });
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
    expect(sim.clock.pending()).toEqual([]);
    expectNotFound(await open(sim).call("leases.list"));
  });

  it("is irrevocable, not renewable, and still revoked by hand", async () => {
    const { sim, lease_id, available, directoryUp } = lent({ ttl: 0, max_ttl: 0 });
    const door = open(sim);
    directoryUp(false);
    await door.call("leases.revoke", { lease_id });
    sim.clock.advance("1h");
    expect(sim.clock.pending()).toEqual([]);
    directoryUp(true);
    expect(expectData(await door.call("leases.lookup", { lease_id }))["renewable"]).toBe(false);
    expectRefused(await door.call("leases.renew", { lease_id }), 400, "lease is not renewable");
    expect(available("ops")).toEqual(["svc-2"]);
    expectDone(await door.call("leases.revoke", { lease_id }));
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
  });

  it("stays irrevocable when it is revoked by hand in vain", async () => {
    const { sim, lease_id, directoryUp } = lent();
    directoryUp(false);
    sim.clock.advance("2h");
    expect((await open(sim).call("leases.revoke", { lease_id })).status).toBe(400);
    expect(sim.clock.pending()).toEqual([]);
  });
});
