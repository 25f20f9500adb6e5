import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { lastRequest } from "../support/journal.ts";

const ORIGIN = "https://secrets-main.test";

/** A simulator with a token that may read a password policy. */
function opened(): { readonly sim: Simulator; readonly url: string; readonly headers: Record<string, string> } {
  const sim = createSimulator({ seed: 3 });
  const main = sim.secrets.cluster("main");
  main.writePolicy("reader", 'path "sys/policies/password/*" { capabilities = ["read", "list", "delete", "update"] }');
  main.as(main.rootToken).passwordPolicies.write({ name: "short", policy: POLICY });
  const { token } = main.createToken({ policies: ["reader"], ttl: "1h" });
  return { sim, url: `${ORIGIN}/v1/sys/policies/password/short`, headers: { "X-Secrets-Token": token } };
}

const POLICY = 'length = 8\nrule "charset" {\n  charset = "abcdefghij"\n}\n';

/** What of an answer does not depend on how many requests went before. */
async function told(response: Response): Promise<unknown> {
  const text = await response.text();
  const { request_id: _, ...body } = text === "" ? { request_id: "" } : JSON.parse(text);
  return { status: response.status, url: response.url, headers: [...response.headers], body };
}

describe("sim.fetch takes what fetch takes, and answers alike", () => {
  const { url, headers } = opened();
  const ways: readonly (readonly [string, Parameters<Simulator["fetch"]>])[] = [
    ["a URL", [new URL(url), { headers }]],
    ["headers in a Headers object", [url, { headers: new Headers(headers) }]],
    ["headers in pairs", [url, { headers: Object.entries(headers) }]],
    ["the method by name", [url, { method: "GET", headers }]],
    ["the method in small letters", [url, { method: "get", headers }]],
    ["a Request", [new Request(url, { headers })]],
    ["a Request and headers that take the place of its own", [new Request(url), { headers }]],
    ["a signal", [url, { headers, signal: new AbortController().signal }]],
    ["members that decide nothing here", [url, { headers, cache: "no-store", keepalive: true }]],
    ["members that it inherits", [url, Object.create({ headers })]],
    ["a URL that has to be put right", [`${ORIGIN}/v1/sys/x/../policies\\password/short`, { headers }]],
  ];

  it.each(ways)("%s", async (_, [input, init]) => {
    const { sim } = opened();
    const plainly = await told(await opened().sim.fetch(url, { headers }));
    expect(plainly).toMatchObject({ status: 200, url, body: { data: { policy: POLICY } } });
    expect(await told(await sim.fetch(input, init))).toEqual(plainly);
    expect(lastRequest(sim)).toMatchObject({ request: { method: "GET", url }, response: { status: 200 } });
  });

  it("methods without a body, given plainly or in a Request", async () => {
    for (const method of ["HEAD", "LIST", "DELETE", "OPTIONS", "list"]) {
      const plainly = await told(await opened().sim.fetch(url, { method, headers }));
      expect(await told(await opened().sim.fetch(new Request(url, { method, headers })))).toEqual(plainly);
    }
  });

  it("bodies: text, bytes, a stream, a form", async () => {
    const text = JSON.stringify({ policy: POLICY });
    const stream = new Blob([text]).stream();
    const form = new URLSearchParams({ policy: POLICY });
    for (const body of [text, new TextEncoder().encode(text), stream, form]) {
      const { sim } = opened();
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      expect((await sim.fetch(url, init)).status).toBe(204);
    }
  });
});

describe("sim.fetch refuses what fetch refuses, with a TypeError", () => {
  const { url, headers } = opened();
  it.each<[string, string, unknown]>([
    ["a relative URL", "/v1/sys/health", undefined],
    ["a URL with credentials", "https://ann:secret@secrets-main.test/v1/sys/health", undefined],
    ["a body with a GET", url, { body: "{}" }],
    ["a name that is no header's", url, { headers: { "no header": "x" } }],
    ["headers that are none", url, { headers: 5 }],
    ["a method that is none", url, { method: "NO METHOD" }],
    ["a signal that is none", url, { signal: {} }],
    ["an init that is none", url, 5],
    ["an origin that is not simulated", "https://elsewhere.test/v1/sys/health", { headers }],
  ])("%s", async (_, input, init) => {
    const { sim } = opened();
    await expect(sim.fetch(input, init as RequestInit)).rejects.toThrow(TypeError);
    expect(sim.journal).toHaveLength(opened().sim.journal.length);
  });

  it("a Request whose body was read already", async () => {
    const request = new Request(url, { method: "POST", headers, body: "{}" });
    await request.text();
    await expect(opened().sim.fetch(request)).rejects.toThrow(TypeError);
  });

  it("an unknown origin, naming those that it answers for", async () => {
    const { sim } = opened();
    await expect(sim.fetch("https://elsewhere.test/")).rejects.toThrow(
      /elsewhere\.test .* https:\/\/secrets-main\.test/,
    );
  });
});

describe("an abort signal", () => {
  it("that is aborted already keeps a request from being decided", async () => {
    const { sim, url, headers } = opened();
    const reason = new Error("no patience");
    const before = sim.position;
    for (const init of [{ method: "DELETE" }, { method: "POST", body: JSON.stringify({ policy: POLICY }) }]) {
      await expect(sim.fetch(url, { ...init, headers, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    }
    expect(sim.position).toBe(before);
  });

  it("that is aborted while a body is read keeps it from being decided", async () => {
    const { sim, url, headers } = opened();
    const controller = new AbortController();
    const before = sim.position;
    const body = JSON.stringify({ policy: POLICY });
    const answer = sim.fetch(url, { method: "POST", headers, body, signal: controller.signal });
    controller.abort(new Error("no patience"));
    await expect(answer).rejects.toThrow("no patience");
    expect(sim.position).toBe(before);
  });
});

describe("requests without a body", () => {
  it.each<[string, (url: string, init: RequestInit) => Parameters<Simulator["fetch"]>]>([
    ["given plainly", (url, init) => [url, init]],
    ["given as a Request", (url, init) => [new Request(url, init)]],
  ])("are decided when they are made, %s", async (_, given) => {
    const { sim, url, headers } = opened();
    const before = sim.position;
    const answer = sim.fetch(...given(url, { method: "DELETE", headers }));
    expect(sim.position).toBe(before + 1);
    expect((await answer).status).toBe(204);
  });
});
