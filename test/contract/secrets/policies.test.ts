import { describe, expect, it } from "vitest";
import { type Answer, doors, type Fields, type OperationName, send } from "../driver.ts";
import { expectData, expectRefused } from "../expectations.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-secrets-core.md, A.8.

const CAPABILITIES = ["create", "read", "update", "patch", "delete", "list", "sudo"] as const;
type Capability = (typeof CAPABILITIES)[number];

/** A world with a set, and a token of these policy documents. */
function tokenOf(...documents: readonly string[]): LibraryWorld & { readonly asking: { readonly token: string } } {
  const world = libraryWorld();
  world.set("ops", ["svc-1"]);
  const cluster = world.sim.secrets.cluster("main");
  const names = documents.map((document, index) => {
    cluster.writePolicy(`p-${index}`, document);
    return `p-${index}`;
  });
  const { token } = cluster.createToken({ policies: names, noDefaultPolicy: true });
  return { ...world, asking: { token } };
}

function rule(path: string, ...capabilities: readonly string[]): string {
  return `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`;
}

const isDenied = ({ status }: Answer): boolean => status === 403;

describe.each(doors())("what a request needs, through %s", (_, { open }) => {
  const rows: readonly (readonly [OperationName, fields: Fields, path: string, needed: readonly Capability[]])[] = [
    ["library.list", {}, "ldap/library", ["list"]],
    ["library.list", { prefix: "ops" }, "ldap/library/ops", ["list"]],
    ["library.read", { set_name: "ops" }, "ldap/library/ops", ["read"]],
    ["library.write", { set_name: "ops" }, "ldap/library/ops", ["update"]],
    ["library.write", { set_name: "OPS" }, "ldap/library/OPS", ["update"]],
    ["library.write", { set_name: "new" }, "ldap/library/new", ["create"]],
    ["library.delete", { set_name: "ops" }, "ldap/library/ops", ["delete"]],
    ["library.status", { set_name: "ops" }, "ldap/library/ops/status", ["read"]],
    ["library.checkOut", { set_name: "ops" }, "ldap/library/ops/check-out", ["update"]],
    ["library.checkOut", { set_name: "new" }, "ldap/library/new/check-out", ["update"]],
    ["library.checkIn", { set_name: "ops" }, "ldap/library/ops/check-in", ["update"]],
    ["library.forceCheckIn", { set_name: "ops" }, "ldap/library/manage/ops/check-in", ["update"]],
    ["ldapConfig.read", {}, "ldap/config", ["read"]],
    ["ldapConfig.write", {}, "ldap/config", ["update"]],
    ["ldapConfig.delete", {}, "ldap/config", ["delete"]],
    ["leases.lookup", { lease_id: "x" }, "sys/leases/lookup", ["update"]],
    ["leases.renew", { lease_id: "x" }, "sys/leases/renew", ["update"]],
    ["leases.revoke", { lease_id: "x" }, "sys/leases/revoke", ["update"]],
    ["leases.list", { prefix: "ldap" }, "sys/leases/lookup/ldap", ["list", "sudo"]],
    ["leases.revokePrefix", { prefix: "ldap" }, "sys/leases/revoke-prefix/ldap", ["update", "sudo"]],
    ["leases.revokeForce", { prefix: "ldap" }, "sys/leases/revoke-force/ldap", ["update", "sudo"]],
    ["passwordPolicies.list", {}, "sys/policies/password", ["list"]],
    ["passwordPolicies.read", { name: "p" }, "sys/policies/password/p", ["read"]],
    ["passwordPolicies.write", { name: "p" }, "sys/policies/password/p", ["update"]],
    ["passwordPolicies.delete", { name: "p" }, "sys/policies/password/p", ["delete"]],
    ["passwordPolicies.generate", { name: "p" }, "sys/policies/password/p/generate", ["read"]],
  ];
  it.each(rows)("%s %j on %s needs %j, and nothing else", async (operation, fields, path, needed) => {
    const call = async (capabilities: readonly string[]): Promise<Answer> => {
      const { sim, asking } = tokenOf(rule(path, ...capabilities));
      return open(sim).call(operation, fields, asking);
    };
    expect(isDenied(await call(needed))).toBe(false);
    for (const missing of needed) {
      const others = CAPABILITIES.filter((capability) => capability !== missing);
      expectRefused(await call(others), 403, "permission denied");
    }
    expect(isDenied(await call([...needed, "deny"]))).toBe(true);
    expect(isDenied(await call([]))).toBe(true);
  });

  it("a configuration that is not there yet needs create, not update", async () => {
    for (const [capability, allowed] of [
      ["create", true],
      ["update", false],
    ] as const) {
      const { sim, asking, root } = tokenOf(rule("ldap/config", capability));
      sim.secrets.cluster("main").as(root).ldapConfig.delete();
      const written = { binddn: "cn=a", bindpass: "b" };
      expect(isDenied(await open(sim).call("ldapConfig.write", written, asking))).toBe(!allowed);
    }
  });

  it("the policy root allows everything, sudo included", async () => {
    const { sim } = tokenOf();
    const { token } = sim.secrets.cluster("main").createToken({ policies: ["root"] });
    for (const [operation, fields] of rows) {
      expect({ operation, denied: isDenied(await open(sim).call(operation, fields, { token })) }).toEqual({
        operation,
        denied: false,
      });
    }
  });

  it("a path that is not there is 403 to who has no permission, and 404 to who has", async () => {
    const { sim, asking } = tokenOf(rule("nowhere/*", "read", "list", "update", "delete", "create"));
    const door = open(sim);
    expectRefused(await door.call("library.read", { set_name: "x" }, { ...asking, mount: "elsewhere" }), 403, "denied");
    const answer = await door.call("library.read", { set_name: "x" }, { ...asking, mount: "nowhere" });
    expectRefused(answer, 404, "no handler for route");
    const write = { set_name: "x", service_account_names: ["svc-2"] };
    expectRefused(await door.call("library.write", write, { ...asking, mount: "nowhere" }), 404, "no handler");
    expectRefused(await door.call("ldapConfig.write", {}, { ...asking, mount: "nowhere" }), 404, "no handler");
  });
});

