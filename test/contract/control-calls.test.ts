import { describe, expect, it } from "vitest";
import { type ClusterHandle, createSimulator, Rejection, type Simulator } from "../../src/index.ts";
import { expectNothingChanged } from "./expectations.ts";

// control-surface.md: "A wrong argument throws a TypeError, or a Rejection where the world's state forbids it; both say what
// was wrong with which value, and nothing is half done."

const POLICY = 'path "x" { capabilities = ["read"] }';

/** The calls as somebody without types makes them. */
// biome-ignore lint/suspicious/noExplicitAny: what is tested here is what types refuse
type Untyped = any;

type Wrong = readonly [call: string, make: (cluster: Untyped, sim: Untyped) => unknown, ...pieces: string[]];

function expectRefusals(rows: readonly Wrong[]): void {
  const named = rows.map(([call, make, ...pieces]) => [call, make, pieces] as const);
  it.each(named)("%s", async (_call, make, pieces) => {
    const sim = createSimulator();
    const cluster = sim.secrets.cluster("main");
    cluster.createToken({ policies: [], id: "taken" });
    sim.mark("taken");
    await expectNothingChanged(sim, () => {
      expect(() => make(cluster, sim)).toThrow(TypeError);
      for (const piece of pieces) expect(() => make(cluster, sim)).toThrow(piece);
    });
  });
}

describe("an array is refused for options", () => {
  const wrong = "the options are an array, and have to be an object";
  expectRefusals([
    ["of network.setLag", (main, sim) => sim.network.setLag(main, main, "1s", []), wrong],
    ["of orchestrator.addNamespace", (_, sim) => sim.orchestrator.addNamespace("x", []), wrong],
    ["of stores.list", (_, sim) => sim.stores.list("", []), wrong],
    ["of mount", (cluster) => cluster.mount("x", []), wrong],
    ["of createSimulator's history", () => createSimulator({ history: [] as object }), "history is []"],
    ["of createSimulator's secrets", () => createSimulator({ secrets: [] as object }), "secrets is []"],
  ]);
});

