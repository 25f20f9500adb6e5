import type { AnyStateMachine, ContextFrom, EventFromLogic, StateValueFrom } from "xstate";
import type { EpochMs, LogPosition } from "./brand.ts";
import type { Caller, EventOf, RecordedEvent } from "./commit.ts";
import type { Attempt, Decision } from "./decision.ts";
import { FoldPass, foldEvents, settled } from "./fold.ts";
import { type Chart, guardsOf, machineOf, type Step, step } from "./machine.ts";
import type { Model } from "./model.ts";
import { Ending, type Move, type Refusal, type RefusedMove } from "./outcome.ts";
import { deepFreeze } from "./plain.ts";
import type { Draw } from "./randomness.ts";

/** A decision under way: what it recorded, and the state with it folded in when somebody asks. */
export class Deciding<S extends object, M extends object> implements Decision<S, EventOf<M>> {
  readonly position: LogPosition;
  readonly nowMs: EpochMs;
  readonly caller: Caller;
  readonly draw: Draw;
  readonly moves: Move[] = [];
  readonly #model: Model<S, M>;
  readonly #before: S;
  readonly #pass: FoldPass;
  #events: RecordedEvent[] = [];
  #state: S;
  #folded = 0;
  /** What the chart that was asked last said no to; undefined when it said yes. */
  #refusedMove: RefusedMove | undefined;
  /** The caller whose deadline the next fold takes away; null once it has. */
  #fired: Caller;

  constructor(model: Model<S, M>, before: S, position: LogPosition, nowMs: EpochMs, caller: Caller, draw: Draw) {
    this.#model = model;
    this.#before = before;
    this.#state = before;
    this.#fired = caller;
    this.position = position;
    this.nowMs = nowMs;
    this.caller = caller;
    this.draw = draw;
    this.#pass = new FoldPass(position, nowMs);
  }

  get events(): readonly RecordedEvent[] {
    return this.#events;
  }

  get state(): S {
    if (this.#folded < this.#events.length) this.#fold();
    return this.#state;
  }

  #fold(): void {
    const pending = this.#folded === 0 ? this.#events : this.#events.slice(this.#folded);
    this.#state = foldEvents(this.#model, this.#state, pending, this.#fired, this.#pass);
    this.#folded = this.#events.length;
    this.#fired = null;
  }

  record(event: EventOf<M>): void {
    const v = this.#model.versions?.[event.type] ?? 1;
    this.#events.push(Object.freeze({ type: event.type, v, data: deepFreeze(event.data) }));
  }

  step<X extends AnyStateMachine>(
    chart: Chart<X>,
    value: StateValueFrom<X>,
    judgement: ContextFrom<X>,
    move: EventFromLogic<X>,
  ): Step<X> | undefined {
    const next = step(chart, value, judgement, move);
    const { type: event } = move as { readonly type: string };
    const machine = machineOf(chart);
    if (next === undefined) {
      const refusedBy = guardsOf(machine, value, event);
      const stateDescription = machine.root.states[value]?.description;
      const asked = { machine: machine.id, event, from: value, stateDescription };
      this.#refusedMove = { ...asked, refusedBy, judgement };
    } else {
      this.#refusedMove = undefined;
      this.moves.push({ machine: machine.id, from: value, to: next.value, event, description: next.description });
    }
    return next;
  }

  /** A refusal, with the chart that said no: the last that was asked. */
  refusalOf({ refusal }: Ending): Refusal {
    const refusedMove = this.#refusedMove;
    return refusedMove === undefined ? refusal : { ...refusal, refusedMove };
  }

  attempt<R>(work: () => R): Attempt<R> {
    const before = { events: this.#events.length, folded: this.#folded, state: this.#state, fired: this.#fired };
    const ordinal = this.#pass.ordinal;
    try {
      return { ok: true, result: work() };
    } catch (ending) {
      if (!(ending instanceof Ending)) throw ending;
      if (!ending.keepsFacts) {
        this.#events.length = before.events;
        if (this.#folded > before.events) {
          this.#folded = before.folded;
          this.#state = before.state;
          this.#fired = before.fired;
          this.#pass.ordinal = ordinal;
        }
      }
      return { ok: false, refusal: this.refusalOf(ending) };
    }
  }

  /** Drops what was recorded: the command is rejected. */
  forget(): void {
    this.#events = [];
    this.#folded = 0;
    this.#state = this.#before;
    this.#fired = this.caller;
  }

  /** The state after the commit. */
  settled(): S {
    if (this.#folded < this.#events.length || this.#fired?.["deadline"] !== undefined) this.#fold();
    return settled(this.#model, this.#before, this.#state, this.#pass);
  }
}