// Over HTTP only: typed calls have no free paths.

/** GET of a path that leads nowhere: 403 where it may not be read, 404 where it may. */
async function mayRead(document: string | readonly string[], path: string): Promise<boolean> {
  const { sim, asking } = tokenOf(...[document].flat());
  const { status } = await send(sim, "GET", `/v1/${path}`, { asking });
  expect([403, 404]).toContain(status);
  return status === 404;
}

async function mayList(document: string | readonly string[], path: string): Promise<boolean> {
  const { sim, asking } = tokenOf(...[document].flat());
  const { status } = await send(sim, "LIST", `/v1/${path}`, { asking });
  expect([403, 404]).toContain(status);
  return status === 404;
}

describe("a path in a policy", () => {
  it.each<[pattern: string, path: string, fits: boolean]>([
    ["x/y", "x/y", true],
    ["/x/y", "x/y", true],
    ["x/y", "x/y/z", false],
    ["x/y", "x", false],
    ["x/y", "X/y", false],
    ["x*", "x", true],
    ["x*", "xy", true],
    ["x*", "x/y", true],
    ["x*", "yx", false],
    ["x/*", "x/y", true],
    ["x/*", "x/y/z", true],
    ["x/*", "x", false],
    ["*", "x", true],
    ["*", "x/y/z", true],
    ["+", "x", true],
    ["+", "x/y", false],
    ["x/+", "x/y", true],
    ["x/+", "x", false],
    ["x/+", "x/y/z", false],
    ["+/y", "x/y", true],
    ["x/+/z", "x/y/z", true],
    ["x/+/z", "x/y/y/z", false],
    ["x/+/z", "x//z", true],
    ["x/+/z*", "x/y/zebra/q", true],
    ["x/+/*", "x/y/", true],
    ["+/+", "x/y", true],
    ["x*y", "x*y", true],
    ["x*y", "xay", false],
    ["x+y", "x+y", true],
    ["x+y", "xay", false],
    ["x/y+", "x/y+", true],
    ["x/y+", "x/yy", false],
  ])("%s fits %s: %s", async (pattern, path, fits) => {
    expect(await mayRead(rule(pattern, "read"), path)).toBe(fits);
  });

  it.each<[pattern: string, path: string, fits: boolean]>([
    ["x", "x", true],
    ["x/", "x", true],
    ["x", "x/", true],
    ["x/", "x/", true],
    ["x/*", "x", true],
    ["x/*", "x/", true],
    ["x/*", "x/y", true],
    ["x*", "x", true],
    ["x/y", "x", false],
    ["x/y/", "x/y", true],
    ["xy", "x", false],
    ["*", "x", true],
  ])("%s serves LIST %s: %s", async (pattern, path, fits) => {
    expect(await mayList(rule(pattern, "list"), path)).toBe(fits);
  });

  it("x/* serves LIST x and does not fit GET x", async () => {
    expect(await mayList(rule("x/*", "list", "read"), "x")).toBe(true);
    expect(await mayRead(rule("x/*", "list", "read"), "x")).toBe(false);
  });

  it("x/ does not fit GET x", async () => {
    expect(await mayRead(rule("x/", "read"), "x")).toBe(false);
  });
});

