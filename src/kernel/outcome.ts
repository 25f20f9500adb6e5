import type { Commit } from "./commit.ts";
import type { Draw } from "./randomness.ts";

/** Why a command was not done: a stable code, and what a caller would want to know. */
export interface Refusal {
  readonly code: string;
  readonly data: object;
  /** The chart that said no, where it was one. */
  readonly refusedMove?: RefusedMove;
}

/** A machine's step that a decision asked for, for whoever explains it. */
export interface Move {
  readonly machine: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly event: string;
  /** What the move is, in a sentence of the chart. */
  readonly description: string | undefined;
}

/** A move that a chart did not allow. */
export interface RefusedMove {
  readonly machine: string;
  readonly event: string;
  readonly from: unknown;
  /** What the state is that it was refused in, in a sentence of the chart. */
  readonly stateDescription: string | undefined;
  /** The guards that said no, in the order in which the chart asks them; none where the state does not have the move. */
  readonly refusedBy: readonly string[];
  /** What they were told. */
  readonly judgement: object;
}

interface Decided {
  /** What the command left in the log; absent when it left nothing. */
  readonly commit: Commit | undefined;
  /** For what the answer needs at random without being a fact. */
  readonly draw: Draw;
  readonly moves: readonly Move[];
}

/**
 * The three outcomes of a command (design, invariant 2): accepted with a result; rejected, and all is as it was; or failed,
 * an error whose facts were kept.
 */
export type Outcome<R> =
  | (Decided & { readonly kind: "accepted"; readonly result: R })
  | (Decided & { readonly kind: "rejected"; readonly refusal: Refusal; readonly commit: undefined })
  | (Decided & { readonly kind: "failed"; readonly refusal: Refusal; readonly commit: Commit });

/** How a decider ends early. Thrown by `refuse` and `failKeepingFacts`, caught by the timeline, seen by nobody else. */
export class Ending {
  readonly refusal: Refusal;
  readonly keepsFacts: boolean;

  constructor(refusal: Refusal, keepsFacts: boolean) {
    this.refusal = refusal;
    this.keepsFacts = keepsFacts;
  }
}

/** A map from refusal codes to the data they carry. */
export type RefusalMap = object;

/** The two ways out of a decider, typed for the codes of a service. */
export interface Refusals<C extends RefusalMap> {
  /** Ends the command; state, log, clock and randomness stay as they were. */
  readonly refuse: <T extends keyof C & string>(code: T, data: C[T]) => never;
  /** Ends the command with an error, but the facts recorded so far happened. Without any it is a plain refusal. */
  readonly failKeepingFacts: <T extends keyof C & string>(code: T, data: C[T]) => never;
}

/** Binds the two ways out to the codes of a service. */
export function refusalsOf<C extends RefusalMap>(): Refusals<C> {
  return {
    refuse: (code, data) => {
      throw new Ending({ code, data: data as object }, false);
    },
    failKeepingFacts: (code, data) => {
      throw new Ending({ code, data: data as object }, true);
    },
  };
}
