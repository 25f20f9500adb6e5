import { generateKeyPair, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";

/** A key and its certificate, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 365;

/**
 * Makes a key (P-256) and a certificate that it signs itself, for names and addresses. Whoever is to trust it is given the certificate.
 *
 * Our choice: DER by hand for this one shape. Node makes keys and signatures and reads certificates, but writes none; a library for it
 * brings some fifteen packages.
 */
export async function generateCertificate(names: readonly string[], nowMs: number): Promise<Certificate> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
  const subject = sequence(set(sequence(COMMON_NAME, utf8("hindcast"))));
  const content = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    subject, // the issuer
    sequence(time(nowMs - DAY_MS), time(nowMs + VALID_DAYS * DAY_MS)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(
      3,
      sequence(
        extension(SUBJECT_ALT_NAME, sequence(...names.map(generalName))),
        extension(BASIC_CONSTRAINTS, sequence(), true),
        extension(KEY_USAGE, tagged(0x03, Buffer.from([7, 0x80])), true), // digitalSignature
        extension(EXTENDED_KEY_USAGE, sequence(SERVER_AUTH)),
      ),
    ),
  );
  const signature = sign("sha256", content, privateKey);
  const certificate = sequence(content, ECDSA_WITH_SHA256, tagged(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64").replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`,
  };
}

// --- DER (X.690), as far as this needs it ----------------------------------------------------------------------------

function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  return length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff]);
}

const sequence = (...contents: readonly Uint8Array[]): Buffer => tagged(0x30, ...contents);
const set = (...contents: readonly Uint8Array[]): Buffer => tagged(0x31, ...contents);
const explicit = (number: number, content: Uint8Array): Buffer => tagged(0xa0 + number, content);
const integer = (bytes: Uint8Array): Buffer => tagged(0x02, bytes);
const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, "hex"));

const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");
const BASIC_CONSTRAINTS = oid("551d13");
const KEY_USAGE = oid("551d0f");
const EXTENDED_KEY_USAGE = oid("551d25");
const SERVER_AUTH = oid("2b06010505070301");
const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));

/** Positive, as RFC 5280 wants it, and without a leading zero. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

/** Years up to 2049 have two digits (RFC 5280, 4.1.2.5). */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  return Number(digits.slice(0, 4)) < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits));
}

function extension(id: Buffer, content: Buffer, critical = false): Buffer {
  return sequence(id, ...(critical ? [tagged(0x01, Buffer.from([0xff]))] : []), tagged(0x04, content));
}

function generalName(name: string): Buffer {
  const version = isIP(name);
  return version === 0 ? tagged(0x82, Buffer.from(name, "latin1")) : tagged(0x87, addressBytes(name, version));
}

function addressBytes(address: string, version: number): Buffer {
  if (version === 4) return Buffer.from(address.split(".").map(Number));
  // The URL parser writes addresses in one way; the gap is then the only thing left to fill.
  const [head = "", tail] = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1).split("::");
  const words = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
  const [front, back] = [words(head), words(tail ?? "")];
  const all = [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}
