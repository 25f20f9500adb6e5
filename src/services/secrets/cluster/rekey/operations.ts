import { bytesToHex } from "@noble/hashes/utils.js";
import type { Plain } from "../../../../kernel/plain.ts";
import { bytesOfBase64 } from "../../bytes.ts";
import { command, promised, type SecretsReading, view } from "../../declare.ts";
import { commaList, flag, integer, text } from "../../fields.ts";
import { refuse } from "../../rejections.ts";
import type { Asked } from "../../replication/operation-tokens/operations.ts";
import { goodKey } from "../../replication/operation-tokens/operations.ts";
import { encryptedToPgpKey, type PgpKeyRead, readPgpKey } from "../../replication/operation-tokens/pgp.ts";
import { bare, done, enveloped, repeatingData } from "../../reply.ts";
import { clusterOf } from "../../world.ts";
import type { ClusterSlice } from "../state.ts";
import { cancelRekey, giveNewShare, giveOldShare, restartVerification, startRekey } from "./decide.ts";
import type { RekeyCover, RekeySlice } from "./state.ts";

// Source of all rules in this file: ../README.md, 3.

/** Who holds key shares needs no token. */
const BY_SHARES = { evidence: "observed", open: true } as const;

/** A rekey as its answers show it. */
export interface RekeyShown {
  readonly nonce: string;
  readonly started: boolean;
  /** New shares that are to make the key. */
  readonly t: number;
  /** New shares. */
  readonly n: number;
  readonly progress: number;
  /** Shares of the old key that it takes. */
  readonly required: number;
  readonly pgp_fingerprints: readonly string[] | null;
  readonly backup: boolean;
  readonly verification_required: boolean;
  readonly verification_nonce?: string;
}

/** New shares, as they are given out. */
export interface RekeyMade {
  readonly nonce: string;
  readonly complete: true;
  /** In hexadecimal. */
  readonly keys: readonly string[];
  readonly keys_base64: readonly string[];
  readonly pgp_fingerprints: readonly string[] | null;
  readonly backup: boolean;
  readonly verification_required: boolean;
  readonly verification_nonce?: string;
}

/** The key of a cluster, and its shares, become others. */
export const rekeyOperations = {
  status: view({
    route: "GET /v1/sys/rekey/init",
    ...BY_SHARES,
    view: (reading) => bare(rekeyShown(ignoredOf(reading))),
  }),
  start: promised(
    command({
      route: "POST /v1/sys/rekey/init",
      ...BY_SHARES,
      fields: {
        secret_shares: integer,
        secret_threshold: integer,
        pgp_keys: commaList,
        backup: flag,
        require_verification: flag,
      },
      prepare: (_, { pgp_keys }) => (Array.isArray(pgp_keys) ? Promise.all(pgp_keys.map(readGiven)) : undefined),
      decide: (decision, input) => {
        const { secret_shares: shares = 0, secret_threshold: threshold = 0, pgp_keys: keys = [], prepared } = input;
        const backup = input.backup === true;
        if (backup && keys.length === 0) refuse("rekey_backup_uncovered", {});
        if (keys.length > 0 && keys.length !== shares) refuse("rekey_pgp_keys_count", { shares, keys: keys.length });
        if (threshold > shares) refuse("rekey_threshold_above_shares", {});
        const reason = faultOf(shares, threshold);
        if (reason !== undefined) refuse("rekey_shares_refused", { reason });
        const pgp =
          keys.length === 0 ? undefined : coverOf(keys, backup, prepared as readonly PgpKeyRead[] | undefined);
        startRekey(decision, { shares, threshold, verified: input.require_verification === true, pgp });
        return bare(rekeyShown(ignoredOf(decision)));
      },
    }),
  ),
  cancel: command({
    route: "DELETE /v1/sys/rekey/init",
    ...BY_SHARES,
    decide: (decision) => {
      cancelRekey(decision);
      return done();
    },
  }),
  update: promised(
    command({
      route: "POST /v1/sys/rekey/update",
      ...BY_SHARES,
      fields: { key: text, nonce: text },
      prepare: coveredShares,
      decide: (decision, { key = "", nonce = "", prepared }) => {
        const covered = Array.isArray(prepared) ? prepared.map(String) : [];
        const progress = giveOldShare(decision, { key, nonce, covered });
        if (progress === undefined) return bare<RekeyShown | RekeyMade>(rekeyShown(ignoredOf(decision)));
        const { made, verificationNonce } = progress;
        const keys = made.pgp === undefined ? made.shares : covered;
        return bare<RekeyShown | RekeyMade>({
          nonce,
          complete: true,
          keys: keys.map(hexOf),
          keys_base64: keys,
          ...coverShown(made.pgp),
          verification_required: made.verified,
          ...(verificationNonce === undefined ? {} : { verification_nonce: verificationNonce }),
        });
      },
    }),
  ),
  verification: view({
    route: "GET /v1/sys/rekey/verify",
    ...BY_SHARES,
    view: (reading) => bare(verificationShown(ignoredOf(reading))),
  }),
  restartVerification: command({
    route: "DELETE /v1/sys/rekey/verify",
    ...BY_SHARES,
    decide: (decision) => {
      restartVerification(decision);
      return bare(verificationShown(ignoredOf(decision)));
    },
  }),
  verify: command({
    route: "POST /v1/sys/rekey/verify",
    ...BY_SHARES,
    fields: { key: text, nonce: text },
    decide: (decision, { key = "", nonce = "" }) => {
      if (giveNewShare(decision, { key, nonce })) return bare<VerificationAnswer>({ nonce, complete: true });
      return bare<VerificationAnswer>(verificationShown(ignoredOf(decision)));
    },
  }),
  backup: view({
    route: "GET /v1/sys/rekey/backup",
    evidence: "observed",
    view: (reading) => {
      const { nonce, covered } = ignoredOf(reading).rekeyBackup ?? refuse("rekey_backup_missing", {});
      // One key may get several shares.
      const sharesOf = (key: string) =>
        covered.filter(({ fingerprint }) => fingerprint === key).map(({ share }) => share);
      const shown = (form: (share: string) => string) =>
        Object.fromEntries(covered.map(({ fingerprint }) => [fingerprint, sharesOf(fingerprint).map(form)]));
      return repeatingData(enveloped({ nonce, keys: shown(hexOf), keys_base64: shown(String) }));
    },
  }),
  deleteBackup: command({
    route: "DELETE /v1/sys/rekey/backup",
    evidence: "observed",
    decide: (decision) => {
      const { cluster } = decision.caller;
      if (ignoredOf(decision).rekeyBackup !== undefined)
        decision.record({ type: "RekeyBackupDeleted", data: { cluster } });
      return done();
    },
  }),
};