describe("createToken refuses", () => {
  expectRefusals([
    ["no options", (cluster) => cluster.createToken(), "createToken", "undefined"],
    ["null", (cluster) => cluster.createToken(null), "null"],
    ["a text", (cluster) => cluster.createToken("root"), "root"],
    ["options without policies", (cluster) => cluster.createToken({}), "policies", "missing"],
    ["policies that are a text", (cluster) => cluster.createToken({ policies: "root" }), "policies", '"root"'],
    ["a policy that is no text", (cluster) => cluster.createToken({ policies: ["a", 5] }), "policies.1", "5"],
    [
      "a ttl that is a number, naming both units",
      (cluster) => cluster.createToken({ policies: [], ttl: 60 }),
      "ttl",
      "60",
      "seconds",
      "milliseconds",
    ],
    [
      "a period that is a number",
      (cluster) => cluster.createToken({ policies: [], period: 60 }),
      "period",
      "60",
      "seconds",
      "milliseconds",
    ],
    [
      "an explicitMaxTtl that is a number",
      (cluster) => cluster.createToken({ policies: [], explicitMaxTtl: 60 }),
      "explicitMaxTtl",
      "60",
      "milliseconds",
    ],
    ["a ttl of digits", (cluster) => cluster.createToken({ policies: [], ttl: "90" }), "ttl", '"90"'],
    ["a ttl of nothing", (cluster) => cluster.createToken({ policies: [], ttl: "" }), "ttl", '""'],
    ["a negative ttl", (cluster) => cluster.createToken({ policies: [], ttl: "-1s" }), "ttl", '"-1s"'],
    ["a ttl in weeks", (cluster) => cluster.createToken({ policies: [], ttl: "1w" }), "ttl", '"1w"'],
    ["a negative numUses", (cluster) => cluster.createToken({ policies: [], numUses: -1 }), "numUses", "-1"],
    ["a numUses with a fraction", (cluster) => cluster.createToken({ policies: [], numUses: 1.5 }), "numUses", "1.5"],
    ["a numUses that is a text", (cluster) => cluster.createToken({ policies: [], numUses: "2" }), "numUses", '"2"'],
    [
      "a numUses that is no number",
      (cluster) => cluster.createToken({ policies: [], numUses: Number.NaN }),
      "numUses",
      "NaN",
    ],
    [
      "a renewable that is a text",
      (cluster) => cluster.createToken({ policies: [], renewable: "no" }),
      "renewable",
      '"no"',
    ],
    ["an orphan that is a number", (cluster) => cluster.createToken({ policies: [], orphan: 1 }), "orphan", "1"],
    [
      "a noDefaultPolicy that is null",
      (cluster) => cluster.createToken({ policies: [], noDefaultPolicy: null }),
      "noDefaultPolicy",
      "null",
    ],
    ["an entityId that is a number", (cluster) => cluster.createToken({ policies: [], entityId: 5 }), "entityId", "5"],
    [
      "a namespace that is a number",
      (cluster) => cluster.createToken({ policies: [], namespace: 5 }),
      "namespace",
      "5",
    ],
    [
      "a namespace with a blank",
      (cluster) => cluster.createToken({ policies: [], namespace: "a b" }),
      "namespace",
      "a b",
    ],
    [
      "a displayName that is a number",
      (cluster) => cluster.createToken({ policies: [], displayName: 5 }),
      "displayName",
      "5",
    ],
    ["meta that is a text", (cluster) => cluster.createToken({ policies: [], meta: "x" }), "meta", '"x"'],
    ["meta with a number", (cluster) => cluster.createToken({ policies: [], meta: { a: 5 } }), "meta.a", "5"],
    ["an empty id", (cluster) => cluster.createToken({ policies: [], id: "" }), "id", '""'],
    ["an unknown type", (cluster) => cluster.createToken({ policies: [], type: "big" }), "type", '"big"'],
    [
      "a batch token with a period",
      (cluster) => cluster.createToken({ policies: [], type: "batch", period: "1h" }),
      "batch",
      "period",
    ],
    [
      "a batch token with an explicitMaxTtl",
      (cluster) => cluster.createToken({ policies: [], type: "batch", explicitMaxTtl: "1h" }),
      "batch",
    ],
    [
      "a batch token with numUses",
      (cluster) => cluster.createToken({ policies: [], type: "batch", numUses: 1 }),
      "batch",
    ],
    ["a batch token with an id", (cluster) => cluster.createToken({ policies: [], type: "batch", id: "x" }), "batch"],
    [
      "a batch token with policy root",
      (cluster) => cluster.createToken({ policies: ["root"], type: "batch" }),
      "batch",
    ],
    [
      "a batch token with policy Root",
      (cluster) => cluster.createToken({ policies: ["Root"], type: "batch" }),
      "batch",
    ],
    [
      "an unknown option",
      (cluster) => cluster.createToken({ policies: [], polices: [] }),
      "polices",
      "no such option, there is policies, ttl,",
    ],
    [
      "what is no object",
      (cluster) => cluster.createToken("root"),
      '"root"',
      "the options are an object, and there is policies, ttl,",
    ],
    ["a function", (cluster) => cluster.createToken({ policies: [], ttl: () => "1h" }), "ttl"],
    ["a Date", (cluster) => cluster.createToken({ policies: [], ttl: new Date(0) }), "ttl"],
  ]);
});

describe("writePolicy refuses", () => {
  expectRefusals([
    ["a name that is a number", (cluster) => cluster.writePolicy(5, POLICY), "name", "5"],
    ["an empty name", (cluster) => cluster.writePolicy("", POLICY), "name", '""'],
    ["a name with a slash", (cluster) => cluster.writePolicy("a/b", POLICY), "name", '"a/b"'],
    ["a name that begins with a hyphen", (cluster) => cluster.writePolicy("-a", POLICY), "name", '"-a"'],
    ["the policy root", (cluster) => cluster.writePolicy("root", POLICY), "root"],
    ["the policy Root", (cluster) => cluster.writePolicy("Root", POLICY), "Root"],
    [
      "the policy response-wrapping",
      (cluster) => cluster.writePolicy("response-wrapping", POLICY),
      "response-wrapping",
    ],
    ["no document", (cluster) => cluster.writePolicy("p"), "document", "missing"],
    ["a document that is an object", (cluster) => cluster.writePolicy("p", {}), "document"],
    [
      "a document that does not parse, with line and column",
      (cluster) => cluster.writePolicy("p", 'path "x" {\n  capabilities = [\n'),
      "line",
      "column",
    ],
    ["options that are null", (cluster) => cluster.writePolicy("p", POLICY, null), "null"],
    ["options that are a text", (cluster) => cluster.writePolicy("p", POLICY, "team"), "team"],
    ["a namespace that is a number", (cluster) => cluster.writePolicy("p", POLICY, { namespace: 5 }), "namespace", "5"],
    ["an unknown option", (cluster) => cluster.writePolicy("p", POLICY, { nameSpace: "x" }), "nameSpace"],
    [
      "an option that would be another name",
      (cluster) => cluster.writePolicy("p", POLICY, { name: "default" }),
      "name",
    ],
  ]);
});

