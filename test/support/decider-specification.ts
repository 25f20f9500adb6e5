import { expect } from "vitest";
import { type EpochMs, epochMs } from "../../src/kernel/brand.ts";
import { VirtualClock } from "../../src/kernel/clock.ts";
import type { Command, Commit, EventOf } from "../../src/kernel/commit.ts";
import type { Decider, Decision } from "../../src/kernel/decision.ts";
import { foldCommit } from "../../src/kernel/fold.ts";
import { hashOf, hexOf } from "../../src/kernel/hash.ts";
import type { Model } from "../../src/kernel/model.ts";
import type { Outcome } from "../../src/kernel/outcome.ts";
import { Draw } from "../../src/kernel/randomness.ts";
import { Timeline } from "../../src/kernel/timeline.ts";

/**
 * The `nth` text (from 1) that the command under test draws: in a specification texts are not random, so that whole events
 * can be written down.
 *
 * @param length how many characters the decider asks for
 * @example
 * drawn(2, 12); // "drawn-2....."
 */
export function drawn(nth: number, length: number): string {
  return `drawn-${nth}`.padEnd(length, ".").slice(0, length);
}

/** How the world of a specification came about, step by step. */
interface Given<E> {
  /** One more commit of the past, with these facts. */
  given(...facts: E[]): Given<E>;
  /** Time passes, and whatever is due by then fires. */
  after(ms: number): Given<E>;
  /** The command arrives. */
  when(command: Command): When<E>;
}

/** What a command has to come to. */
interface When<E> {
  /** It is accepted, and exactly these facts are recorded. */
  then(...facts: E[]): void;
  /** It is accepted, and nothing is recorded: the log stays as it was. */
  thenNothing(): void;
  /** It is refused, and all is as it was. */
  thenRefused(code: string, data: object): void;
  /** It is answered with an error, but exactly these facts are kept. */
  thenFailed(code: string, facts: readonly E[]): void;
  /** It is accepted with this result, whatever it records. */
  thenAnswered(result: unknown): void;
}

/** A command that records the facts of the past, whatever they are. */
const PAST = "specification.past";

/**
 * Specifies deciders by example: given past facts, when a command arrives, then exactly these facts, or this refusal.
 *
 * Bind it once for a model. Facts are asserted whole, with a fixed now; what is drawn as text reads `drawn(1, length)`.
 *
 * @example
 * const { given } = deciderSpecification({ model, initialState, startAtMs });
 * given(setCreated("svc-a")).when(checkOut("ops")).then(checkedOut("svc-a"), leaseIssued("svc-a"));
 * given(setCreated("svc-a"), checkedOut("svc-a")).when(deleteSet("ops")).thenRefused("account_checked_out", { account: "svc-a" });
 */
export function deciderSpecification<S extends object, M extends object>(world: {
  readonly model: Model<S, M>;
  readonly initialState: S;
  readonly startAtMs: EpochMs;
}): Given<EventOf<M>> {
  return steps(world, []);
}

type World<S extends object, M extends object> = Parameters<typeof deciderSpecification<S, M>>[0];
type Step<E> = { readonly facts: readonly E[] } | { readonly afterMs: number };

function steps<S extends object, M extends object>(
  world: World<S, M>,
  past: readonly Step<EventOf<M>>[],
): Given<EventOf<M>> {
  return {
    given: (...facts) => steps(world, [...past, { facts }]),
    after: (afterMs) => steps(world, [...past, { afterMs }]),
    when: (command) => asked(world, past, command),
  };
}