/** A verification as its answers show it. */
export interface VerificationShown {
  readonly nonce: string;
  readonly started: boolean;
  readonly t: number;
  readonly n: number;
  readonly progress: number;
}

type VerificationAnswer = VerificationShown | { readonly nonce: string; readonly complete: true };

function readGiven(key: unknown): Promise<PgpKeyRead> {
  return typeof key === "string" ? readPgpKey(key) : Promise.resolve({ fault: "it is no text" });
}

function coverOf(keys: readonly string[], backup: boolean, read: readonly PgpKeyRead[] | undefined): RekeyCover {
  return { keys, fingerprints: keys.map((key, index) => goodKey(key, read?.[index]).fingerprint), backup };
}

const MOST_SHARES = 255;

function faultOf(shares: number, threshold: number): string | undefined {
  if (shares < 1) return "shares must be at least one";
  if (threshold < 1) return "threshold must be at least one";
  if (shares > 1 && threshold === 1) return "threshold must be greater than one for multiple shares";
  return shares > MOST_SHARES ? `shares must be less than ${MOST_SHARES + 1}` : undefined;
}

/** The new shares under their public keys, if the next share may bring them: encrypting takes its time, and is never the same twice. */
function coveredShares(reading: Asked): Promise<Plain> | undefined {
  const { rekey, seal } = ignoredOf(reading);
  if (rekey?.pgp === undefined || rekey.given.length + 1 < seal.threshold) return undefined;
  const { keys } = rekey.pgp;
  return Promise.all(
    rekey.shares.map((share, index) => encryptedToPgpKey(hexOf(share), keys[index] ?? "", reading.nowMs)),
  );
}

function hexOf(base64: string): string {
  return bytesToHex(bytesOfBase64(base64));
}

function coverShown(pgp: RekeyCover | undefined): Pick<RekeyShown, "pgp_fingerprints" | "backup"> {
  return { pgp_fingerprints: pgp?.fingerprints ?? null, backup: pgp?.backup === true };
}

function rekeyShown({ rekey, seal }: ClusterSlice & RekeySlice): RekeyShown {
  const { verificationNonce } = rekey ?? {};
  return {
    nonce: rekey?.nonce ?? "",
    started: rekey !== undefined,
    t: rekey?.threshold ?? 0,
    n: rekey?.shares.length ?? 0,
    progress: rekey === undefined || verificationNonce !== undefined ? 0 : rekey.given.length,
    required: seal.threshold,
    ...coverShown(rekey?.pgp),
    verification_required: rekey?.verified === true,
    ...(verificationNonce === undefined ? {} : { verification_nonce: verificationNonce }),
  };
}

function verificationShown({ rekey }: ClusterSlice & RekeySlice): VerificationShown {
  if (rekey === undefined) return refuse("rekey_not_started", {});
  const { threshold, shares, given, verificationNonce } = rekey;
  const progress = verificationNonce === undefined ? 0 : given.length;
  return {
    nonce: verificationNonce ?? "",
    started: verificationNonce !== undefined,
    t: threshold,
    n: shares.length,
    progress,
  };
}

function ignoredOf({ state, caller }: Asked | SecretsReading): ClusterSlice & RekeySlice {
  return clusterOf(state, caller.cluster).ignored;
}