describe("createNamespace refuses", () => {
  expectRefusals([
    ["nothing", (cluster) => cluster.createNamespace(), "createNamespace", "missing"],
    ["a number", (cluster) => cluster.createNamespace(5), "5"],
    ["an empty path", (cluster) => cluster.createNamespace(""), "createNamespace"],
    ["a slash", (cluster) => cluster.createNamespace("/"), "createNamespace"],
    ["the root namespace", (cluster) => cluster.createNamespace("root"), "root"],
    ["a blank inside", (cluster) => cluster.createNamespace("a b"), "a b"],
    ["an empty segment", (cluster) => cluster.createNamespace("a//b"), "a//b"],
    ["a segment that begins with a dot", (cluster) => cluster.createNamespace("a/.b"), "a/.b"],
  ]);
});

describe("mount refuses", () => {
  expectRefusals([
    ["no path", (cluster) => cluster.mount(undefined, { type: "ldap" }), "path", "missing"],
    ["a number", (cluster) => cluster.mount(5, { type: "ldap" }), "path", "5"],
    ["an empty path", (cluster) => cluster.mount("", { type: "ldap" }), "path"],
    ["a blank inside", (cluster) => cluster.mount("a b", { type: "ldap" }), "path", "a b"],
    ["no options", (cluster) => cluster.mount("x"), "mount", "undefined"],
    ["no type", (cluster) => cluster.mount("x", {}), "type", "missing"],
    ["a type that is a number", (cluster) => cluster.mount("x", { type: 5 }), "type", "5"],
    ["an unknown option", (cluster) => cluster.mount("x", { type: "ldap", kind: 1 }), "kind"],
    ["an empty type", (cluster) => cluster.mount("x", { type: "" }), "type", '""'],
    ["a local that is a text", (cluster) => cluster.mount("x", { type: "kv", local: "yes" }), "local", '"yes"'],
    ["an option that would be another path", (cluster) => cluster.mount("x", { type: "ldap", path: "y" }), "path"],
    ["a namespace that is a number", (cluster) => cluster.mount("x", { type: "ldap", namespace: 5 }), "namespace", "5"],
  ]);
});

describe("calls about nodes and clusters refuse", () => {
  expectRefusals([
    ["no node", (cluster) => cluster.setActiveNode(), "setActiveNode", "missing"],
    ["a node that is a text", (cluster) => cluster.setActiveNode("0"), "node", '"0"'],
    ["a node below 0", (cluster) => cluster.setActiveNode(-1), "node", "-1"],
    ["the URL of no node", (cluster) => cluster.nodeUrl(), "nodeUrl", "undefined"],
    ["the URL of a node that is not there", (cluster) => cluster.nodeUrl(1), "nodeUrl", "1"],
    ["stopping nothing", (_, sim) => sim.network.stop(), "network.stop", "undefined"],
    ["stopping a name", (_, sim) => sim.network.stop("main"), "network.stop", 'sim.secrets.cluster("main")'],
    ["starting another cluster", (_, sim) => sim.network.start({ name: "__proto__" }), "network.start", "main"],
    [
      "the policy of wrapping tokens",
      (cluster) => cluster.createToken({ policies: ["response-wrapping"] }),
      "policies",
    ],
  ]);
});

