import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import type { InCluster } from "../../place.ts";
import type { SealState } from "../state.ts";

// Source of all rules in this file: ../README.md, 3.

/** Holders of key shares are giving the cluster another key: there is one attempt at a time. */
export interface Rekey extends Pick<SealState, "key" | "shares" | "threshold"> {
  readonly nonce: string;
  /** What is given in base64, in the order in which it came: shares of the old key, or new ones while they are verified. */
  readonly given: readonly string[];
  /** Whose public keys cover the new shares, one for each; absent where they are given out as they are. */
  readonly pgp?: RekeyCover;
  /** The new shares are to be shown before they count. */
  readonly verified: boolean;
  /** Names what collects new shares; absent until they are given out. */
  readonly verificationNonce?: string;
}

/** The public keys of those who get the new shares. */
export interface RekeyCover {
  readonly keys: readonly string[];
  readonly fingerprints: readonly string[];
  /** The covered shares are kept for who asks later. */
  readonly backup: boolean;
}

/** Covered shares in base64, by the fingerprints of their keys. */
export interface RekeyBackup {
  readonly nonce: string;
  readonly covered: readonly { readonly fingerprint: string; readonly share: string }[];
}

export interface RekeySlice {
  /** Absent while there is none. */
  readonly rekey?: Rekey;
  readonly rekeyBackup?: RekeyBackup;
}

export interface RekeyEvents {
  RekeyStarted: InCluster & { readonly rekey: Omit<Rekey, "given" | "verificationNonce"> };
  RekeyCancelled: InCluster;
  RekeyShareGiven: InCluster & { readonly share: string };
  /** Enough were given, and they made no key: all have to be given again. */
  RekeySharesForgotten: InCluster;
  /** The new shares are out, or are to be shown anew. */
  RekeyVerificationStarted: InCluster & { readonly verificationNonce: string };
  RekeyBackedUp: InCluster & { readonly backup: RekeyBackup };
  RekeyBackupDeleted: InCluster;
  /** The new key and its shares count. */
  ClusterRekeyed: InCluster & Pick<SealState, "key" | "shares" | "threshold">;
}

export const rekeyEvolvers: FlatEvolvers<RekeySlice & { readonly seal: SealState }, RekeyEvents> = {
  RekeyStarted: (ignored, { rekey }) => {
    ignored.rekey = { ...rekey, given: NONE };
  },
  RekeyCancelled: (ignored) => {
    delete ignored.rekey;
  },
  RekeyShareGiven: (ignored, { share }) => {
    const { rekey } = ignored;
    if (rekey !== undefined) ignored.rekey = { ...rekey, given: [...rekey.given, share] };
  },
  RekeySharesForgotten: (ignored) => {
    const { rekey } = ignored;
    if (rekey !== undefined) ignored.rekey = { ...rekey, given: NONE };
  },
  RekeyVerificationStarted: (ignored, { verificationNonce }) => {
    const { rekey } = ignored;
    if (rekey !== undefined) ignored.rekey = { ...rekey, given: NONE, verificationNonce };
  },
  RekeyBackedUp: (ignored, { backup }) => {
    ignored.rekeyBackup = backup;
  },
  RekeyBackupDeleted: (ignored) => {
    delete ignored.rekeyBackup;
  },
  ClusterRekeyed: (ignored, { key, shares, threshold }) => {
    ignored.seal = { ...ignored.seal, key, shares, threshold };
    delete ignored.rekey;
  },
};

const NONE: readonly string[] = Object.freeze([]);