describe("which rule applies", () => {
  it.each<[rule: string, document: string, path: string, allowed: boolean]>([
    ["an exact one before a glob that grants more", rule("x/y", "list") + rule("x/*", "read"), "x/y", false],
    ["an exact one before a glob that grants less", rule("x/y", "read") + rule("x/*", "deny"), "x/y", true],
    ["the longer glob, even if it grants less", rule("x/*", "read") + rule("x/y/*", "list"), "x/y/z", false],
    ["the glob whose star is further right", rule("x*", "list") + rule("x/y*", "read"), "x/yz", true],
    ["a plus further right before one further left", rule("+/y", "read") + rule("x/+", "list"), "x/y", false],
    ["a plus further left than the star of another", rule("x/+/z", "list") + rule("x/y/*", "read"), "x/y/z", true],
    [
      "without a star before with one, at the same plus",
      rule("x/+/z", "list") + rule("x/+/z*", "read"),
      "x/y/z",
      false,
    ],
    ["fewer plusses, at the same first one", rule("+/y/*", "read") + rule("+/+/*", "list"), "x/y/z", true],
    ["the longer one, at the same first plus", rule("x/+/y*", "list") + rule("x/+/*", "read"), "x/y/yz", false],
    ["capabilities of different paths are not added", rule("x/+", "list") + rule("x/*", "read"), "x/y", false],
  ])("%s", async (_rule, document, path, allowed) => {
    expect(await mayRead(document, path)).toBe(allowed);
  });

  it("the same path in two policies grants what either grants", async () => {
    const documents = [rule("x/*", "list"), rule("x/*", "read")];
    expect(await mayRead(documents, "x/y")).toBe(true);
    expect(await mayList(documents, "x/y")).toBe(true);
  });

  it("the same path twice in one policy grants what either grants", async () => {
    expect(await mayRead(rule("x/*", "list") + rule("x/*", "read"), "x/y")).toBe(true);
  });

  it("deny on the same path wipes what every other policy grants on it", async () => {
    const documents = [rule("x/*", "read"), rule("x/*", "deny"), rule("x/*", "read", "list")];
    expect(await mayRead(documents, "x/y")).toBe(false);
  });

  it("deny on a less specific path takes nothing away", async () => {
    expect(await mayRead([rule("x/y", "read"), rule("x/*", "deny")], "x/y")).toBe(true);
  });

  it("deny on a more specific path takes away what a broader one grants", async () => {
    expect(await mayRead([rule("x/*", "read"), rule("x/y*", "deny")], "x/yz")).toBe(false);
    expect(await mayRead([rule("x/*", "read"), rule("x/y*", "deny")], "x/z")).toBe(true);
  });

  it("an empty list of capabilities denies", async () => {
    expect(await mayRead([rule("x/*", "read"), rule("x/y")], "x/y")).toBe(false);
    expect(await mayRead([rule("x/y", "read"), rule("x/y")], "x/y")).toBe(false);
  });

  it("sudo alone is not enough to read", async () => {
    expect(await mayRead(rule("x", "sudo"), "x")).toBe(false);
    expect(await mayRead(rule("x", "sudo", "read"), "x")).toBe(true);
  });
});

