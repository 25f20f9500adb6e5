import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Vocabulary } from "../../../src/index.ts";
import { LoginWorld, REDIRECT } from "../../support/oidc.ts";
import { claimsIn } from "./spoken.ts";

// What a client checks when somebody has logged in, where the provider speaks other words.

function login(vocabulary: "hashicorp" | Vocabulary) {
  const world = new LoginWorld(5, { vocabulary });
  const client = world.register();
  const asked = world.request(client);
  const typed = world.sim.secrets.cluster("main").as(world.annsToken).oidc;
  const shown = () => ({
    grant_type: "authorization_code",
    code: typed.authorize({ name: "default", ...asked }).code,
    redirect_uri: REDIRECT,
    client_id: client.client_id,
    client_secret: client.client_secret ?? "",
  });
  const { sim, url, root, annsToken: ann } = world;
  return { sim, url, root, ann, asked, shown, typed, ask: world.ask.bind(world) };
}

/** The left half of a hash, which ties an ID token to what came with it. */
function halfHash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
}

describe("an ID token", () => {
  it("has the hash of the access token that came with it over HTTP", async () => {
    const { ask, shown } = login("hashicorp");
    const { body } = await ask("POST", "identity/oidc/provider/default/token", { form: shown() });
    expect(body["access_token"]).toMatch(/^hvb\./);
    expect(claimsIn(body["id_token"] as string)["at_hash"]).toBe(halfHash(body["access_token"] as string));
  });

  it("has that of the typed answer, which keeps the contract's words", async () => {
    const { typed, shown } = login("hashicorp");
    const { access_token, id_token } = await typed.token({ name: "default", ...shown() });
    expect(access_token).toMatch(/^b\./);
    expect(claimsIn(id_token)["at_hash"]).toBe(halfHash(access_token));
  });

  it("stands in the log as without a vocabulary", async () => {
    const [plain, spoken] = [
      new LoginWorld(5),
      new LoginWorld(5, { vocabulary: { secrets: { prefixes: { "b.": "hvb." } } } }),
    ];
    for (const world of [plain, spoken]) await world.login(world.register());
    expect(spoken.sim.log.commits()).toEqual(plain.sim.log.commits());
  });
});

describe("the page of other words", () => {
  const fields = {
    client_id: "who",
    code: "proof",
    state: "mark",
    error: "fault",
    error_description: "why",
    response_type: "wanted_kind",
  };
  const page = "identity/oidc/provider/default/authorize";

  it.each([
    ["code", /^proof=\w+&mark=own$/],
    ["none", /^fault=unsupported_response_type&why=wanted_kind.*&mark=own$/],
  ])("says in them what becomes of the wish for %s", async (wanted, told) => {
    const { ask, ann, asked, url } = login({ secrets: { fields } });
    const { client_id: who, response_type: _, ...others } = asked;
    const query = new URLSearchParams({ ...others, who: who as string, wanted_kind: wanted, mark: "own" });
    const { status, headers } = await ask("GET", `${url}/ui/secrets/${page}?${query}`, { token: ann });
    expect(status).toBe(302);
    expect(new URL(headers.get("Location") ?? "").search.slice(1)).toMatch(told);
  });
});

describe("the state that a client gives along", () => {
  // Kinds of storage and of plugins are called so.
  const page = "https://secrets-main.test/ui/vault/identity/oidc/provider/default/authorize";
  const words = ["kubernetes", "orchestrator", "aws-s3"];

  it.each(words)("comes back from the page as %s", async (state) => {
    const { ask, ann, asked, sim } = login("hashicorp");
    const query = new URLSearchParams({ ...asked, state });
    const { headers } = await ask("GET", `${page}?${query}`, { headers: { "X-Vault-Token": ann } });
    expect(new URL(headers.get("Location") ?? "").searchParams.get("state")).toBe(state);
    expect(sim.log.commits().at(-1)?.command.input).toMatchObject({ state });
  });

  it.each(words)("comes back in the answer as %s", async (state) => {
    const { ask, ann, asked } = login("hashicorp");
    const sent = { headers: { "X-Vault-Token": ann }, json: { ...asked, state } };
    const { body } = await ask("POST", "identity/oidc/provider/default/authorize", sent);
    expect(body).toMatchObject({ state });
  });
});

describe("a provider whose routes have other words", () => {
  const segments = { identity: "who", oidc: "signin", provider: "idp", token: "ticket", ".well-known": "well-known.x" };
  const vocabulary = { secrets: { segments, prefixes: { "/ui/secrets/": "/portal/" } } };

  it.each(["", "team/"])("is discovered at its own URLs, in the namespace %j", async (namespace) => {
    const { ask, sim, root } = login(vocabulary);
    const main = sim.secrets.cluster("main");
    if (namespace !== "") main.createNamespace(namespace);
    const issuer = `${main.url}/v1/${namespace}who/signin/idp/default`;
    const { body } = await ask("GET", `${issuer}/well-known.x/openid-configuration`);
    expect(body).toMatchObject({
      issuer,
      jwks_uri: `${issuer}/well-known.x/keys`,
      authorization_endpoint: `${main.url}/portal/${namespace}who/signin/idp/default/authorize`,
      token_endpoint: `${issuer}/ticket`,
      userinfo_endpoint: `${issuer}/userinfo`,
    });
    expect(await ask("GET", body["jwks_uri"] as string)).toMatchObject({
      status: 200,
      body: { keys: expect.any(Array) },
    });
    expect(await ask("POST", body["token_endpoint"] as string, { form: {} })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
    expect(await ask("GET", body["authorization_endpoint"] as string, { token: root })).toMatchObject({ status: 400 });
  });

  it("signs in the name of the issuer that was discovered", async () => {
    const { ask, url, shown, typed } = login(vocabulary);
    const { body } = await ask("POST", "who/signin/idp/default/ticket", { form: shown() });
    expect(claimsIn(body["id_token"] as string)["iss"]).toBe(`${url}/v1/who/signin/idp/default`);
    const answer = await typed.token({ name: "default", ...shown() });
    expect(claimsIn(answer.id_token)["iss"]).toBe(`${url}/v1/identity/oidc/provider/default`);
  });

  it("names an issuer that it refuses as it was given", async () => {
    const { ask, root } = login(vocabulary);
    const issuer = "https://login.test/v1/who/signin/idp/default";
    const { body } = await ask("POST", "who/signin/idp/mine", { token: root, json: { issuer } });
    expect(body["errors"]).toEqual([expect.stringContaining(issuer)]);
  });
});
