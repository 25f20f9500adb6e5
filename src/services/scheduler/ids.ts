import type { Brand } from "../../kernel/brand.ts";

/** The name of a region: a DNS label. */
export type RegionName = Brand<string, "RegionName">;
/** The public identifier of a token: a UUID in lower case. */
export type AccessorId = Brand<string, "AccessorId">;
/** The credential of a token, as its holder sends it. */
export type SecretId = Brand<string, "SecretId">;
/** A UUID in lower case. */
export type RoleId = Brand<string, "RoleId">;
export type PolicyName = Brand<string, "PolicyName">;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** What a secret is found by: it is compared by its bytes, so that the case of its digits does not matter (amendments.md, N8). */
export function secretKey(secret: string): string {
  return isUuid(secret) ? secret.toLowerCase() : secret;
}

/** What a text says as an accessor, or what is wrong with it. */
export type AccessorRead =
  | { readonly ok: true; readonly accessor: AccessorId }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads an accessor as the real service compares them: as bytes, whatever the case of their digits and wherever the hyphens stand.
 *
 * Source: decisions-scheduler-acl.md, section 5 (accessor not a 36-character UUID; accessor in upper-case hex).
 */
export function readAccessor(text: string): AccessorRead {
  if (text.length !== 36) return { ok: false, reason: "UUID must be 36 characters" };
  const read = hexOf(text);
  // More than 16 bytes are an identifier that nothing has.
  return read.ok ? { ok: true, accessor: hyphenated(read.hex) as AccessorId } : read;
}

/** What accessors with a prefix begin with, or what is wrong with it. */
export type PrefixRead =
  | { readonly ok: true; readonly prefix: string }
  | { readonly ok: false; readonly reason: string };

/** Reads the prefix of a list of tokens: hyphens do not count, and the digits make whole bytes (section 5, list `prefix`). */
export function readAccessorPrefix(text: string): PrefixRead {
  if (text.length > 36) return { ok: false, reason: "Invalid UUID length. UUID have 36 characters" };
  const read = hexOf(text);
  return read.ok ? { ok: true, prefix: hyphenated(read.hex) } : read;
}

function hexOf(
  text: string,
): { readonly ok: true; readonly hex: string } | { readonly ok: false; readonly reason: string } {
  const parts = text.split("-");
  if (parts.length > 5) return { ok: false, reason: 'UUID should have maximum of 4 "-"' };
  const hex = parts.join("").toLowerCase();
  if (hex.length % 2 !== 0) return { ok: false, reason: "UUID (without hyphens) must be even length" };
  if (!/^[\da-f]*$/.test(hex))
    return { ok: false, reason: "Invalid UUID: it has other characters than hexadecimal digits" };
  return { ok: true, hex };
}

/** Hexadecimal digits with hyphens where a UUID has them. */
function hyphenated(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    .filter((part) => part !== "")
    .join("-");
}
