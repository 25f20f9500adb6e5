import { base64url } from "../../../../languages/jws/base64url.ts";
import { ecdsaSignature, SHORT_NONCES } from "../../../../languages/jws/ecdsa.ts";
import { encrypted } from "../../../../languages/jws/encrypted.ts";
import { secretScalar } from "../../../../languages/jws/key.ts";
import type { SealState } from "../../cluster/state.ts";
import type { Activation } from "../state.ts";
import type { ActivationClaims, OpenClaims } from "./claims.ts";
import { pointOfPublicKey } from "./public-key.ts";

// The texts of activation tokens. They are made when an answer is, of what was committed (decisions-replication.md, 4.1).

const HEADER = { alg: "ES512", typ: "JWT" } as const;

/** Tokens that were rendered, by what was committed of them: whoever shows one again need not be checked by signing it once more. */
const rendered = new WeakMap<Activation, string>();

/** Claims under the signature of the cluster that made them. */
export function renderActivationToken(claims: ActivationClaims, activation: Activation, signer: SealState): string {
  const signed = `${part(HEADER)}.${part(claims)}`;
  const token = `${signed}.${signature(signed, signer)}`;
  rendered.set(activation, token);
  return token;
}

/** Whether a cluster signed a token of three parts that names one which it made. */
export function isSignedBy(token: string, activation: Activation, signer: SealState): boolean {
  if (rendered.get(activation) === token) return true;
  const dot = token.lastIndexOf(".");
  return token.slice(dot + 1) === signature(token.slice(0, dot), signer);
}

/** That of ES512 (RFC 7518, 3.4). Equal texts have equal ones, so whoever knows the key checks one by making it again. */
function signature(text: string, signer: SealState): string {
  return base64url(ecdsaSignature("P-521", new TextEncoder().encode(text), signingSecret(signer), SHORT_NONCES));
}

/** Private keys by what they are made of. */
const secrets = new WeakMap<SealState, bigint>();

function signingSecret(signer: SealState): bigint {
  let secret = secrets.get(signer);
  if (secret === undefined) {
    secret = secretScalar("P-521", signingSeed(signer));
    secrets.set(signer, secret);
  }
  return secret;
}

/** Our choice: the signing key is made of the key that seals the storage, so all clusters of a set have the same. */
export function signingSeed({ key }: SealState): string {
  return `activation tokens:${key}`;
}

/** Claims for whoever has the private half of a public key. */
export async function renderEncryptedToken(claims: OpenClaims, publicKey: string, seed: string): Promise<string> {
  const to = pointOfPublicKey(publicKey);
  if (to === undefined) throw new TypeError("a public key that was found to be good is none");
  return encrypted(JSON.stringify(claims), to, seed);
}

function part(value: object): string {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}
