import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { lastRequest } from "../../support/journal.ts";
import { send } from "./driver.ts";
import { regionsWorld, UNKNOWN_UUID } from "./regions-world.ts";

// decisions-scheduler-acl.md, section 1.

const policy = (name: string, rules = ""): string => JSON.stringify({ Name: name, Rules: rules });

describe("a path and a method", () => {
  it.each([
    ["GET", "/v1/acl/token"],
    ["GET", "/v1/acl/bootstrap"],
    ["POST", "/v1/acl/tokens"],
    ["PUT", "/v1/acl/tokens"],
    ["DELETE", "/v1/acl/policies"],
    ["POST", "/v1/acl/token/self"],
    ["DELETE", "/v1/acl/token/self"],
    ["PATCH", "/v1/acl/policy/p"],
    ["OPTIONS", "/v1/acl/policies"],
    ["LIST", "/v1/acl/policies"],
  ])("%s %s is a wrong method, before token, query and body", async (method, path) => {
    const { send } = regionsWorld();
    const received = await send("eu", method, `${path}?index=x`, { token: "bogus" });
    expect(received).toMatchObject({ status: 405, text: "Invalid method" });
    expect(received.headers.get("Allow")).toBeNull();
  });

  it("HEAD is a wrong method, too, and shows no body", async () => {
    const { send } = regionsWorld();
    expect(await send("eu", "HEAD", "/v1/acl/policies")).toMatchObject({ status: 405, text: "" });
  });

  it.each(["/v1/acl/policy/", "/v1/acl/policy"])("%s lacks a name, whatever the method", async (path) => {
    const { send } = regionsWorld();
    for (const method of ["GET", "PATCH", "POST"]) {
      expect(await send("eu", method, path)).toMatchObject({ status: 400, text: "Missing Policy Name" });
    }
  });

  it("/v1/acl/token/ lacks an accessor", async () => {
    const { send } = regionsWorld();
    expect(await send("eu", "GET", "/v1/acl/token/")).toMatchObject({ status: 400, text: "Missing Token Accessor" });
  });

  it.each(["/", "/v1", "/v1/acl", "/v1/acl/policies/", "/v2/acl/policies", "/v1/acl/%E0%A4%A"])(
    "%s is unknown: 404 without a word, and the journal knows the nearest routes",
    async (path) => {
      const { send, sim } = regionsWorld();
      expect(await send("eu", "POST", path)).toMatchObject({ status: 404, text: "", index: undefined });
      expect(lastRequest(sim).nearest).toHaveLength(3);
    },
  );

  it("a policy may be named self, and PUT means what POST means", async () => {
    const { send, root } = regionsWorld();
    expect(await send("eu", "PUT", "/v1/acl/policy/self", { token: root, body: policy("self") })).toMatchObject({
      status: 200,
      index: 3,
    });
    const made = await send("eu", "PUT", "/v1/acl/token", { token: root, body: '{"Type":"management"}' });
    expect(made).toMatchObject({ status: 200, json: { Type: "management", Global: false } });
  });

  it("what is encoded in a path is decoded, slashes too", async () => {
    const { send, root } = regionsWorld();
    expect((await send("eu", "GET", "/v1/acl/policy/a%2Fb", { token: root })).text).toBe("ACL policy not found");
    const body = policy("a/b");
    expect((await send("eu", "POST", "/v1/acl/policy/a/b", { token: root, body })).text).toContain(
      "invalid name 'a/b'",
    );
  });
});

