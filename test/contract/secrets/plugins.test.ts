import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createSimulator, Rejection, rehearse, replay } from "../../../src/index.ts";
import { compareVersions } from "../../../src/services/secrets/plugins/version.ts";
import { property } from "../../support/property.ts";
import { doors, type Fields, send } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";

// decisions-secrets-core.md, C; secrets.md, "Plugin catalog".

const name = "ours";
const secret = { type: "secret", name };
const GOOD = { ...secret, sha256: "31", command: "ours" };
const BUILT_IN = {
  auth: ["approle", "ldap", "orchestrator", "userpass"],
  database: [],
  secret: ["kv", "ldap", "orchestrator"],
};

describe.each(doors())("the plugin catalog through %s", (_, { open }) => {
  it("has what is built in from the start", async () => {
    const door = open(createSimulator());
    expect(expectData(await door.call("plugins.catalog"))).toEqual(BUILT_IN);
    expect(expectData(await door.call("plugins.list", { type: "auth" }))).toEqual({ keys: BUILT_IN.auth });
    expect(expectData(await door.call("plugins.list", { type: "secret" }))).toEqual({ keys: BUILT_IN.secret });
    expectNotFound(await door.call("plugins.list", { type: "database" }));
    for (const [type, names] of Object.entries(BUILT_IN)) {
      for (const each of names) {
        expect(expectData(await door.call("plugins.read", { type, name: each }))).toEqual({
          args: [],
          builtin: true,
          command: "",
          name: each,
          sha256: "",
        });
      }
    }
    expectNotFound(await door.call("plugins.read", { type: "auth", name: "kv" }));
  });

  it.each<[rule: string, given: Fields, read: Fields]>([
    ["a command", {}, { command: "ours", args: [] }],
    ["arguments", { args: ["--a", "--b"] }, { command: "ours", args: ["--a", "--b"] }],
    ["one argument as a text", { args: "--a,--b" }, { args: ["--a,--b"] }],
    ["arguments within the command", { command: "ours --a  --b" }, { command: "ours", args: ["--a", "--b"] }],
    ["such a command and no arguments beside it", { command: "ours --a", args: [] }, { args: ["--a"] }],
    ["an environment, which is never returned", { env: ["A=1", "B=2"] }, { args: [] }],
    ["a sum of any length, in lower case", { sha256: "AbCdEf" }, { sha256: "abcdef" }],
    ["a sum under its old name", { sha256: undefined, sha_256: "Ab" }, { sha256: "ab" }],
    ["an empty version", { version: "" }, { args: [] }],
    ["a command with a slash before it", { command: "/ours" }, { command: "/ours" }],
  ])("takes %s", async (_rule, given, read) => {
    const door = open(createSimulator());
    expectDone(await door.call("plugins.write", { ...GOOD, ...given }));
    const data = expectData(await door.call("plugins.read", secret));
    expect(data).toEqual({ args: [], builtin: false, command: "ours", name, sha256: "31", ...read });
  });

  it("overwrites an entry whole, and lists it once, sorted, with what is built in", async () => {
    const door = open(createSimulator());
    for (const each of ["zz", "a", "kv"])
      expectDone(await door.call("plugins.write", { ...GOOD, name: each, args: ["--x"] }));
    expectDone(await door.call("plugins.write", { ...GOOD, name: "a", command: "b", sha256: "ff" }));
    expectDone(await door.call("plugins.write", { ...GOOD, name: "a", version: "1.0.0" }));
    expectDone(await door.call("plugins.write", { ...GOOD, name: "a", type: "database" }));
    const keys = ["a", "kv", "ldap", "orchestrator", "zz"];
    expect(expectData(await door.call("plugins.list", { type: "secret" }))).toEqual({ keys });
    expect(expectData(await door.call("plugins.catalog"))).toEqual({
      auth: ["approle", "ldap", "orchestrator", "userpass"],
      database: ["a"],
      secret: keys,
    });
    expect(expectData(await door.call("plugins.read", { ...secret, name: "a" }))).toMatchObject({
      args: [],
      command: "b",
      sha256: "ff",
    });
  });

  it("lets a registered entry shadow a built-in one until it is removed", async () => {
    const sim = createSimulator();
    const door = open(sim);
    const kv = { type: "secret", name: "kv" };
    await expectNothingChanged(sim, async () => expectDone(await door.call("plugins.delete", kv)));
    expectDone(await door.call("plugins.write", { ...GOOD, ...kv }));
    expect(expectData(await door.call("plugins.read", kv))).toMatchObject({ builtin: false, command: "ours" });
    expectDone(await door.call("plugins.delete", kv));
    expect(expectData(await door.call("plugins.read", kv))).toMatchObject({ builtin: true, command: "" });
    expect(expectData(await door.call("plugins.catalog"))).toEqual(BUILT_IN);
  });

  it("keeps entries of one name apart by version", async () => {
    const door = open(createSimulator());
    const read = async (version?: string) => door.call("plugins.read", { ...secret, version });
    for (const version of ["1.2.3", "v2.0.0-rc.1+linux"]) {
      expectDone(await door.call("plugins.write", { ...GOOD, version, sha256: "ab" }));
    }
    expectNotFound(await read());
    expect(expectData(await read("v1.2.3"))).toEqual({
      args: [],
      builtin: false,
      command: "ours",
      name,
      sha256: "ab",
      version: "v1.2.3",
    });
    expect(expectData(await read("1.2.3"))["version"]).toBe("v1.2.3");
    expect(expectData(await read("2.0.0-rc.1+linux"))["version"]).toBe("v2.0.0-rc.1+linux");
    expectNotFound(await read("3.0.0"));
    expectDone(await door.call("plugins.delete", secret));
    expectData(await read("1.2.3"));
    expectDone(await door.call("plugins.delete", { ...secret, version: "1.2.3" }));
    expectNotFound(await read("1.2.3"));
    expect(expectData(await door.call("plugins.list", { type: "secret" }))["keys"]).toContain(name);
    expectRefused(await read("1"), 400, "semantic version");
    expectRefused(await door.call("plugins.delete", { ...secret, version: "x" }), 400, "semantic version");
  });

  it("answers 204 to whoever removes what is not there", async () => {
    const sim = createSimulator();
    await expectNothingChanged(sim, async () => {
      for (const each of ["never", "constructor", "__proto__"]) {
        expectDone(await open(sim).call("plugins.delete", { ...secret, name: each }));
        expectNotFound(await open(sim).call("plugins.read", { ...secret, name: each }));
      }
    });
  });

  // The table "POST validation": each row breaks its own rule and all that come after it.
  const broken: readonly (readonly [rule: string, fields: Fields, status: number, piece: string])[] = [
    ["a version that is not semantic", { version: "1.2" }, 400, "semantic version"],
    ["a version with the mark of built-in ones", { version: "1.2.3+builtin" }, 400, "reserved metadata"],
    ["no sum", { sha256: "" }, 400, "missing SHA-256"],
    ["no command", { command: "" }, 400, "missing command"],
    ["arguments in two places", { command: "../a/b c", args: ["d"] }, 400, "args"],
    ["a sum that is not hexadecimal", { sha256: "xyz" }, 400, "SHA-256"],
    ["no plugin directory", { name: "a..b" }, 500, "plugin directory is not configured"],
    ["a parent reference in the name", { name: "a..b" }, 500, "parent references"],
    ["a parent reference in the command", { command: "../x" }, 500, "parent references"],
    ["a command below a sub-directory", { command: "a/b" }, 500, "outside of configured plugin directory"],
    ["a command that is the directory", { command: "." }, 500, "outside of configured plugin directory"],
    ["a file that is not there", { command: "absent" }, 500, "validating the command path"],
  ];
  it.each(broken)("refuses %s, whatever else is wrong after it", async (rule, fields, status, piece) => {
    const sim = createSimulator({ secrets: { pluginDirectory: rule === "no plugin directory" ? null : "/plugins" } });
    sim.secrets.cluster("main").setPlugin("other", "31");
    const index = broken.findIndex(([each]) => each === rule);
    const after = Object.assign(
      {},
      ...broken
        .slice(index)
        .reverse()
        .map(([, given]) => given),
    ) as Fields;
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("plugins.write", { ...GOOD, ...after }), status, piece);
      expectRefused(await open(sim).call("plugins.write", { ...GOOD, command: "other", ...fields }), status, piece);
    });
  });

  it.each(["x", "Auth", "secrets", "constructor"])("has no type %j, whatever is done", async (type) => {
    const door = open(createSimulator());
    expectRefused(await door.call("plugins.list", { type }), 404, "unsupported path");
    for (const operation of ["read", "write", "delete"] as const) {
      expectRefused(await door.call(`plugins.${operation}`, { ...GOOD, type }), 404, "unsupported path");
    }
  });

  it("has no names with slashes", async () => {
    const door = open(createSimulator());
    for (const operation of ["read", "write", "delete"] as const) {
      expectRefused(await door.call(`plugins.${operation}`, { ...GOOD, name: "a/b" }), 404, "unsupported path");
      expectRefused(await door.call(`plugins.${operation}`, { ...GOOD, type: "secret/a" }), 404, "unsupported path");
    }
  });

  it("is one for all namespaces", async () => {
    const sim = createSimulator();
    sim.secrets.cluster("main").createNamespace("team");
    const door = open(sim);
    expectDone(await door.call("plugins.write", GOOD, { namespace: "team" }));
    expectData(await door.call("plugins.read", secret));
    expectDone(await door.call("mounts.write", { path: "m", type: name }, { namespace: "team" }));
    expectDone(await door.call("kv.write", { path: "a", v: 1 }, { namespace: "team", mount: "m" }));
    expectDone(await door.call("plugins.delete", secret));
    expectNotFound(await door.call("plugins.read", secret, { namespace: "team" }));
  });

  it("asks for sudo where one entry is meant, and for list and read alone where many are", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    const token = (...capabilities: string[]) => {
      const policy = `p-${capabilities.join("-")}`;
      main.writePolicy(policy, `path "sys/plugins/catalog*" { capabilities = ${JSON.stringify(capabilities)} }`);
      return { token: main.createToken({ policies: [policy], noDefaultPolicy: true }).token };
    };
    const list = { type: "secret" };
    for (const [operation, capability, fields] of [
      ["plugins.write", "update", GOOD],
      ["plugins.read", "read", secret],
      ["plugins.delete", "delete", secret],
    ] as const) {
      expectRefused(await door.call(operation, fields, token(capability)), 403, "permission denied");
      expectRefused(await door.call(operation, fields, token("sudo")), 403, "permission denied");
      expect((await door.call(operation, fields, token(capability, "sudo"))).status).toBeLessThan(300);
    }
    expectRefused(await door.call("plugins.list", list, token("read", "sudo")), 403, "permission denied");
    expectData(await door.call("plugins.list", list, token("list")));
    expectRefused(await door.call("plugins.catalog", {}, token("list", "sudo")), 403, "permission denied");
    expectData(await door.call("plugins.catalog", {}, token("read")));
  });

  it("is there with the community licence, too", async () => {
    const door = open(createSimulator({ secrets: { license: "community" } }));
    expectDone(await door.call("plugins.write", GOOD));
    expectData(await door.call("plugins.read", secret));
  });
});

