import { describe, expect, it, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { doors, type Fields, send } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { CLOUD1, CLOUD2, CLOUD3, LOCAL } from "./snapshot-world.ts";

// decisions-secrets-core.md, B.1; secrets.md, "Automated snapshot configuration".

const name = "nightly";
const COMMON = { file_prefix: "secrets-snapshot", interval: 3600, retain: 1 };

describe.each(doors())("snapshot configurations through %s", (_, { open }) => {
  it.each<[storageType: string, written: Fields, read: Fields]>([
    [
      "local: exactly the six fields of the contract",
      LOCAL,
      { ...COMMON, path_prefix: "/backups", storage_type: "local", local_max_space: 1_000_000 },
    ],
    [
      "cloud1-bucket with its defaults",
      CLOUD1,
      {
        ...COMMON,
        ...CLOUD1,
        cloud1_endpoint: "",
        cloud1_disable_tls: false,
        cloud1_force_path_style: false,
        cloud1_enable_kms: false,
        cloud1_server_side_encryption: false,
        cloud1_kms_key: "",
      },
    ],
    [
      "cloud1-bucket with everything, but for its credentials",
      {
        ...CLOUD1,
        cloud1_access_key_id: "id",
        cloud1_secret_access_key: "secret",
        cloud1_session_token: "session",
        cloud1_endpoint: "https://b.test",
        cloud1_disable_tls: "true",
        cloud1_force_path_style: 1,
        cloud1_enable_kms: true,
        cloud1_kms_key: "key",
      },
      {
        ...COMMON,
        ...CLOUD1,
        cloud1_endpoint: "https://b.test",
        cloud1_disable_tls: true,
        cloud1_force_path_style: true,
        cloud1_enable_kms: true,
        cloud1_server_side_encryption: false,
        cloud1_kms_key: "key",
      },
    ],
    [
      "cloud2-bucket with its defaults",
      CLOUD2,
      { ...COMMON, ...CLOUD2, cloud2_endpoint: "", cloud2_disable_tls: false },
    ],
    [
      "cloud2-bucket with everything, but for its credentials",
      {
        ...CLOUD2,
        cloud2_service_account_key: '{"private_key": "k"}',
        cloud2_endpoint: "https://c.test",
        cloud2_disable_tls: true,
      },
      { ...COMMON, ...CLOUD2, cloud2_endpoint: "https://c.test", cloud2_disable_tls: true },
    ],
    [
      "cloud3-blob with its defaults",
      CLOUD3,
      { ...COMMON, ...CLOUD3, cloud3_account_name: "", cloud3_blob_environment: "", cloud3_endpoint: "" },
    ],
    [
      "cloud3-blob with everything, but for its credentials",
      {
        ...CLOUD3,
        cloud3_account_name: "account",
        cloud3_account_key: "key",
        cloud3_blob_environment: "public",
        cloud3_endpoint: "https://d.test",
      },
      {
        ...COMMON,
        ...CLOUD3,
        cloud3_account_name: "account",
        cloud3_blob_environment: "public",
        cloud3_endpoint: "https://d.test",
      },
    ],
  ])("are read as they were written: %s", async (_type, written, read) => {
    const door = open(createSimulator());
    expectDone(await door.call("snapshots.write", { name, interval: "1h", ...written }));
    expect(expectData(await door.call("snapshots.read", { name }))).toEqual(read);
  });

  it.each<[rule: string, given: Fields, field: string, value: unknown]>([
    ["an interval of seconds", { interval: 90 }, "interval", 90],
    ["an interval of digits", { interval: "90" }, "interval", 90],
    ["an interval of a second", { interval: 1 }, "interval", 1],
    ["an interval of days", { interval: "30d" }, "interval", 2_592_000],
    ["a fraction of a second, which is cut", { interval: "1500ms" }, "interval", 1],
    ["retain in digits", { retain: "7" }, "retain", 7],
    ["a file prefix", { file_prefix: "a.b" }, "file_prefix", "a.b"],
    ["an empty file prefix, the default", { file_prefix: "" }, "file_prefix", "secrets-snapshot"],
    ["null, the default", { retain: null, file_prefix: null }, "retain", 1],
    ["a local path without a slash at its end", { path_prefix: "/a" }, "path_prefix", "/a"],
    ["a local path with one, kept as given", { path_prefix: "/a/" }, "path_prefix", "/a/"],
    ["a relative local path", { path_prefix: "a/b" }, "path_prefix", "a/b"],
    ["a cloud1 path without a slash", { ...CLOUD1, path_prefix: "a" }, "path_prefix", "a"],
    ["a cloud1 path with one", { ...CLOUD1, path_prefix: "a/" }, "path_prefix", "a/"],
    [
      "cloud1 encryption without KMS",
      { ...CLOUD1, cloud1_server_side_encryption: true },
      "cloud1_server_side_encryption",
      true,
    ],
    ["fields of another type, ignored", { cloud2_bucket: "b", cloud1_kms_key: "k" }, "storage_type", "local"],
    ["an unknown field, ignored", { colour: "red" }, "storage_type", "local"],
  ])("take %s", async (_rule, given, field, value) => {
    const door = open(createSimulator());
    expectDone(await door.call("snapshots.write", { name, interval: "1h", ...LOCAL, ...given }));
    const data = expectData(await door.call("snapshots.read", { name }));
    expect(data[field]).toBe(value);
    expect(data).not.toHaveProperty("cloud2_bucket");
    expect(data).not.toHaveProperty("colour");
  });

  it.each<[rule: string, given: Fields, field: string]>([
    ["no interval", { interval: undefined }, "interval"],
    ["null for the interval", { interval: null }, "interval"],
    ["an interval of 0", { interval: 0 }, "interval"],
    ["an empty interval", { interval: "" }, "interval"],
    ["an interval below a second", { interval: "999ms" }, "interval"],
    ["a negative interval", { interval: -1 }, "interval"],
    ["a negative interval as a text", { interval: "-1h" }, "interval"],
    ["an interval that is none", { interval: "1w" }, "interval"],
    ["an interval with a fraction", { interval: 1.5 }, "interval"],
    ["retain 0", { retain: 0 }, "retain"],
    ["retain below 0", { retain: -1 }, "retain"],
    ["retain with a fraction", { retain: 1.5 }, "retain"],
    ["retain in words", { retain: "one" }, "retain"],
    ["no path", { path_prefix: undefined }, "path_prefix"],
    ["an empty path", { path_prefix: "" }, "path_prefix"],
    ["a cloud2 path without a slash at its end", { ...CLOUD2, path_prefix: "a" }, "path_prefix"],
    ["a cloud3 path without a slash at its end", { ...CLOUD3, path_prefix: "a" }, "path_prefix"],
    ["a slash in the file prefix", { file_prefix: "a/b" }, "file_prefix"],
    ["no storage type", { storage_type: undefined }, "storage_type"],
    ["an unknown storage type", { storage_type: "floppy" }, "storage_type"],
    ["a storage type in another case", { storage_type: "Local" }, "storage_type"],
    ["local without its space", { local_max_space: undefined }, "local_max_space"],
    ["a space of 0", { local_max_space: 0 }, "local_max_space"],
    ["a space below 0", { local_max_space: -1 }, "local_max_space"],
    ["a space with a fraction", { local_max_space: 1.5 }, "local_max_space"],
    ["cloud1 without a bucket", { ...CLOUD1, cloud1_bucket: undefined }, "cloud1_bucket"],
    ["cloud1 without a region", { ...CLOUD1, cloud1_region: "" }, "cloud1_region"],
    [
      "cloud1 with both ways to encrypt",
      { ...CLOUD1, cloud1_enable_kms: true, cloud1_server_side_encryption: true },
      "cloud1_server_side_encryption",
    ],
    ["a KMS key without KMS", { ...CLOUD1, cloud1_kms_key: "k" }, "cloud1_kms_key"],
    ["a KMS key with KMS switched off", { ...CLOUD1, cloud1_kms_key: "k", cloud1_enable_kms: false }, "cloud1_kms_key"],
    ["only the id of an access key", { ...CLOUD1, cloud1_access_key_id: "i" }, "cloud1_secret_access_key"],
    ["only the secret of an access key", { ...CLOUD1, cloud1_secret_access_key: "s" }, "cloud1_access_key_id"],
    ["a flag that is none", { ...CLOUD1, cloud1_disable_tls: "maybe" }, "cloud1_disable_tls"],
    ["cloud2 without a bucket", { ...CLOUD2, cloud2_bucket: undefined }, "cloud2_bucket"],
    [
      "a service account key that is no JSON",
      { ...CLOUD2, cloud2_service_account_key: "{" },
      "cloud2_service_account_key",
    ],
    [
      "a service account key that is a list",
      { ...CLOUD2, cloud2_service_account_key: "[]" },
      "cloud2_service_account_key",
    ],
    [
      "a service account key that is null",
      { ...CLOUD2, cloud2_service_account_key: "null" },
      "cloud2_service_account_key",
    ],
    ["cloud3 without a container", { ...CLOUD3, cloud3_container_name: undefined }, "cloud3_container_name"],
  ])("are refused with %s: the text names the field, and nothing changes", async (_rule, given, field) => {
    const sim = createSimulator();
    const door = open(sim);
    expectDone(await door.call("snapshots.write", { name, interval: "2h", ...LOCAL, retain: 5 }));
    const pending = sim.clock.pending();
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("snapshots.write", { name, interval: "1h", ...LOCAL, ...given }), 400, field);
    });
    expect(sim.clock.pending()).toEqual(pending);
    expect(expectData(await door.call("snapshots.read", { name }))).toMatchObject({ interval: 7200, retain: 5 });
  });

  it("are replaced whole: what is left out returns to its default, and required fields are required again", async () => {
    const sim = createSimulator();
    const door = open(sim);
    const credentials = { cloud1_access_key_id: "id", cloud1_secret_access_key: "secret" };
    const all = { name, interval: "1h", ...CLOUD1, retain: 9, file_prefix: "mine", ...credentials };
    expectDone(await door.call("snapshots.write", all));
    expect(sim.state.secrets["main"]?.local.snapshots.get(name)?.credentials).toEqual(credentials);
    for (const partial of [{ interval: "2h" }, { interval: "2h", path_prefix: "a" }, { ...CLOUD1 }]) {
      expectRefused(await door.call("snapshots.write", { name, ...partial }), 400, "is required");
    }
    expectDone(await door.call("snapshots.write", { name, interval: "2h", ...CLOUD1 }));
    expect(expectData(await door.call("snapshots.read", { name }))).toMatchObject({
      retain: 1,
      file_prefix: "secrets-snapshot",
      interval: 7200,
    });
    expect(sim.state.secrets["main"]?.local.snapshots.get(name)?.credentials).toEqual({});
    expectDone(await door.call("snapshots.write", { name, interval: "2h", ...LOCAL }));
    expect(Object.keys(expectData(await door.call("snapshots.read", { name })))).toHaveLength(6);
  });

  it("are listed in order, and deleted whether they are there or not", async () => {
    const door = open(createSimulator());
    expectNotFound(await door.call("snapshots.list"));
    for (const each of ["b", "a", "B"]) {
      expectDone(await door.call("snapshots.write", { name: each, interval: "1h", ...LOCAL }));
    }
    expect(expectData(await door.call("snapshots.list"))).toEqual({ keys: ["B", "a", "b"] });
    for (const each of ["a", "b", "B", "a", "never"]) {
      expectDone(await door.call("snapshots.delete", { name: each }));
    }
    expectNotFound(await door.call("snapshots.list"));
  });

  it.each(["snapshots.read", "snapshots.status"] as const)(
    "%s of a missing one is 404 without a text",
    async (read) => {
      expectNotFound(await open(createSimulator()).call(read, { name: "never" }));
      expectNotFound(await open(createSimulator()).call(read, { name: "constructor" }));
    },
  );

  it.each(["-a", "a-", ".a", "a b", "ä"])("are not named %j, whatever is done", async (wrong) => {
    const door = open(createSimulator());
    for (const operation of ["read", "write", "delete", "status"] as const) {
      const fields = { name: wrong, interval: "1h", ...LOCAL };
      expectRefused(await door.call(`snapshots.${operation}`, fields), 404, "unsupported path");
    }
  });

  it("are there in the root namespace and with the enterprise licence only", async () => {
    const sim = createSimulator();
    sim.secrets.cluster("main").createNamespace("team");
    const community = open(createSimulator({ secrets: { license: "community" } }));
    for (const operation of ["list", "read", "write", "delete", "status"] as const) {
      const fields = operation === "list" ? {} : { name, interval: "1h", ...LOCAL };
      const asked = `snapshots.${operation}` as const;
      expectRefused(await open(sim).call(asked, fields, { namespace: "team" }), 404, "unsupported path");
      expectRefused(await open(sim).call(asked, fields, { namespace: "team", token: null }), 404, "unsupported path");
      expectRefused(await community.call(asked, fields), 404, "unsupported path");
    }
  });

  it("need sudo, but not for the status", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    const path = "sys/storage/raft/snapshot-auto/*";
    main.writePolicy("plain", `path "${path}" { capabilities = ["create", "update", "read", "list", "delete"] }`);
    main.writePolicy("mighty", `path "${path}" { capabilities = ["update", "read", "list", "delete", "sudo"] }`);
    const plain = { token: main.createToken({ policies: ["plain"] }).token };
    const mighty = { token: main.createToken({ policies: ["mighty"] }).token };
    const fields = { name, interval: "1h", ...LOCAL };
    expectDone(await door.call("snapshots.write", fields, mighty));
    for (const operation of ["write", "read", "list", "delete"] as const) {
      expectRefused(
        await door.call(`snapshots.${operation}`, operation === "list" ? {} : fields, plain),
        403,
        "denied",
      );
    }
    expectData(await door.call("snapshots.status", { name }, plain));
    expectData(await door.call("snapshots.read", { name }, mighty));
    expectData(await door.call("snapshots.list", {}, mighty));
    expectDone(await door.call("snapshots.delete", { name }, mighty));
  });

  it("never show a credential, neither in an answer nor in a status", async () => {
    const sim = createSimulator();
    const door = open(sim);
    const secret = "the-secret-itself";
    const given = [
      { ...CLOUD1, cloud1_access_key_id: secret, cloud1_secret_access_key: secret, cloud1_session_token: secret },
      { ...CLOUD2, cloud2_service_account_key: JSON.stringify({ key: secret }) },
      { ...CLOUD3, cloud3_account_key: secret },
    ];
    for (const fields of given) {
      expectDone(await door.call("snapshots.write", { name, interval: "1h", ...fields }));
      sim.clock.advance("1h");
      for (const operation of ["read", "status"] as const) {
        expect(JSON.stringify(await door.call(`snapshots.${operation}`, { name }))).not.toContain(secret);
      }
      expect(JSON.stringify(sim.stores.list(""))).not.toContain(secret);
    }
  });
});

describe("snapshot configurations over HTTP", () => {
  test.each<[method: string, path: string, status: number]>([
    ["GET", "config", 405],
    ["POST", "config", 405],
    ["LIST", "config/a", 404],
    ["POST", "config/a/", 400],
    ["GET", "config/a/b", 404],
    ["LIST", "status", 404],
    ["POST", "status/a", 405],
    ["DELETE", "status/a", 405],
    ["GET", "", 404],
  ])("%s %s is %i", async (method, path, status) => {
    const sim = createSimulator();
    const { status: answered } = await send(sim, method, `/v1/sys/storage/raft/snapshot-auto/${path}`, {
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    expect(answered).toBe(status);
  });

  it("GET with list=true is LIST, and PUT is POST", async () => {
    const sim = createSimulator();
    const path = "/v1/sys/storage/raft/snapshot-auto/config";
    const body = JSON.stringify({ interval: "1h", ...LOCAL });
    expectDone(await send(sim, "PUT", `${path}/${name}`, { body }));
    expect(expectData(await send(sim, "GET", `${path}?list=true`))).toEqual({ keys: [name] });
  });
});
