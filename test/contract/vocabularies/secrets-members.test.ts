import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { secretsWords } from "../../../src/services/secrets/words/neutral.ts";

describe("parameters of queries to the secrets service", () => {
  it("the one that makes a GET a LIST has its own name, and gives up its place to whatever takes it", async () => {
    const vocabulary = { secrets: { fields: { list: "enumerate", ttl: "list" } } };
    const sim = createSimulator({ seed: 7, vocabulary });
    const main = sim.secrets.cluster("main");
    main.as(main.rootToken).kv.write({ path: "a", b: 1 });
    const ask = async (query: string) => {
      const headers = { "X-Secrets-Token": main.rootToken };
      const response = await sim.fetch(`${main.url}/v1/kv?${query}`, { headers });
      return response.json();
    };
    expect(await ask("enumerate=true")).toMatchObject({ data: { keys: ["a"] } });
    expect(await ask("list=true")).toHaveProperty("errors");
  });
});

describe("members of answers of the secrets service", () => {
  const fields = { errors: "problems", issuer: "signer", data: "payload", key_info: "details", keys: "entries" };
  function asker() {
    const sim = createSimulator({ seed: 7, vocabulary: { secrets: { fields } } });
    const main = sim.secrets.cluster("main");
    const ask = async (path: string, token = main.rootToken) => {
      const response = await sim.fetch(main.url + path, { headers: { "X-Secrets-Token": token } });
      return (await response.json()) as Record<string, unknown>;
    };
    return { ask, root: main.as(main.rootToken) };
  }

  it("what clients read of a provider has none that the validator does not know", async () => {
    const { ask } = asker();
    const configuration = await ask("/v1/identity/oidc/provider/default/.well-known/openid-configuration");
    const neutral = Object.keys(configuration).map((name) => (name === "signer" ? "issuer" : name));
    expect(neutral).toContain("jwks_uri");
    expect(secretsWords().fields).toEqual(expect.arrayContaining(neutral));
  });

  it("the member that errors are in has its own name", async () => {
    const { ask } = asker();
    expect(await ask("/v1/sys/mounts", "nobody")).toEqual({
      problems: [expect.stringContaining("permission denied")],
    });
  });

  it("policies, password policies, namespaces and accessors have their own names, and keep what callers chose", async () => {
    const words = {
      ...fields,
      policy: "document",
      path: "place",
      id: "identity",
      custom_metadata: "notes",
      name: "called",
    };
    const sim = createSimulator({
      seed: 7,
      vocabulary: { secrets: { fields: words, segments: { orchestrator: "pods" } } },
    });
    const main = sim.secrets.cluster("main");
    const ask = async (method: string, path: string, body?: object) => {
      const response = await sim.fetch(`${main.url}/v1/${path}`, {
        method,
        headers: { "X-Secrets-Token": main.rootToken },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return (text === "" ? response.status : (JSON.parse(text) as { payload: object }).payload) as object;
    };
    const rule = 'path "policy" { capabilities = ["read"] }';
    expect(await ask("POST", "sys/policies/acl/name", { document: rule })).toBe(204);
    expect(await ask("GET", "sys/policies/acl/name")).toEqual({ called: "name", document: rule });
    expect(await ask("LIST", "sys/policies/acl")).toEqual({ entries: ["default", "name", "root"] });
    const drawn = 'length = 8\nrule "charset" { charset = "abc" }';
    expect(await ask("POST", "sys/policies/password/keys", { document: drawn })).toBe(204);
    expect(await ask("GET", "sys/policies/password/keys")).toEqual({ document: drawn });
    expect(await ask("LIST", "sys/policies/password")).toEqual({ entries: ["keys"] });
    expect(await ask("POST", "sys/namespaces/orchestrator-path", { notes: { path: "id" } })).toMatchObject({
      place: "orchestrator-path/",
    });
    expect(await ask("GET", "sys/namespaces/orchestrator-path")).toMatchObject({
      place: "orchestrator-path/",
      notes: { path: "id" },
    });
    expect(await ask("LIST", "sys/namespaces")).toMatchObject({
      entries: ["orchestrator-path/"],
      details: { "orchestrator-path/": { place: "orchestrator-path/", notes: { path: "id" } } },
    });
    expect(await ask("LIST", "auth/token/accessors")).toEqual({ entries: [expect.any(String)] });
  });

  it("what is listed by name keeps it, whatever else is named so", async () => {
    const { ask, root } = asker();
    root.oidc.providers.write({ name: "issuer" });
    const listed = (await ask("/v1/identity/oidc/provider?list=true")) as {
      readonly payload: { readonly entries: readonly string[]; readonly details: object };
    };
    expect(listed.payload.entries).toEqual(["default", "issuer"]);
    expect(Object.keys(listed.payload.details).sort()).toEqual(["default", "issuer"]);
    expect(listed.payload.details).toHaveProperty("issuer.signer");
  });
});