function asked<S extends object, M extends object>(
  world: World<S, M>,
  past: readonly Step<EventOf<M>>[],
  command: Command,
): When<EventOf<M>> {
  const { model, initialState, startAtMs } = world;
  const timeline = Timeline.begin(readable(model, command), { seed: 1, startAtMs, initialState, checkpointEvery: 32 });
  const clock = new VirtualClock(timeline, 1_000);
  for (const step of past) {
    if ("afterMs" in step) clock.advanceTo(epochMs(timeline.nowMs + step.afterMs));
    else timeline.execute({ name: PAST, input: null, caller: { facts: step.facts as never }, via: "control" });
  }
  const before = { state: timeline.state, position: timeline.position, nowMs: timeline.nowMs };
  const outcome = timeline.execute(command);

  const nothingHappened = (): void => {
    expect(outcome.commit).toBeUndefined();
    expect(timeline.state).toBe(before.state);
    expect({ position: timeline.position, nowMs: timeline.nowMs }).toEqual({
      position: before.position,
      nowMs: before.nowMs,
    });
  };
  const happened = (facts: readonly EventOf<M>[]): void => {
    const events = outcome.commit?.events ?? [];
    expect(events).toEqual(facts.map((fact) => ({ type: fact.type, v: expect.any(Number), data: fact.data })));
    const folded = foldCommit(model, before.state, outcome.commit as Commit);
    expect(hexOf(hashOf(folded))).toBe(hexOf(hashOf(timeline.state)));
  };
  return {
    // biome-ignore lint/suspicious/noThenProperty: given, when, then: nobody awaits it
    then: (...facts) => {
      expectKind(outcome, "accepted");
      happened(facts);
    },
    thenNothing: () => {
      expectKind(outcome, "accepted");
      nothingHappened();
    },
    thenRefused: (code, data) => {
      expectKind(outcome, "rejected", code);
      const refusal = refusalOf(outcome);
      expect({ code: refusal?.code, data: refusal?.data }).toEqual({ code, data });
      nothingHappened();
    },
    thenFailed: (code, facts) => {
      expectKind(outcome, "failed", code);
      expect(outcome.commit?.failed).toBe(code);
      happened(facts);
    },
    thenAnswered: (result) => {
      expectKind(outcome, "accepted");
      expect((outcome as { readonly result: unknown }).result).toEqual(result);
    },
  };
}

function expectKind(outcome: Outcome<unknown>, kind: Outcome<unknown>["kind"], code?: string): void {
  const shown = (is: string, refusal: string | undefined): string => (refusal === undefined ? is : `${is} ${refusal}`);
  expect(shown(outcome.kind, refusalOf(outcome)?.code)).toBe(shown(kind, code));
}

function refusalOf(outcome: Outcome<unknown>): { readonly code: string; readonly data: object } | undefined {
  return outcome.kind === "accepted" ? undefined : outcome.refusal;
}

/** The model with a command for the past, and with readable texts for the command under test. */
function readable<S extends object, M extends object>(model: Model<S, M>, underTest: Command): Model<S, M> {
  type Facts = readonly EventOf<M>[];
  const recordPast: Decider<S, EventOf<M>> = (decision) => {
    for (const fact of (decision.caller as unknown as { readonly facts: Facts }).facts) decision.record(fact);
  };
  return {
    ...model,
    deciderOf: (command) => {
      if (command.name === PAST) return recordPast;
      const decide = model.deciderOf(command);
      if (command !== underTest || decide === undefined) return decide;
      return (decision, input) => decide(withReadableTexts(decision), input);
    },
  };
}

function withReadableTexts<S, E>(decision: Decision<S, E>): Decision<S, E> {
  const draw = new ReadableDraw("specification");
  return {
    draw,
    position: decision.position,
    nowMs: decision.nowMs,
    caller: decision.caller,
    get state() {
      return decision.state;
    },
    record: (event) => decision.record(event),
    attempt: (work) => decision.attempt(work),
    step: (machine, value, judgement, move) => decision.step(machine, value, judgement, move),
  };
}

class ReadableDraw extends Draw {
  #texts = 0;

  override text(_alphabet: string, length: number): string {
    this.#texts += 1;
    return drawn(this.#texts, length);
  }
}