describe.each(doors())("mounting a plugin through %s", (_, { open }) => {
  it("that nobody registered is refused", async () => {
    const sim = createSimulator();
    const door = open(sim);
    for (const type of ["never", "a/b", "constructor"]) {
      expectRefused(await door.call("mounts.write", { path: "m", type }), 400, "plugin not found in the catalog");
    }
    expectDone(await door.call("plugins.write", { ...GOOD, type: "database" }));
    expectRefused(await door.call("mounts.write", { path: "m", type: name }), 400, "plugin not found in the catalog");
  });

  it("gives a kv store under the plugin's own name", async () => {
    const door = open(createSimulator());
    expectDone(await door.call("plugins.write", GOOD));
    expectDone(await door.call("mounts.write", { path: "m", type: name, description: "d" }));
    expect((await door.call("mounts.read", { path: "m" })).body).toMatchObject({
      type: name,
      description: "d",
      accessor: expect.stringMatching(/^ours_[0-9a-f]{8}$/),
      running_sha256: "",
    });
    expectDone(await door.call("kv.write", { path: "a", v: 1 }, { mount: "m" }));
    expect(expectData(await door.call("kv.read", { path: "a" }, { mount: "m" }))).toEqual({ v: 1 });
  });

  it("that shadows a built-in one behaves like that", async () => {
    const sim = createSimulator();
    const door = open(sim);
    expectDone(await door.call("plugins.write", { ...GOOD, name: "ldap" }));
    expectDone(await door.call("mounts.write", { path: "m", type: "ldap" }));
    expectDone(await door.call("ldapConfig.write", { binddn: "cn=a", bindpass: "b" }, { mount: "m" }));
    expect(sim.state.secrets["main"]?.replicated.mounts.get("m/")).toMatchObject({
      type: "ldap",
      plugin: { name: "ldap" },
    });
  });

  it("takes the highest version where none is without one", async () => {
    const sim = createSimulator();
    const door = open(sim);
    for (const version of ["1.9.0", "1.10.0", "1.10.0-rc.1"]) {
      expectDone(await door.call("plugins.write", { ...GOOD, version }));
    }
    expectDone(await door.call("mounts.write", { path: "m", type: name }));
    expect((await door.call("mounts.read", { path: "m" })).body).toMatchObject({
      plugin_version: "v1.10.0",
      running_plugin_version: "v1.10.0",
    });
    expectDone(await door.call("plugins.write", GOOD));
    expectDone(await door.call("mounts.write", { path: "n", type: name }));
    expect((await door.call("mounts.read", { path: "n" })).body).toMatchObject({ plugin_version: "" });
  });

  it("compares the sum of what lies there now, and works again when it matches", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    const mount = (path: string) => door.call("mounts.write", { path, type: name });
    expectDone(await door.call("plugins.write", { ...GOOD, sha256: "AB" }));
    expectDone(await mount("before-anybody-said-anything"));
    main.setPlugin("ours", "cd");
    await expectNothingChanged(sim, async () => expectRefused(await mount("m"), 400, "checksums did not match"));
    expectData(await door.call("plugins.read", secret));
    main.setPlugin("ours", "ab");
    expectDone(await mount("m"));
    main.setPlugin("ours", undefined);
    expectRefused(await mount("n"), 400, "checksums did not match");
    // What runs goes on, also when its entry changes: the new sum counts from the next start.
    main.setPlugin("ours", "00");
    expectDone(await door.call("plugins.write", { ...GOOD, sha256: "ef" }));
    expectDone(await door.call("kv.write", { path: "a", v: 1 }, { mount: "m" }));
  });

  it("checks the sum last", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    expectDone(await door.call("plugins.write", GOOD));
    main.setPlugin("ours", "ff");
    expectRefused(await door.call("mounts.write", { path: "sys", type: name }), 400, "cannot mount");
    expectRefused(await door.call("mounts.write", { path: "kv", type: name }), 400, "already in use");
    expectRefused(await door.call("mounts.write", { path: "m", type: name }), 400, "checksums did not match");
  });
});

