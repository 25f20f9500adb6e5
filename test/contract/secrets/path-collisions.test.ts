import { describe, expect, it } from "vitest";
import { byRule, doors, send } from "../driver.ts";
import { expectData, expectDone, expectEnvelope, expectNotFound, expectRefused } from "../expectations.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-directory.md, 7, "Path collisions": the first pattern that fits takes the request, whatever the verb.

/** Sets `x` and `manage/x`, an account of each lent to root. */
function world(): LibraryWorld {
  const made = libraryWorld();
  made.set("x", ["svc-1"]);
  made.set("manage/x", ["svc-2"]);
  made.lend("x");
  made.lend("manage/x");
  return made;
}

const NAMES = JSON.stringify({ service_account_names: ["svc-3"] });

// Over HTTP, where paths are; what the same names do at the typed door stands below.
describe("paths that collide", () => {
  const refused: readonly { rule: string; method: string; path: string; status: number; piece: string }[] = [
    ["POST", "library/x/status"],
    ["PUT", "library/x/status"],
    ["DELETE", "library/x/status"],
    ["LIST", "library/x/status"],
    ["GET", "library/x/check-out"],
    ["DELETE", "library/x/check-out"],
    ["LIST", "library/x/check-out"],
    ["GET", "library/x/check-in"],
    ["DELETE", "library/x/check-in"],
    ["GET", "library/manage/x/check-in"],
    ["DELETE", "library/manage/x/check-in"],
    ["LIST", "library/manage/x/check-in"],
    ["GET", "library/manage/check-in"],
    ["POST", "library/nowhere/status"],
    ["POST", "library"],
    ["DELETE", "library"],
    ["GET", "library"],
    ["LIST", "config"],
  ].map(([method = "", path = ""]) => ({
    rule: `${method} ${path} is a path with another verb`,
    method,
    path,
    // The slash of a listing makes it another path (amendments.md, S7).
    status: method === "LIST" ? 404 : 405,
    piece: method === "LIST" ? "unsupported path" : "1 error occurred:\n\t* unsupported operation",
  }));
  it.each(byRule(refused))("%s", async (_rule, { method, path, status, piece }) => {
    const { sim } = world();
    const before = sim.position;
    const body = method === "POST" || method === "PUT" ? { body: NAMES } : {};
    expectRefused(await send(sim, method, `/v1/ldap/${path}`, body), status, piece);
    expect(sim.position).toBe(before);
  });

  it.each(["library/x/nothing/else/status", "library/a/check-out/b/status"])(
    "GET %s is a status, of a set whose name has slashes",
    async (path) => {
      expectRefused(await send(world().sim, "GET", `/v1/ldap/${path}`), 400, "doesn't exist");
    },
  );

  it("POST library/status writes a set named status, whose status is library/status/status", async () => {
    const { sim } = world();
    expectDone(await send(sim, "POST", "/v1/ldap/library/status", { body: NAMES }));
    expect(expectData(await send(sim, "GET", "/v1/ldap/library/status"))["service_account_names"]).toEqual(["svc-3"]);
    expect(expectData(await send(sim, "GET", "/v1/ldap/library/status/status"))).toEqual({
      "svc-3": { available: true },
    });
  });

  it.each(["check-in", "check-out", "manage"])("POST library/%s writes a set of that name", async (name) => {
    const { sim } = world();
    expectDone(await send(sim, "POST", `/v1/ldap/library/${name}`, { body: NAMES }));
    expect(expectData(await send(sim, "LIST", "/v1/ldap/library"))["keys"]).toContain(name);
    expectEnvelope(await send(sim, "POST", `/v1/ldap/library/${name}/check-out`));
    expectEnvelope(await send(sim, "POST", `/v1/ldap/library/${name}/check-in`));
    expectDone(await send(sim, "DELETE", `/v1/ldap/library/${name}`));
  });

  it("POST library/manage/x writes a set named manage/x, whose check-out is library/manage/x/check-out", async () => {
    const { sim, root, available } = world();
    sim.secrets.cluster("main").as(root).library.forceCheckIn({ set_name: "manage/x" });
    expectDone(await send(sim, "POST", "/v1/ldap/library/manage/x", { body: '{"ttl": 60}' }));
    const answer = expectEnvelope(await send(sim, "POST", "/v1/ldap/library/manage/x/check-out"));
    expect(answer.lease_duration).toBe(60);
    expect(available("manage/x")).toEqual([]);
    expect(expectData(await send(sim, "GET", "/v1/ldap/library/manage/x/status"))).toHaveProperty("svc-2");
  });

  it("POST library/manage/x/check-in is the forced check-in of x, never one of manage/x", async () => {
    const { sim, available, token } = world();
    const answer = await send(sim, "POST", "/v1/ldap/library/manage/x/check-in", { asking: { token: token() } });
    expect(expectData(answer)).toEqual({ check_ins: ["svc-1"] });
    expect(available("manage/x")).toEqual([]);
  });

  it("POST library/manage/x/check-in is the forced check-in of x, also when there is no set x", async () => {
    const { sim, set } = libraryWorld();
    set("manage/x", ["svc-2"]);
    expectRefused(await send(sim, "POST", "/v1/ldap/library/manage/x/check-in"), 400, '"x" doesn\'t exist');
  });

  it("POST library/manage/manage/x/check-in is the only check-in of the set manage/x", async () => {
    const { sim, available } = world();
    const answer = await send(sim, "POST", "/v1/ldap/library/manage/manage/x/check-in");
    expect(expectData(answer)).toEqual({ check_ins: ["svc-2"] });
    expect(available("manage/x")).toEqual(["svc-2"]);
    expect(available("x")).toEqual([]);
  });

  it("POST library/manage/check-in is the ordinary check-in of a set named manage", async () => {
    const { sim, set, lend, token } = world();
    set("manage", ["svc-4"]);
    lend("manage");
    const path = "/v1/ldap/library/manage/check-in";
    expect(expectData(await send(sim, "POST", path, { asking: { token: token() } }))).toEqual({ check_ins: [] });
    expect(expectData(await send(sim, "POST", path))).toEqual({ check_ins: ["svc-4"] });
  });

  it("a set whose name ends in /status, /check-in or /check-out is neither written nor listed", async () => {
    const { sim } = libraryWorld();
    for (const verb of ["status", "check-in", "check-out"]) {
      const answer = await send(sim, "POST", `/v1/ldap/library/team/${verb}`, { body: NAMES });
      expect([405, 400]).toContain(answer.status);
    }
    expectNotFound(await send(sim, "LIST", "/v1/ldap/library"));
  });

  it.each(["", "/", "library/", "libraryx", "configx", "config/x", "library/x/"])(
    "GET ldap/%s is no path of the engine",
    async (path) => {
      expectRefused(await send(world().sim, "GET", `/v1/ldap/${path}`), 404, "unsupported path");
    },
  );
});

describe.each(doors())("the typed names of colliding paths through %s", (_, { open }) => {
  it("forceCheckIn of manage/x checks in the set manage/x", async () => {
    const { sim, available } = world();
    const answer = await open(sim).call("library.forceCheckIn", { set_name: "manage/x" });
    expect(expectData(answer)).toEqual({ check_ins: ["svc-2"] });
    expect(available("x")).toEqual([]);
  });

  it("checkOut of manage/x lends from the set manage/x", async () => {
    const { sim, root } = world();
    sim.secrets.cluster("main").as(root).library.forceCheckIn({ set_name: "manage/x" });
    const data = expectData(await open(sim).call("library.checkOut", { set_name: "manage/x" }));
    expect(data["service_account_name"]).toBe("svc-2");
  });
});
