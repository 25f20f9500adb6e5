import { command, promised, view } from "../declare.ts";
import { text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import { cancelGeneration, giveShareForToken, startGeneration } from "../replication/operation-tokens/decide.ts";
import {
  type Asked,
  type AttemptShown,
  attemptOf,
  attemptShown,
  encryptedForAttempt,
  goodKey,
  isText,
} from "../replication/operation-tokens/operations.ts";
import { type PgpKeyRead, readPgpKey } from "../replication/operation-tokens/pgp.ts";
import { type GenerationAttempt, TOKEN_LENGTH } from "../replication/operation-tokens/state.ts";
import { bare, done } from "../reply.ts";

// Source of all rules in this file: README.md, 3.

/** Who holds key shares needs no token. */
const BY_SHARES = { evidence: "observed", open: true } as const;

/** An attempt as its answers show it: every member is always there. */
export interface RootAttemptShown extends Required<AttemptShown> {
  readonly encoded_root_token: string;
}

/** A root token, from holders of key shares. */
export const rootTokenOperations = {
  attempt: view({
    route: "GET /v1/sys/generate-root/attempt",
    ...BY_SHARES,
    view: (reading) => bare(shown(reading, attemptOf(reading))),
  }),
  start: promised(
    command({
      route: "POST /v1/sys/generate-root/attempt",
      ...BY_SHARES,
      fields: { pgp_key: text, otp: text },
      prepare: (_, { pgp_key }) => (isText(pgp_key) ? readPgpKey(pgp_key) : undefined),
      decide: (decision, { pgp_key = "", otp = "", prepared }) => {
        if (otp !== "" && pgp_key !== "") refuse("generation_covers_exclusive", {});
        if (otp !== "" && otp.length !== TOKEN_LENGTH) refuse("generation_otp_length", {});
        const pgp = pgp_key === "" ? undefined : goodKey(pgp_key, prepared as PgpKeyRead | undefined);
        startGeneration(decision, "root", pgp, otp === "" ? undefined : otp);
        const attempt = attemptOf(decision);
        const pad = otp === "" && attempt?.cover.kind === "otp" ? attempt.cover.otp : "";
        return bare({ ...shown(decision, attempt), otp: pad });
      },
    }),
  ),
  cancel: command({
    route: "DELETE /v1/sys/generate-root/attempt",
    ...BY_SHARES,
    decide: (decision) => {
      cancelGeneration(decision, "root");
      return done();
    },
  }),
  update: promised(
    command({
      route: "POST /v1/sys/generate-root/update",
      ...BY_SHARES,
      fields: { key: text, nonce: text },
      prepare: encryptedForAttempt,
      decide: (decision, { key = "", nonce = "", prepared }) => {
        const encrypted = typeof prepared === "string" ? prepared : undefined;
        const { attempt, encodedToken: encoded = "" } = giveShareForToken(decision, "root", { key, nonce, encrypted });
        const complete = encoded !== "";
        return bare({ ...shown(decision, attempt), encoded_token: encoded, encoded_root_token: encoded, complete });
      },
    }),
  ),
};

function shown(reading: Asked, attempt: GenerationAttempt | undefined): RootAttemptShown {
  return {
    pgp_fingerprint: "",
    otp: "",
    otp_length: TOKEN_LENGTH,
    ...attemptShown(reading, attempt),
    encoded_root_token: "",
  };
}