describe("the plugin catalog over HTTP", () => {
  test.each<[method: string, path: string, status: number]>([
    ["LIST", "", 405],
    ["POST", "", 405],
    ["DELETE", "", 405],
    ["GET", "/ours", 404],
    ["POST", "/ours", 404],
    ["DELETE", "/ours", 404],
    ["LIST", "/ours", 404],
    ["GET", "/secret", 405],
    ["POST", "/secret", 405],
    ["LIST", "/secret/ours", 405],
    ["GET", "/secret/", 404],
    ["POST", "/secret/ours/", 400],
    ["GET", "/secret/ours/more", 404],
  ])("%s sys/plugins/catalog%s is %i", async (method, path, status) => {
    const answer = await send(createSimulator(), method, `/v1/sys/plugins/catalog${path}`, {
      ...(method === "POST" ? { body: JSON.stringify({ sha256: "31", command: "ours" }) } : {}),
    });
    expect(answer.status).toBe(status);
  });

  it("takes the version from the query where something is read or removed", async () => {
    const sim = createSimulator();
    const path = "/v1/sys/plugins/catalog/secret/ours";
    expectDone(await send(sim, "POST", path, { body: JSON.stringify({ ...GOOD, version: "1.0.0" }) }));
    expectNotFound(await send(sim, "GET", path));
    expectData(await send(sim, "GET", `${path}?version=v1.0.0`));
    expectDone(await send(sim, "DELETE", `${path}?version=1.0.0`));
    expectNotFound(await send(sim, "GET", `${path}?version=v1.0.0`));
  });
});