describe("the document of a policy", () => {
  it.each<[spelling: string, document: string, read: boolean]>([
    ["block syntax", 'path "x" { capabilities = ["read"] }', true],
    ["JSON", '{"path": {"x": {"capabilities": ["read"]}}}', true],
    ["base64 of block syntax", btoa('path "x" { capabilities = ["read"] }'), true],
    ["base64 of JSON", btoa('{"path": {"x": {"capabilities": ["read"]}}}'), true],
    ["policy = read", 'path "x" { policy = "read" }', true],
    ["policy = write", 'path "x" { policy = "write" }', true],
    ["policy = sudo", 'path "x" { policy = "sudo" }', true],
    ["policy = deny", 'path "x" { policy = "deny" }', false],
    ["a name, which is ignored", 'name = "y" path "x" { capabilities = ["read"] }', true],
    ["nothing", "# nothing", false],
  ])("can be %s", async (_spelling, document, read) => {
    expect(await mayRead(document, "x")).toBe(read);
  });

  it.each<[document: string, piece: string]>([
    ['path "x" { capabilities = ["reed"] }', "invalid capability"],
    ['path "x" { capability = ["read"] }', "invalid key"],
    ['paths "x" { capabilities = ["read"] }', "invalid key"],
    ['path "x/+*" { capabilities = ["read"] }', "+*"],
    ['path "x/{{identity.entity.id" { capabilities = ["read"] }', "unbalanced templating characters"],
    ['path "x/}}{{" { capabilities = ["read"] }', "unbalanced templating characters"],
    ['path "x" { allowed_parameters = ["a"] }', "invalid allowed_parameters"],
    ['path "x" { required_parameters = [1] }', "invalid required_parameters"],
    ['path "x" { min_wrapping_ttl = "soon" }', "error parsing min_wrapping_ttl"],
    ['path "x" { min_wrapping_ttl = 5 max_wrapping_ttl = "4s" }', "max_wrapping_ttl cannot be less"],
    ['path "x" { control_group = {} }', "invalid key"],
    ['path "x" {', "writePolicy"],
    ['{"path": [', "writePolicy"],
  ])("is refused: %s", (document, piece) => {
    const { sim } = libraryWorld();
    const before = sim.position;
    expect(() => sim.secrets.cluster("main").writePolicy("p", document)).toThrow(TypeError);
    expect(() => sim.secrets.cluster("main").writePolicy("p", document)).toThrow(piece);
    expect(sim.position).toBe(before);
  });
});

describe.each(doors())("the policy of a library's users, through %s", (_, { open }) => {
  it("tells lending from managing", async () => {
    const { sim, lend, asking } = tokenOf(
      rule("ldap/library/ops/check-out", "update") + rule("ldap/library/ops/check-in", "update"),
    );
    lend("ops");
    const door = open(sim);
    const call = (operation: OperationName): Promise<Answer> => door.call(operation, { set_name: "ops" }, asking);
    expectRefused(await call("library.forceCheckIn"), 403, "permission denied");
    expectRefused(await call("library.read"), 403, "permission denied");
    expectRefused(await call("library.status"), 403, "permission denied");
    expect(expectData(await call("library.checkIn"))).toEqual({ check_ins: [] });
  });
});
