import { parseGoDuration } from "../../languages/go-duration.ts";
import { refuse } from "./rejections.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, section 1, "Query parse errors", and section 7, "Blocking".

/** How a read is asked for. */
export interface ReadOptions {
  /** How long a read that is given an `index` waits for a newer answer: a string such as `"10s"`. Default 5 minutes. */
  readonly wait?: string | undefined;
  /** True: any server answers, also without a leader. */
  readonly stale?: boolean | undefined;
  /** Gives up a read that waits. */
  readonly signal?: AbortSignal | undefined;
}

/** What the argument of a typed read may hold besides captures. */
export interface ReadParameters {
  readonly prefix?: string | undefined;
  readonly per_page?: number | undefined;
  readonly next_token?: string | undefined;
  readonly region?: string | undefined;
}

export type ReadParameter = keyof ReadParameters;

/** The parameters of queries; commands know `region` only. */
export const PARAMETERS = {
  region: { type: "string", about: "the region that is asked for; by default the one that is called" },
  index: { type: "integer", about: "waits until there is something newer" },
  wait: { type: "string", about: "how long at most, such as 30s" },
  stale: { type: "string", about: "asks the server that is called, without the leader" },
  prefix: { type: "string", about: "what names begin with" },
  per_page: { type: "integer", about: "how many on a page" },
  next_token: { type: "string", about: "where the page begins" },
} as const;

/** The query of a request by the names of its parameters; of one name the first value. */
export type QueryTexts = ReadonlyMap<string, string>;

/** What a list may be narrowed by. */
export interface ListQuery {
  readonly prefix: string;
  /** 0 for all, a negative number for none (amendments.md, N11). */
  readonly perPage: number;
  /** The first item of the page, inclusive; empty for the first page. */
  readonly nextToken: string;
}

/** What a read was asked for. */
export interface ReadQuery extends ListQuery {
  /** The index that the caller knows; 0 does not wait. */
  readonly index: number;
  /** How long to wait; undefined for the default. */
  readonly waitMs: number | undefined;
  readonly stale: boolean;
  readonly region: string;
}

/** Reads the query of a read, or refuses the first parameter that cannot be read. */
export function readQuery(texts: QueryTexts): ReadQuery {
  return {
    index: indexOf(texts.get("index") ?? ""),
    waitMs: waitMsOf(texts.get("wait") ?? ""),
    stale: staleOf(texts.get("stale")),
    perPage: perPageOf(texts.get("per_page") ?? ""),
    prefix: texts.get("prefix") ?? "",
    nextToken: texts.get("next_token") ?? "",
    region: texts.get("region") ?? "",
  };
}

const LARGEST_INDEX = 2n ** 64n - 1n;

function indexOf(text: string): number {
  if (text === "") return 0;
  if (!/^\d{1,400}$/.test(text) || BigInt(text) > LARGEST_INDEX) return refuse("index_invalid", {});
  return Number(text);
}

function waitMsOf(text: string): number | undefined {
  if (text === "") return undefined;
  const read = parseGoDuration(text);
  if (!read.ok) return refuse("wait_invalid", {});
  // The clock counts milliseconds: a shorter wait is still one.
  return read.nanoseconds <= 0n ? undefined : Number((read.nanoseconds + 999_999n) / 1_000_000n);
}

const TRUE = new Set(["", "1", "t", "T", "TRUE", "true", "True"]);
const FALSE = new Set(["0", "f", "F", "FALSE", "false", "False"]);

function staleOf(text: string | undefined): boolean {
  if (text === undefined) return false;
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : refuse("stale_invalid", {});
}

function perPageOf(text: string): number {
  if (text === "") return 0;
  const count = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return count === (count | 0) ? count : refuse("per_page_invalid", {});
}
