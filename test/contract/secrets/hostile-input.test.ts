import { afterEach, describe, expect, it } from "vitest";
import { eachTakesAtMost } from "../../support/processor-time.ts";
import { doors, type Fields, type OperationName, type Sent, send, typedDoor } from "../driver.ts";
import { expectData, expectDone, expectEnvelope, expectNothingChanged, expectRefused } from "../expectations.ts";
import { reach } from "../transports.ts";
import { BASE, dnOf, type LibraryWorld, libraryWorld } from "./library-world.ts";

// What no well-meaning client sends. Nothing of it may throw out of `sim.fetch`, change what it should not, or reach the
// prototypes that all objects share.

const PRISTINE = Object.getOwnPropertyNames(Object.prototype).sort();

eachTakesAtMost(20);

afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(PRISTINE);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

function world(): LibraryWorld {
  const made = libraryWorld();
  made.set("ops", ["svc-1", "svc-2"]);
  return made;
}

const CHECK_OUT = "/v1/ldap/library/ops/check-out";

// Over HTTP only: a typed call takes plain data, and has no body to spoil.
describe("bodies that are hostile", () => {
  const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
  const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
    new Uint8Array(parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)));

  it.each<[rule: string, body: string | Uint8Array<ArrayBuffer>]>([
    ["a million nested arrays", deep("[", "]", 1_000_000)],
    ["a million nested arrays in a field", `{"ttl": ${deep("[", "]", 1_000_000)}}`],
    ["a million nested arrays in a field that nobody knows", `{"x": ${deep("[", "]", 1_000_000)}}`],
    ["a million nested objects", deep('{"a":', "}", 1_000_000)],
    ["a million opening brackets", `{"a":${"[".repeat(1_000_000)}`],
    ["a million opening braces", "{".repeat(1_000_000)],
    ["an unclosed string of a megabyte", `{"a": "${"x".repeat(1_000_000)}`],
    ["a megabyte of backslashes", `{"a": "${"\\".repeat(1_000_001)}`],
    ["a lone quote", '{"'],
    ["a byte that is no UTF-8 outside a string", bytes("{", [0xff], "}")],
    ["a NUL", "\u0000"],
    ["a NUL behind an object", "{}\u0000"],
    ["UTF-16", bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
  ])("%s is 400", async (_rule, body) => {
    const { sim } = world();
    await expectNothingChanged(sim, async () => {
      expect((await send(sim, "POST", CHECK_OUT, { body })).status).toBe(400);
    });
  });

  it("bytes that are no UTF-8 in a string are replaced, as everywhere", async () => {
    const { sim } = world();
    const body = bytes('{"ttl": 60, "a": "', [0xff, 0xc3], '"}');
    expect(expectEnvelope(await send(sim, "POST", CHECK_OUT, { body })).lease_duration).toBe(60);
  });

  it("a hundred thousand keys are ignored, and named in order", async () => {
    const { sim } = world();
    const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index}": 0`);
    const { warnings } = expectEnvelope(await send(sim, "POST", CHECK_OUT, { body: `{${keys.join(",")}}` }));
    expect(warnings).toHaveLength(1);
  });

  it("a hundred thousand names are looked up and refused", async () => {
    const { sim } = world();
    const body = JSON.stringify({ service_account_names: Array.from({ length: 100_000 }, (_, index) => `n-${index}`) });
    await expectNothingChanged(sim, async () => {
      expectRefused(await send(sim, "POST", "/v1/ldap/library/ops/check-in", { body }), 500, "not found");
    });
  });

  it.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"])(
    "the field %s is one that nobody knows",
    async (field) => {
      const { sim } = world();
      const body = `{"ttl": 60, "${field}": {"polluted": true, "ttl": 5}}`;
      const { warnings, lease_duration } = expectEnvelope(await send(sim, "POST", CHECK_OUT, { body }));
      expect(lease_duration).toBe(60);
      expect(warnings).toEqual([expect.stringContaining(field)]);
      expectDone(await send(sim, "POST", "/v1/ldap/config", { body: `{"${field}": {"starttls": true}}` }));
      expect(expectData(await send(sim, "GET", "/v1/ldap/config"))["starttls"]).toBe(false);
      const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: `${field}=1&ttl=61` };
      expect(expectEnvelope(await send(sim, "POST", CHECK_OUT, form)).lease_duration).toBe(61);
    },
  );

  it("a __proto__ that holds all fields gives none of them", async () => {
    const { sim } = libraryWorld({ configured: false });
    const body = '{"__proto__": {"binddn": "cn=a", "bindpass": "b"}}';
    expectRefused(await send(sim, "POST", "/v1/ldap/config", { body }), 500, "cannot derive UserBindDN");
  });

  it("a __proto__ in the query gives nothing", async () => {
    const { sim } = world();
    expectData(await send(sim, "GET", "/v1/ldap/library/ops?__proto__=x&constructor=y&__proto__[polluted]=1"));
  });
});

