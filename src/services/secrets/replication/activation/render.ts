import { base64url } from "../../../../languages/jws/base64url.ts";
import { encrypted } from "../../../../languages/jws/encrypted.ts";
import { es512Signature } from "../../../../languages/jws/es512.ts";
import type { SealState } from "../../cluster/state.ts";
import type { Activation } from "../state.ts";
import type { ActivationClaims, OpenClaims } from "./claims.ts";
import { pointOfPublicKey } from "./public-key.ts";

// The texts of activation tokens. They are made when an answer is, of what was committed (decisions-replication.md, 4.1).

const HEADER = { alg: "ES512", typ: "JWT" } as const;

/** Tokens that were rendered, by what was committed of them: signing one takes some milliseconds. */
const rendered = new WeakMap<Activation, string>();

/** Claims under the signature of the cluster that made them. */
export async function renderActivationToken(
  claims: ActivationClaims,
  activation: Activation,
  signer: SealState,
): Promise<string> {
  const signed = `${part(HEADER)}.${part(claims)}`;
  const token = `${signed}.${await es512Signature(signed, signingSeed(signer))}`;
  rendered.set(activation, token);
  return token;
}

/** Whether a cluster signed a token of three parts that names one which it made. */
export async function isSignedBy(token: string, activation: Activation, signer: SealState): Promise<boolean> {
  if (rendered.get(activation) === token) return true;
  const dot = token.lastIndexOf(".");
  return token.slice(dot + 1) === (await es512Signature(token.slice(0, dot), signingSeed(signer)));
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
