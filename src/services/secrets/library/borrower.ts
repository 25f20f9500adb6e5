import { hmac } from "@noble/hashes/hmac.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Bearer } from "../access.ts";
import type { DirectoryMount } from "../mounts/state.ts";
import type { Token } from "../tokens/state.ts";
import type { Borrower } from "./state.ts";

/** Borrowers by the records of their tokens: one per mount that a token has borrowed from. */
const borrowers = new WeakMap<Token, Map<string, Borrower>>();

/** Who the bearer of a request is to an engine's library. */
export function borrowerOf(engine: DirectoryMount, bearer: Bearer): Borrower {
  const known = borrowers.get(bearer.token) ?? new Map<string, Borrower>();
  borrowers.set(bearer.token, known);
  let borrower = known.get(engine.uuid);
  if (borrower === undefined) {
    borrower = Object.freeze({ tokenHash: tokenHash(engine, bearer), entityId: bearer.token.entityId });
    known.set(engine.uuid, borrower);
  }
  return borrower;
}

/**
 * What stands for a token where others can read it: 40 hexadecimal digits that do not lead back to it, equal for equal
 * tokens on one mount, different on another.
 *
 * Our choice: HMAC-SHA-1 with the mount's id as its key; the decisions fix the length and that it is one-way.
 */
function tokenHash(engine: DirectoryMount, { id }: Bearer): string {
  return bytesToHex(hmac(sha1, utf8ToBytes(engine.uuid), utf8ToBytes(id)));
}
