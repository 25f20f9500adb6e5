import { describe, expect, it } from "vitest";
import { byRule, doors, type Fields } from "../driver.ts";
import {
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";
import { CONFIG, libraryWorld } from "./library-world.ts";

// decisions-directory.md, 3: the configuration of a directory engine.

const PEM = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUY2E=\n-----END CERTIFICATE-----\n";
const KEY = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n";

/** A row of the table of checks; all rows in one list, in its order. */
interface Check {
  readonly rule: string;
  readonly fields: Fields;
  readonly status: 400 | 500;
  readonly piece: string;
  /** A configuration that is stored before. */
  readonly stored?: Fields;
}

const CHECKS: readonly Check[] = [
  { rule: "1 a boolean of the wrong type", fields: { starttls: "maybe" }, status: 400, piece: "starttls" },
  { rule: "1 a text of the wrong type", fields: { binddn: ["cn=a"] }, status: 400, piece: "binddn" },
  { rule: "1 an integer of the wrong type", fields: { length: "long" }, status: 400, piece: "length" },
  { rule: "1 an integer with a fraction", fields: { length: 20.5 }, status: 400, piece: "length" },
  { rule: "1 a timeout of the wrong type", fields: { request_timeout: "1w" }, status: 400, piece: "request_timeout" },
  { rule: "1 a negative request_timeout", fields: { request_timeout: -1 }, status: 400, piece: "request_timeout" },
  {
    rule: "1 a negative connection_timeout",
    fields: { connection_timeout: "-30s" },
    status: 400,
    piece: "connection_timeout",
  },
  { rule: "2 a certificate that is no PEM", fields: { certificate: "MIIB" }, status: 500, piece: "server tls cert" },
  {
    rule: "2 a PEM block of another type",
    fields: { certificate: KEY },
    status: 500,
    piece: "server tls cert",
  },
  {
    rule: "3 a client certificate without its key",
    fields: { client_tls_cert: PEM },
    status: 500,
    piece: "client_tls_cert and client_tls_key",
  },
  {
    rule: "3 a client key without its certificate",
    fields: { client_tls_key: KEY },
    status: 500,
    piece: "client_tls_cert and client_tls_key",
  },
  {
    rule: "3 what is no client certificate and key",
    fields: { client_tls_cert: "junk", client_tls_key: "junk" },
    status: 500,
    piece: "key pair",
  },
  {
    rule: "4 an unknown tls_min_version",
    fields: { tls_min_version: "tls14" },
    status: 500,
    piece: "invalid 'tls_min_version'",
  },
  {
    rule: "4 an unknown tls_max_version",
    fields: { tls_max_version: "TLS12" },
    status: 500,
    piece: "invalid 'tls_max_version'",
  },
  {
    rule: "4 an empty tls_max_version",
    fields: { tls_max_version: "" },
    status: 500,
    piece: "invalid 'tls_max_version'",
  },
  {
    rule: "5 a tls_max_version below the tls_min_version",
    fields: { tls_min_version: "tls13", tls_max_version: "tls12" },
    status: 500,
    piece: "'tls_max_version' must be greater",
  },
  {
    rule: "5 a tls_min_version above the stored tls_max_version",
    fields: { tls_min_version: "tls13" },
    stored: CONFIG,
    status: 500,
    piece: "'tls_max_version' must be greater",
  },
  { rule: "6 an empty url", fields: { url: "" }, status: 500, piece: "at least one url" },
  { rule: "7 no binddn", fields: { binddn: undefined }, status: 500, piece: "cannot derive UserBindDN" },
  { rule: "7 an empty binddn", fields: { binddn: "" }, status: 500, piece: "cannot derive UserBindDN" },
  { rule: "7 no bindpass", fields: { bindpass: undefined }, status: 500, piece: "cannot derive UserBindDN" },
  {
    rule: "7 no binddn, with userdn and upndomain",
    fields: { binddn: "", upndomain: "x.com" },
    status: 500,
    piece: "cannot derive UserBindDN",
  },
  {
    rule: "7 a stored bindpass that is emptied",
    fields: { bindpass: "" },
    stored: CONFIG,
    status: 500,
    piece: "cannot derive UserBindDN",
  },
  { rule: "8 an unknown schema", fields: { schema: "openldap" }, status: 500, piece: "schema openldap is not valid" },
  { rule: "8 an empty schema", fields: { schema: "" }, status: 500, piece: "schema is required" },
  {
    rule: "9 a length and a password_policy",
    fields: { length: 20, password_policy: "p" },
    status: 500,
    piece: "cannot set both",
  },
  {
    rule: "9 a length of 0 and a password_policy",
    fields: { length: 0, password_policy: "p" },
    status: 500,
    piece: "cannot set both",
  },
  {
    rule: "9 a length with a stored password_policy",
    fields: { length: 20 },
    stored: { ...CONFIG, password_policy: "p" },
    status: 500,
    piece: "cannot set both",
  },
];

describe.each(doors())("the checks of a configuration through %s", (_, { open }) => {
  it.each(byRule(CHECKS))("%s is refused, and nothing is stored", async (_rule, { fields, stored, status, piece }) => {
    const { sim, root } = libraryWorld({ configured: false });
    if (stored !== undefined) sim.secrets.cluster("main").as(root).ldapConfig.write(stored);
    const sent = stored === undefined ? { ...CONFIG, ...fields } : fields;
    await expectNothingChanged(sim, async () => {
      const answer = await open(sim).call("ldapConfig.write", sent);
      if (status === 400) expectRefused(answer, 400, "Field validation failed", piece);
      else expectRefused(answer, 500, "1 error occurred:\n\t* ", piece);
    });
  });

  const inOrder = CHECKS.filter(({ stored }) => stored === undefined);
  const pairs = inOrder.flatMap((first, index) =>
    inOrder
      .slice(index + 1)
      .filter((second) => first.rule[0] !== second.rule[0])
      .map((second) => [first.rule, second.rule, first, second] as const),
  );
  const adjacent = pairs.filter(([first, second]) => Number(second[0]) - Number(first[0]) === 1);
  it.each(adjacent)("%s comes before %s", async (_first, _second, first, second) => {
    const { sim } = libraryWorld({ configured: false });
    const answer = await open(sim).call("ldapConfig.write", { ...CONFIG, ...second.fields, ...first.fields });
    expectRefused(answer, first.status, first.piece);
  });
});

describe.each(doors())("writing a configuration through %s", (_, { open }) => {
  const DEFAULTS = {
    url: "ldap://127.0.0.1",
    userdn: "",
    userattr: "cn",
    upndomain: "",
    schema: "open-dir",
    starttls: false,
    insecure_tls: false,
    certificate: "",
    tls_min_version: "tls12",
    tls_max_version: "tls12",
    case_sensitive_names: false,
    request_timeout: 90,
    connection_timeout: 30,
    skip_static_role_import_rotation: false,
    length: 64,
  };

  it("a bind account is enough: the rest has defaults, and exactly these are shown", async () => {
    const { sim } = libraryWorld({ configured: false });
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { binddn: "cn=a", bindpass: "b" }));
    expect(expectData(await door.call("ldapConfig.read"))).toEqual({ binddn: "cn=a", ...DEFAULTS });
  });

  it("shows everything that was written, but for the bind password and the client's certificate and key", async () => {
    const { sim } = libraryWorld({ configured: false });
    const door = open(sim);
    const written = {
      binddn: "cn=a,dc=b",
      url: "ldaps://one.test",
      userdn: "ou=c",
      userattr: "uid",
      upndomain: "x.com",
      schema: "ad",
      starttls: true,
      insecure_tls: true,
      certificate: PEM,
      tls_min_version: "tls10",
      tls_max_version: "tls13",
      skip_static_role_import_rotation: true,
    };
    const secret = { bindpass: "b", client_tls_cert: PEM, client_tls_key: KEY };
    const more = { length: 20, request_timeout: "2m", connection_timeout: "15" };
    expectDone(await door.call("ldapConfig.write", { ...written, ...secret, ...more }));
    expect(expectData(await door.call("ldapConfig.read"))).toEqual({
      ...DEFAULTS,
      ...written,
      length: 20,
      request_timeout: 120,
      connection_timeout: 15,
    });
  });

  it.each<[sent: Fields, shown: Fields]>([
    [{ userdn: "ou=new" }, { userdn: "ou=new" }],
    [{ starttls: true }, { starttls: true }],
    [{ starttls: null, userdn: null }, {}],
    [{}, {}],
    [{ url: "LDAP://Two.Test,ldap://ONE.test" }, { url: "ldap://two.test,ldap://one.test" }],
    [{ request_timeout: 0 }, { request_timeout: 0 }],
    [{ request_timeout: "1.9s" }, { request_timeout: 1 }],
    [{ schema: "ad" }, { schema: "ad", userattr: "cn" }],
    [
      { schema: "racf", userattr: "racfid" },
      { schema: "racf", userattr: "racfid" },
    ],
    [{ userdn: "" }, { userdn: "" }],
  ])("POST of %j keeps what is not sent", async (sent, shown) => {
    const { sim } = libraryWorld();
    const door = open(sim);
    const before = expectData(await door.call("ldapConfig.read"));
    expectDone(await door.call("ldapConfig.write", sent));
    expect(expectData(await door.call("ldapConfig.read"))).toEqual({ ...before, ...shown });
  });

  it.each<[schema: string | undefined, userattr: string]>([
    [undefined, "cn"],
    ["open-dir", "cn"],
    ["ad", "userPrincipalName"],
    ["racf", "racfid"],
  ])("the creating POST with schema %s has userattr %s", async (schema, userattr) => {
    const { sim } = libraryWorld({ configured: false });
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { ...CONFIG, schema }));
    expect(expectData(await door.call("ldapConfig.read"))["userattr"]).toBe(userattr);
  });

  it("an unknown userattr is taken, and fails when it is used", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { userattr: "CN" }));
    const answer = await door.call("library.write", { set_name: "ops", service_account_names: ["svc-1"] });
    expectRefused(answer, 500, "1 error occurred:\n\t* ", "unsupported userattr");
  });

  it("does not contact the directory", async () => {
    const { sim, directoryUp } = libraryWorld();
    directoryUp(false);
    expectDone(await open(sim).call("ldapConfig.write", { userdn: "ou=elsewhere" }));
  });
});