describe.each(doors())("names of everybody's objects through %s", (_, { open }) => {
  const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf"];

  it.each(NAMES)("%s is a set like any other", async (set_name) => {
    const { sim } = libraryWorld();
    const door = open(sim);
    const asked = { set_name };
    expectRefused(await door.call("library.status", asked), 400, "doesn't exist");
    expectRefused(await door.call("library.checkOut", asked), 400, "doesn't exist");
    expectDone(await door.call("library.write", { ...asked, service_account_names: ["svc-1"] }));
    expect(expectData(await door.call("library.list"))).toEqual({ keys: [set_name.toLowerCase()] });
    expect(expectData(await door.call("library.read", asked))["service_account_names"]).toEqual(["svc-1"]);
    const { lease_id } = expectEnvelope(await door.call("library.checkOut", asked));
    expect(expectData(await door.call("leases.lookup", { lease_id }))["id"]).toBe(lease_id);
    expect(expectData(await door.call("library.checkIn", asked))).toEqual({ check_ins: ["svc-1"] });
    expectDone(await door.call("library.delete", asked));
  });

  it.each(NAMES)("%s is an account like any other", async (account) => {
    const { sim } = libraryWorld();
    sim.directory.addEntry(dnOf("odd"), { cn: account });
    const door = open(sim);
    expectDone(await door.call("library.write", { set_name: "ops", service_account_names: [account, "svc-1"] }));
    const data = expectData(await door.call("library.status", { set_name: "ops" }));
    expect(Object.keys(data)).toEqual([account, "svc-1"]);
    expect(Object.getOwnPropertyDescriptor(data, account)?.value).toEqual({ available: true });
    const lent = expectData(await door.call("library.checkOut", { set_name: "ops" }));
    expect(lent["service_account_name"]).toBe(account);
    const named = { set_name: "ops", service_account_names: [account] };
    expect(expectData(await door.call("library.checkIn", named))).toEqual({ check_ins: [account] });
  });

  it.each(NAMES)("%s is an entity like any other", async (entityId) => {
    const { sim, set, token } = libraryWorld();
    set("ops", ["svc-1"]);
    const door = open(sim);
    await door.call("library.checkOut", { set_name: "ops" }, { token: token({ entityId }) });
    const data = expectData(await door.call("library.status", { set_name: "ops" }));
    expect(data["svc-1"]).toMatchObject({ borrower_entity_id: entityId });
    const checkedIn = await door.call("library.checkIn", { set_name: "ops" }, { token: token({ entityId }) });
    expect(expectData(checkedIn)).toEqual({ check_ins: ["svc-1"] });
  });

  it.each(NAMES)("%s is a password policy like any other", async (name) => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectRefused(await door.call("passwordPolicies.read", { name }), 404, "policy does not exist");
    const policy = 'length = 8 rule "charset" { charset = "ab" }';
    expectDone(await door.call("passwordPolicies.write", { name, policy }));
    expect(expectData(await door.call("passwordPolicies.list"))).toEqual({ keys: [name] });
    expectDone(await door.call("ldapConfig.write", { password_policy: name }));
    expectDone(await door.call("library.write", { set_name: "ops", service_account_names: ["svc-1"] }));
  });

  it.each(NAMES)("%s is a policy of a token that nobody wrote", async (policy) => {
    const { sim, set } = libraryWorld();
    set("ops", ["svc-1"]);
    const { token } = sim.secrets.cluster("main").createToken({ policies: [policy] });
    expectRefused(await open(sim).call("library.read", { set_name: "ops" }, { token }), 403, "permission denied");
  });

  it.each(NAMES)("%s is a mount that nobody made", async (mount) => {
    const { sim } = libraryWorld();
    expectRefused(await open(sim).call("library.read", { set_name: "ops" }, { mount }), 404, "no handler for route");
  });

  // Halves of surrogate pairs are none behind a body: kept-as-text.test.ts.
  it.each(["\ufffd", "a\u0000b", "\uffff", "😀", "é", "a'b\"c", "a,b", " a ", "(cn=*)", "*", "\\2a"])(
    "the account %j goes in and out as it is",
    async (account) => {
      const { sim } = libraryWorld();
      sim.directory.addEntry(dnOf("odd"), { cn: account });
      const door = open(sim);
      expectDone(await door.call("library.write", { set_name: "ops", service_account_names: [account] }));
      expect(Object.keys(expectData(await door.call("library.status", { set_name: "ops" })))).toEqual([account]);
      const lent = expectData(await door.call("library.checkOut", { set_name: "ops" }));
      expect(lent["service_account_name"]).toBe(account);
      const named = { set_name: "ops", service_account_names: [account] };
      expect(expectData(await door.call("library.checkIn", named))).toEqual({ check_ins: [account] });
      expect(sim.stateHash()).toMatch(/^[0-9a-f]{32}$/);
      expect(sim.fork().stateHash()).toBe(sim.stateHash());
    },
  );

  it("a wild card in an account's name means itself in a search", async () => {
    const { sim } = libraryWorld();
    const written = { set_name: "ops", service_account_names: ["svc-*"] };
    expectRefused(await open(sim).call("library.write", written), 500, "but found 0");
  });

  it.each(["", " ", "=", "cn=", "cn=a,", ",", "\u0000", "cn=\ud800", "x".repeat(100_000), "cn=a".repeat(5000)])(
    "a binddn and a userdn may be any text (%#): what is no DN is found nowhere",
    async (text) => {
      const { sim } = libraryWorld();
      const door = open(sim);
      const config = { userdn: text, ...(text === "" ? {} : { binddn: text }) };
      expectDone(await door.call("ldapConfig.write", config));
      const answer = await door.call("library.write", { set_name: "ops", service_account_names: ["svc-1"] });
      expect(answer.status).toBe(text === "" ? 204 : 500);
      expect(sim.stateHash()).toMatch(/^[0-9a-f]{32}$/);
    },
  );

  it.each([
    "nonsense",
    " ",
    "\\",
    "a\u0000",
    "\ufffd",
    ";",
    "+",
    "cn=#04",
    "cn=a\\",
    "x".repeat(9000),
    "cn=a".repeat(5000),
  ])("a first binddn may be any text (%#), whether an entry can be made of it or not", async (binddn) => {
    const { sim } = libraryWorld({ configured: false });
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { binddn, bindpass: "b" }));
    const answer = await door.call("library.write", { set_name: "ops", service_account_names: ["svc-1"] });
    expect([204, 500]).toContain(answer.status);
    expect(expectData(await door.call("ldapConfig.read"))["binddn"]).toBe(binddn);
    expect(sim.stateHash()).toMatch(/^[0-9a-f]{32}$/);
  });

  it("a certificate of a megabyte of blanks is refused in no time", async () => {
    const { sim } = libraryWorld();
    for (const certificate of [
      `-----BEGIN CERTIFICATE-----${" ".repeat(1_000_000)}`,
      "-----BEGIN CERTIFICATE-----".repeat(40_000),
      `-----BEGIN CERTIFICATE-----${" A".repeat(500_000)}!-----END CERTIFICATE-----`,
    ]) {
      expectRefused(await open(sim).call("ldapConfig.write", { certificate }), 500, "server tls cert");
    }
  });

  it.each<[rule: string, policy: string]>([
    ["a million opening braces", "{".repeat(1_000_000)],
    ["a million open lists", `length = ${"[".repeat(1_000_000)}`],
    ["a megabyte of one word", "x".repeat(1_000_000)],
    ["a megabyte of blanks", " ".repeat(1_000_000)],
    ["a megabyte of comments", "#\n".repeat(500_000)],
    ["a megabyte of base64", "QUFB".repeat(250_000)],
    ["an unclosed heredoc", `length = <<A\n${"x\n".repeat(100_000)}`],
  ])("a password policy of %s is refused", async (_rule, policy) => {
    const { sim } = libraryWorld();
    await expectNothingChanged(sim, async () => {
      const answer = await open(sim).call("passwordPolicies.write", { name: "p", policy });
      expectRefused(answer, 400, "invalid password policy");
    });
  });
});