describe("what lies in the plugin directory", () => {
  it("is said by a control call, which tells a wrong argument", () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const wrong: readonly (readonly [command: unknown, sum: unknown])[] = [
      ["", "ab"],
      ["a/b", "ab"],
      ["../a", "ab"],
      [1, "ab"],
      ["a", "xyz"],
      ["a", ""],
      ["a", 1],
      ["a", null],
    ];
    for (const [command, sum] of wrong) {
      expect(() => main.setPlugin(command as string, sum as string)).toThrow(TypeError);
    }
    expect(sim.position).toBe(0);
    main.setPlugin("a", undefined);
    expect(sim.position).toBe(1);
    main.setPlugin("a", undefined);
    main.setPlugin("/b", "AB");
    main.setPlugin("b", "ab");
    expect(sim.position).toBe(2);
  });

  it("is each cluster's own", () => {
    const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
    sim.secrets.cluster("east").setPlugin("a", undefined);
    const write = (cluster: string) => {
      const handle = sim.secrets.cluster(cluster);
      return handle.as(handle.rootToken).plugins.write({ ...GOOD });
    };
    expect(() => write("east")).toThrow(Rejection);
    expect(write("west")).toBeUndefined();
  });

  it.each([{ pluginDirectory: "" }, { pluginDirectory: 1 }])("is refused as an option: %j", (secrets) => {
    expect(() => createSimulator({ secrets: secrets as never })).toThrow("pluginDirectory");
  });

  it("is kept by the log, directory and all", async () => {
    const sim = createSimulator({ secrets: { pluginDirectory: null } });
    const main = sim.secrets.cluster("main");
    main.setPlugin("a", "ab");
    const copy = replay(sim.log.toNdjson());
    expect(copy.stateHash()).toBe(sim.stateHash());
    expect(copy.state.secrets["main"]?.ignored.pluginDirectory).toBeNull();
    expect(copy.log.toNdjson()).toBe(sim.log.toNdjson());
    expect(createSimulator().log.toNdjson()).not.toContain("pluginDirectory");
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });
});

