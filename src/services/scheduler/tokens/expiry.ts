import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import { goDurationText, parseGoDuration } from "../../../languages/go-duration.ts";
import { instantMs, ZERO_TIME } from "../../../languages/instant.ts";

// Source of all rules in this file: tokens/README.md, "Expiration".

const SHORTEST_MS = 60_000;
const LONGEST_MS = 24 * 60 * 60_000;
const COLLECT_EVERY_MS = 5 * 60_000;
const COLLECT_AFTER_MS = 60 * 60_000;
const NANOSECONDS_PER_MS = 1_000_000n;

/** When a token ends. */
export interface TokenExpiry {
  readonly atMs: EpochMs;
  /** The TTL that it was created with; absent where its end was given. */
  readonly ttlNanoseconds?: number;
}

/** What may end. */
interface Ending {
  readonly expiry?: TokenExpiry;
}

/** What a body says of the end of a token. */
export interface ExpiryFields {
  readonly ExpirationTTL?: string;
  readonly ExpirationTime?: string;
}

/** Whether a token is over: from its instant on. */
export function isExpired({ expiry }: Ending, nowMs: EpochMs): boolean {
  return expiry !== undefined && nowMs >= expiry.atMs;
}

/** The end of a new token, and what is wrong with it. Of both fields the instant counts. */
export function newExpiry(
  fields: ExpiryFields,
  nowMs: EpochMs,
): { readonly expiry: TokenExpiry | undefined; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const ttl = ttlIn(fields);
  if (ttl < 0n) faults.push(`token expiration TTL '${goDurationText(ttl)}' should not be negative`);
  const given = instantIn(fields);
  if (given === undefined && ttl === 0n) return { expiry: undefined, faults };
  const atMs = given ?? nowMs + msOf(ttl);
  if (atMs < nowMs) faults.push("expiration time cannot be before create time");
  const beyond = atMs - nowMs > LONGEST_MS ? `more than ${msText(LONGEST_MS)}` : `less than ${msText(SHORTEST_MS)}`;
  if (atMs - nowMs > LONGEST_MS || atMs - nowMs < SHORTEST_MS) {
    faults.push(`expiration time cannot be ${beyond} in the future (was ${msText(atMs - nowMs)})`);
  }
  return { expiry: { atMs: epochMs(atMs), ...(ttl === 0n ? {} : { ttlNanoseconds: Number(ttl) }) }, faults };
}

/** What is wrong with an update: the end of a token stays, and a body that does not tell it means that it stays. */
export function expiryFaults(fields: ExpiryFields, { expiry }: Ending): readonly string[] {
  const faults: string[] = [];
  const ttl = ttlIn(fields);
  if (ttl !== 0n && ttl !== BigInt(expiry?.ttlNanoseconds ?? 0)) faults.push("cannot update expiration TTL");
  const given = instantIn(fields);
  if (given !== undefined && given !== expiry?.atMs) faults.push("cannot update expiration time");
  return faults;
}

/** A TTL as tokens show it; empty where their end was given. */
export function ttlText({ ttlNanoseconds }: TokenExpiry): string {
  return ttlNanoseconds === undefined ? "" : goDurationText(BigInt(ttlNanoseconds));
}

/** When a token is collected: at the first pass that finds it over for long enough. */
function collectedAtMs({ atMs }: TokenExpiry): EpochMs {
  return epochMs(Math.ceil((atMs + COLLECT_AFTER_MS) / COLLECT_EVERY_MS) * COLLECT_EVERY_MS);
}

/** Whose tokens a region collects: its own, and the authoritative one those of all. */
export type Scope = "local" | "global";

/** The key by which tokens are collected; those of a scope stand together. */
export function collectionKey(
  { global, accessor }: { readonly global: boolean; readonly accessor: string },
  expiry: TokenExpiry,
): string {
  return `${collectionPrefix(global ? "global" : "local")}${instantKey(collectedAtMs(expiry))}.${accessor}`;
}

export function collectionPrefix(scope: Scope): string {
  return `${scope}.`;
}

/** The instant of a key by which tokens are collected. */
export function collectionInstant(key: string, scope: Scope): EpochMs {
  return epochMs(Number(key.slice(scope.length + 1, scope.length + 1 + INSTANT_DIGITS)));
}

const INSTANT_DIGITS = 15;
const instantKey = (ms: EpochMs): string => ms.toString().padStart(INSTANT_DIGITS, "0");

function ttlIn({ ExpirationTTL = "" }: ExpiryFields): bigint {
  const read = parseGoDuration(ExpirationTTL);
  return read.ok ? read.nanoseconds : 0n;
}

function instantIn({ ExpirationTime }: ExpiryFields): number | undefined {
  return ExpirationTime === undefined || ExpirationTime === ZERO_TIME ? undefined : instantMs(ExpirationTime);
}

/** The clock counts milliseconds: what is begun counts. */
function msOf(nanoseconds: bigint): number {
  return Math.ceil(Number(nanoseconds) / Number(NANOSECONDS_PER_MS));
}

function msText(ms: number): string {
  return goDurationText(BigInt(ms) * NANOSECONDS_PER_MS);
}