describe("a body", () => {
  const post = async (body: string | Uint8Array<ArrayBuffer> | undefined, path = "/v1/acl/policy/p") => {
    const { send, root, sim } = regionsWorld();
    const received = await send("eu", "POST", path, { token: root, body });
    return { ...received, sim };
  };

  it.each(["/v1/acl/policy/p", "/v1/acl/token", `/v1/acl/token/${UNKNOWN_UUID}`])(
    "is missing: POST %s",
    async (path) => {
      expect(await post(undefined, path)).toMatchObject({ status: 400, text: "Request body is empty" });
    },
  );

  it.each([
    "{",
    "   ",
    "[]",
    '"text"',
    "5",
    '{"Name":"p","Rules":5}',
    '{"Name":5,"Rules":""}',
    '{"Name":"p","Rules":"","Description":false}',
    '{"Name":"p","Rules":""} x',
    '{"Name":"p","Rules":""}{}',
    '\ufeff{"Name":"p","Rules":""}',
  ])("is malformed: %s", async (body) => {
    const { status, sim } = await post(body);
    expect(status).toBe(400);
    expect(lastRequest(sim).refusal?.code).toBe("body_malformed");
    expect(sim.position).toBe(3);
  });

  it.each([
    '{"Type":"client","Policies":"p"}',
    '{"Type":"client","Policies":[5]}',
    '{"Type":"management","Global":"yes"}',
  ])("of a token is malformed: %s", async (body) => {
    expect(lastRequest((await post(body, "/v1/acl/token")).sim).refusal?.code).toBe("body_malformed");
  });

  it("null is the same as {}", async () => {
    expect(await post("null")).toMatchObject({ status: 400, text: "ACL policy name does not match request path" });
    expect((await post("null", "/v1/acl/token")).text).toContain("token type must be client or management");
  });

  it("may have white space after it, unknown fields, and names in any case", async () => {
    const { send, root, get } = regionsWorld();
    const body =
      '{"name":"p","RULES":"","dEscription":"said","Other":{"deep":[1]},"Hash":"7","CreateIndex":9,"ModifyIndex":null} \n\t';
    expect(await send("eu", "POST", "/v1/acl/policy/p", { token: root, body })).toMatchObject({ status: 200 });
    expect((await get("/v1/acl/policy/p", root)).json).toEqual({
      Name: "p",
      Description: "said",
      Rules: "",
      CreateIndex: 3,
      ModifyIndex: 3,
    });
  });

  // amendments.md, N7.
  it.each([
    ["policy/p", "Hash", 7],
    ["policy/p", "createindex", "x"],
    ["policy/p", "ModifyIndex", -1],
    ["token", "SecretID", 5],
    ["token", "CreateTime", 5],
    ["token", "CreateIndex", 1.5],
  ])("of %s in which the server's %s has another type is refused", async (path, name, value) => {
    const { send, root, sim } = regionsWorld();
    const { position } = sim;
    const fields = { Name: "p", Rules: "", Type: "management", [name]: value };
    const received = await send("eu", "POST", `/v1/acl/${path}`, { token: root, body: JSON.stringify(fields) });
    expect(received.status).toBe(400);
    expect(sim.position).toBe(position);
  });

  it("of names like those that every object has is taken as it is", async () => {
    const { send, root, get } = regionsWorld();
    const body = '{"__proto__":{"Name":"x"},"constructor":1,"toString":2,"Name":"constructor","Rules":""}';
    expect(await send("eu", "POST", "/v1/acl/policy/constructor", { token: root, body })).toMatchObject({
      status: 200,
    });
    expect((await get("/v1/acl/policy/constructor", root)).json.Name).toBe("constructor");
    expect((await get("/v1/acl/policy/toString", root)).status).toBe(404);
    const proto = await send("eu", "POST", "/v1/acl/policy/__proto__", { token: root, body: policy("__proto__") });
    expect(proto).toMatchObject({ status: 400 });
    expect(proto.text).toContain("invalid name '__proto__'");
    expect((await send("eu", "DELETE", "/v1/acl/policy/__proto__", { token: root })).status).toBe(200);
  });

  it("half of a surrogate pair becomes the character that stands for what cannot be read", async () => {
    const { send, root, get } = regionsWorld();
    const body = '{"Name":"p","Rules":"# \\ud83d\\n","Description":"\\udd11"}';
    expect((await send("eu", "POST", "/v1/acl/policy/p", { token: root, body })).status).toBe(400);
    const fine = '{"Name":"p","Rules":"","Description":"\\udd11"}';
    await send("eu", "POST", "/v1/acl/policy/p", { token: root, body: fine });
    expect((await get("/v1/acl/policy/p", root)).json.Description).toBe("\ufffd");
  });
});