describe("versions", () => {
  it("have the order of their specification", () => {
    const ordered = ["v1.0.0-alpha", "v1.0.0-alpha.1", "v1.0.0-alpha.beta", "v1.0.0-beta", "v1.0.0-beta.2"];
    ordered.push("v1.0.0-beta.11", "v1.0.0-rc.1", "v1.0.0", "v1.0.1", "v1.2.0", "v1.10.0", "v2.0.0");
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
  });

  const sum = fc.constantFrom("aa", "bb", undefined);
  property([fc.array(fc.record({ do: fc.constantFrom("register", "lie", "mount"), sum }), { maxLength: 30 })])(
    "and a binary whose sum differs never runs",
    (steps) => {
      const sim = createSimulator();
      const main = sim.secrets.cluster("main");
      const { plugins } = main.as(main.rootToken);
      let registered: string | undefined;
      let lies: string | undefined;
      let said = false;
      let mounts = 0;
      for (const step of steps) {
        if (step.do === "register" && step.sum !== undefined && (!said || lies !== undefined)) {
          plugins.write({ ...GOOD, sha256: step.sum });
          registered = step.sum;
        } else if (step.do === "lie") {
          main.setPlugin("ours", step.sum);
          [lies, said] = [step.sum, true];
        } else if (step.do === "mount") {
          const runs = registered !== undefined && (!said || lies === registered);
          let mounted = true;
          try {
            main.mount(`m${mounts++}`, { type: name });
          } catch (error) {
            if (!(error instanceof Rejection)) throw error;
            mounted = false;
            expect(error.code).toBe(registered === undefined ? "plugin_not_found" : "plugin_checksum_differs");
          }
          expect(mounted).toBe(runs);
        }
      }
    },
  );
});
