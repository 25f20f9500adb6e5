import type { ClusterHandle, Simulator } from "../../src/index.ts";

// What scenarios about logins share: an application, somebody who logs in through it, and the two steps of that.

export const CALLBACK = "https://app.test/callback";

/** An application that is registered, and somebody's token. */
export interface Login {
  readonly client_id: string;
  readonly client_secret: string;
  readonly user: string;
}

/** The first step: the user's browser comes back with a code. */
export function codeOf(cluster: ClusterHandle, { client_id, user }: Login): string {
  const asked = { name: "default", client_id, redirect_uri: CALLBACK, response_type: "code", scope: "openid" };
  return cluster.as(user).oidc.authorize(asked).code;
}

/** The second step: the application shows the code, and gets an ID token. */
export async function idTokenFor(cluster: ClusterHandle, login: Login, code: string): Promise<string> {
  const { client_id, client_secret } = login;
  const shown = { name: "default", grant_type: "authorization_code", redirect_uri: CALLBACK, client_id, client_secret };
  return (await cluster.as().oidc.token({ ...shown, code })).id_token;
}

/** The key ids that are published, now or at a moment of the past. */
export function publishedKids(at: Pick<Simulator, "secrets">, cluster: string): string[] {
  return at.secrets
    .cluster(cluster)
    .as()
    .oidc.publicKeys({ name: "default" })
    .keys.map(({ kid }) => kid);
}

/** What a token's signature says of itself. */
export function kidOf(token: string): string {
  const header: unknown = JSON.parse(atob((token.split(".")[0] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
  return (header as { readonly kid: string }).kid;
}

/**
 * Whether a token verifies with the keys as they are published at a moment, as a client would do it that has them.
 */
export async function verifies(at: Pick<Simulator, "secrets">, cluster: string, token: string): Promise<boolean> {
  const { keys } = at.secrets.cluster(cluster).as().oidc.publicKeys({ name: "default" });
  const jwk = keys.find(({ kid }) => kid === kidOf(token));
  if (jwk === undefined) return false;
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const { use: _, alg: __, ...members } = jwk;
  const key = await crypto.subtle.importKey("jwk", members, algorithm, true, ["verify"]);
  const [header = "", claims = "", signature = ""] = token.split(".");
  return crypto.subtle.verify(algorithm, key, bytesOf(signature), new TextEncoder().encode(`${header}.${claims}`));
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