it("half of a surrogate pair, which only a call can say, is no character of a password", async () => {
  const policy = 'length = 8 rule "charset" { charset = "a\ud800" }';
  const answer = await typedDoor.open(libraryWorld().sim).call("passwordPolicies.write", { name: "p", policy });
  expectRefused(answer, 400, "invalid password policy");
});

// Over HTTP only: a typed call has no path but the one that its captures make.
describe("paths that are hostile", () => {
  /** Whether the answer says that there is no such thing, of whatever kind. */
  it.each<[path: string, status: number]>([
    ["/v1/%zz", 400],
    ["/v1/ldap/library/%", 400],
    ["/v1/ldap/library/%ff", 400],
    ["/v1/ldap/library/%c3%28", 400],
    ["/v1/ldap/library/%ed%a0%80", 400],
    ["/v1/ldap/library/%00", 400],
    ["/v1/ldap/library/a%00b", 400],
    ["/v1/ldap/library/a%0ab", 400],
    ["/v1/ldap/library/a%20b", 404],
    ["/v1/ldap/library/%2e%2e%2e", 404],
    ["/v1/ldap/library/%2f", 404],
    ["/v1/ldap/library/%F0%9F%98%80", 404],
    ["/v1/ldap/library/\ud800", 404],
    ["/v1/ldap/library/a\\b", 404],
    ["/v1/ldap/library/;a", 404],
    ["/v1/ldap/library/ops%252fx", 404],
    ["/v1//ldap/library/ops", 404],
    ["/v1/ldap//library/ops", 404],
    ["/v1/ldap/library//ops", 404],
    ["/v1/ldap/library/ops//", 404],
    ["//v1/ldap/library/ops", 404],
    ["/v1/../v1/sys/nothing", 404],
    ["/v1/%2e%2e/%2e%2e/etc/passwd", 404],
    ["/v1/ldap/library/..%2f..%2fconfig", 400],
    ["/v1/__proto__", 404],
    ["/v1/constructor/prototype", 404],
    ["/v1/sys/__proto__/x", 404],
    ["/v1/sys/leases/lookup/constructor?list=true", 404],
    [`/v1/ldap/library/${"a".repeat(100_000)}`, 404],
    [`/v1/ldap/library/${"a/".repeat(50_000)}b`, 404],
    [`/v1/${"a/".repeat(50_000)}b`, 404],
    [`/v1/${"%2f".repeat(10_000)}`, 404],
    [`/v1/ldap/library/${"/".repeat(50_000)}x`, 404],
    [`/v1/ldap/library/${"a-".repeat(50_000)}`, 404],
    [`/v1/ldap/library/${"status/".repeat(20_000)}x`, 404],
  ])("GET %s is %i", async (path, status) => {
    const { sim } = world();
    await expectNothingChanged(sim, async () => {
      expect((await send(sim, "GET", path)).status).toBe(status);
    });
  });

  it.each(["GET", "LIST", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "BREW"])(
    "%s answers every odd path in no time, and changes nothing",
    async (method) => {
      const { sim } = world();
      await expectNothingChanged(sim, async () => {
        for (const path of [
          `/v1/${"/".repeat(100_000)}x`,
          `/v1/${"/".repeat(100_000)}`,
          `/v1/ldap/library/${"/".repeat(100_000)}x`,
          `/v1/ldap/library/-${"/check-in".repeat(10_000)}/x`,
          `/v1/sys/leases/lookup/${"x/".repeat(50_000)}-`,
          `/v1/ldap/library/%0${"0".repeat(50_000)}`,
        ]) {
          const response = await reach(sim)(sim.secrets.cluster("main").url + path, {
            method,
            headers: { "X-Secrets-Token": sim.secrets.cluster("main").rootToken },
          });
          expect(response.status).toBeGreaterThanOrEqual(400);
          expect(response.status).toBeLessThan(500);
        }
      });
    },
  );

  it("dots in a path are resolved before it is sent, as by every client", async () => {
    const { sim } = world();
    expect(expectData(await send(sim, "GET", "/v1/ldap/library/%2e%2e/config"))["userdn"]).toBe(BASE);
    expect(expectData(await send(sim, "GET", "/v1/ldap/library/./ops"))["ttl"]).toBe(86_400);
  });

  it("an encoded slash is a slash", async () => {
    const { sim, set } = world();
    set("org/dev", ["svc-3"]);
    expect(expectData(await send(sim, "GET", "/v1/ldap/library/org%2Fdev"))["service_account_names"]).toEqual([
      "svc-3",
    ]);
    expect(expectData(await send(sim, "GET", "/v1/ldap%2flibrary%2Forg%2fdev/status"))).toHaveProperty("svc-3");
  });

  it("an encoded letter is a letter", async () => {
    const { sim } = world();
    expect(expectData(await send(sim, "GET", "/v1/ld%61p/library/%6Fps"))["ttl"]).toBe(86_400);
  });

  it.each<[rule: string, sent: Sent]>([
    ["a token of a megabyte", { asking: { token: "x".repeat(1_000_000) } }],
    ["a namespace of a megabyte", { asking: { namespace: "x".repeat(1_000_000) } }],
    ["a namespace of a hundred thousand slashes", { asking: { namespace: `${"/".repeat(100_000)}x/` } }],
    ["a namespace of many slashes inside", { asking: { namespace: `x${"/".repeat(100_000)}x` } }],
    ["a namespace that climbs", { asking: { namespace: "../../root" } }],
    [
      "a bearer of many blanks",
      { asking: { token: null }, headers: { Authorization: `Bearer ${" ".repeat(50_000)}\u00a0` } },
    ],
    ["an empty bearer", { asking: { token: null }, headers: { Authorization: "Bearer " } }],
    ["a content type of a megabyte", { headers: { "Content-Type": "x;".repeat(500_000) }, asking: { token: null } }],
  ])("%s is refused, and changes nothing", async (_rule, sent) => {
    const { sim } = world();
    await expectNothingChanged(sim, async () => {
      expect([403, 404]).toContain((await send(sim, "GET", "/v1/ldap/library/ops", sent)).status);
    });
  });
});

