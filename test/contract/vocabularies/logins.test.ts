import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Vocabulary } from "../../../src/index.ts";
import { LoginWorld, REDIRECT } from "../../support/oidc.ts";
import { claimsIn } from "./spoken.ts";

// What a client checks when somebody has logged in, where the provider speaks other words.

function login(vocabulary: "hashicorp" | Vocabulary) {
  const world = new LoginWorld(5, { vocabulary });
  const client = world.register();
  const ann = world.sim.secrets.cluster("main").as(world.annsToken);
  const shown = () => ({
    grant_type: "authorization_code",
    code: ann.oidc.authorize({ name: "default", ...world.request(client) }).code,
    redirect_uri: REDIRECT,
    client_id: client.client_id,
    client_secret: client.client_secret ?? "",
  });
  return { ...world, ask: world.ask.bind(world), shown, ann };
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
    const { ann, shown } = login("hashicorp");
    const { access_token, id_token } = await ann.oidc.token({ name: "default", ...shown() });
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
