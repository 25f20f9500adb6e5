import { describe, expect, it } from "vitest";
import { createSimulator, type Rejection, type SecretsClient, type Simulator } from "../../../src/index.ts";
import "../../../src/testing/vitest/index.ts";

/** A cluster with a library of one account, which is lent. */
function lending(): { readonly sim: Simulator; readonly admin: SecretsClient; readonly lease_id: string } {
  const sim = createSimulator();
  const service = sim.secrets.cluster("main");
  const admin = service.as(service.rootToken);
  sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
  admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
  admin.library.write({ set_name: "ops", service_account_names: ["svc-1"], ttl: "1h" });
  const { lease_id } = admin.library.checkOut({ set_name: "ops" });
  return { sim, admin, lease_id };
}

/** What an assertion says when it fails. */
function failureOf(assertion: () => unknown): Error & { readonly actual?: unknown; readonly expected?: unknown } {
  try {
    assertion();
  } catch (error) {
    return error as Error;
  }
  throw new Error("the assertion holds");
}

const ACCOUNT = 'secrets.main.replicated.mounts["ldap/"].library.accounts["svc-1"].status';

describe("toHaveRecorded", () => {
  it.each([
    { title: "a type", expected: "ServiceAccountCheckedOut" as const },
    { title: "a part of an event", expected: { type: "ServiceAccountCheckedOut", position: 4 } },
    { title: "a part of its data", expected: { type: "LibrarySetCreated", data: { at: { mount: "ldap/" } } } },
    { title: "a part without a type", expected: { position: 4 } },
    { title: "matchers within", expected: { type: expect.stringMatching(/CheckedOut$/), atMs: expect.any(Number) } },
    { title: "a matcher", expected: expect.objectContaining({ type: "ServiceAccountCheckedOut" }) as object },
  ])("finds $title", ({ expected }) => {
    const { sim } = lending();
    expect(sim).toHaveRecorded(expected);
    expect(sim.log).toHaveRecorded(expected);
    expect(() => expect(sim).not.toHaveRecorded(expected)).toThrow("expected the log not to have recorded");
  });

  it("counts", () => {
    const { sim, admin } = lending();
    admin.library.checkIn({ set_name: "ops", service_account_names: ["svc-1"] });
    admin.library.checkOut({ set_name: "ops" });
    expect(sim).toHaveRecorded("ServiceAccountCheckedOut", 2);
    expect(sim).toHaveRecorded("TokenCreated", 0);
    expect(sim).not.toHaveRecorded("ServiceAccountCheckedOut", 1);
    expect(sim).not.toHaveRecorded("ServiceAccountCheckedOut", 0);
    expect(sim).not.toHaveRecorded("TokenCreated");
  });

  it("of a fork looks at the past of its parent as well", () => {
    const { sim } = lending();
    expect(sim.fork()).toHaveRecorded("ServiceAccountCheckedOut");
    expect(sim.fork(3)).not.toHaveRecorded("ServiceAccountCheckedOut");
  });

  it("tells what was recorded instead, the latest first", () => {
    const { sim } = lending();
    const { message } = failureOf(() => expect(sim).toHaveRecorded("TokenCreated"));
    expect(message).toMatch(
      /^expected the log to have recorded "TokenCreated", and it did not\n\nrecorded:\n {2}1 \w+, at #4\n/,
    );
    expect(message).toMatch(/\n {2}2 DirectoryEntryAdded, last at #2$/);
  });

  it.each([
    {
      title: "too seldom",
      assertion: (sim: Simulator) => expect(sim).toHaveRecorded("ServiceAccountCheckedOut", 2),
      message:
        'expected the log to have recorded "ServiceAccountCheckedOut" 2 times, and it did once, at #4\n\nrecorded:',
    },
    {
      title: "too often",
      assertion: (sim: Simulator) => expect(sim).toHaveRecorded("ServiceAccountCheckedOut", 0),
      message:
        'expected the log to have recorded "ServiceAccountCheckedOut" never, and it did once, at #4\n\nrecorded:',
    },
    {
      title: "at all",
      assertion: (sim: Simulator) => expect(sim).not.toHaveRecorded("ServiceAccountCheckedOut"),
      message: 'expected the log not to have recorded "ServiceAccountCheckedOut", and it did once, at #4',
    },
    {
      title: "as often as it should not",
      assertion: (sim: Simulator) => expect(sim).not.toHaveRecorded("ServiceAccountCheckedOut", 1),
      message: 'expected the log not to have recorded "ServiceAccountCheckedOut" once, and it did once, at #4',
    },
  ])("says how often: $title", ({ assertion, message }) => {
    const { sim } = lending();
    expect(failureOf(() => assertion(sim)).message.startsWith(message)).toBe(true);
  });

  it("names five of many positions, and twelve of many types", () => {
    const sim = createSimulator();
    const admin = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
    for (let written = 0; written < 7; written++) admin.kv.write({ path: "a", written });
    const { message } = failureOf(() => expect(sim).not.toHaveRecorded("KvWritten"));
    expect(message).toContain("it did 7 times, at #1, #2, #3, #4, #5, ...");
    expect(failureOf(() => expect(sim).toHaveRecorded("TokenCreated")).message).toContain("  7 KvWritten, last at #7");
    expect(failureOf(() => expect(createSimulator()).toHaveRecorded("KvWritten")).message).toContain(
      "nothing was recorded",
    );
  });

  it("compares with the event that comes nearest", () => {
    const sim = createSimulator();
    const { kv } = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
    for (const [path, value] of [
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ] as const) {
      kv.write({ path, value });
    }
    const failure = failureOf(() =>
      expect(sim).toHaveRecorded({ type: "KvWritten", data: { path: "b", at: { mount: "kv/" }, data: { value: 9 } } }),
    );
    const at = { mount: "kv/" };
    expect(failure.actual).toEqual({ type: "KvWritten", data: { path: "b", at, data: { value: 2 } } });
    expect(failure.expected).toEqual({ type: "KvWritten", data: { path: "b", at, data: { value: 9 } } });
  });

  it.each([
    { given: ["KvWriten"], message: 'no event has the type "KvWriten": did you mean KvWritten?' },
    { given: ["toString"], message: 'no event has the type "toString"' },
    { given: [{ type: "KvWriten" }], message: 'no event has the type "KvWriten": did you mean KvWritten?' },
    { given: [{ type: 7 }], message: "the event's type is 7, and is a text" },
    { given: [{ typ: "KvWritten" }], message: "an event has no typ: it has type, data, position, atMs, v" },
    { given: [undefined], message: "the event is undefined: it is a type or a part of an event" },
    { given: [["KvWritten"]], message: "the event is an array: it is a type or a part of an event" },
    { given: ["KvWritten", -1], message: "times is -1: it is a whole number, 0 or more" },
    { given: ["KvWritten", 1.5], message: "times is 1.5: it is a whole number, 0 or more" },
    { given: ["KvWritten", "once"], message: 'times is "once": it is a whole number, 0 or more' },
  ])("refuses what makes no sense, with not as well: $message", ({ given, message }) => {
    const sim = createSimulator();
    const [expected, times] = given as never as ["KvWritten", number];
    const refused = new TypeError(`toHaveRecorded: ${message}`);
    expect(() => expect(sim).toHaveRecorded(expected, times)).toThrow(expect.objectContaining(refused));
    expect(() => expect(sim).not.toHaveRecorded(expected, times)).toThrow(`toHaveRecorded: ${message}`);
  });

  it.each([{ received: undefined }, { received: "sim" }, { received: {} }, { received: [] }, { received: { log: 1 } }])(
    "refuses $received, which is no simulator",
    ({ received }) => {
      expect(() => expect(received).toHaveRecorded("KvWritten")).toThrow("is no simulator and no log");
    },
  );
});

describe("toBeRejectedWith", () => {
  it("takes a call", () => {
    const { admin } = lending();
    const call = () => admin.library.checkOut({ set_name: "ops" });
    expect(call).toBeRejectedWith("no_account_available");
    expect(call).toBeRejectedWith("no_account_available", { status: 400 });
    expect(call).toBeRejectedWith("no_account_available", { data: {} });
    expect(call).not.toBeRejectedWith("permission_denied");
    expect(call).not.toBeRejectedWith("no_account_available", { status: 403 });
    expect(() => admin.library.list()).not.toBeRejectedWith("no_account_available");
  });

  it("takes an async call, the promise of one, and what either rejects with", async () => {
    const { sim, admin } = lending();
    admin.orchestrator.config.write({ orchestrator_host: "https://api.cluster.test" });
    const creds = () => admin.orchestrator.creds({ role: "none", orchestrator_namespace: "shop" });
    const { code, status, data } = await creds().then(
      () => expect.fail(),
      (error: unknown) => error as Rejection,
    );
    await expect(creds).toBeRejectedWith(code, { status, data });
    await expect(creds()).toBeRejectedWith(code, { status, data });
    await expect(creds()).rejects.toBeRejectedWith(code);
    await expect(creds()).not.toBeRejectedWith("sealed");
    await expect(Promise.resolve(1)).not.toBeRejectedWith("sealed");
    expect(() => sim.at(99)).toBeRejectedWith("unknown_place", { data: { place: "99" } });
  });

  it("takes a response of every service", async () => {
    const { sim } = lending();
    const main = sim.secrets.cluster("main");
    const headers = { "X-Secrets-Token": main.rootToken };
    const checkOut = () => sim.fetch(`${main.url}/v1/ldap/library/ops/check-out`, { method: "POST", headers });
    expect(await checkOut()).toBeRejectedWith("no_account_available", { status: 400 });
    await expect(checkOut()).toBeRejectedWith("no_account_available");
    await expect(checkOut).not.toBeRejectedWith("permission_denied");
    await expect(checkOut()).resolves.toBeRejectedWith("no_account_available");
    const status = await sim.fetch(`${main.url}/v1/ldap/library/ops/status`, { headers });
    expect(status).not.toBeRejectedWith("permission_denied");
    expect(failureOf(() => expect(status).toBeRejectedWith("sealed")).message).toContain("it was answered with 200");
    await expect(sim.fetch(`${sim.runs.url}/api/v2/policy-checks/none`)).toBeRejectedWith("unauthorized");
    const region = sim.scheduler.region("global");
    const stranger = { headers: { "X-Scheduler-Token": "a stranger's" } };
    const listed = sim.fetch(`${region.url}/v1/acl/policies`, stranger);
    await expect(listed).toBeRejectedWith("token_unknown", { status: 403 });
  });

  it("tells what became of the call instead", async () => {
    const { admin } = lending();
    const call = () => admin.library.checkOut({ set_name: "ops" });
    expect(failureOf(() => expect(call).toBeRejectedWith("permission_denied", { status: 403 })).message).toMatch(
      /^expected a rejection with permission_denied, status 403, and it was rejected with no_account_available, status 400/,
    );
    expect(failureOf(() => expect(call).not.toBeRejectedWith("no_account_available")).message).toBe(
      "expected no rejection with no_account_available",
    );
    const read = () => admin.library.list();
    expect(failureOf(() => expect(read).toBeRejectedWith("sealed", { data: { a: 1 } })).message).toMatch(
      /^expected a rejection with sealed, data \{"a": 1\}, and it returned \{/,
    );
    await expect(expect(Promise.resolve()).toBeRejectedWith("sealed")).rejects.toThrow("and it returned nothing");
  });

  it("compares code, status and data as far as they are named", () => {
    const { sim } = lending();
    const failure = failureOf(() =>
      expect(() => sim.at(99)).toBeRejectedWith("unknown_place", { data: { place: "98" } }),
    );
    expect(failure.actual).toEqual({ code: "unknown_place", data: { place: "99" } });
    expect(failure.expected).toEqual({ code: "unknown_place", data: { place: "98" } });
  });

  it("an error that is no refusal is an error of the test, with not as well", async () => {
    const cause = new RangeError("no good");
    const call = () => {
      throw cause;
    };
    const message = "toBeRejectedWith: the call threw no Rejection, but RangeError: no good";
    for (const assertion of [
      () => expect(call).toBeRejectedWith("sealed"),
      () => expect(call).not.toBeRejectedWith("sealed"),
    ]) {
      expect(failureOf(assertion)).toMatchObject({ message, cause });
    }
    await expect(expect(Promise.reject(cause)).not.toBeRejectedWith("sealed")).rejects.toMatchObject({
      message,
      cause,
    });
  });

  it.each([
    { given: [""], message: 'the code is "", and is a text' },
    { given: [403], message: "the code is 403, and is a text" },
    { given: ["sealed", 503], message: "the options are 503, and are an object" },
    { given: ["sealed", { code: 1 }], message: "there is no option code: there are status and data" },
    { given: ["sealed", { status: "503" }], message: 'the status is "503", and is a number' },
    { given: ["sealed", { data: "x" }], message: 'the data is "x", and is an object' },
  ])("refuses what makes no sense: $message", ({ given, message }) => {
    const [code, options] = given as [string, object];
    const assertion = () => expect(() => {}).toBeRejectedWith(code, options);
    expect(assertion).toThrow(TypeError);
    expect(assertion).toThrow(`toBeRejectedWith: ${message}`);
  });

  it.each([{ received: undefined }, { received: {} }, { received: new Error("x") }, { received: new Response() }])(
    "refuses $received, which is no call",
    ({ received }) => {
      expect(() => expect(received).toBeRejectedWith("sealed")).toThrow("is no call, no promise of one");
    },
  );

  it("refuses data of a response, which carries none", async () => {
    const { sim } = lending();
    const response = sim.fetch(`${sim.secrets.cluster("main").url}/v1/kv`);
    await expect(expect(response).toBeRejectedWith("permission_denied", { data: {} })).rejects.toThrow(
      "a response does not carry the data of its refusal",
    );
  });
});

describe("toHaveState", () => {
  it("takes a path and what stands there", () => {
    const { sim } = lending();
    expect(sim).toHaveState(ACCOUNT, "checked_out");
    expect(sim).toHaveState(ACCOUNT, expect.stringContaining("out"));
    expect(sim).not.toHaveState(ACCOUNT, "available");
    expect(sim.at(3)).toHaveState(ACCOUNT, "available");
    expect(sim).toHaveState('secrets.main.replicated.mounts["ldap/"].library.accounts["svc-1"]', {
      status: "checked_out",
    });
  });

  it("takes a path alone, and nothing for what is not there", () => {
    const { sim } = lending();
    expect(sim).toHaveState(ACCOUNT);
    expect(sim).not.toHaveState("secrets.west");
    expect(sim).toHaveState("secrets.west", undefined);
    expect(sim).not.toHaveState(ACCOUNT, undefined);
  });

  it("takes a part of the state, in which tables are written as objects", () => {
    const { sim, lease_id } = lending();
    const accounts = (status: unknown) => ({
      secrets: { main: { replicated: { mounts: { "ldap/": { library: { accounts: { "svc-1": { status } } } } } } } },
    });
    expect(sim).toHaveState(accounts("checked_out"));
    expect(sim).toHaveState(accounts(expect.any(String)));
    expect(sim).not.toHaveState(accounts("available"));
    expect(sim.at(3)).toHaveState(accounts("available"));
    expect(sim).toHaveState("secrets.main.local.leases", { [lease_id]: expect.anything() });
    expect(sim).not.toHaveState("secrets.main.local.leases", { other: expect.anything() });
    expect(sim).toHaveState("secrets.main.local.leases", sim.fork().state.secrets["main"]?.local.leases);
    expect(sim).toHaveState({});
  });

  it("says what stands there, and who wrote it", () => {
    const { sim } = lending();
    expect(failureOf(() => expect(sim).toHaveState(ACCOUNT, "available"))).toMatchObject({
      message:
        `expected ${ACCOUNT} to be "available", and it is "checked_out"\n\n` +
        "last written by #4, secrets.library.checkOut, at 2026-01-01T00:00:00.000Z",
      actual: "checked_out",
      expected: "available",
    });
    expect(failureOf(() => expect(sim).not.toHaveState(ACCOUNT, "checked_out")).message).toBe(
      `expected ${ACCOUNT} not to be "checked_out"\n\n` +
        "last written by #4, secrets.library.checkOut, at 2026-01-01T00:00:00.000Z",
    );
    expect(failureOf(() => expect(sim.at(4)).toHaveState(ACCOUNT, "available")).message).toBe(
      `expected ${ACCOUNT} to be "available", and it is "checked_out"`,
    );
    expect(failureOf(() => expect(sim).not.toHaveState(ACCOUNT)).message).toContain(
      `expected nothing at ${ACCOUNT}, and it is "checked_out"\n\nlast written by #4`,
    );
  });

  it.each([
    { path: "secrets.mian.local", message: 'secrets has no "mian": did you mean "main"?' },
    { path: "elsewhere", message: 'the state has no "elsewhere": it has "secrets", "directory", "orchestrator"' },
    { path: "secrets.main.local.leases.x", message: 'secrets.main.local.leases has no "x": it has "ldap/library' },
    { path: `${ACCOUNT}.more`, message: `${ACCOUNT} has no "more": it is "checked_out"` },
  ])("says where a path ends: $path", ({ path, message }) => {
    const { sim } = lending();
    const told = failureOf(() => expect(sim).toHaveState(path)).message;
    expect(told).toContain(`expected something at ${path}\n\n`);
    expect(told.replaceAll('["main"]', ".main")).toContain(message);
    expect(failureOf(() => expect(sim).toHaveState(path, 1)).message).toContain(`expected ${path} to be 1\n\n`);
  });

  it("compares what was named, tables as objects", () => {
    const { sim } = lending();
    const part = {
      secrets: { main: { replicated: { mounts: { "ldap/": { library: { accounts: { "svc-1": {} } } } } } } },
    };
    const wanted = structuredClone(part) as { secrets: object };
    Object.assign(wanted.secrets, { west: {} });
    const failure = failureOf(() => expect(sim).toHaveState(wanted));
    expect(failure.actual).toEqual(part);
    expect(failure.expected).toBe(wanted);
    expect(failure.message).toMatch(/^expected the state to have \{"secrets": /);
  });

  it("shows of what is large the beginning", () => {
    const sim = createSimulator();
    const { kv } = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
    for (let written = 0; written < 30; written++) kv.write({ path: `${written}`.padStart(2, "0"), written });
    const failure = failureOf(() => expect(sim).toHaveState('secrets.main.replicated.mounts["kv/"].entries', 7));
    expect(Object.keys(failure.actual as object)).toHaveLength(21);
    expect(failure.actual).toMatchObject({ "00": expect.anything(), "...": "10 more" });
  });

  it.each([
    { given: [""], message: "expected something at " },
    { given: ["a b"], message: '"a b" is no path: expected .name, ["key"] or [index] at column 2' },
    { given: [7], message: "toHaveState: 7 is neither a path nor a part of the state" },
    { given: [[]], message: "toHaveState: an array is neither a path nor a part of the state" },
    { given: [], message: "toHaveState: undefined is neither a path nor a part of the state" },
    { given: [{}, 1], message: "toHaveState: the path is an object, and is a text" },
  ])("refuses what makes no sense: $message", ({ given, message }) => {
    const sim = createSimulator();
    const assertion = () => expect(sim).toHaveState(...(given as [string]));
    if (given[0] === "") expect(assertion).not.toThrow();
    else expect(assertion).toThrow(message);
  });

  it.each([{ received: undefined }, { received: {} }, { received: createSimulator().state }])(
    "refuses $received, which is no simulator",
    ({ received }) => {
      expect(() => expect(received).toHaveState("secrets")).toThrow("is no simulator and no view");
    },
  );
});

describe("all of them", () => {
  it("stand for values within others", () => {
    const { sim, admin } = lending();
    const world = { sim, call: () => admin.library.checkOut({ set_name: "ops" }) };
    expect(world).toEqual({
      sim: expect.toHaveRecorded("ServiceAccountCheckedOut"),
      call: expect.toBeRejectedWith("no_account_available"),
    });
    expect(world).toMatchObject({ sim: expect.toHaveState(ACCOUNT, "checked_out") });
    expect(world).not.toMatchObject({ sim: expect.toHaveState(ACCOUNT, "available") });
  });

  it("can be soft, and can be polled", async () => {
    const { sim } = lending();
    expect.soft(sim).toHaveRecorded("ServiceAccountCheckedOut");
    await expect.poll(() => sim).toHaveState(ACCOUNT, "checked_out");
  });

  it("change nothing", () => {
    const { sim } = lending();
    const before = sim.log.toNdjson();
    expect(sim).toHaveState(ACCOUNT);
    expect(sim).toHaveRecorded("ServiceAccountCheckedOut");
    failureOf(() => expect(sim).toHaveState(ACCOUNT, "available"));
    expect(sim.log.toNdjson()).toBe(before);
  });

  it("refuse a simulator that was disposed of", () => {
    const { sim } = lending();
    sim.dispose();
    expect(() => expect(sim).toHaveRecorded("KvWritten")).toThrow("disposed of");
    expect(() => expect(sim).toHaveState("secrets")).toThrow("disposed of");
  });
});
