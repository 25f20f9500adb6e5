import type { Key } from "openpgp";
import type { EpochMs } from "../../../../kernel/brand.ts";
import { bytesOfBase64, toBase64 } from "../../bytes.ts";

// OpenPGP (decisions-replication.md, 8.1 and 8.3). The library is an optional peer, and is loaded when somebody gives a key.

/** What a text that should be a public key is. */
export type PgpKeyRead = { readonly fingerprint: string } | { readonly fault: string };

/** Reads a public key in base64: its fingerprint, in lower-case hexadecimal. */
export async function readPgpKey(text: string): Promise<PgpKeyRead> {
  const key = await publicKey(text);
  return "fault" in key ? key : { fingerprint: key.read.getFingerprint().toLowerCase() };
}

/**
 * A text encrypted to a public key, in base64. No two are alike: this is what determinism leaves out (design, 2.3).
 *
 * @throws TypeError for what `readPgpKey` finds a fault in
 */
export async function encryptedToPgpKey(text: string, key: string, nowMs: EpochMs): Promise<string> {
  const encryptionKeys = await publicKey(key);
  if ("fault" in encryptionKeys) throw new TypeError(`this key was found to be good: ${encryptionKeys.fault}`);
  const { createMessage, encrypt } = await library();
  const message = await createMessage({ binary: new TextEncoder().encode(text), date: new Date(nowMs) });
  const made: unknown = await encrypt({
    message,
    encryptionKeys: encryptionKeys.read,
    format: "binary",
    date: ANY_DATE,
  });
  if (!(made instanceof Uint8Array)) throw new TypeError("the OpenPGP library gave no bytes");
  return toBase64(made);
}

/** Keys count whatever they say of when they are valid: they were made by a clock that is not the simulated one. */
const ANY_DATE = null as unknown as Date;

/** Fingerprints of 40 digits are those of keys of version 4. */
const FINGERPRINT_DIGITS = 40;

async function publicKey(text: string): Promise<{ readonly read: Key } | { readonly fault: string }> {
  const { readKey } = await library();
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return { fault: "it is no base64" };
  try {
    const read = await readKey({ binaryKey: bytesOfBase64(text) });
    if (read.isPrivate()) return { fault: "it is a private key" };
    if (read.getFingerprint().length !== FINGERPRINT_DIGITS) return { fault: "it is no key of version 4" };
    await read.getEncryptionKey(undefined, ANY_DATE);
    return { read };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : "it cannot be read" };
  }
}

async function library(): Promise<typeof import("openpgp")> {
  try {
    return await import("openpgp");
  } catch (error) {
    throw new TypeError(
      'pgp_key is encrypted to by the package "openpgp", which is not installed: npm install openpgp',
      {
        cause: error,
      },
    );
  }
}