describe("the doors refuse", () => {
  expectRefusals([
    ["a cluster that is not there", (_, sim) => sim.secrets.cluster("nowhere"), "nowhere", "main"],
    ["a cluster that is a member of objects", (_, sim) => sim.secrets.cluster("constructor"), "constructor"],
    ["a cluster that is no name", (_, sim) => sim.secrets.cluster(5), "5"],
    ["a cluster that is undefined", (_, sim) => sim.secrets.cluster(), "undefined"],
    ["a token that is no text", (cluster) => cluster.as(5), "as", "5"],
    ["a token that is null", (cluster) => cluster.as(null), "as", "null"],
    ["a namespace that is no text", (cluster) => cluster.as("x", { namespace: 5 }), "namespace", "5"],
    ["an unknown option of as", (cluster) => cluster.as("x", { nameSpace: "team" }), "nameSpace"],
    ["options of as that are null", (cluster) => cluster.as("x", null), "null"],
    ["a mount that is no text", (cluster) => cluster.as("x").at(5), "at", "5"],
    ["an empty mount", (cluster) => cluster.as("x").at(""), "at"],
  ]);
});

describe("the directory refuses", () => {
  expectRefusals([
    ["addEntry of a number", (_, sim) => sim.directory.addEntry(5, {}), "dn", "5"],
    ["addEntry of an empty DN", (_, sim) => sim.directory.addEntry("", {}), "dn"],
    ["addEntry of a blank DN", (_, sim) => sim.directory.addEntry("  ", {}), "dn"],
    ["addEntry of what is no DN", (_, sim) => sim.directory.addEntry("nonsense", {}), "dn", "nonsense"],
    ["addEntry without attributes", (_, sim) => sim.directory.addEntry("cn=a"), "attributes", "undefined"],
    ["addEntry with null", (_, sim) => sim.directory.addEntry("cn=a", null), "attributes", "null"],
    ["addEntry with a text", (_, sim) => sim.directory.addEntry("cn=a", "cn: a"), "attributes"],
    ["addEntry with an array", (_, sim) => sim.directory.addEntry("cn=a", ["cn"]), "attributes"],
    ["addEntry of an attribute that is no name", (_, sim) => sim.directory.addEntry("cn=a", { "1a": "x" }), "1a"],
    ["addEntry of an attribute with a blank", (_, sim) => sim.directory.addEntry("cn=a", { "a b": "x" }), "a b"],
    [
      "addEntry of an attribute __proto__",
      (_, sim) => sim.directory.addEntry("cn=a", JSON.parse('{"__proto__": "x"}')),
      "__proto__",
    ],
    ["addEntry of a value that is a number", (_, sim) => sim.directory.addEntry("cn=a", { cn: 5 }), "cn", "5"],
    ["addEntry of values with a number", (_, sim) => sim.directory.addEntry("cn=a", { cn: ["a", 5] }), "cn", "5"],
    ["addEntry of a value that is null", (_, sim) => sim.directory.addEntry("cn=a", { cn: null }), "cn", "null"],
    ["addSuffix of nothing", (_, sim) => sim.directory.addSuffix(), "dn", "missing"],
    ["addSuffix of what is no DN", (_, sim) => sim.directory.addSuffix("nonsense"), "dn", "nonsense"],
    ["addSuffix of blanks", (_, sim) => sim.directory.addSuffix(" "), "dn"],
    ["removeEntry of what is no DN", (_, sim) => sim.directory.removeEntry("nonsense"), "dn", "nonsense"],
    ["entry of a number", (_, sim) => sim.directory.entry(5), "5"],
    ["entry of what is no DN", (_, sim) => sim.directory.entry("nonsense"), "nonsense"],
    ["search below what is no DN", (_, sim) => sim.directory.search("nonsense", "(cn=a)"), "nonsense"],
    ["search below a number", (_, sim) => sim.directory.search(5, "(cn=a)"), "5"],
    ["search by a filter that is a number", (_, sim) => sim.directory.search("", 5), "filter", "5"],
    ["search by a filter that is null", (_, sim) => sim.directory.search("", null), "filter", "null"],
    ["search by a filter without brackets", (_, sim) => sim.directory.search("", "cn=a"), "cn=a", "("],
    ["search by a filter with another comparison", (_, sim) => sim.directory.search("", "(cn>=a)"), "(cn>=a)"],
    ["search by a filter with something behind it", (_, sim) => sim.directory.search("", "(cn=a))"), "the end"],
    ["search by a filter without an end", (_, sim) => sim.directory.search("", "(&(cn=a)"), ")"],
    ["search by a filter that is too deep", (_, sim) => sim.directory.search("", "(!".repeat(100_000)), "levels"],
    ["setAvailable of a text", (_, sim) => sim.directory.setAvailable("yes"), "setAvailable", '"yes"'],
    ["setAvailable of nothing", (_, sim) => sim.directory.setAvailable(), "missing"],
    ["a server that is a number", (_, sim) => sim.directory.server(5).setAvailable(true), "url", "5"],
    ["a server without a name", (_, sim) => sim.directory.server("").setAvailable(true), "url", '""'],
    ["a server's availability that is a text", (_, sim) => sim.directory.server("ldap://a").setAvailable("no"), '"no"'],
    ["a negative delay", (_, sim) => sim.directory.server("ldap://a").setDelay(-1), "-1"],
    ["a delay with a fraction of a millisecond", (_, sim) => sim.directory.server("ldap://a").setDelay(1.5), "1.5"],
    ["a delay without a unit", (_, sim) => sim.directory.server("ldap://a").setDelay("90"), '"90"'],
    ["no delay", (_, sim) => sim.directory.server("ldap://a").setDelay(), "missing"],
    ["failNext of nothing", (_, sim) => sim.directory.failNext(), "failNext", "undefined"],
    ["failNext without a count", (_, sim) => sim.directory.failNext({}), "count", "missing"],
    ["failNext of none", (_, sim) => sim.directory.failNext({ count: 0 }), "count", "0"],
    ["failNext of a fraction", (_, sim) => sim.directory.failNext({ count: 1.5 }), "count", "1.5"],
    ["failNext of a count that is a text", (_, sim) => sim.directory.failNext({ count: "1" }), "count", '"1"'],
    ["failNext of what is no DN", (_, sim) => sim.directory.failNext({ count: 1, dn: "nonsense" }), "dn", "nonsense"],
    [
      "failNext of an unknown operation",
      (_, sim) => sim.directory.failNext({ count: 1, operation: "rename" }),
      "operation",
      '"rename"',
    ],
    ["failNext with result code 0", (_, sim) => sim.directory.failNext({ count: 1, resultCode: 0 }), "resultCode", "0"],
    [
      "failNext with an unknown option",
      (_, sim) => sim.directory.failNext({ count: 1, url: "x" }),
      "url",
      "no such option",
    ],
  ]);
});

