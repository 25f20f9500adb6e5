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
