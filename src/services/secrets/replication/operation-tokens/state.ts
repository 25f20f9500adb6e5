import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import type { Table } from "../../../../kernel/table.ts";
import type { InCluster } from "../../place.ts";

// Source of all rules in this file: decisions-replication.md, 8. All of it is of class ignored: nobody receives it.

/** A token that makes up for all others on a disaster-recovery secondary. */
export interface DrOperationToken {
  readonly createdAtMs: number;
}

/** Holders of key shares are making a token: there is one attempt at a time. */
export interface GenerationAttempt {
  readonly nonce: string;
  /** The shares given so far, in base64, in the order in which they came. */
  readonly given: readonly string[];
  readonly cover: TokenCover;
}

/** What is made with key shares. */
export type MadeToken = "operation" | "root";

/** Of a token, and so of the pad that hides one. */
export const TOKEN_LENGTH = 28;

/** What keeps the token from whoever sees the last answer: a one-time pad, or the key of the one who may read it. */
export type TokenCover =
  | { readonly kind: "otp"; readonly otp: string }
  | {
      readonly kind: "pgp";
      /** The public key as it was given, in base64. */
      readonly key: string;
      readonly fingerprint: string;
      /** Drawn with the attempt, because it has to be known before it is encrypted. Nobody may use it yet. */
      readonly token: string;
    };

export interface DrOperationTokenSlice {
  readonly drOperationTokens: Table<DrOperationToken>;
  /** An attempt to make such a token, or a root token; absent while there is none. */
  readonly generation?: GenerationAttempt;
}

/** The facts of these tokens. They and a running attempt end with the role that they serve, by whatever ends it. */
export interface DrOperationTokenEvents {
  DrOperationTokenAttemptStarted: InCluster & { readonly nonce: string; readonly cover: TokenCover };
  DrOperationTokenAttemptCancelled: InCluster;
  DrOperationTokenShareGiven: InCluster & { readonly share: string };
  /** Enough were given, and they made no key: all have to be given again. */
  DrOperationTokenSharesForgotten: InCluster;
  /** The token works, and the attempt that made it is over. */
  DrOperationTokenCreated: InCluster & { readonly token: string };
  DrOperationTokenDeleted: InCluster & { readonly token: string };
}

/** The facts of an attempt to make a root token. */
export interface RootGenerationEvents {
  RootTokenAttemptStarted: InCluster & { readonly nonce: string; readonly cover: TokenCover };
  RootTokenAttemptCancelled: InCluster;
  RootTokenShareGiven: InCluster & { readonly share: string };
  RootTokenSharesForgotten: InCluster;
  /** The token is there, and the attempt that made it is over. */
  RootTokenMade: InCluster;
}

export const drOperationTokenEvolvers: FlatEvolvers<DrOperationTokenSlice, DrOperationTokenEvents> = {
  DrOperationTokenAttemptStarted: (ignored, { nonce, cover }) => {
    ignored.generation = { nonce, given: NONE, cover };
  },
  DrOperationTokenAttemptCancelled: (ignored) => {
    delete ignored.generation;
  },
  DrOperationTokenShareGiven: (ignored, { share }) => {
    const { generation } = ignored;
    if (generation !== undefined) ignored.generation = { ...generation, given: [...generation.given, share] };
  },
  DrOperationTokenSharesForgotten: (ignored) => {
    const { generation } = ignored;
    if (generation !== undefined) ignored.generation = { ...generation, given: NONE };
  },
  DrOperationTokenCreated: (ignored, { token }, meta) => {
    ignored.drOperationTokens = ignored.drOperationTokens.set(token, { createdAtMs: meta.atMs });
    delete ignored.generation;
  },
  DrOperationTokenDeleted: (ignored, { token }) => {
    ignored.drOperationTokens = ignored.drOperationTokens.delete(token);
  },
};

const { DrOperationTokenAttemptStarted, DrOperationTokenAttemptCancelled } = drOperationTokenEvolvers;

export const rootGenerationEvolvers: FlatEvolvers<DrOperationTokenSlice, RootGenerationEvents> = {
  RootTokenAttemptStarted: DrOperationTokenAttemptStarted,
  RootTokenAttemptCancelled: DrOperationTokenAttemptCancelled,
  RootTokenShareGiven: drOperationTokenEvolvers.DrOperationTokenShareGiven,
  RootTokenSharesForgotten: drOperationTokenEvolvers.DrOperationTokenSharesForgotten,
  RootTokenMade: DrOperationTokenAttemptCancelled,
};

const NONE: readonly string[] = Object.freeze([]);