// At the typed door only: JSON cannot carry these.
describe("arguments of typed calls that are hostile", () => {
  const call = (world_: LibraryWorld, operation: OperationName, argument: unknown): unknown => {
    const [resource, verb] = operation.split(".") as ["library", "checkOut"];
    const client = world_.sim.secrets.cluster("main").as(world_.root);
    return (client[resource][verb] as (fields: unknown) => unknown)(argument);
  };

  it.each<[rule: string, argument: unknown]>([
    ["a number", 5],
    ["a text", "ops"],
    ["an array", ["ops"]],
    ["a function", () => ({ set_name: "ops" })],
    ["a class instance", new Date(0)],
    ["no set_name", {}],
    ["an empty set_name", { set_name: "" }],
    ["a set_name that is no text", { set_name: 5 }],
    ["a set_name that is an object", { set_name: { toString: () => "ops" } }],
    ["NaN", { set_name: "ops", ttl: Number.NaN }],
    ["Infinity", { set_name: "ops", ttl: Number.POSITIVE_INFINITY }],
    ["a bigint", { set_name: "ops", ttl: 60n }],
    ["a symbol", { set_name: "ops", ttl: Symbol("ttl") }],
    ["a map", { set_name: "ops", ttl: new Map() }],
  ])("%s is a TypeError, and changes nothing", async (_rule, argument) => {
    const made = world();
    await expectNothingChanged(made.sim, () => {
      expect(() => call(made, "library.checkOut", argument)).toThrow(TypeError);
    });
  });

  it("an object that holds itself is a TypeError", async () => {
    const made = world();
    const looped: Record<string, unknown> = { set_name: "ops" };
    looped["ttl"] = looped;
    await expectNothingChanged(made.sim, () => {
      expect(() => call(made, "library.checkOut", looped)).toThrow(TypeError);
    });
  });

  it("what is given is never frozen, nor kept", () => {
    const { sim, root } = libraryWorld();
    const { library } = sim.secrets.cluster("main").as(root);
    const names = ["svc-1"];
    library.write({ set_name: "ops", service_account_names: names });
    names.push("svc-2");
    expect(library.read({ set_name: "ops" }).data.service_account_names).toEqual(["svc-1"]);
  });

  it("what is returned can be changed without changing the world", () => {
    const { sim, root } = world();
    const { library } = sim.secrets.cluster("main").as(root);
    const hash = sim.stateHash();
    library.read({ set_name: "ops" }).data.service_account_names.push("svc-9");
    library.list().data.keys.length = 0;
    expect(library.read({ set_name: "ops" }).data.service_account_names).toEqual(["svc-1", "svc-2"]);
    expect(sim.stateHash()).toBe(hash);
  });

  it.each<[fields: Fields]>([
    [JSON.parse('{"set_name": "ops", "__proto__": {"ttl": 5}}') as Fields],
    [Object.assign(Object.create(null) as object, { set_name: "ops", constructor: 1, toString: 2 })],
  ])("odd members are fields that nobody knows (%#)", (fields) => {
    const made = world();
    const body = call(made, "library.checkOut", fields) as { lease_duration: number; warnings: string[] };
    expect(body.lease_duration).toBe(86_400);
    expect(body.warnings).toEqual([expect.stringContaining("ignored")]);
  });
});
