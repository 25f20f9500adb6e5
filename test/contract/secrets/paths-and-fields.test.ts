import { describe, expect, it } from "vitest";
import { createSimulator, type SimulatorOptions } from "../../../src/index.ts";
import { doors, send } from "../driver.ts";
import { expectData, expectEnvelope, expectNothingChanged, expectRefused } from "../expectations.ts";
import { reach } from "../transports.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

/** Sets `x`, `team` and `manage/x`; an account of `x` and one of `manage/x` are lent to root. */
function world(): LibraryWorld {
  const made = libraryWorld();
  made.set("x", ["svc-1"]);
  made.set("team", ["svc-3"]);
  made.set("manage/x", ["svc-2"]);
  made.lend("x");
  made.lend("manage/x");
  return made;
}

// decisions-directory.md, 7, "Path collisions": the first pattern that fits takes the request, and both doors have one core.
describe.each(doors())("a name that makes another path, through %s", (_, { open }) => {
  it("a set named team/status is not written: that path is the status of team", async () => {
    const { sim } = world();
    await expectNothingChanged(sim, async () => {
      const written = { set_name: "team/status", service_account_names: ["svc-4"] };
      expectRefused(await open(sim).call("library.write", written), 405, "unsupported operation");
    });
  });

  it.each(["check-in", "check-out"])("a set named new/%s is not written: that path acts on new", async (verb) => {
    const { sim } = world();
    await expectNothingChanged(sim, async () => {
      const written = { set_name: `new/${verb}`, service_account_names: ["svc-4"] };
      expectRefused(await open(sim).call("library.write", written), 400, '"new" doesn\'t exist');
    });
  });

  it.each(["team/STATUS", "new/Check-In", "new/check-OUT"])(
    "a set is not named %s, as case does not count",
    async (name) => {
      const { sim } = world();
      await expectNothingChanged(sim, async () => {
        const written = { set_name: name, service_account_names: ["svc-4"] };
        expectRefused(await open(sim).call("library.write", written), 405, "unsupported operation");
      });
    },
  );

  it("reading team/status shows the status of team", async () => {
    const data = expectData(await open(world().sim).call("library.read", { set_name: "team/status" }));
    expect(data).toEqual({ "svc-3": { available: true } });
  });

  it("deleting team/status is not offered", async () => {
    const answer = await open(world().sim).call("library.delete", { set_name: "team/status" });
    expectRefused(answer, 405, "unsupported operation");
  });

  it("listing below team/status is not offered", async () => {
    const answer = await open(world().sim).call("library.list", { prefix: "team/status" });
    expectRefused(answer, 404, "unsupported path");
  });

  it("checking in manage/x is the forced check-in of x, never an ordinary one of manage/x", async () => {
    const { sim, token, available } = world();
    const answer = await open(sim).call("library.checkIn", { set_name: "manage/x" }, { token: token() });
    expect(expectData(answer)).toEqual({ check_ins: ["svc-1"] });
    expect(available("manage/x")).toEqual([]);
  });
});

// decisions-directory.md, 1, "Names in paths", and decisions-secrets-core.md, A.4: 404 whatever the path and verb.
describe("a name that is none, with a verb that its path has not", () => {
  it.each<[method: string, path: string]>([
    ["GET", "/v1/ldap/library/-x/check-out"],
    ["DELETE", "/v1/ldap/library/-x/status"],
    ["LIST", "/v1/ldap/library/manage/-x/check-in"],
    ["DELETE", "/v1/sys/policies/password/-p/generate"],
    ["LIST", "/v1/sys/policies/password/-p"],
  ])("%s %s is an unsupported path", async (method, path) => {
    expectRefused(await send(world().sim, method, path), 404, "unsupported path");
  });

  it("PATCH of one is an unsupported path", async () => {
    const headers = { "Content-Type": "application/merge-patch+json" };
    const answer = await send(world().sim, "PATCH", "/v1/ldap/library/-x", { headers, body: "{}" });
    expectRefused(answer, 404, "unsupported path");
  });
});

// decisions-secrets-core.md, A.4: LIST appends `/`; a path inside a mount that its engine does not know is unsupported.
describe("a listing of a mount itself", () => {
  it.each(["/v1/ldap", "/v1/ldap/"])("LIST %s is an unsupported path of the engine", async (path) => {
    expectRefused(await send(world().sim, "LIST", path), 404, "unsupported path");
  });
});

// decisions-directory.md, 1, "Unknown body fields": the contract has no field `mount`; only the library's own captures do.
describe("a body field named mount", () => {
  it("is one that nobody knows: ignored, and replaced by nothing", async () => {
    const body = '{"mount": "elsewhere", "zeta": 1}';
    const answer = await send(world().sim, "POST", "/v1/ldap/library/team/check-out", { body });
    expect(expectEnvelope(answer).warnings).toEqual([expect.stringMatching(/ignored.*mount zeta/)]);
  });
});

// decisions-secrets-core.md, A.11 (HEAD: same status, no body), and what every fetch does.
describe("the answer to HEAD", () => {
  it("has no body", async () => {
    const { sim } = world();
    const response = await reach(sim)(`${sim.secrets.cluster("main").url}/v1/ldap/config`, { method: "HEAD" });
    expect(response.status).toBe(405);
    expect(await response.text()).toBe("");
  });
});

// control-surface.md: a wrong argument throws a TypeError that says what was wrong with which value.
describe("options that are none", () => {
  it("an array is no object of options", () => {
    expect(() => createSimulator([] as unknown as SimulatorOptions)).toThrow(TypeError);
  });

  it("a value that has no text is named all the same", () => {
    const options = { seed: Object.create(null) as number };
    expect(() => createSimulator(options)).toThrow("seed");
  });
});
