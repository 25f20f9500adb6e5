import { describe, expect, it } from "vitest";
import { type Envelope, rehearse } from "../../../src/index.ts";
import { type Answer, doors, type Fields, type OperationName, send } from "../driver.ts";
import {
  ENVELOPE_KEYS,
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";
import { currentTransport, knowsEveryMethod, reach } from "../transports.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-secrets-core.md, A.1, A.2, A.4 and A.5; decisions-directory.md, 1.

const ops = { set_name: "ops" };

/** A world with a set of two, of which one is lent. */
function world(): LibraryWorld & { readonly lease: string } {
  const made = libraryWorld();
  made.set("ops", ["svc-1", "svc-2"], { ttl: 3600 });
  const { lease } = made.lend("ops");
  return { ...made, lease };
}

describe.each(doors())("answers through %s", (_, { open }) => {
  const withResult: readonly (readonly [OperationName, fields: (lease_id: string) => Fields])[] = [
    ["library.read", () => ops],
    ["library.list", () => ({})],
    ["library.status", () => ops],
    ["library.checkOut", () => ops],
    ["library.checkIn", () => ops],
    ["library.forceCheckIn", () => ops],
    ["ldapConfig.read", () => ({})],
    ["leases.lookup", (lease_id) => ({ lease_id })],
    ["leases.renew", (lease_id) => ({ lease_id })],
    ["leases.list", () => ({})],
  ];
  it.each(withResult)("%s has the whole envelope, and nulls where nothing is", async (operation, fields) => {
    const { sim, lease } = world();
    const answer = await open(sim).call(operation, fields(lease));
    const { request_id, data, ...rest } = expectEnvelope(answer);
    expect(data === null).toBe(operation === "leases.renew");
    const isLease = operation === "library.checkOut" || operation === "leases.renew";
    expect(rest).toEqual({
      lease_id: isLease ? expect.stringMatching(/^ldap\/library\/ops\/check-out\/\w{24}$/) : "",
      renewable: isLease,
      lease_duration: isLease ? 3600 : 0,
      wrap_info: null,
      warnings: null,
      auth: null,
    });
    expect(request_id).not.toBe("");
  });

  const withoutResult: readonly (readonly [OperationName, Fields])[] = [
    ["library.write", ops],
    ["library.delete", { set_name: "never" }],
    ["ldapConfig.write", {}],
    ["ldapConfig.delete", {}],
    ["leases.revoke", { lease_id: "never" }],
    ["leases.revokePrefix", { prefix: "never" }],
    ["leases.revokeForce", { prefix: "never" }],
    ["passwordPolicies.write", { name: "p", policy: 'length = 8 rule "charset" { charset = "ab" }' }],
    ["passwordPolicies.delete", { name: "never" }],
  ];
  it.each(withoutResult)("%s is 204 with nothing in it", async (operation, fields) => {
    expectDone(await open(world().sim).call(operation, fields));
  });

  const missing: readonly (readonly [OperationName, Fields])[] = [
    ["library.read", { set_name: "never" }],
    ["library.list", { prefix: "never" }],
    ["leases.list", { prefix: "never" }],
    ["passwordPolicies.list", {}],
  ];
  it.each(missing)("%s of nothing is 404 without a text", async (operation, fields) => {
    expectNotFound(await open(world().sim).call(operation, fields));
  });

  it("have a request id of their own each, also when nothing was committed between", async () => {
    const { sim } = world();
    const door = open(sim);
    const ids: string[] = [];
    for (const operation of [
      "library.read",
      "library.read",
      "library.status",
      "library.checkOut",
      "library.read",
    ] as const) {
      ids.push(expectEnvelope(await door.call(operation, ops)).request_id);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("have the envelope's keys in no error", async () => {
    const { sim } = world();
    const response = await reach(sim)(`${sim.secrets.cluster("main").url}/v1/ldap/library/ops`);
    expect(Object.keys((await response.json()) as object)).toEqual(["errors"]);
    expect(ENVELOPE_KEYS).not.toContain("errors");
    expectRefused(await open(sim).call("library.read", ops, { token: null }), 403, "permission denied");
  });
});

// Over HTTP only: a typed call has no request line, no query and no body that could be anything but fields.
describe("requests over HTTP", () => {
  const GET = "/v1/ldap/library/ops";

  it("PUT is POST", async () => {
    const { sim, available } = world();
    expectDone(await send(sim, "PUT", "/v1/ldap/library/ops", { body: '{"ttl": 60}' }));
    expect(expectData(await send(sim, "GET", GET))["ttl"]).toBe(60);
    expectData(await send(sim, "PUT", `${GET}/check-out`));
    expect(available("ops")).toEqual([]);
  });

  it("LIST is in the order of bytes, which is not that of code units", async () => {
    const { sim } = world();
    const cluster = sim.secrets.cluster("main");
    for (const name of ["😀", "～", "z"]) {
      cluster.createEntity({ name });
      await send(sim, "POST", `/v1/kv/${encodeURIComponent(name)}`, { body: '{"a": 1}' });
    }
    for (const path of ["/v1/kv/", "/v1/identity/entity/name"]) {
      expect(expectData(await send(sim, "LIST", path))).toEqual({ keys: ["z", "～", "😀"] });
    }
  });

  it.each(["1", "t", "T", "true", "TRUE", "True"])("GET with list=%s is LIST", async (word) => {
    const { sim } = world();
    expect(expectData(await send(sim, "GET", `/v1/ldap/library?list=${word}`))).toEqual({ keys: ["ops"] });
    expectNotFound(await send(sim, "GET", `${GET}?list=${word}`));
  });

  it.each(["0", "f", "F", "false", "FALSE", "False"])("GET with list=%s is a read", async (word) => {
    expect(expectData(await send(world().sim, "GET", `${GET}?list=${word}`))["ttl"]).toBe(3600);
  });

  it.each(["maybe", "2", "yes", "tRUE", "-1", "true,"])("GET with list=%s is 400 without a text", async (word) => {
    expectRefused(await send(world().sim, "GET", `${GET}?list=${word}`), 400);
  });

  it("GET with list=true needs list, and list=false needs read", async () => {
    const { sim } = world();
    const cluster = sim.secrets.cluster("main");
    cluster.writePolicy("lists", 'path "ldap/library" { capabilities = ["list"] }');
    const asking = { token: cluster.createToken({ policies: ["lists"] }).token };
    expectData(await send(sim, "GET", "/v1/ldap/library?list=true", { asking }));
    expectRefused(await send(sim, "GET", "/v1/ldap/library?list=false", { asking }), 403, "permission denied");
  });

  it.each(["/v1/ldap/library", "/v1/ldap/library/"])("LIST %s is the same with a slash and without", async (path) => {
    expect(expectData(await send(world().sim, "LIST", path))).toEqual({ keys: ["ops"] });
  });

  it.each(["/v1/ldap/library/ops/", "/v1/ldap/config/", "/v1/nowhere/", "/v1/sys/leases/revoke-prefix/ldap/"])(
    "POST %s, a path that ends in a slash, is 400",
    async (path) => {
      const { sim } = world();
      for (const method of ["POST", "PUT"]) {
        const answer = await send(sim, method, path, { body: "{}" });
        expect(answer.status).toBe(400);
        expect(answer.errors).not.toBe("");
      }
    },
  );

  it.each(["GET", "DELETE"])("%s of a path that ends in a slash is of another path", async (method) => {
    const { sim } = world();
    await expectNothingChanged(sim, async () => {
      expectRefused(await send(sim, method, `${GET}/`), 404, "unsupported path");
    });
  });

  it.each(["/", "/v1", "/v2/ldap/config", "/ldap/config", "/V1/ldap/config", "/ui/", "/v1beta/x"])(
    "a path outside /v1/ is 404 without a text: %s",
    async (path) => {
      const { sim } = world();
      for (const method of ["GET", "POST", "DELETE", "LIST"]) expectNotFound(await send(sim, method, path));
    },
  );

  it.each(["HEAD", "OPTIONS", "PURGE", "COPY", ...(knowsEveryMethod() ? ["get-", "list", "Patch"] : [])])(
    "the method %s, which the service does not know, is 405",
    async (method) => {
      const { sim } = world();
      const response = await reach(sim)(`${sim.secrets.cluster("main").url}${GET}`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
    },
  );

  it.each<[type: string | undefined, status: number]>([
    [undefined, 415],
    ["application/json", 415],
    ["application/merge-patch+json", 405],
    ["application/merge-patch+json; charset=utf-8", 405],
    ["Application/Merge-Patch+JSON", 405],
  ])("PATCH with the content type %s is %i", async (type, status) => {
    const { sim } = world();
    const headers = type === undefined ? {} : { "Content-Type": type };
    const body = new TextEncoder().encode('{"ttl": 60}');
    await expectNothingChanged(sim, async () => {
      expect((await send(sim, "PATCH", GET, { headers, body })).status).toBe(status);
    });
  });

  it.each<[rule: string, body: string]>([
    ["no body", ""],
    ["blanks", " \n\t "],
    ["an empty object", "{}"],
  ])("%s is no fields", async (_rule, body) => {
    expect(expectEnvelope(await send(world().sim, "POST", `${GET}/check-out`, { body })).warnings).toBeNull();
  });

  it.each(["text/plain", "application/xml", "application/octet-stream", "multipart/form-data", ""])(
    "a body is JSON whatever its content type: %s",
    async (type) => {
      const answer = await send(world().sim, "POST", `${GET}/check-out`, {
        headers: { "Content-Type": type },
        body: '{"ttl": 60}',
      });
      expect(expectEnvelope(answer).lease_duration).toBe(60);
    },
  );

  it.each<[rule: string, type: string, body: string, seconds: number]>([
    ["a form that says so", "application/x-www-form-urlencoded", "ttl=60", 60],
    ["a form with a charset", "application/x-www-form-urlencoded; charset=utf-8", "ttl=2m", 120],
    ["JSON that says it is a form", "application/x-www-form-urlencoded", ' {"ttl": 90}', 90],
  ])("%s is read", async (_rule, type, body, seconds) => {
    const headers = { "Content-Type": type };
    const answer = await send(world().sim, "POST", `${GET}/check-out`, { headers, body });
    expect(expectEnvelope(answer).lease_duration).toBe(seconds);
  });

  it("a form fills lists as well", async () => {
    const { sim } = world();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const body = "service_account_names=svc-3%2Csvc-4&disable_check_in_enforcement=true";
    expectDone(await send(sim, "POST", "/v1/ldap/library/form", { headers, body }));
    expect(expectData(await send(sim, "GET", "/v1/ldap/library/form"))).toMatchObject({
      service_account_names: ["svc-3", "svc-4"],
      disable_check_in_enforcement: true,
    });
  });

  it.each<[body: string, type: string | undefined]>([
    ["{", undefined],
    ["[]", undefined],
    ["[1]", "application/x-www-form-urlencoded"],
    ['"text"', undefined],
    ["5", undefined],
    ["true", undefined],
    ["ttl=60", undefined],
    ["ttl=60", "text/plain"],
    ["{} {}", undefined],
    ["{'ttl': 60}", undefined],
    ['{"ttl": 60,}', undefined],
    ['{"ttl": NaN}', undefined],
    ['{"ttl": 60 // a\n}', undefined],
  ])("the body %j with the content type %s is no JSON object: 400", async (body, type) => {
    const { sim } = world();
    await expectNothingChanged(sim, async () => {
      const headers = type === undefined ? {} : { "Content-Type": type };
      const answer = await send(sim, "POST", `${GET}/check-out`, { headers, body });
      expect(answer.status).toBe(400);
      expect(answer.errors).not.toBe("");
    });
  });

  it("of a key that stands twice, the last one counts", async () => {
    const body = '{"ttl": "1w", "ttl": 60}';
    expect(expectEnvelope(await send(world().sim, "POST", `${GET}/check-out`, { body })).lease_duration).toBe(60);
  });

  it("a POST takes its fields from the body only", async () => {
    const answer = await send(world().sim, "POST", `${GET}/check-out?ttl=60`, { body: "{}" });
    expect(expectEnvelope(answer).lease_duration).toBe(3600);
  });

  it("a body of a DELETE is not looked at", async () => {
    const { sim } = world();
    expectDone(await send(sim, "DELETE", "/v1/ldap/library/never", { body: "{" }));
  });

  it("a field that the path has captured is replaced, and a warning says so", async () => {
    const { sim } = world();
    const body = '{"set_name": "other", "zeta": 1}';
    const { warnings, lease_id } = expectEnvelope(await send(sim, "POST", `${GET}/check-out`, { body }));
    expect(lease_id).toContain("/ops/check-out/");
    expect(warnings).toEqual(
      expect.arrayContaining([expect.stringMatching(/ignored.*zeta/), expect.stringMatching(/replaced.*set_name/)]),
    );
    expect(warnings).toHaveLength(2);
  });

  it("the same warnings are in what is wrapped, and the wrapped answer has none", async () => {
    const { sim } = world();
    const body = '{"set_name": "other", "zeta": 1}';
    const headers = { "X-Secrets-Wrap-TTL": "1m" };
    const wrapped = (await send(sim, "POST", `${GET}/check-out`, { body, headers })).body as Envelope<null>;
    expect(wrapped.warnings).toBeNull();
    const asking = { token: wrapped.wrap_info?.token ?? null };
    const { warnings } = expectEnvelope(await send(sim, "POST", "/v1/sys/wrapping/unwrap", { asking }));
    expect(warnings).toEqual([expect.stringMatching(/ignored.*zeta/), expect.stringMatching(/replaced.*set_name/)]);
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });

  it("a captured name in the body of a 204 changes nothing", async () => {
    const { sim } = world();
    expectDone(await send(sim, "POST", "/v1/ldap/library/ops", { body: '{"set_name": "other", "ttl": 60}' }));
    expect(expectData(await send(sim, "GET", GET))["ttl"]).toBe(60);
    expectNotFound(await send(sim, "GET", "/v1/ldap/library/other"));
  });

  it.each<[path: string, piece: string]>([
    ["/v1/nowhere/x", "no handler for route"],
    ["/v1/auth/userpass/login", "no handler for route"],
    ["/v1/ldap/nothing", "unsupported path"],
    ["/v1/ldap/library/-x", "unsupported path"],
    ["/v1/sys/nothing", "unsupported path"],
    ["/v1/sys/audit/x", "unsupported path"],
    ["/v1/sys/internal/ui/feature-flags", "unsupported path"],
  ])("%s leads nowhere: %s", async (path, piece) => {
    const { sim } = world();
    for (const method of ["GET", "POST", "DELETE", "LIST"]) expectRefused(await send(sim, method, path), 404, piece);
  });

  it.each<[method: string, path: string]>([
    ["GET", "/v1/sys/leases/lookup"],
    ["DELETE", "/v1/sys/leases/lookup"],
    ["POST", "/v1/sys/leases/lookup/ldap"],
    ["GET", "/v1/sys/leases/renew"],
    ["GET", "/v1/sys/leases/revoke-prefix/ldap"],
    ["DELETE", "/v1/sys/leases/revoke-force/ldap"],
    ["GET", "/v1/sys/policies/password"],
    ["POST", "/v1/sys/policies/password"],
    ["LIST", "/v1/sys/policies/password/p"],
    ["POST", "/v1/sys/policies/password/p/generate"],
    ["DELETE", "/v1/sys/policies/password/p/generate"],
    ["LIST", "/v1/sys/policies/acl/p"],
    ["LIST", "/v1/sys/mounts/kv"],
    ["LIST", "/v1/sys/plugins/catalog"],
    ["LIST", "/v1/sys/health"],
  ])("%s %s is a path with other verbs: 405", async (method, path) => {
    const { sim } = world();
    expectRefused(await send(sim, method, path), 405, "1 error occurred:\n\t* unsupported operation");
  });

  it.each(["sys/mounts", "sys/leases/revoke", "auth/token/create", "identity/entity", "ldap/config", "ldap/creds"])(
    "LIST %s is another path, as it ends in a slash",
    async (path) => {
      expectRefused(await send(world().sim, "LIST", `/v1/${path}`), 404, "unsupported path");
    },
  );

  it.each(["sys/mounts/kv/", "sys/policies/acl/default/", "sys/plugins/catalog/"])(
    "GET %s is the path without its slash",
    async (path) => {
      const { sim } = world();
      const shown = (answer: Answer) => ({ ...(answer.body as object), request_id: "" });
      const without = await send(sim, "GET", `/v1/${path.slice(0, -1)}`);
      expect(without.status).toBe(200);
      expect(shown(await send(sim, "GET", `/v1/${path}`))).toEqual(shown(without));
    },
  );

  it("a form with a field that is repeated has all its values", async () => {
    const { sim } = world();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expectDone(await send(sim, "POST", "/v1/kv/a", { headers, body: "x=1&x=2&y=3" }));
    expect(expectData(await send(sim, "GET", "/v1/kv/a"))).toEqual({ x: "1,2", y: "3" });
  });

  it("an empty list parameter is none, and false is one that nobody asked for", async () => {
    const { sim } = world();
    expectDone(await send(sim, "POST", "/v1/kv/a", { body: '{"v":1}' }));
    expect(expectEnvelope(await send(sim, "GET", "/v1/kv/a?list=")).warnings).toBeNull();
    const warned = expectEnvelope(await send(sim, "GET", "/v1/kv/a?list=false"));
    expect(warned).toMatchObject({ data: { v: 1 }, warnings: [expect.stringContaining("[list]")] });
  });

  it("every answer asks for secure transport", async () => {
    const { sim } = world();
    for (const [method, path] of [
      ["GET", "/v1/sys/mounts"],
      ["GET", "/v1/nowhere"],
      ["BREW", "/v1/kv/a"],
      ["GET", "/"],
    ]) {
      const response = await reach(sim)(`https://secrets-main.test${path}`, { method: method ?? "" });
      expect(response.headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
    }
  });
});

// Over HTTP only: a typed call sends no bytes.
// Tens of megabytes on each way.
describe("the size of a body", { tags: currentTransport() === "sim.fetch" ? [] : "full" }, () => {
  const LIMIT = 33_554_432;

  /** A JSON object of so many bytes. */
  const object = (bytes: number): string => `{"ttl": 60, "filler": "${"x".repeat(bytes - 25)}"}`;

  it("may be 32 MiB", async () => {
    const body = object(LIMIT);
    expect(new TextEncoder().encode(body)).toHaveLength(LIMIT);
    const answer = expectEnvelope(await send(world().sim, "POST", "/v1/ldap/library/ops/check-out", { body }));
    expect(answer.lease_duration).toBe(60);
    expect(answer.warnings).toEqual([expect.stringContaining("filler")]);
  });

  it.each(["POST", "PUT", "DELETE", "LIST"])("may not be a byte more in a %s: 413", async (method) => {
    const { sim } = world();
    await expectNothingChanged(sim, async () => {
      const path = "/v1/ldap/library/ops/check-out";
      expect((await send(sim, method, path, { body: object(LIMIT + 1) })).status).toBe(413);
    });
  });
});