describe("clock and history refuse", () => {
  expectRefusals([
    ["advance by nothing", (_, sim) => sim.clock.advance(), "undefined"],
    ["advance by a text without a unit", (_, sim) => sim.clock.advance("90"), '"90"'],
    ["advance backward", (_, sim) => sim.clock.advance(-1), "-1"],
    ["advance by a fraction", (_, sim) => sim.clock.advance(0.5), "0.5"],
    ["advance by NaN", (_, sim) => sim.clock.advance(Number.NaN), "NaN"],
    ["advance beyond the last instant", (_, sim) => sim.clock.advance(Number.MAX_SAFE_INTEGER)],
    ["advanceTo what is no instant", (_, sim) => sim.clock.advanceTo("tomorrow"), '"tomorrow"'],
    ["advanceTo the past", (_, sim) => sim.clock.advanceTo("2025-12-31T23:59:59Z"), "2025-12-31"],
    ["a mark without a name", (_, sim) => sim.mark(""), "mark", '""'],
    ["a mark that is a number", (_, sim) => sim.mark(5), "mark", "5"],
    ["a mark of digits", (_, sim) => sim.mark("12"), "mark", '"12"'],
    ["a mark that reads as an instant", (_, sim) => sim.mark("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00Z"],
    ["a mark that is taken", (_, sim) => sim.mark("taken"), '"taken"'],
    ["at a negative position", (_, sim) => sim.at(-1), "-1"],
    ["at a position with a fraction", (_, sim) => sim.at(0.5), "0.5"],
    ["at no place", (_, sim) => sim.at(), "undefined"],
    ["at null", (_, sim) => sim.at(null), "null"],
    ["fork at an invalid Date", (_, sim) => sim.fork(new Date(Number.NaN)), "invalid Date"],
  ]);
});

describe("what the world's state forbids is a Rejection, with a code, a status and data", () => {
  it.each<[call: string, code: string, status: number, make: (cluster: ClusterHandle, sim: Simulator) => unknown]>([
    [
      "a token's id that is taken",
      "token_exists",
      400,
      (cluster) => cluster.createToken({ policies: [], id: "taken" }),
    ],
    [
      "a token of an unknown namespace",
      "namespace_not_found",
      404,
      (cluster) => cluster.createToken({ policies: [], namespace: "nowhere" }),
    ],
    [
      "a policy of an unknown namespace",
      "namespace_not_found",
      404,
      (cluster) => cluster.writePolicy("p", POLICY, { namespace: "nowhere" }),
    ],
    [
      "a mount in an unknown namespace",
      "namespace_not_found",
      404,
      (cluster) => cluster.mount("x", { type: "ldap", namespace: "nowhere" }),
    ],
    ["a namespace below an unknown one", "namespace_not_found", 404, (cluster) => cluster.createNamespace("nowhere/x")],
    ["a mount's path that is taken", "mount_in_use", 400, (cluster) => cluster.mount("ldap", { type: "ldap" })],
    ["a mount below another", "mount_in_use", 400, (cluster) => cluster.mount("ldap/x", { type: "ldap" })],
    ["a mount above another", "mount_in_use", 400, (cluster) => cluster.mount("teams", { type: "ldap" })],
    ["a mount at a namespace", "mount_in_use", 400, (cluster) => cluster.mount("team", { type: "ldap" })],
    ["a mount below a namespace", "mount_in_use", 400, (cluster) => cluster.mount("team/x", { type: "ldap" })],
    ["an unknown engine", "plugin_not_found", 400, (cluster) => cluster.mount("x", { type: "nothing" })],
    ["an engine named constructor", "plugin_not_found", 400, (cluster) => cluster.mount("x", { type: "constructor" })],
    ["a place that lies ahead", "unknown_place", 400, (_, sim) => sim.at(99)],
    ["a mark that nobody made", "unknown_place", 400, (_, sim) => sim.fork("never")],
  ])("%s: %s", async (_call, code, status, make) => {
    const sim = createSimulator();
    const cluster = sim.secrets.cluster("main");
    cluster.createToken({ policies: [], id: "taken" });
    cluster.createNamespace("team");
    cluster.mount("teams/dirs", { type: "ldap" });
    await expectNothingChanged(sim, () => {
      expect(() => make(cluster, sim)).toThrow(Rejection);
      expect(() => make(cluster, sim)).toThrow(expect.objectContaining({ code, status, data: expect.any(Object) }));
    });
  });

  it("and has no position, because nothing was committed", () => {
    const { secrets } = createSimulator();
    const rejection = rejectionOf(() => secrets.cluster("main").createNamespace("sys"));
    // It is not there at all: whoever prints a rejection sees nothing of it.
    expect("position" in rejection).toBe(false);
    expect(rejection.message).toContain("sys");
  });

  it("but has one when the refusal itself committed facts", () => {
    const sim = createSimulator();
    const cluster = sim.secrets.cluster("main");
    const { token } = cluster.createToken({ policies: [], numUses: 1 });
    const rejection = rejectionOf(() => cluster.as(token).ldapConfig.read());
    expect(rejection).toMatchObject({ code: "permission_denied", status: 403, position: sim.position });
  });
});

function rejectionOf(call: () => unknown): Rejection {
  try {
    call();
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("control calls that change nothing", () => {
  it.each<[call: string, make: (sim: Simulator) => void]>([
    ["the directory is up already", (sim) => sim.directory.setAvailable(true)],
    ["the server is up already", (sim) => sim.directory.server("ldap://a").setAvailable(true)],
    ["the server has no delay already", (sim) => sim.directory.server("ldap://a").setDelay(0)],
    ["the entry is not there", (sim) => sim.directory.removeEntry("cn=nobody")],
    ["the suffix is there already", (sim) => sim.directory.addSuffix("OU = a,dc=b")],
    ["the ancestor of a suffix is there already", (sim) => sim.directory.addSuffix("dc=b")],
    ["the namespace is there already", (sim) => void sim.secrets.cluster("main").createNamespace("/team/")],
  ])("commit nothing: %s", async (_call, make) => {
    const sim = createSimulator();
    sim.directory.addSuffix("ou=a,dc=b");
    sim.secrets.cluster("main").createNamespace("team");
    await expectNothingChanged(sim, () => make(sim));
    expect(sim.directory.search("", "(cn=*)")).toEqual([]);
  });
});

describe("what control calls are given", () => {
  it("keeps every member, whatever its name", () => {
    const sim = createSimulator();
    const names = ["constructor", "prototype", "toString"];
    const attributes = Object.fromEntries(names.map((name) => [name, `${name}-value`]));
    sim.directory.addEntry("cn=odd", attributes);
    expect(sim.directory.entry("cn=odd")?.attributes).toEqual(
      Object.fromEntries(names.map((name) => [name, [`${name}-value`]])),
    );
    expect(sim.directory.search("", "(constructor=constructor-value)")).toHaveLength(1);
  });

  it("keeps every member of a token's meta", () => {
    const sim = createSimulator();
    const meta = JSON.parse('{"constructor": "a", "__proto__": "b", "toString": "c"}') as Record<string, string>;
    sim.secrets.cluster("main").createToken({ policies: [], id: "t", meta });
    const event = sim.log.events().at(-1)?.data as { record: { meta: object } };
    expect(new Map(Object.entries(event.record.meta))).toEqual(new Map(Object.entries(meta)));
  });

  it("may be bytes of any number", () => {
    const sim = createSimulator();
    const photo = new Uint8Array(300_000).fill(0xff);
    sim.directory.addEntry("cn=a", { photo });
    const [kept] = sim.directory.entry("cn=a")?.attributes["photo"] ?? [];
    expect(Buffer.from(kept as Uint8Array).equals(photo)).toBe(true);
  });

  it("may be bytes of a Buffer, which are bytes", () => {
    const sim = createSimulator();
    sim.directory.addEntry("cn=a", { photo: [Buffer.from([0xff, 0]), "text"] });
    expect(sim.directory.entry("cn=a")?.attributes["photo"]).toEqual([new Uint8Array([0xff, 0]), "text"]);
  });

  it("may spell one attribute in two ways: it has the values of both", () => {
    const sim = createSimulator();
    sim.directory.addEntry("cn=a", { mail: "a", MAIL: ["b", "c"] });
    expect(sim.directory.entry("cn=a")?.attributes).toEqual({ mail: ["a", "b", "c"] });
  });

  it("replaces an entry of the same DN, whatever its spelling", () => {
    const sim = createSimulator();
    sim.directory.addEntry("cn=a,dc=b", { mail: "old" });
    sim.directory.addEntry(" CN = A , DC=B ", { uid: "new" });
    expect(sim.directory.search("", "(|(mail=*)(uid=*))")).toEqual([
      { dn: " CN = A , DC=B ", attributes: { uid: ["new"] } },
    ]);
  });
});

describe("a search of the directory", () => {
  it.each<[base: string, filter: string, found: readonly string[]]>([
    ["", "(cn=*)", ["a", "b", "c"]],
    ["dc=x", "(cn=*)", ["a", "b"]],
    ["cn=a,dc=x", "(cn=*)", ["a"]],
    ["dc=nowhere", "(cn=*)", []],
    ["", "(cn=A)", ["a"]],
    ["", "(CN=b)", ["b"]],
    ["", "(mail=*@x.com)", ["a", "b"]],
    ["", "(mail=a*)", ["a"]],
    ["", "(mail=*@*.*)", ["a", "b"]],
    ["", "(&(cn=*)(mail=b@x.com))", ["b"]],
    ["", "(|(cn=a)(cn=c))", ["a", "c"]],
    ["", "(!(cn=a))", ["b", "c"]],
    ["", "(&(cn=*)(!(mail=*)))", ["c"]],
    ["", "(note=\\28star\\2a\\29)", ["c"]],
    ["", "(note=caf\\c3\\a9)", ["b"]],
    ["", "(cn=a*a)", []],
  ])("below %j by %s finds %j", (base, filter, found) => {
    const sim = createSimulator();
    sim.directory.addEntry("cn=a,dc=x", { cn: "a", mail: ["a@x.com", "other"] });
    sim.directory.addEntry("cn=b,dc=x", { cn: "b", mail: "b@x.com", note: "Café" });
    sim.directory.addEntry("cn=c,dc=y", { cn: "c", note: "(star*)" });
    expect(sim.directory.search(base, filter).map(({ attributes }) => attributes["cn"]?.[0])).toEqual(found);
  });
});
