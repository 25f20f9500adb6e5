import { rekeyMachine } from "../../../../../machines/rekey.machine.ts";
import { arrivedAt } from "../../../../kernel/machine.ts";
import { toBase64 } from "../../bytes.ts";
import type { SecretsDecision } from "../../declare.ts";
import { failKeepingFacts, refuse } from "../../rejections.ts";
import { makeTheKey, shareIn } from "../../replication/operation-tokens/decide.ts";
import { clusterOf } from "../../world.ts";
import { KEY_BYTES, sharesOfKey } from "../shamir.ts";
import type { ClusterSlice } from "../state.ts";
import type { Rekey, RekeyCover } from "./state.ts";

// Source of all rules in this file: ../README.md, 3.

const UNASKED = { ofThisAttempt: false, repeated: false, complete: false, fits: false, verified: false };

export interface RekeyWanted {
  readonly shares: number;
  readonly threshold: number;
  readonly verified: boolean;
  readonly pgp: RekeyCover | undefined;
}

/** Begins an attempt. Key and shares are drawn with it, because covered ones have to be known before they are covered. */
export function startRekey(decision: SecretsDecision, { shares, threshold, verified, pgp }: RekeyWanted): void {
  if (decision.step(rekeyMachine, stateOf(rekeyOf(decision)), UNASKED, { type: "start" }) === undefined) {
    refuse("rekey_in_progress", {});
  }
  const key = decision.draw.bytes(KEY_BYTES);
  const made = sharesOfKey(key, shares, threshold, decision.draw).map(toBase64);
  const nonce = decision.draw.uuid();
  const rekey = { nonce, key: toBase64(key), shares: made, threshold, verified, ...(pgp === undefined ? {} : { pgp }) };
  decision.record({ type: "RekeyStarted", data: { cluster: decision.caller.cluster, rekey } });
}

/** Ends an attempt: the old shares stay. */
export function cancelRekey(decision: SecretsDecision): void {
  const before = stateOf(rekeyOf(decision));
  const after = arrivedAt(decision.step(rekeyMachine, before, UNASKED, { type: "cancel" }), "no_rekey");
  if (after !== before) decision.record({ type: "RekeyCancelled", data: { cluster: decision.caller.cluster } });
}

/** What one share led to: more are needed, or this attempt has what it asked for. */
export type RekeyProgress = { readonly made: Rekey; readonly verificationNonce?: string } | undefined;

/** Takes a share of the old key. `covered` are the new shares under their public keys, where they have some. */
export function giveOldShare(
  decision: SecretsDecision,
  { key, nonce, covered }: { readonly key: string; readonly nonce: string; readonly covered: readonly string[] },
): RekeyProgress {
  const { cluster } = decision.caller;
  const share = toBase64(shareIn(key));
  const rekey = rekeyOf(decision) ?? refuse("rekey_not_started", {});
  const next = asked(decision, { rekey, share, nonce, attempt: rekey.nonce, move: "giveShare" }, sealOf(decision));
  if (next === "rekeying") return undefined;
  const { pgp, shares, threshold, verified } = rekey;
  if (pgp?.backup === true) {
    const kept = pgp.fingerprints.map((fingerprint, index) => ({ fingerprint, share: covered[index] ?? "" }));
    decision.record({ type: "RekeyBackedUp", data: { cluster, backup: { nonce, covered: kept } } });
  }
  if (!verified) {
    decision.record({ type: "ClusterRekeyed", data: { cluster, key: rekey.key, shares, threshold } });
    return { made: rekey };
  }
  const verificationNonce = decision.draw.uuid();
  decision.record({ type: "RekeyVerificationStarted", data: { cluster, verificationNonce } });
  return { made: rekey, verificationNonce };
}

/** Takes a new share. Returns whether the new key counts now. */
export function giveNewShare(
  decision: SecretsDecision,
  { key, nonce }: { readonly key: string; readonly nonce: string },
): boolean {
  const share = toBase64(shareIn(key));
  const rekey = rekeyOf(decision) ?? refuse("rekey_not_started", {});
  const attempt = rekey.verificationNonce ?? "";
  if (asked(decision, { rekey, share, nonce, attempt, move: "giveNewShare" }, rekey) !== "rekeyed") return false;
  const { shares, threshold } = rekey;
  decision.record({
    type: "ClusterRekeyed",
    data: { cluster: decision.caller.cluster, key: rekey.key, shares, threshold },
  });
  return true;
}

/** Forgets the new shares that were shown, and names what collects them anew. */
export function restartVerification(decision: SecretsDecision): void {
  const rekey = rekeyOf(decision) ?? refuse("rekey_not_started", {});
  const move = { type: "restartVerification" } as const;
  if (decision.step(rekeyMachine, stateOf(rekey), UNASKED, move) === undefined) refuse("rekey_not_verifying", {});
  const data = { cluster: decision.caller.cluster, verificationNonce: decision.draw.uuid() };
  decision.record({ type: "RekeyVerificationStarted", data });
}

interface GivenShare {
  readonly rekey: Rekey;
  readonly share: string;
  readonly nonce: string;
  /** The nonce of what collects such shares. */
  readonly attempt: string;
  readonly move: "giveShare" | "giveNewShare";
}

/** Asks the chart about a share, and keeps one that is not the last. `target` is the key that is to come out. */
function asked(
  decision: SecretsDecision,
  { rekey, share, nonce, attempt, move }: GivenShare,
  target: Pick<Rekey, "key" | "threshold">,
): RekeyState {
  const { cluster } = decision.caller;
  const given = [...rekey.given, share];
  const repeated = rekey.given.includes(share);
  const complete = given.length >= target.threshold;
  const ofThisAttempt = nonce === attempt;
  const fits = complete && makeTheKey(given, target);
  const judgement = { ofThisAttempt, repeated, complete, fits, verified: rekey.verified };
  const before = stateOf(rekey);
  const next = decision.step(rekeyMachine, before, judgement, { type: move });
  if (next === undefined) {
    if (before === "verifying" && move === "giveShare") refuse("rekey_awaits_verification", {});
    if (before === "rekeying" && move === "giveNewShare") refuse("rekey_not_verifying", {});
    if (!ofThisAttempt) refuse("rekey_nonce_differs", {});
    if (repeated) refuse("rekey_share_repeated", {});
    decision.record({ type: "RekeySharesForgotten", data: { cluster } });
    return failKeepingFacts("rekey_aborted", {});
  }
  if (next.value === before) decision.record({ type: "RekeyShareGiven", data: { cluster, share } });
  return next.value;
}

type RekeyState = "no_rekey" | "rekeying" | "verifying" | "rekeyed";

function stateOf(rekey: Rekey | undefined): "no_rekey" | "rekeying" | "verifying" {
  if (rekey === undefined) return "no_rekey";
  return rekey.verificationNonce === undefined ? "rekeying" : "verifying";
}

function sealOf({ state, caller }: SecretsDecision): ClusterSlice["seal"] {
  return clusterOf(state, caller.cluster).ignored.seal;
}

function rekeyOf({ state, caller }: SecretsDecision): Rekey | undefined {
  return clusterOf(state, caller.cluster).ignored.rekey;
}