describe.each(doors())("length and password_policy through %s", (_, { open }) => {
  it("a POST without length puts the length back to 64", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { length: 20 }));
    expect(expectData(await door.call("ldapConfig.read"))["length"]).toBe(20);
    expectDone(await door.call("ldapConfig.write", { starttls: false }));
    expect(expectData(await door.call("ldapConfig.read"))["length"]).toBe(64);
  });

  it("a length of 0 is the default length", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { length: 0 }));
    expect(expectData(await door.call("ldapConfig.read"))["length"]).toBe(64);
  });

  it("a stored length does not conflict with a password_policy, which then stands in its place", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { length: 20 }));
    expectDone(await door.call("ldapConfig.write", { password_policy: "strong" }));
    const data = expectData(await door.call("ldapConfig.read"));
    expect(data).not.toHaveProperty("length");
    expect(data["password_policy"]).toBe("strong");
  });

  it("a policy that is emptied gives way to a length in the same request", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { password_policy: "strong" }));
    expectDone(await door.call("ldapConfig.write", { password_policy: "", length: 12 }));
    const data = expectData(await door.call("ldapConfig.read"));
    expect(data).not.toHaveProperty("password_policy");
    expect(data["length"]).toBe(12);
  });

  it("the policy need not exist until a password is made", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { password_policy: "nowhere" }));
    const answer = await door.call("library.write", { set_name: "ops", service_account_names: ["svc-1"] });
    expectRefused(answer, 500, "1 error occurred:\n\t* ", "unable to generate password");
  });
});