describe("a query", () => {
  it.each([
    ["index=-1", "Invalid index"],
    ["index=1.5", "Invalid index"],
    ["index=x", "Invalid index"],
    ["index=18446744073709551616", "Invalid index"],
    ["wait=10", "Invalid wait time"],
    ["wait=x", "Invalid wait time"],
    ["stale=yes", "stale"],
    ["per_page=x", "per_page"],
    ["per_page=1.5", "per_page"],
  ])("with %s is 400 on every read, before the token is looked at", async (query, text) => {
    const { get, rootAccessor } = regionsWorld();
    for (const path of ["policies", "policy/p", "tokens", `token/${rootAccessor}`, "token/self"]) {
      const received = await get(`/v1/acl/${path}?${query}`, "bogus");
      expect(received).toMatchObject({ status: 400, index: undefined });
      expect(received.text).toContain(text);
    }
  });

  it.each([
    "index=0",
    "wait=0",
    "wait=1h30m",
    "wait=-5s",
    "stale",
    "stale=T",
    "stale=false",
    "consistent",
    "namespace=x",
    "index=",
  ])("with %s is fine", async (query) => {
    const { get, root } = regionsWorld();
    expect((await get(`/v1/acl/policies?${query}`, root)).status).toBe(200);
  });

  it("of a write is not read", async () => {
    const { send, root } = regionsWorld();
    const path = "/v1/acl/policy/p?index=x&wait=10&stale=yes&per_page=q";
    expect((await send("eu", "POST", path, { token: root, body: policy("p") })).status).toBe(200);
    expect((await send("eu", "DELETE", path, { token: root })).status).toBe(200);
  });

  it("with pretty indents, and ends the line; pretty=0 does not", async () => {
    const { get, root } = regionsWorld();
    expect((await get("/v1/acl/token/self?pretty", root)).text).toMatch(/^{\n {4}"AccessorID": .*\n}\n$/s);
    expect((await get("/v1/acl/token/self?pretty=1", root)).text).toContain("\n");
    expect((await get("/v1/acl/token/self?pretty=0", root)).text).not.toContain("\n");
  });
});

describe("a token is presented", () => {
  it("in its own header, trimmed, or as a bearer", async () => {
    const { send, root } = regionsWorld();
    const status = async (headers: Record<string, string>) =>
      (await send("eu", "GET", "/v1/acl/token/self", { headers })).status;
    expect(await status({ "X-Scheduler-Token": `  ${root} ` })).toBe(200);
    expect(await status({ Authorization: `Bearer ${root}` })).toBe(200);
    expect(await status({ Authorization: `Bearer ${root} more` })).toBe(200);
    expect(await status({ "X-Scheduler-Token": `${root}, bogus` })).toBe(200);
    expect(await status({ "X-Scheduler-Token": root.toUpperCase() })).toBe(200);
    expect(await status({ "X-Scheduler-Token": "", Authorization: `bearer ${root}` })).toBe(200);
    expect(await status({ "X-Scheduler-Token": "bogus", Authorization: `Bearer ${root}` })).toBe(403);
    expect(await status({ Authorization: `Basic ${root}` })).toBe(403);
  });

  it("by its secret: the accessor is none", async () => {
    const { get, rootAccessor } = regionsWorld();
    expect(await get("/v1/acl/policies", rootAccessor)).toMatchObject({ status: 403, text: "ACL token not found" });
  });
});

describe("the order of checks", () => {
  it("goes from the body to the route, the token, the permission and what the body says", async () => {
    const { send, sim, eu, us, client } = regionsWorld();
    const { secret } = client(["p"]);
    sim.network.cut(eu, us);
    const write = (token: string, body: string) => send("us", "POST", "/v1/acl/policy/p", { token, body });
    expect((await write("bogus", "{")).status).toBe(400);
    expect((await write("bogus", policy("q"))).status).toBe(400);
    expect((await write("bogus", policy("p", "nonsense"))).status).toBe(500);
    sim.network.heal();
    expect((await write("bogus", policy("p", "nonsense"))).text).toBe("ACL token not found");
    expect((await write(secret, policy("p", "nonsense"))).text).toBe("Permission denied");
  });
});

describe("without the ACL system", () => {
  it("every endpoint is 400", async () => {
    const sim = createSimulator({ scheduler: { aclEnabled: false } });
    for (const { method, path, service } of sim.operations()) {
      if (service !== "scheduler" || !path.startsWith("/v1/acl/")) continue;
      expect(await send(sim, "global", method, path)).toMatchObject({ status: 400, text: "ACL support disabled" });
    }
    expect(() => sim.scheduler.region("global").as().capabilities("agent")).toThrow("ACL support disabled");
    expect((await send(sim, "global", "PATCH", "/v1/acl/policies")).status).toBe(405);
  });
});

