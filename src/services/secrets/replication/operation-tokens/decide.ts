import { tokenGenerationMachine } from "../../../../../machines/token-generation.machine.ts";
import { arrivedAt } from "../../../../kernel/machine.ts";
import { bytesOfBase64, sameBytes, toBase64 } from "../../bytes.ts";
import { keyOfShares } from "../../cluster/shamir.ts";
import type { ClusterSlice, SealState } from "../../cluster/state.ts";
import type { SecretsDecision } from "../../declare.ts";
import { failKeepingFacts, refuse } from "../../rejections.ts";
import { createToken, newTokenId } from "../../tokens/create.ts";
import { clusterOf } from "../../world.ts";
import { encodedToken } from "./encoded.ts";
import { readKeyShare } from "./key-share.ts";
import {
  type DrOperationTokenSlice,
  type GenerationAttempt,
  type MadeToken,
  TOKEN_LENGTH,
  type TokenCover,
} from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 8.1 to 8.3. Root tokens are made the same way (cluster/README.md, 3).

/** The facts of an attempt, by what it makes. */
const FACTS = {
  operation: {
    started: "DrOperationTokenAttemptStarted",
    cancelled: "DrOperationTokenAttemptCancelled",
    given: "DrOperationTokenShareGiven",
    forgotten: "DrOperationTokenSharesForgotten",
  },
  root: {
    started: "RootTokenAttemptStarted",
    cancelled: "RootTokenAttemptCancelled",
    given: "RootTokenShareGiven",
    forgotten: "RootTokenSharesForgotten",
  },
} as const;

const UNASKED = { ofThisAttempt: false, repeated: false, complete: false, fits: false };

/** A public key that was read before the decision. */
export interface ReadKey {
  readonly key: string;
  readonly fingerprint: string;
}

/** Begins an attempt under a one-time pad, which may be given, or under a public key. */
export function startGeneration(
  decision: SecretsDecision,
  of: MadeToken,
  pgp: ReadKey | undefined,
  otp?: string,
): void {
  const { cluster } = decision.caller;
  if (decision.step(tokenGenerationMachine, stateOf(ignoredOf(decision)), UNASKED, { type: "start" }) === undefined) {
    refuse("generation_in_progress", { ofRootToken: of === "root" });
  }
  const nonce = decision.draw.uuid();
  decision.record({ type: FACTS[of].started, data: { cluster, nonce, cover: newCover(decision, pgp, otp) } });
}

function newCover(decision: SecretsDecision, pgp: ReadKey | undefined, otp: string | undefined): TokenCover {
  if (pgp !== undefined) return { kind: "pgp", ...pgp, token: newTokenId(decision, "service") };
  return { kind: "otp", otp: otp ?? decision.draw.base62(TOKEN_LENGTH) };
}

/** Ends an attempt without a token; without one there is nothing to end. */
export function cancelGeneration(decision: SecretsDecision, of: MadeToken): void {
  const before = stateOf(ignoredOf(decision));
  const after = arrivedAt(decision.step(tokenGenerationMachine, before, UNASKED, { type: "cancel" }), "no_attempt");
  if (after === before) return;
  decision.record({ type: FACTS[of].cancelled, data: { cluster: decision.caller.cluster } });
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
export function giveShareForToken(
  decision: SecretsDecision,
  of: MadeToken,
  { key, nonce, encrypted }: ShareForToken,
): ShareTaken {
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
  const next = decision.step(tokenGenerationMachine, stateOf(ignored), judgement, { type: "giveShare" });
  if (attempt === undefined) return refuse("generation_not_started", { ofRootToken: of === "root" });
  if (next === undefined) {
    if (!ofThisAttempt) refuse("generation_nonce_differs", {});
    if (repeated) refuse("generation_share_repeated", {});
    decision.record({ type: FACTS[of].forgotten, data: { cluster } });
    return failKeepingFacts("generation_aborted", {});
  }
  if (next.value !== "complete") {
    decision.record({ type: FACTS[of].given, data: { cluster, share: text } });
    return { attempt: { ...attempt, given } };
  }
  const { cover } = attempt;
  const token = cover.kind === "pgp" ? cover.token : newTokenId(decision, "service");
  if (of === "root") createRootToken(decision, token);
  else decision.record({ type: "DrOperationTokenCreated", data: { cluster, token } });
  return {
    attempt: { ...attempt, given },
    encodedToken: cover.kind === "pgp" ? (encrypted ?? "") : encodedToken(token, cover.otp),
  };
}

/** A token that may do anything and never ends, as the one that a cluster is born with. */
function createRootToken(decision: SecretsDecision, id: string): void {
  const { cluster } = decision.caller;
  createToken(
    decision,
    { cluster },
    {
      id,
      type: "service",
      policies: ["root"],
      noDefaultPolicy: true,
      path: "auth/token/root",
      displayName: "root",
      entityId: "",
      meta: null,
      orphan: true,
      renewable: false,
      uses: 0,
      ttlSeconds: 0,
      explicitMaxTtlSeconds: 0,
      periodSeconds: 0,
    },
  );
  decision.record({ type: "RootTokenMade", data: { cluster } });
}

/** The bytes of a share, as its holder sends them. */
export function shareIn(key: string): Uint8Array {
  if (key === "") refuse("generation_share_missing", {});
  const read = readKeyShare(key);
  if (read === "not_encoded") return refuse("generation_share_not_encoded", {});
  if (read === "of_another_length") return refuse("generation_share_length", {});
  return read.share;
}

/** Whether as many shares as the seal asks for make its key. */
export function makeTheKey(
  given: readonly string[],
  { key, threshold }: Pick<SealState, "key" | "threshold">,
): boolean {
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