describe.each(doors())("deleting a configuration through %s", (_, { open }) => {
  it("is done whether there is one or not", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.delete"));
    expectNotFound(await door.call("ldapConfig.read"));
    await expectNothingChanged(sim, async () => expectDone(await door.call("ldapConfig.delete")));
  });

  it("keeps sets and leases, and a new POST makes them work again", async () => {
    const { sim, set, lend } = libraryWorld();
    set("ops", ["svc-1"]);
    const { lease } = lend("ops");
    const door = open(sim);
    expectDone(await door.call("ldapConfig.delete"));
    expectRefused(await door.call("library.checkIn", { set_name: "ops" }), 500, "missing LDAP configuration");
    expect(expectData(await door.call("leases.lookup", { lease_id: lease }))["ttl"]).toBe(86_400);
    expectDone(await door.call("ldapConfig.write", CONFIG));
    expect(expectData(await door.call("library.checkIn", { set_name: "ops" }))).toEqual({ check_ins: ["svc-1"] });
  });

  it("forgets everything: the next POST starts from the defaults", async () => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { schema: "ad", password_policy: "p" }));
    expectDone(await door.call("ldapConfig.delete"));
    expectDone(await door.call("ldapConfig.write", { binddn: "cn=a", bindpass: "b" }));
    const data = expectData(await door.call("ldapConfig.read"));
    expect(data).toMatchObject({ schema: "open-dir", userattr: "cn", length: 64, url: "ldap://127.0.0.1" });
  });

  it("lets the expiry of a lease fail, which is tried again until there is a configuration", async () => {
    const { sim, set, lend, available } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 60 });
    lend("ops");
    const door = open(sim);
    expectDone(await door.call("ldapConfig.delete"));
    sim.clock.advance("60s");
    expect(available("ops")).toEqual([]);
    expectDone(await door.call("ldapConfig.write", CONFIG));
    sim.clock.advance("20s");
    expect(available("ops")).toEqual(["svc-1"]);
  });
});

describe.each(doors())("what ignores unknown fields, through %s", (_, { open }) => {
  it("a 204 stays a 204 with an empty body", async () => {
    const { sim } = libraryWorld();
    expectDone(await open(sim).call("ldapConfig.write", { zeta: 1, alpha: 2 }));
  });

  it("a 200 warns once, with the names in order", async () => {
    const { sim, set } = libraryWorld();
    set("ops", ["svc-1"]);
    const asked = { set_name: "ops", zeta: 1, ttl: 60, alpha: { deep: [1] } };
    const { warnings } = expectEnvelope(await open(sim).call("library.checkOut", asked));
    expect(warnings).toEqual([expect.stringMatching(/ignored.*alpha.*zeta/)]);
  });

  it("stands beside the warning of a capped time", async () => {
    const { sim, set } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 60, max_ttl: 60 });
    const asked = { set_name: "ops", ttl: 0, alpha: 2 };
    const { warnings } = expectEnvelope(await open(sim).call("library.checkOut", asked));
    expect(warnings).toHaveLength(2);
  });
});