describe("an injected failure", () => {
  it("answers the next requests to one region before anything else, and only the count is a fact", async () => {
    const { send, get, sim, us, root } = regionsWorld();
    sim.faults.failNextRequests({ service: us, count: 2, status: 503 });
    const { position } = sim;
    expect(await get("/v1/acl/policies", root)).toMatchObject({ status: 200 });
    expect(await get("/v1/nowhere", undefined, "us")).toMatchObject({ status: 503 });
    expect(await send("us", "POST", "/v1/acl/policy/p", { token: root, body: policy("p") })).toMatchObject({
      status: 503,
    });
    expect(sim.position).toBe(position + 2);
    expect(await get("/v1/acl/policies", root, "us")).toMatchObject({ status: 200, json: [] });
  });

  it("is refused for what is no region of this simulator", () => {
    const { sim } = regionsWorld();
    expect(() => sim.faults.failNextRequests({ service: "us" as never, count: 1 })).toThrow(TypeError);
    expect(() => sim.faults.failNextRequests({ service: {} as never, count: 1 })).toThrow(TypeError);
    const stranger = createSimulator({ scheduler: { regions: ["mars"] } }).scheduler.region("mars");
    expect(() => sim.faults.failNextRequests({ service: stranger, count: 1 })).toThrow(TypeError);
    expect(() => sim.faults.failNextRequests({ service: sim.scheduler.region("eu"), count: 0 })).toThrow(TypeError);
  });
});

describe("looking back", () => {
  it("answers reads as they were, and refuses commands in the service's own form", async () => {
    const { send, sim, root, policy: write } = regionsWorld();
    write("p");
    sim.mark("before");
    write("q");
    const headers = { "X-Hindcast-At": "before" };
    const listed = await send("eu", "GET", "/v1/acl/policies?index=99", { token: root, headers });
    expect(listed.json).toMatchObject([{ Name: "p" }]);
    const { position } = sim;
    for (const refused of [
      await send("eu", "DELETE", "/v1/acl/policy/p", { token: root, headers }),
      await send("eu", "GET", "/v1/acl/policies", { headers: { "X-Hindcast-At": "never" } }),
    ]) {
      expect(refused.status).toBe(400);
      expect(refused.text).toContain("X-Hindcast-At");
    }
    expect(sim.position).toBe(position);
    const past = sim.at("before").scheduler.region("eu").as(root);
    expect(past.policies.list()).toHaveLength(1);
    await expect(past.policies.list({}, { index: 99 })).resolves.toHaveLength(1);
    expect(() => past.policies.write({ Name: "p", Rules: "" })).toThrow("past");
    expect(past.capabilities("agent")).toEqual(["read", "write"]);
  });

  it("a region that was added later was not there", async () => {
    const { send, sim } = regionsWorld();
    sim.mark("before");
    sim.scheduler.addRegion("asia");
    const received = await send("asia", "GET", "/v1/acl/policies", { headers: { "X-Hindcast-At": "before" } });
    expect(received).toMatchObject({ status: 400 });
  });
});

describe("a path", () => {
  // amendments.md, N6.
  it.each(["GET", "POST", "DELETE", "PATCH"])(
    "with doubled slashes is moved to the clean one, with %s",
    async (method) => {
      const { send, root } = regionsWorld();
      const received = await send("eu", method, "/v1//nothing///here?pretty=0", { token: root, redirect: "manual" });
      expect(received).toMatchObject({ status: 301, text: "" });
      expect(received.headers.get("Location")).toBe("/v1/nothing/here?pretty=0");
      const escaped = await send("eu", method, "/v1/nothing%2F%2fhere", { token: root, redirect: "manual" });
      expect(escaped.headers.get("Location")).toBe("/v1/nothing/here");
    },
  );

  // amendments.md, N10.
  it("that is no UTF-8 names nothing that there is", async () => {
    const { send, get, root } = regionsWorld();
    const path = "/v1/acl/policy/a%FF%C3b";
    expect(await get(path, root)).toMatchObject({ status: 404, text: "ACL policy not found", index: 0 });
    expect((await get(path)).status).toBe(403);
    expect(await send("eu", "DELETE", path, { token: root })).toMatchObject({ status: 200, index: 3 });
    expect((await send("eu", "POST", path, { token: root, body: '{"Name":"a","Rules":""}' })).status).toBe(400);
    expect((await get("/v1/acl/policy/%zz", root)).status).toBe(404);
    expect(await get("/v1/acl/policy/%EF%BB%BFa", root)).toMatchObject({ status: 404, text: "ACL policy not found" });
  });
});

// amendments.md, N11.
it.each(["2147483648", "-2147483649", "99999999999999999999", "1.5", "x"])("per_page=%s is refused", async (size) => {
  const { get, root } = regionsWorld();
  expect((await get(`/v1/acl/tokens?per_page=${size}`, root)).status).toBe(400);
  expect((await get("/v1/acl/tokens?per_page=2147483647", root)).status).toBe(200);
});
