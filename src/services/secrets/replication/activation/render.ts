import { encrypted } from "../../../../languages/jws/encrypted.ts";
import type { SealState } from "../../cluster/state.ts";
import { isSignedBy, signedClaims, type WrappingClaims } from "../../wrapping/jwt.ts";
import type { Activation } from "../state.ts";
import type { OpenClaims } from "./claims.ts";
import { pointOfPublicKey } from "./public-key.ts";

// The texts of activation tokens. They are made when an answer is, of what was committed (decisions-replication.md, 4.1).

/** Tokens that were rendered, by what was committed of them: whoever shows one again need not be checked by signing it once more. */
const rendered = new WeakMap<Activation, string>();

/** Claims under the signature of the cluster that made them. */
export function renderActivationToken(claims: WrappingClaims, activation: Activation, signer: SealState): string {
  const token = signedClaims(claims, signer);
  rendered.set(activation, token);
  return token;
}

/** Whether a cluster signed a token of three parts that names one which it made. */
export function isGenuine(token: string, activation: Activation, signer: SealState): boolean {
  return rendered.get(activation) === token || isSignedBy(token, signer);
}

/** Claims for whoever has the private half of a public key. */
export async function renderEncryptedToken(claims: OpenClaims, publicKey: string, seed: string): Promise<string> {
  const to = pointOfPublicKey(publicKey);
  if (to === undefined) throw new TypeError("a public key that was found to be good is none");
  return encrypted(JSON.stringify(claims), to, seed);
}
