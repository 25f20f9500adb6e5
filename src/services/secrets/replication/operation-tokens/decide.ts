import { drOperationTokenMachine } from "../../../../../machines/dr-operation-token.machine.ts";
import { arrivedAt } from "../../../../kernel/machine.ts";
import { bytesOfBase64, sameBytes, toBase64 } from "../../bytes.ts";
import { keyOfShares } from "../../cluster/shamir.ts";
import type { ClusterSlice, SealState } from "../../cluster/state.ts";
import type { SecretsDecision } from "../../declare.ts";
import { failKeepingFacts, refuse } from "../../rejections.ts";
import { newTokenId } from "../../tokens/create.ts";
import { clusterOf } from "../../world.ts";
import { encodedToken } from "./encoded.ts";
import { readKeyShare } from "./key-share.ts";
import type { DrOperationTokenSlice, GenerationAttempt, TokenCover } from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 8.1 to 8.3.

const UNASKED = { ofThisAttempt: false, repeated: false, complete: false, fits: false };

/** A public key that was read before the decision. */
export interface ReadKey {
  readonly key: string;
  readonly fingerprint: string;
}

/** Begins an attempt under a one-time pad, or under a public key. */
export function startGeneration(decision: SecretsDecision, pgp: ReadKey | undefined): void {
  const { cluster } = decision.caller;
  if (decision.step(drOperationTokenMachine, stateOf(ignoredOf(decision)), UNASKED, { type: "start" }) === undefined) {
    refuse("generation_in_progress", {});
  }
  const nonce = decision.draw.uuid();
  decision.record({ type: "DrOperationTokenAttemptStarted", data: { cluster, nonce, cover: newCover(decision, pgp) } });
}

function newCover(decision: SecretsDecision, pgp: ReadKey | undefined): TokenCover {
  if (pgp !== undefined) return { kind: "pgp", ...pgp, token: newTokenId(decision, "service") };
  return { kind: "otp", otp: decision.draw.base62(TOKEN_LENGTH) };
}

/** Of an operation token, and so of the pad that hides one. */
export const TOKEN_LENGTH = 28;

/** Ends an attempt without a token; without one there is nothing to end. */
export function cancelGeneration(decision: SecretsDecision): void {
  const before = stateOf(ignoredOf(decision));
  const after = arrivedAt(decision.step(drOperationTokenMachine, before, UNASKED, { type: "cancel" }), "no_attempt");
  if (after === before) return;
  decision.record({ type: "DrOperationTokenAttemptCancelled", data: { cluster: decision.caller.cluster } });
}

/** One share towards a token, as its holder sends it. */
export interface ShareForToken {
  readonly key: string;
  readonly nonce: string;
  /** The token of an attempt under a public key, encrypted before the decision. */
  readonly encrypted: string | undefined;
}

/** What giving a share led to: so many are there now, and with the last one there is a token. */
export interface ShareTaken {
  readonly attempt: GenerationAttempt;
  readonly encodedToken?: string;
}

/** Takes a share towards a token. */
export function giveShareForToken(decision: SecretsDecision, { key, nonce, encrypted }: ShareForToken): ShareTaken {
  const { cluster } = decision.caller;
  const share = shareIn(key);
  const ignored = ignoredOf(decision);
  const attempt = ignored.generation;
  const text = toBase64(share);
  const given = [...(attempt?.given ?? []), text];
  const complete = given.length >= ignored.seal.threshold;
  const repeated = attempt?.given.includes(text) === true;
  const ofThisAttempt = nonce === attempt?.nonce;
  const judgement = { ofThisAttempt, repeated, complete, fits: complete && makeTheKey(given, ignored.seal) };
  const next = decision.step(drOperationTokenMachine, stateOf(ignored), judgement, { type: "giveShare" });
  if (attempt === undefined) return refuse("generation_not_started", {});
  if (next === undefined) {
    if (!ofThisAttempt) refuse("generation_nonce_differs", {});
    if (repeated) refuse("generation_share_repeated", {});
    decision.record({ type: "DrOperationTokenSharesForgotten", data: { cluster } });
    return failKeepingFacts("generation_aborted", {});
  }
  if (next.value !== "complete") {
    decision.record({ type: "DrOperationTokenShareGiven", data: { cluster, share: text } });
    return { attempt: { ...attempt, given } };
  }
  const { cover } = attempt;
  const token = cover.kind === "pgp" ? cover.token : newTokenId(decision, "service");
  decision.record({ type: "DrOperationTokenCreated", data: { cluster, token } });
  return {
    attempt: { ...attempt, given },
    encodedToken: cover.kind === "pgp" ? (encrypted ?? "") : encodedToken(token, cover.otp),
  };
}

function shareIn(key: string): Uint8Array {
  if (key === "") refuse("generation_share_missing", {});
  const read = readKeyShare(key);
  if (read === "not_encoded") return refuse("generation_share_not_encoded", {});
  if (read === "of_another_length") return refuse("generation_share_length", {});
  return read.share;
}

function makeTheKey(given: readonly string[], { key, threshold }: SealState): boolean {
  const made = keyOfShares(given.map(bytesOfBase64), threshold);
  return made !== undefined && sameBytes(made, bytesOfBase64(key));
}

/** Ends a token: the one that is given, and no other. */
export function deleteOperationToken(decision: SecretsDecision, token: string): void {
  decision.record({ type: "DrOperationTokenDeleted", data: { cluster: decision.caller.cluster, token } });
}

function ignoredOf({ state, caller }: SecretsDecision): DrOperationTokenSlice & ClusterSlice {
  return clusterOf(state, caller.cluster).ignored;
}

function stateOf({ generation }: DrOperationTokenSlice): "no_attempt" | "attempt_started" {
  return generation === undefined ? "no_attempt" : "attempt_started";
}
