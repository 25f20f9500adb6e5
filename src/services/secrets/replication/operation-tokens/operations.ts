import type { Plain } from "../../../../kernel/plain.ts";
import { command, promised, type SecretsReading, view } from "../../declare.ts";
import { text } from "../../fields.ts";
import { refuse } from "../../rejections.ts";
import { bare, done } from "../../reply.ts";
import { clusterOf } from "../../world.ts";
import { guardDrOperation, guardDrSecondary } from "../guards.ts";
import { cancelGeneration, deleteOperationToken, giveShareForToken, type ReadKey, startGeneration } from "./decide.ts";
import { encryptedToPgpKey, type PgpKeyRead, readPgpKey } from "./pgp.ts";
import { type GenerationAttempt, TOKEN_LENGTH } from "./state.ts";

// Source of all rules in this file: secrets.md, "DR operation token generation"; decisions-replication.md, 8.1 to 8.3.

const PATH = "/v1/sys/replication/dr/secondary/generate-operation-token";

/** Who holds key shares needs no token, and a cluster that is no disaster-recovery secondary has none to give. */
const BY_SHARES = {
  evidence: "observed",
  enterprise: true,
  open: true,
  onDrSecondary: true,
  guard: guardDrSecondary,
} as const;

/** An attempt as its answers show it. */
export interface AttemptShown {
  readonly started: boolean;
  readonly nonce: string;
  /** Key shares given. */
  readonly progress: number;
  /** Key shares needed. */
  readonly required: number;
  /** Empty until the last share was given. */
  readonly encoded_token: string;
  readonly complete: boolean;
  /** Only where a public key covers the token. */
  readonly pgp_fingerprint?: string;
  /** Only in the answer that starts an attempt without such a key. */
  readonly otp?: string;
  readonly otp_length?: number;
}

/** Operation tokens of a disaster-recovery secondary. */
export const operationToken = {
  attempt: view({
    route: `GET ${PATH}/attempt`,
    ...BY_SHARES,
    view: (reading) => bare(attemptShown(reading, attemptOf(reading))),
  }),
  start: promised(
    command({
      route: `POST ${PATH}/attempt`,
      ...BY_SHARES,
      evidence: "chosen",
      fields: { pgp_key: text },
      prepare: (_, { pgp_key }) => (isText(pgp_key) ? readPgpKey(pgp_key) : undefined),
      decide: (decision, { pgp_key = "", prepared }) => {
        startGeneration(
          decision,
          "operation",
          pgp_key === "" ? undefined : goodKey(pgp_key, prepared as PgpKeyRead | undefined),
        );
        const attempt = attemptOf(decision);
        const shown = attemptShown(decision, attempt);
        if (attempt?.cover.kind !== "otp") return bare(shown);
        return bare<AttemptShown>({ ...shown, otp: attempt.cover.otp, otp_length: TOKEN_LENGTH });
      },
    }),
  ),
  cancel: command({
    route: `DELETE ${PATH}/attempt`,
    ...BY_SHARES,
    decide: (decision) => {
      cancelGeneration(decision, "operation");
      return done();
    },
  }),
  update: promised(
    command({
      route: `POST ${PATH}/update`,
      ...BY_SHARES,
      fields: { key: text, nonce: text },
      prepare: encryptedForAttempt,
      decide: (decision, { key = "", nonce = "", prepared }) => {
        const encrypted = typeof prepared === "string" ? prepared : undefined;
        const { attempt, encodedToken } = giveShareForToken(decision, "operation", { key, nonce, encrypted });
        const shown = attemptShown(decision, attempt);
        if (encodedToken === undefined) return bare(shown);
        return bare<AttemptShown>({ ...shown, encoded_token: encodedToken, complete: true });
      },
    }),
  ),
  delete: command({
    route: "POST /v1/sys/replication/dr/secondary/operation-token/delete",
    evidence: "chosen",
    enterprise: true,
    onDrSecondary: true,
    guard: guardDrOperation,
    fields: { dr_operation_token: text },
    decide: (decision, { dr_operation_token = "" }) => {
      deleteOperationToken(decision, dr_operation_token);
      return done();
    },
  }),
};

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function goodKey(key: string, read: PgpKeyRead | undefined): ReadKey {
  const { fingerprint } =
    read !== undefined && "fingerprint" in read ? read : refuse("pgp_key_malformed", reasonOf(read));
  return { key, fingerprint };
}

function reasonOf(read: PgpKeyRead | undefined): { readonly reason: string } {
  return { reason: read !== undefined && "fault" in read ? read.fault : "it was not read" };
}

/** The token that the next share may bring, for who alone can read it: encrypting takes its time, and is never the same twice. */
export function encryptedForAttempt(reading: Asked): Promise<Plain> | undefined {
  const { generation } = clusterOf(reading.state, reading.caller.cluster).ignored;
  if (generation?.cover.kind !== "pgp") return undefined;
  const { given, cover } = generation;
  if (given.length + 1 < thresholdOf(reading)) return undefined;
  return encryptedToPgpKey(cover.token, cover.key, reading.nowMs);
}

/** Of a request as much as an attempt depends on. */
export type Asked = Omit<SecretsReading, "draw">;

export function attemptOf({ state, caller }: Asked): GenerationAttempt | undefined {
  return clusterOf(state, caller.cluster).ignored.generation;
}

function thresholdOf({ state, caller }: Asked): number {
  return clusterOf(state, caller.cluster).ignored.seal.threshold;
}

export function attemptShown(reading: Asked, attempt: GenerationAttempt | undefined): AttemptShown {
  return {
    started: attempt !== undefined,
    nonce: attempt?.nonce ?? "",
    progress: attempt?.given.length ?? 0,
    required: thresholdOf(reading),
    encoded_token: "",
    complete: false,
    ...(attempt?.cover.kind === "pgp" ? { pgp_fingerprint: attempt.cover.fingerprint } : {}),
  };
}
