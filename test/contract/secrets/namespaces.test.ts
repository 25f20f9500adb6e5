import { describe, expect, it } from "vitest";
import { Rejection } from "../../../src/index.ts";
import { type Answer, doors, send } from "../driver.ts";
import {
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-secrets-core.md, A.10, as far as namespaces are made by control calls.

/** Namespaces `team`, `team/dev` and `other`; an engine in `team/dev`, with a set `ops`. */
function world(): LibraryWorld {
  const made = libraryWorld();
  const cluster = made.sim.secrets.cluster("main");
  for (const path of ["team", "team/dev", "other"]) cluster.createNamespace(path);
  cluster.mount("ldap", { type: "ldap", namespace: "team/dev" });
  const client = cluster.as(made.root, { namespace: "team/dev" });
  client.ldapConfig.write({ binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret" });
  client.library.write({ set_name: "ops", service_account_names: ["svc-5"] });
  made.set("ops", ["svc-1"]);
  return made;
}

const READ = 'path "ldap/library/ops" { capabilities = ["read"] }';
const ops = { set_name: "ops" };

/** The account of the set that was reached. */
function account(answer: Answer): unknown {
  return (expectData(answer)["service_account_names"] as unknown[])[0];
}

// Over HTTP only: a typed call names its namespace in one way.
describe("the namespace of a request", () => {
  it.each<[header: string | undefined, path: string, reached: string]>([
    [undefined, "/v1/ldap/library/ops", "svc-1"],
    ["", "/v1/ldap/library/ops", "svc-1"],
    ["/", "/v1/ldap/library/ops", "svc-1"],
    ["root", "/v1/ldap/library/ops", "svc-1"],
    ["/root/", "/v1/ldap/library/ops", "svc-1"],
    ["team/dev", "/v1/ldap/library/ops", "svc-5"],
    ["/team/dev/", "/v1/ldap/library/ops", "svc-5"],
    ["team/dev/", "/v1/ldap/library/ops", "svc-5"],
    [undefined, "/v1/team/dev/ldap/library/ops", "svc-5"],
    ["team", "/v1/dev/ldap/library/ops", "svc-5"],
    ["/team/", "/v1/dev/ldap/library/ops", "svc-5"],
    ["root", "/v1/team/dev/ldap/library/ops", "svc-5"],
  ])("header %j, path %s reaches %s", async (header, path, reached) => {
    const { sim } = world();
    const headers = header === undefined ? {} : { "X-Secrets-Namespace": header };
    expect(account(await send(sim, "GET", path, { headers }))).toBe(reached);
  });

  it.each<[header: string | undefined, path: string, piece: string]>([
    ["nowhere", "/v1/ldap/library/ops", "namespace not found"],
    ["team/nowhere", "/v1/ldap/library/ops", "namespace not found"],
    ["dev", "/v1/ldap/library/ops", "namespace not found"],
    ["nowhere", "/v1/team/dev/ldap/library/ops", "namespace not found"],
    ["TEAM", "/v1/ldap/library/ops", "namespace not found"],
    ["constructor", "/v1/ldap/library/ops", "namespace not found"],
    ["__proto__", "/v1/ldap/library/ops", "namespace not found"],
    ["team", "/v1/ldap/library/ops", "no handler for route"],
    ["other", "/v1/dev/ldap/library/ops", "no handler for route"],
    [undefined, "/v1/nowhere/ldap/library/ops", "no handler for route"],
    ["team/dev", "/v1/team/dev/ldap/library/ops", "no handler for route"],
  ])("header %j, path %s leads nowhere: %s", async (header, path, piece) => {
    const { sim } = world();
    const headers = header === undefined ? {} : { "X-Secrets-Namespace": header };
    await expectNothingChanged(sim, async () => {
      expectRefused(await send(sim, "GET", path, { headers }), 404, piece);
    });
  });
});

describe("a lease id", () => {
  it("begins with the path below the namespace, however the namespace was given", async () => {
    for (const [headers, path] of [
      [{ "X-Secrets-Namespace": "team/dev" }, "/v1/ldap/library/ops/check-out"],
      [{ "X-Secrets-Namespace": "team" }, "/v1/dev/ldap/library/ops/check-out"],
      [{}, "/v1/team/dev/ldap/library/ops/check-out"],
    ] as const) {
      const { sim } = world();
      const { id } = sim.secrets.cluster("main").createNamespace("team/dev");
      const { lease_id } = expectEnvelope(await send(sim, "POST", path, { headers }));
      expect(lease_id).toMatch(new RegExp(`^ldap/library/ops/check-out/[0-9A-Za-z]{24}\\.${id}$`));
    }
  });
});

describe.each(doors())("the namespace of a token, through %s", (_, { open }) => {
  /** A token of a namespace, with a policy of that namespace. */
  function tokenIn(made: LibraryWorld, namespace: string, document: string): string {
    const cluster = made.sim.secrets.cluster("main");
    cluster.writePolicy("reader", document, { namespace });
    return cluster.createToken({ policies: ["reader"], namespace }).token;
  }

  it.each<[home: string, asked: string, document: string, status: number]>([
    ["", "", READ, 200],
    ["team/dev", "team/dev", READ, 200],
    ["team/dev", "", READ, 403],
    ["team/dev", "team", READ, 403],
    ["team/dev", "other", READ, 403],
    ["other", "team/dev", READ, 403],
    ["", "team/dev", READ, 403],
    ["", "team/dev", READ.replace("ldap/", "team/dev/ldap/"), 200],
    ["team", "team/dev", READ, 403],
    ["team", "team/dev", READ.replace("ldap/", "dev/ldap/"), 200],
    ["team", "team/dev", READ.replace("ldap/", "team/dev/ldap/"), 403],
    ["team", "team/dev", READ.replace("ldap/", "+/ldap/"), 200],
    ["", "team/dev", READ.replace("ldap/library/ops", "team/*"), 200],
  ])("a token of %j asking %j by %s gets %i", async (home, asked, document, status) => {
    const made = world();
    const token = tokenIn(made, home, document);
    const answer = await open(made.sim).call("library.read", ops, { token, namespace: asked });
    expect(answer).toMatchObject({ status });
  });

  it.each<[home: string, asked: string, allowed: boolean]>([
    ["", "team/dev", true],
    ["team", "team/dev", true],
    ["team/dev", "team/dev", true],
    ["team/dev", "", false],
    ["team/dev", "team", false],
    ["other", "team/dev", false],
  ])("policy root of %j in %j is allowed: %s", async (home, asked, allowed) => {
    const { sim } = world();
    const { token } = sim.secrets.cluster("main").createToken({ policies: ["root"], namespace: home });
    const { status } = await open(sim).call("library.read", ops, { token, namespace: asked });
    expect(status === 403).toBe(!allowed);
  });

  it("an unknown namespace is told before an unknown token", async () => {
    const answer = await open(world().sim).call("library.read", ops, { token: null, namespace: "nowhere" });
    expectRefused(answer, 404, "namespace not found");
  });

  it("a policy means the tokens of its own namespace only", async () => {
    const made = world();
    const cluster = made.sim.secrets.cluster("main");
    cluster.writePolicy("reader", READ);
    const { token } = cluster.createToken({ policies: ["reader"], namespace: "team/dev" });
    const answer = await open(made.sim).call("library.read", ops, { token, namespace: "team/dev" });
    expectRefused(answer, 403, "permission denied");
  });

  it("the policy default is in every namespace", async () => {
    const made = world();
    const cluster = made.sim.secrets.cluster("main");
    const { lease_id } = cluster.as(made.root, { namespace: "team/dev" }).library.checkOut(ops);
    const { token } = cluster.createToken({ policies: [], namespace: "team/dev" });
    const asking = { token, namespace: "team/dev" };
    expect(expectData(await open(made.sim).call("leases.lookup", { lease_id }, asking))["id"]).toBe(lease_id);
  });
});

describe.each(doors())("the objects of a namespace, through %s", (_, { open }) => {
  it("are its own: sets, configuration, password policies", async () => {
    const { sim } = world();
    const door = open(sim);
    const there = { namespace: "team/dev" };
    expect(account(await door.call("library.read", ops))).toBe("svc-1");
    expect(account(await door.call("library.read", ops, there))).toBe("svc-5");
    expectDone(await door.call("library.delete", ops, there));
    expect(account(await door.call("library.read", ops))).toBe("svc-1");
    const policy = 'length = 8 rule "charset" { charset = "ab" }';
    expectDone(await door.call("passwordPolicies.write", { name: "p", policy }, there));
    expectNotFound(await door.call("passwordPolicies.list"));
    expect(expectData(await door.call("passwordPolicies.list", {}, there))).toEqual({ keys: ["p"] });
  });

  it("are served by the password policies of the same namespace", async () => {
    const { sim } = world();
    const door = open(sim);
    const policy = 'length = 8 rule "charset" { charset = "ab" }';
    expectDone(await door.call("passwordPolicies.write", { name: "p", policy }));
    const there = { namespace: "team/dev" };
    expectDone(await door.call("ldapConfig.write", { password_policy: "p" }, there));
    const written = { set_name: "more", service_account_names: ["svc-2"] };
    expectRefused(await door.call("library.write", written, there), 500, "unable to generate password");
    expectDone(await door.call("passwordPolicies.write", { name: "p", policy }, there));
    expectDone(await door.call("library.write", written, there));
    const data = expectData(await door.call("library.checkOut", { set_name: "more" }, there));
    expect(data["password"]).toMatch(/^[ab]{8}$/);
  });

  it("do not include the engine that the root namespace has from the start", async () => {
    const { sim } = world();
    const door = open(sim);
    expectRefused(await door.call("ldapConfig.read", {}, { namespace: "team" }), 404, "no handler for route");
    expectRefused(await door.call("library.write", ops, { namespace: "team" }), 404, "no handler for route");
  });
});

describe("creating a namespace", () => {
  it("gives it an id of six letters and digits, and a path with a slash at its end", () => {
    const { sim } = libraryWorld();
    const cluster = sim.secrets.cluster("main");
    for (const path of ["team", "/team/dev/"]) {
      const created = cluster.createNamespace(path);
      expect(created.path).toBe(`${path.replace(/^\/|\/$/g, "")}/`);
      expect(created.id).toMatch(/^[0-9A-Za-z]{6}$/);
    }
  });

  it("that is there already keeps its id, and changes nothing", async () => {
    const { sim } = libraryWorld();
    const cluster = sim.secrets.cluster("main");
    const { id } = cluster.createNamespace("team");
    await expectNothingChanged(sim, () => expect(cluster.createNamespace("team/").id).toBe(id));
  });

  it.each<[path: string, code: string]>([
    ["nowhere/team", "namespace_not_found"],
    ["sys", "namespace_reserved"],
    ["root/x", "namespace_not_found"],
    ["audit", "namespace_reserved"],
    ["auth", "namespace_reserved"],
    ["cubbyhole", "namespace_reserved"],
    ["identity", "namespace_reserved"],
    ["ldap", "namespace_conflicts"],
    ["mounts", "namespace_conflicts"],
    ["team/sys", "namespace_reserved"],
  ])("%s is refused with %s", async (path, code) => {
    const { sim } = libraryWorld();
    const cluster = sim.secrets.cluster("main");
    cluster.createNamespace("team");
    cluster.mount("mounts/ldap", { type: "ldap" });
    await expectNothingChanged(sim, () => {
      expect(() => cluster.createNamespace(path)).toThrow(expect.objectContaining({ code }));
      expect(() => cluster.createNamespace(path)).toThrow(Rejection);
    });
  });
});
