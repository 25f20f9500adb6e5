import { base64url, bytesOfBase64url, numberOfBytes } from "./base64url.ts";
import { ecdsaSignature } from "./ecdsa.ts";
import { type KeyMaterial, type KeySeed, keyMaterial } from "./key.ts";

/**
 * A compact JWS (RFC 7515) of claims. Equal keys and claims, equal bytes: ECDSA is that of RFC 6979, and the others draw nothing
 * anyway. What it takes to sign is loaded when it is first needed.
 *
 * @param key the key that signs; its algorithm stands in the header beside `kid`
 */
export async function signedToken(key: SignedBy, claims: object): Promise<string> {
  return signedPayload(key, utf8(JSON.stringify(claims)));
}

type SignedBy = KeySeed & { readonly kid: string };

/** Whether a key made a token: signing draws nothing, so it makes the same one again. */
export async function isSignedBy(key: SignedBy, token: string): Promise<boolean> {
  const payload = bytesOfBase64url(token.split(".")[1] ?? "");
  return payload !== undefined && (await signedPayload(key, payload)) === token;
}

async function signedPayload(key: SignedBy, payload: Uint8Array): Promise<string> {
  const material = keyMaterial(key);
  const header = { alg: key.algorithm, kid: key.kid };
  if (material.kind === "RSA") return signedWithRsa(key, material, header, payload);
  const signed = `${base64url(utf8(JSON.stringify(header)))}.${base64url(payload)}`;
  return `${signed}.${base64url(await signatureOf(material, utf8(signed)))}`;
}

function utf8(text: string): Uint8Array {
  // A copy: in an imitated browser the encoder's bytes are of another realm, and what signs asks for those of its own.
  return new Uint8Array(new TextEncoder().encode(text));
}

type Signer = typeof import("jose");
type SigningKey = Awaited<ReturnType<Signer["importJWK"]>>;

/** Private RSA keys as they sign, by what they are made of. */
const rsaKeys = new WeakMap<KeySeed, Promise<SigningKey>>();

async function signedWithRsa(
  key: KeySeed,
  { privateJwk }: Extract<KeyMaterial, { kind: "RSA" }>,
  header: { readonly alg: string; readonly kid: string },
  payload: Uint8Array,
): Promise<string> {
  const { CompactSign, importJWK } = await import("jose");
  let signing = rsaKeys.get(key);
  if (signing === undefined) {
    signing = importJWK({ ...privateJwk }, header.alg);
    rsaKeys.set(key, signing);
  }
  return new CompactSign(payload).setProtectedHeader(header).sign(await signing);
}

async function signatureOf(
  { kind, secret }: Exclude<KeyMaterial, { kind: "RSA" }>,
  message: Uint8Array,
): Promise<Uint8Array> {
  if (kind === "Ed25519") {
    const { ed25519 } = await import("@noble/curves/ed25519.js");
    return ed25519.sign(message, secret);
  }
  return ecdsaSignature(kind, message, numberOfBytes(secret));
}
