import type { AnyStateMachine, ContextFrom, EventFromLogic, StateValueFrom } from "xstate";
import type { EpochMs, LogPosition } from "./brand.ts";
import type { Caller, EventOf } from "./commit.ts";
import type { Step } from "./machine.ts";
import type { Draw } from "./randomness.ts";

/** A state and the instant at which it is looked at: what a view reads. */
export interface Reading<S, C extends Caller = Caller> {
  readonly state: S;
  readonly nowMs: EpochMs;
  readonly caller: C;
}

/**
 * What a decider decides with. From outside a decider is a pure function of state, input and (seed, position).
 *
 * Pass the decision on rather than its state: `const { state } = decision` is stale after a `record`.
 */
export interface Decision<S, M, C extends Caller = Caller> extends Reading<S, C> {
  /** The position that the commit will have. */
  readonly position: LogPosition;
  /** The state with all facts recorded so far. */
  readonly state: S;
  /** The command's own random stream. */
  readonly draw: Draw;
  /** Adds a fact. Its data is frozen. */
  record(event: EventOf<M>): void;
  /** Asks a chart, as `step` does, and notes the answer for whoever explains this command. */
  step<X extends AnyStateMachine>(
    machine: X,
    value: StateValueFrom<X>,
    judgement: ContextFrom<X>,
    move: EventFromLogic<X>,
  ): Step<X> | undefined;
}

/** Decides one kind of command: records facts and returns a result, or refuses. */
export type Decider<S, M, C extends Caller = Caller, I = unknown, R = unknown> = (
  decision: Decision<S, M, C>,
  input: I,
) => R;
