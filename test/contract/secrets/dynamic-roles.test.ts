import { describe, expect, it } from "vitest";
import type { Simulator } from "../../../src/index.ts";
import { byRule, doors, type Fields } from "../driver.ts";
import {
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";
import { reach } from "../transports.ts";
import {
  accountsIn,
  CREATION,
  DELETION,
  DYNAMIC_ROLE,
  dynamicWorld,
  membersIn,
  PEOPLE,
  ROLLBACK,
} from "./directory-roles-world.ts";

// decisions-directory.md, 8 and 9: dynamic roles, and the accounts that are made of them.

const entry = (name: string, ...lines: string[]) => [`dn: cn=${name},${PEOPLE}`, ...lines, ""].join("\n");
const add = (name: string) => entry(name, "objectClass: person", `cn: ${name}`);
const remove = (name: string) => entry(name, "changetype: delete");
const several = (...entries: string[]) => entries.join("\n");

describe.each(doors())("a dynamic role, through %s", (_, { open }) => {
  it("shows what it was written with", async () => {
    const sim = dynamicWorld({
      rollback_ldif: ROLLBACK,
      username_template: "u_{{random 4}}",
      default_ttl: "1h",
      max_ttl: 7200,
    });
    expect(expectData(await open(sim).call("dynamicRoles.read", { role_name: "DEV" }))).toEqual({
      creation_ldif: CREATION,
      deletion_ldif: DELETION,
      rollback_ldif: ROLLBACK,
      username_template: "u_{{random 4}}",
      default_ttl: 3600,
      max_ttl: 7200,
    });
  });

  it("shows empty texts and zeros where nothing is set", async () => {
    expect(expectData(await open(dynamicWorld()).call("dynamicRoles.read", { role_name: "dev" }))).toEqual({
      creation_ldif: CREATION,
      deletion_ldif: DELETION,
      rollback_ldif: "",
      username_template: "",
      default_ttl: 0,
      max_ttl: 0,
    });
  });

  it("changes what is sent, clears what is sent empty, and keeps the rest", async () => {
    const sim = dynamicWorld({ rollback_ldif: ROLLBACK, username_template: "u", default_ttl: 60, max_ttl: 120 });
    const door = open(sim);
    expectDone(
      await door.call("dynamicRoles.write", {
        role_name: "dev",
        rollback_ldif: "",
        default_ttl: "",
        username_template: "",
      }),
    );
    expect(expectData(await door.call("dynamicRoles.read", { role_name: "dev" }))).toMatchObject({
      creation_ldif: CREATION,
      rollback_ldif: "",
      username_template: "",
      default_ttl: 0,
      max_ttl: 120,
    });
  });

  it("decodes LDIF that is base64, wrapped or not", async () => {
    const sim = dynamicWorld({
      creation_ldif: btoa(CREATION),
      deletion_ldif: btoa(DELETION).replace(/.{76}/g, "$&\n"),
    });
    expect(expectData(await open(sim).call("dynamicRoles.read", { role_name: "dev" }))).toMatchObject({
      creation_ldif: CREATION,
      deletion_ldif: DELETION,
    });
  });

  describe("is refused with 500 (easily missed, 3)", () => {
    interface Refused {
      readonly rule: string;
      readonly fields: Fields;
      readonly pieces: readonly string[];
    }
    const rows: readonly Refused[] = [
      { rule: "without creation LDIF", fields: { creation_ldif: "" }, pieces: ["missing creation_ldif"] },
      { rule: "without deletion LDIF", fields: { deletion_ldif: "" }, pieces: ["missing deletion_ldif"] },
      {
        rule: "without both, the creation first",
        fields: { creation_ldif: "", deletion_ldif: "" },
        pieces: ["missing creation_ldif"],
      },
      {
        rule: "when the deletion is missing, before the creation is looked at",
        fields: { creation_ldif: "{{", deletion_ldif: "" },
        pieces: ["missing deletion_ldif"],
      },
      {
        rule: "when a template does not parse",
        fields: { creation_ldif: "dn: {{" },
        pieces: ["invalid creation_ldif", "invalid template", "unable to parse template"],
      },
      {
        rule: "when a template does not render",
        fields: { creation_ldif: "dn: cn={{.Nope}}\ncn: a" },
        pieces: ["invalid creation_ldif", "invalid template", "unable to apply template"],
      },
      {
        rule: "when the text is no LDIF",
        fields: { creation_ldif: "cn: a" },
        pieces: ["invalid creation_ldif", "LDIF is invalid"],
      },
      {
        rule: "when there is no entry in it",
        fields: { creation_ldif: "# nothing\n" },
        pieces: ["invalid creation_ldif", "at least one LDIF entry"],
      },
      {
        rule: "when there are blank lines in it",
        fields: { creation_ldif: "\n \n\n" },
        pieces: ["invalid creation_ldif", "at least one LDIF entry"],
      },
      {
        rule: "when there are only ends of lines in it",
        fields: { creation_ldif: "\n\r\n" },
        pieces: ["invalid creation_ldif", "at least one LDIF entry"],
      },
      {
        rule: "when the deletion is no LDIF",
        fields: { deletion_ldif: "cn: a" },
        pieces: ["invalid deletion_ldif", "LDIF is invalid"],
      },
      {
        rule: "when the rollback is no LDIF",
        fields: { rollback_ldif: "cn: a" },
        pieces: ["invalid rollback_ldif", "LDIF is invalid"],
      },
      {
        rule: "when an entry is renamed (easily missed, 28)",
        fields: { creation_ldif: "dn: cn=a\nchangetype: modrdn\nnewrdn: cn=b" },
        pieces: ["LDIF is invalid", "unsupported changetype modrdn"],
      },
      {
        rule: "when a modify has no closing dash (easily missed, 28)",
        fields: { creation_ldif: "dn: cn=a\nchangetype: modify\nadd: m\nm: 1" },
        pieces: ["LDIF is invalid", "single dash"],
      },
      {
        rule: "when it is base64 of no text",
        fields: { creation_ldif: "/////w==" },
        pieces: ["invalid creation_ldif", "LDIF is invalid"],
      },
    ];
    it.each(byRule(rows))("%s", async (_rule, { fields, pieces }) => {
      const sim = dynamicWorld();
      const door = open(sim);
      const before = expectData(await door.call("dynamicRoles.read", { role_name: "dev" }));
      await expectNothingChanged(sim, async () => {
        expectRefused(
          await door.call("dynamicRoles.write", { role_name: "dev", ...fields }),
          500,
          "1 error occurred",
          ...pieces,
        );
        expectRefused(
          await door.call("dynamicRoles.write", { ...DYNAMIC_ROLE, role_name: "new", ...fields }),
          500,
          ...pieces,
        );
      });
      expect(expectData(await door.call("dynamicRoles.read", { role_name: "dev" }))).toEqual(before);
      expectNotFound(await door.call("dynamicRoles.read", { role_name: "new" }));
    });
  });

  it("is rendered with test data when it is written", async () => {
    const sim = dynamicWorld();
    const creation_ldif = [
      '{{if ne .Username "testuser"}}{{.Nope}}{{end}}{{if ne .Password "testpass"}}{{.Nope}}{{end}}',
      '{{if ne .DisplayName "testdisplayname"}}{{.Nope}}{{end}}{{if ne .RoleName "testrolename"}}{{.Nope}}{{end}}',
      '{{if ne .IssueTime "2026-01-01T00:00:00Z"}}{{.Nope}}{{end}}{{if ne .ExpirationTime "2026-01-02T00:00:00Z"}}{{.Nope}}{{end}}',
      "{{if ne .ExpirationTimeSeconds 1767312000}}{{.Nope}}{{end}}{{if ne .IssueTimeSeconds 1767225600}}{{.Nope}}{{end}}",
      `dn: cn=a\ncn: a`,
    ].join("");
    expectDone(await open(sim).call("dynamicRoles.write", { role_name: "dev", creation_ldif }));
  });

  it("is written without a look at username template, times or configuration (easily missed, 27)", async () => {
    const sim = dynamicWorld({ username_template: "{{nosuch", default_ttl: "48h", max_ttl: "1h" });
    const door = open(sim);
    expectDone(await door.call("ldapConfig.delete"));
    expectDone(await door.call("dynamicRoles.write", { ...DYNAMIC_ROLE, max_ttl: "9999h" }));
    expectData(await door.call("dynamicRoles.read", { role_name: "dev" }));
    expectDone(await door.call("dynamicRoles.delete", { role_name: "dev" }));
    expectDone(await door.call("dynamicRoles.delete", { role_name: "dev" }));
    expectNotFound(await door.call("dynamicRoles.read", { role_name: "dev" }));
  });

  it("lists by hierarchy", async () => {
    const sim = dynamicWorld({ role_name: "org/dev" });
    const door = open(sim);
    expectDone(await door.call("dynamicRoles.write", { ...DYNAMIC_ROLE, role_name: "org" }));
    expect(expectData(await door.call("dynamicRoles.list"))).toEqual({ keys: ["org", "org/"] });
    expect(expectData(await door.call("dynamicRoles.list", { prefix: "org" }))).toEqual({ keys: ["dev"] });
    expectNotFound(await door.call("dynamicRoles.list", { prefix: "nobody" }));
  });
});

describe.each(doors())("credentials, through %s", (_, { open }) => {
  const token = (sim: Simulator, options: Fields = {}) =>
    sim.secrets.cluster("main").createToken({ policies: ["root"], ...options }).token;

  it("are an account that the creation LDIF has made, under a renewable lease (easily missed, 25 and 26)", async () => {
    const sim = dynamicWorld({ default_ttl: "1h" });
    const answer = expectEnvelope(await open(sim).call("dynamicRoles.credentials", { role_name: "DEV" }));
    const { username, password, distinguished_names } = answer.data as Record<string, string>;
    expect(username).toMatch(/^v_root_dev_[0-9A-Za-z]{10}_1767225600$/);
    expect(password).toMatch(/^[0-9A-Za-z]{64}$/);
    expect(distinguished_names).toEqual([`cn=${username},${PEOPLE}`, `cn=staff,${PEOPLE}`]);
    expect(answer).toMatchObject({ renewable: true, lease_duration: 3600, warnings: null });
    expect(answer.lease_id).toMatch(/^ldap\/creds\/DEV\/[0-9A-Za-z]{24}$/);
    expect(sim.directory.entry(`cn=${username},${PEOPLE}`)?.attributes).toEqual({
      objectClass: ["person"],
      cn: [username],
      userPassword: [password],
    });
    expect(membersIn(sim)).toEqual(["cn=nobody", `cn=${username},${PEOPLE}`]);
  });

  it.each<[display: string | undefined, shown: string]>([
    [undefined, "v_token_dev_"],
    ["ann", "v_token-ann_dev_"],
  ])("bear the display name %s of the token", async (displayName, prefix) => {
    const sim = dynamicWorld();
    const asking = { token: token(sim, displayName === undefined ? {} : { displayName }) };
    const { username } = expectData(await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }, asking));
    expect(username).toContain(prefix);
  });

  it("know when they were issued, and when they end as granted", async () => {
    const creation_ldif =
      `${add("{{.Username}}")}from: {{.IssueTime}} {{.IssueTimeSeconds}}\nto: {{.ExpirationTime}} {{.ExpirationTimeSeconds}}\n`.replace(
        "\n\nfrom",
        "\nfrom",
      );
    const sim = dynamicWorld({ creation_ldif, default_ttl: "2h", max_ttl: "1h" });
    sim.clock.advance(1_500);
    const answer = expectEnvelope(await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }));
    expect(answer.lease_duration).toBe(3600);
    expect(answer.warnings).toEqual([expect.stringMatching(/max_ttl.*capped/)]);
    const [dn] = (answer.data as { distinguished_names: string[] }).distinguished_names;
    expect(sim.directory.entry(dn as string)?.attributes).toMatchObject({
      from: ["2026-01-01T00:00:01Z 1767225601"],
      to: ["2026-01-01T01:00:01Z 1767229201"],
    });
  });

  it.each<[rule: string, role: Fields, lease: number, warns: boolean]>([
    ["the mount's default", {}, 2_764_800, false],
    ["the role's default", { default_ttl: 60 }, 60, false],
    ["the role's maximum caps its default", { default_ttl: 60, max_ttl: 30 }, 30, true],
    ["the role's maximum caps the mount's default", { max_ttl: "1h" }, 3_600, true],
    ["the mount's maximum caps the role's", { default_ttl: "9999h", max_ttl: "9999h" }, 2_764_800, true],
  ])("live as long as %s says", async (_rule, role, seconds, warns) => {
    const answer = expectEnvelope(
      await open(dynamicWorld(role)).call("dynamicRoles.credentials", { role_name: "dev" }),
    );
    expect(answer.lease_duration).toBe(seconds);
    expect(answer.warnings === null).toBe(!warns);
  });

  it("of a missing role are 404, and by POST 405 (easily missed, 1)", async () => {
    const sim = dynamicWorld();
    const door = open(sim);
    expectNotFound(await door.call("dynamicRoles.credentials", { role_name: "x" }));
    expectDone(await door.call("ldapConfig.delete"));
    expectNotFound(await door.call("dynamicRoles.credentials", { role_name: "x" }));
    expectRefused(await door.call("dynamicRoles.credentials", { role_name: "dev" }), 500, "missing LDAP configuration");
    const main = sim.secrets.cluster("main");
    const headers = { "X-Secrets-Token": main.rootToken };
    expect((await reach(sim)(`${main.url}/v1/ldap/creds/dev`, { method: "POST", headers })).status).toBe(405);
    expect((await reach(sim)(`${main.url}/v1/ldap/role`, { headers })).status).toBe(405);
  });

  it.each<[rule: string, role: Fields, config: Fields, piece: string]>([
    [
      "the username template does not parse (easily missed, 27)",
      { username_template: "{{nosuch}}" },
      {},
      "failed to generate username",
    ],
    ["it asks for what names do not have", { username_template: "{{.Username}}" }, {}, "failed to generate username"],
    ["it asks for a function of LDIF", { username_template: '{{utf16le "a"}}' }, {}, "unable to parse template"],
    ["the password policy is missing", {}, { password_policy: "none" }, "unable to generate password"],
  ])("are refused when %s, and nothing has changed", async (_rule, role, config, piece) => {
    const sim = dynamicWorld(role);
    const door = open(sim);
    if (Object.keys(config).length > 0) expectDone(await door.call("ldapConfig.write", config));
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("dynamicRoles.credentials", { role_name: "dev" }), 500, piece);
    });
  });

  describe("that are not made", () => {
    const taken = add("taken");

    it.each<[request: string, failing: string, code: string]>([
      ["AddRequest", add("staff"), '68 "Entry Already Exists"'],
      ["AddRequest", "dn: cn=a,ou=nowhere\ncn: a\n", '32 "No Such Object"'],
      ["AddRequest", "dn: no name\ncn: a\n", '34 "Invalid DN Syntax"'],
      ["ModifyRequest", entry("nobody", "changetype: modify", "add: m", "m: 1", "-"), '32 "No Such Object"'],
      [
        "ModifyRequest",
        entry("staff", "changetype: modify", "add: member", "member: CN=NOBODY", "-"),
        '20 "Attribute Or Value Exists"',
      ],
      [
        "ModifyRequest",
        entry("staff", "changetype: modify", "delete: member", "member: cn=x", "-"),
        '16 "No Such Attribute"',
      ],
      ["ModifyRequest", entry("staff", "changetype: modify", "delete: seeAlso", "-"), '16 "No Such Attribute"'],
      ["DelRequest", remove("nobody"), '32 "No Such Object"'],
      ["DelRequest", `dn: ${PEOPLE}\nchangetype: delete\n`, '32 "No Such Object"'],
    ])("leave what came before a failing %s, without a rollback", async (request, failing, code) => {
      const sim = dynamicWorld({ creation_ldif: several(taken, failing, add("after")) });
      const refused = await open(sim).call("dynamicRoles.credentials", { role_name: "dev" });
      expectRefused(refused, 500, "failed to create user", request, `LDAP Result Code ${code}`);
      expect(refused.errors).not.toContain("roll back");
      expect(accountsIn(sim)).toEqual([`cn=taken,${PEOPLE}`]);
      expectNotFound(await open(sim).call("leases.list", { prefix: "ldap/creds/dev" }));
      expect(sim.clock.pending()).toEqual([]);
    });

    it("refuse to delete what has entries below it", async () => {
      const nested = `dn: cn=below,cn=taken,${PEOPLE}\nobjectClass: person\ncn: below\n`;
      const sim = dynamicWorld({ creation_ldif: several(taken, nested, remove("taken")) });
      expectRefused(
        await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }),
        500,
        'LDAP Result Code 66 "Not Allowed On Non Leaf"',
      );
    });

    it("find no parent in an entry that LDIF has made and deleted: it is no container", async () => {
      const unit = `dn: ou=made,${PEOPLE}\nobjectClass: unit\n`;
      const child = `dn: cn=child,ou=made,${PEOPLE}\nobjectClass: person\n`;
      const gone = (dn: string) => `dn: ${dn},${PEOPLE}\nchangetype: delete\n`;
      const sim = dynamicWorld({
        creation_ldif: several(unit, child, gone("cn=child,ou=made"), gone("ou=made"), child),
      });
      const refused = await open(sim).call("dynamicRoles.credentials", { role_name: "dev" });
      expectRefused(refused, 500, 'LDAP Result Code 32 "No Such Object"');
      expect(accountsIn(sim)).toEqual([]);
    });

    it("leave an entry as it was when one of several modifications cannot be", async () => {
      const change = entry("staff", "changetype: modify", "replace: note", "note: x", "-", "delete: gone", "-");
      const sim = dynamicWorld({ creation_ldif: change });
      const before = sim.directory.entry(`cn=staff,${PEOPLE}`);
      expectRefused(await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }), 500, "LDAP Result Code 16");
      expect(sim.directory.entry(`cn=staff,${PEOPLE}`)).toEqual(before);
    });

    it("are rolled back by all entries of the rollback LDIF, errors ignored", async () => {
      const rollback_ldif = several(remove("first"), remove("second"));
      const sim = dynamicWorld({
        creation_ldif: several(add("first"), add("second"), remove("nobody")),
        rollback_ldif,
      });
      const refused = await open(sim).call("dynamicRoles.credentials", { role_name: "dev" });
      expectRefused(refused, 500, "failed to create user", "DelRequest");
      expect(refused.errors).not.toContain("failed to roll back");
      expect(accountsIn(sim)).toEqual([]);
    });

    it("say so when the rollback fails, and try all of it", async () => {
      const rollback_ldif = several(remove("nobody"), remove("first"));
      const sim = dynamicWorld({ creation_ldif: several(add("first"), remove("nobody")), rollback_ldif });
      const refused = await open(sim).call("dynamicRoles.credentials", { role_name: "dev" });
      expectRefused(refused, 500, "failed to create user", "failed to roll back user creation");
      expect(accountsIn(sim)).toEqual([]);
    });

    it("are rolled back as well when the creation does not render or parse any more", async () => {
      const creation_ldif = '{{if eq .Username "testuser"}}dn: cn=a\ncn: a{{else}}{{.Nope}}{{end}}';
      const rollback_ldif = entry("staff", "changetype: modify", "replace: note", "note: rolled back", "-");
      const sim = dynamicWorld({ creation_ldif, rollback_ldif });
      expectRefused(
        await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }),
        500,
        "failed to create user",
        "unable to apply template",
      );
      expect(sim.directory.entry(`cn=staff,${PEOPLE}`)?.attributes["note"]).toEqual(["rolled back"]);
    });

    it("use up injected failures, one per LDIF entry", async () => {
      const sim = dynamicWorld({ creation_ldif: several(add("first"), add("second")) });
      sim.directory.failNext({ count: 1, dn: `cn=second,${PEOPLE}` });
      expectRefused(
        await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }),
        500,
        "AddRequest",
        "LDAP Result Code 53",
      );
      expect(accountsIn(sim)).toEqual([`cn=first,${PEOPLE}`]);
      sim.directory.removeEntry(`cn=first,${PEOPLE}`);
      expectData(await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }));
    });

    it.each(["add", "modify", "delete"] as const)("use up those of one operation: %s", async (operation) => {
      const change = entry("staff", "changetype: modify", "replace: note", "note: x", "-");
      const sim = dynamicWorld({ creation_ldif: several(add("first"), change, remove("first")) });
      sim.directory.failNext({ count: 1, operation, resultCode: 51 });
      const refused = await open(sim).call("dynamicRoles.credentials", { role_name: "dev" });
      expectRefused(refused, 500, 'LDAP Result Code 51 "Busy"');
    });
  });

  it("may be found by what LDIF has changed, and no more by what it has taken away", async () => {
    const change = entry(
      "staff",
      "changetype: modify",
      "add: mail",
      "mail: A@x",
      "mail: b@x",
      "-",
      "delete: mail",
      "mail: a@X",
      "-",
    );
    const sim = dynamicWorld({ creation_ldif: change });
    const admin = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
    expectData(await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }));
    expect(sim.directory.search(PEOPLE, "(mail=B@X)")).toHaveLength(1);
    expect(sim.directory.search(PEOPLE, "(mail=a@x)")).toEqual([]);
    expect(sim.directory.entry(`cn=staff,${PEOPLE}`)?.attributes["mail"]).toEqual(["b@x"]);
    admin.dynamicRoles.write({
      role_name: "dev",
      creation_ldif: entry("staff", "changetype: modify", "replace: cn", "cn: crew", "-"),
    });
    admin.dynamicRoles.credentials({ role_name: "dev" });
    admin.staticRoles.write({ role_name: "crew", username: "CREW", rotation_period: 60 });
    expect(() => admin.staticRoles.write({ role_name: "staff", username: "staff", rotation_period: 60 })).toThrow(
      "found 0",
    );
  });

  it("with schema ad bind by a password in UTF-16", async () => {
    const creation_ldif = `dn: cn={{.Username}},${PEOPLE}\ncn: {{.Username}}\nunicodePwd:: {{ printf "%q" .Password | utf16le | base64 }}\n`;
    const sim = dynamicWorld({ creation_ldif });
    const { username, password } = expectData(await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }));
    const [bytes] = sim.directory.entry(`cn=${String(username)},${PEOPLE}`)?.attributes["unicodePwd"] ?? [];
    expect(new TextDecoder("utf-16le").decode(bytes as Uint8Array)).toBe(`"${String(password)}"`);
    const main = sim.secrets.cluster("main");
    const admin = main.as(main.rootToken);
    admin.ldapConfig.write({ binddn: `cn=${String(username)},${PEOPLE}`, bindpass: password as string });
    admin.staticRoles.write({ role_name: "x", username: "staff", rotation_period: 60 });
  });

  describe("when their lease ends", () => {
    const lend = async (sim: Simulator, asking = {}) => {
      const answer = expectEnvelope(await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }, asking));
      return { lease_id: answer.lease_id, ...(answer.data as { username: string }) };
    };

    it("are deleted at that very instant", async () => {
      const sim = dynamicWorld({ default_ttl: "1h" });
      await lend(sim);
      sim.clock.advance(3_600_000 - 1);
      expect(accountsIn(sim)).toHaveLength(1);
      sim.clock.advance(1);
      expect(accountsIn(sim)).toEqual([]);
      expect(membersIn(sim)).toEqual(["cn=nobody"]);
      expect(sim.clock.pending()).toEqual([]);
    });

    it("are deleted by the LDIF as it was at the issue, whatever became of the role (easily missed, 26)", async () => {
      const sim = dynamicWorld({ default_ttl: "1h" });
      await lend(sim);
      const door = open(sim);
      expectDone(await door.call("dynamicRoles.write", { role_name: "dev", deletion_ldif: remove("somebody-else") }));
      expectDone(await door.call("dynamicRoles.delete", { role_name: "dev" }));
      sim.clock.advance("1h");
      expect(accountsIn(sim)).toEqual([]);
    });

    it("are deleted with their token, and by a revocation", async () => {
      const sim = dynamicWorld();
      const borrower = token(sim, { ttl: "10m" });
      await lend(sim, { token: borrower });
      const { lease_id } = await lend(sim);
      sim.clock.advance("10m");
      expect(accountsIn(sim)).toHaveLength(1);
      expectDone(await open(sim).call("leases.revoke", { lease_id }));
      expect(accountsIn(sim)).toEqual([]);
    });

    it("are renewed by the role's times as they are then; not without the role, nor past the maximum", async () => {
      const sim = dynamicWorld({ default_ttl: "1h", max_ttl: "4h" });
      const door = open(sim);
      const { lease_id } = await lend(sim);
      sim.clock.advance("30m");
      expect(expectEnvelope(await door.call("leases.renew", { lease_id })).lease_duration).toBe(3600);
      expectDone(await door.call("dynamicRoles.write", { role_name: "dev", default_ttl: "2h" }));
      expect(expectEnvelope(await door.call("leases.renew", { lease_id })).lease_duration).toBe(7200);
      expect(expectEnvelope(await door.call("leases.renew", { lease_id, increment: "9h" })).lease_duration).toBe(
        3.5 * 3600,
      );
      expectDone(await door.call("dynamicRoles.delete", { role_name: "dev" }));
      expectRefused(await door.call("leases.renew", { lease_id }), 400, "role does not exist");
      expectDone(await door.call("dynamicRoles.write", { ...DYNAMIC_ROLE, max_ttl: "20m" }));
      expectRefused(await door.call("leases.renew", { lease_id }), 400, "past the max TTL");
    });

    it("and cannot be deleted are tried again after 20, 40, 80, 160 and 320 s, then no more", async () => {
      const sim = dynamicWorld({ default_ttl: "1h" });
      const { lease_id } = await lend(sim);
      sim.directory.setAvailable(false);
      sim.clock.advance("3h");
      const failures = sim.log
        .commits()
        .filter(({ events }) => events.some(({ type }) => type === "LeaseRevocationFailed"));
      const start = Date.UTC(2026, 0, 1, 1);
      expect(failures.map(({ atMs }) => (atMs - start) / 1000)).toEqual([0, 20, 60, 140, 300, 620]);
      sim.directory.setAvailable(true);
      sim.clock.advance("10h");
      expect(accountsIn(sim)).toHaveLength(1);
      expectRefused(await open(sim).call("leases.renew", { lease_id }), 400, "lease not found");
      expectDone(await open(sim).call("leases.revoke", { lease_id }));
      expect(accountsIn(sim)).toEqual([]);
    });

    it("fail for good once one of several deletions has succeeded", async () => {
      const sim = dynamicWorld({ default_ttl: "1h" });
      const { username } = await lend(sim);
      sim.directory.failNext({ count: 1, dn: `cn=${username},${PEOPLE}` });
      sim.clock.advance("3h");
      expect(membersIn(sim)).toEqual(["cn=nobody"]);
      expect(accountsIn(sim)).toEqual([]);
      const leases = Object.values(sim.state.secrets).flatMap(({ local }) => [...local.leases]);
      expect(leases.map(([, { status }]) => status)).toEqual(["irrevocable"]);
    });

    it("wait for a configuration that was deleted", async () => {
      const sim = dynamicWorld({ default_ttl: "1h" });
      await lend(sim);
      const door = open(sim);
      expectDone(await door.call("ldapConfig.delete"));
      sim.clock.advance("1h");
      expect(accountsIn(sim)).toHaveLength(1);
      expectDone(
        await door.call("ldapConfig.write", { binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret" }),
      );
      sim.clock.advance("20s");
      expect(accountsIn(sim)).toEqual([]);
    });
  });

  it("of a token's last use are made and taken away at once", async () => {
    const sim = dynamicWorld();
    expectRefused(
      await open(sim).call("dynamicRoles.credentials", { role_name: "dev" }, { token: token(sim, { numUses: 1 }) }),
      400,
      "one use left",
    );
    expect(accountsIn(sim)).toEqual([]);
  });
});
