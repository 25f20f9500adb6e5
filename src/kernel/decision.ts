import type { AnyStateMachine, ContextFrom, EventFromLogic, StateValueFrom } from "xstate";
import type { EpochMs, LogPosition } from "./brand.ts";
import type { Caller } from "./commit.ts";
import type { Chart, Step } from "./machine.ts";
import type { Refusal } from "./outcome.ts";
import type { Draw } from "./randomness.ts";

/** A state and the instant at which it is looked at: what a view reads. */
export interface Reading<S, C extends Caller = Caller> {
  readonly state: S;
  readonly nowMs: EpochMs;
  readonly caller: C;
  /** For what an answer needs at random: a command's own stream, or that of the request. */
  readonly draw: Draw;
}

/**
 * What a decider decides with. From outside a decider is a pure function of state, input and (seed, position).
 *
 * Pass the decision on rather than its state: `const { state } = decision` is stale after a `record`.
 */
export interface Decision<S, E, C extends Caller = Caller> extends Reading<S, C> {
  /** The position that the commit will have. */
  readonly position: LogPosition;
  /** The state with all facts recorded so far. */
  readonly state: S;
  /** Adds a fact. Its data is frozen. */
  record(event: E): void;
  /**
   * Does something that may end early. What it recorded is dropped when it refused, and kept when it failed keeping facts;
   * either way the decision goes on.
   */
  attempt<R>(work: () => R): Attempt<R>;
  /** Asks a chart, as `step` does, and notes the answer for explanations of this command. */
  step<X extends AnyStateMachine>(
    chart: Chart<X>,
    value: StateValueFrom<X>,
    judgement: ContextFrom<X>,
    move: EventFromLogic<X>,
  ): Step<X> | undefined;
}

/** What came of an attempt. */
export type Attempt<R> = { readonly ok: true; readonly result: R } | { readonly ok: false; readonly refusal: Refusal };

/** Decides one kind of command: records facts and returns a result, or refuses. */
export type Decider<S, E, C extends Caller = Caller, I = unknown, R = unknown> = (
  decision: Decision<S, E, C>,
  input: I,
) => R;
