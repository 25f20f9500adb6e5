import { describe, expect, it } from "vitest";
import { doors } from "../driver.ts";
import { expectData, expectDone, expectEnvelope, expectRefused } from "../expectations.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-directory.md, 7, "Leases of check-outs": what the real service does, offered as a quirk.

const ops = { set_name: "ops" };

function quirky(): LibraryWorld {
  const world = libraryWorld({ options: { secrets: { quirks: ["check-in-keeps-lease"] } } });
  world.set("ops", ["svc-1"], { ttl: 3600, max_ttl: 7200 });
  return world;
}

describe.each(doors())("the quirk check-in-keeps-lease, through %s", (_, { open }) => {
  it("lets the lease run on after an explicit check-in", async () => {
    const { sim, lend } = quirky();
    const { lease } = lend("ops");
    const door = open(sim);
    expect(expectData(await door.call("library.checkIn", ops))).toEqual({ check_ins: ["svc-1"] });
    expect(expectData(await door.call("leases.lookup", { lease_id: lease }))["ttl"]).toBe(3600);
    expect(sim.clock.pending()).toHaveLength(1);
  });

  it("at its expiry takes the account from whoever has it by then, with a new password", async () => {
    const { sim, lend, token, password, available } = quirky();
    const door = open(sim);
    lend("ops");
    await door.call("library.checkIn", ops);
    sim.clock.advance("30m");
    const ann = token();
    const { lease } = lend("ops", ann);
    const before = password("svc-1");
    sim.clock.advance("30m");
    expect(available("ops")).toEqual(["svc-1"]);
    expect(password("svc-1")).not.toBe(before);
    expect(expectData(await door.call("leases.lookup", { lease_id: lease }))["ttl"]).toBe(1800);
    expect(expectData(await door.call("library.checkIn", ops, { token: ann }))).toEqual({ check_ins: [] });
  });

  it("at its expiry rotates an available account once more", async () => {
    const { sim, lend, password, available } = quirky();
    lend("ops");
    await open(sim).call("library.checkIn", ops);
    const before = password("svc-1");
    sim.clock.advance("1h");
    expect(available("ops")).toEqual(["svc-1"]);
    expect(password("svc-1")).not.toBe(before);
    expect(sim.clock.pending()).toEqual([]);
  });

  it("refuses to renew the lease of an account that was checked in", async () => {
    const { sim, lend } = quirky();
    const { lease } = lend("ops");
    const door = open(sim);
    await door.call("library.checkIn", ops);
    const answer = await door.call("leases.renew", { lease_id: lease });
    expectRefused(answer, 400, "failed to renew entry");
    expect(answer.errors).toMatch(/^failed to renew entry/);
  });

  it("renews it when somebody has checked the account out again", async () => {
    const { sim, lend, token } = quirky();
    const { lease } = lend("ops");
    const door = open(sim);
    await door.call("library.checkIn", ops);
    lend("ops", token());
    sim.clock.advance("30m");
    expect(expectEnvelope(await door.call("leases.renew", { lease_id: lease })).lease_duration).toBe(3600);
  });

  it("rotates the account once more after its set was deleted, and nothing else shows", async () => {
    const { sim, lend, password, root } = quirky();
    lend("ops");
    const door = open(sim);
    await door.call("library.checkIn", ops);
    expectDone(await door.call("library.delete", ops));
    const before = password("svc-1");
    sim.clock.advance("1h");
    expect(password("svc-1")).not.toBe(before);
    expect(sim.clock.pending()).toEqual([]);
    const { library } = sim.secrets.cluster("main").as(root);
    library.write({ set_name: "ops", service_account_names: ["svc-1"] });
    expect(library.status(ops).data).toEqual({ "svc-1": { available: true } });
  });

  it("rotates the account once more after it was removed from its set", async () => {
    const { sim, lend, password } = quirky();
    lend("ops");
    const door = open(sim);
    await door.call("library.checkIn", ops);
    expectDone(await door.call("library.write", { ...ops, service_account_names: ["svc-2"] }));
    const before = [password("svc-1"), password("svc-2")];
    sim.clock.advance("1h");
    expect(password("svc-1")).not.toBe(before[0]);
    expect(password("svc-2")).toBe(before[1]);
  });

  it("revoking the lease that runs on is a check-in of whoever has the account", async () => {
    const { sim, lend, token, available } = quirky();
    const { lease } = lend("ops");
    const door = open(sim);
    await door.call("library.checkIn", ops);
    lend("ops", token());
    expect(available("ops")).toEqual([]);
    expectDone(await door.call("leases.revoke", { lease_id: lease }));
    expect(available("ops")).toEqual(["svc-1"]);
  });

  it("is off by default: then a check-in ends its lease, and no later borrower loses the account", async () => {
    const { sim, set, lend, token, available } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 3600 });
    const { lease } = lend("ops");
    const door = open(sim);
    await door.call("library.checkIn", ops);
    expectRefused(await door.call("leases.renew", { lease_id: lease }), 400, "lease not found");
    sim.clock.advance("30m");
    lend("ops", token());
    sim.clock.advance("30m");
    expect(available("ops")).toEqual([]);
    sim.clock.advance("30m");
    expect(available("ops")).toEqual(["svc-1"]);
  });
});
