import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { doors } from "../driver.ts";
import { expectData, expectDone, expectEnvelope, expectRefused } from "../expectations.ts";
import { dnOf, libraryWorld } from "./library-world.ts";
import { snapshotWorld, urlsIn } from "./snapshot-world.ts";

// Rules of amendments.md that no test of a family is about.

const YEAR_SECONDS = 31_536_000;

describe.each(doors())("through %s", (_, { open }) => {
  // S4.
  it("a mount's own maximum takes the place of the system's, upwards too, and a set may only shorten it", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("mounts.tune", { path: "ldap", max_lease_ttl: YEAR_SECONDS }));
    sim.directory.addEntry(dnOf("svc-9"), { cn: "svc-9" });
    const set = { set_name: "long", service_account_names: ["svc-9"], ttl: "8000h", max_ttl: "8000h" };
    expectDone(await door.call("library.write", set));
    const lent = expectEnvelope(await door.call("library.checkOut", { set_name: "long" }));
    expect(lent).toMatchObject({ lease_duration: 28_800_000, warnings: null });
    expectData(await door.call("library.checkIn", { set_name: "long" }));
    expectDone(await door.call("mounts.tune", { path: "ldap", max_lease_ttl: "1h" }));
    expect(expectEnvelope(await door.call("library.checkOut", { set_name: "long" })).lease_duration).toBe(3600);
  });

  // S12.
  it("a mount that was made without options has none to show, and one that is there from the start has null", async () => {
    const door = open(createSimulator());
    expectDone(await door.call("mounts.write", { path: "own", type: "kv" }));
    const body = (await door.call("mounts.list")).body;
    expect(body).toMatchObject({ "own/": { options: {} }, "kv/": { options: null }, "ldap/": { options: null } });
  });

  // S37.
  it("the leases of tokens are listed below auth/", async () => {
    const sim = createSimulator();
    const door = open(sim);
    expectRefused(await door.call("leases.list", {}), 404);
    sim.secrets.cluster("main").createToken({ policies: [], ttl: "1h" });
    expect(expectData(await door.call("leases.list", {}))).toEqual({ keys: ["auth/"] });
    expect(expectData(await door.call("leases.list", { prefix: "auth" }))).toEqual({ keys: ["token/"] });
    expect(expectData(await door.call("leases.list", { prefix: "auth/token" }))).toEqual({ keys: ["create/"] });
    sim.clock.advance("1h");
    expectRefused(await door.call("leases.list", {}), 404);
  });

  // S42.
  it("the built-in mounts of a child namespace have types of their own", async () => {
    const sim = createSimulator();
    sim.secrets.cluster("main").createNamespace("team");
    const listed = await open(sim).call("mounts.list", {}, { namespace: "team" });
    expect(listed.body).toMatchObject({
      "cubbyhole/": { type: "ns_cubbyhole" },
      "identity/": { type: "ns_identity" },
      "sys/": { type: "ns_system" },
    });
    expect((await open(sim).call("mounts.list")).body).toMatchObject({
      "cubbyhole/": { type: "cubbyhole" },
      "sys/": { type: "system" },
    });
  });

  // S46.
  it.each([1, 2 ** 31, "9223372036854775807"])("%s bytes are room for snapshots", async (local_max_space) => {
    const fields = { interval: "1h", path_prefix: "/b", storage_type: "local", local_max_space };
    expectDone(await open(createSimulator()).call("snapshots.write", { name: "a", ...fields }));
  });

  // S47.
  it("a length of passwords that is a text is refused", async () => {
    const policy = 'length = "10"\nrule "charset" { charset = "abc" }';
    const answer = await open(createSimulator()).call("passwordPolicies.write", { name: "p", policy });
    expectRefused(answer, 400, "invalid password policy");
  });
});

// S46.
it("room that was there when an attempt began is enough, whoever writes meanwhile", () => {
  const { sim, configure, status } = snapshotWorld();
  sim.stores.setSnapshotDuration("10m");
  configure("b", { interval: "1h", retain: 2 });
  sim.clock.advance("5m");
  configure("a", { interval: "1h", retain: 2, local_max_space: 1024 });
  sim.clock.advance("64m");
  expect(urlsIn(sim)).toEqual([]);
  // That of b takes all the room, while a is under way.
  sim.clock.advance("6m");
  expect(status("a").last_snapshot_error).toBe("");
  expect(urlsIn(sim)).toHaveLength(2);
});
