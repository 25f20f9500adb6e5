import { type EpochMs, epochMs } from "../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import { AUTHOR } from "../kernel/commit.ts";
import type { Host } from "../kernel/host.ts";
import type { Noted } from "../kernel/journal.ts";
import { BrokenOff, connectionReset, unreachable } from "../services/kit/connection.ts";
import type { HttpAsked, WireAnswer } from "../services/kit/http.ts";
import { type Fault, faultMet, type Line, type LineWorld, lineOf } from "../surroundings/faults/line.ts";
import type { RequestSeen } from "../surroundings/faults/rules.ts";
import { inTurn } from "./in-turn.ts";

/** A request that sets out, and who answers where it arrives. */
export interface Way {
  readonly seen: RequestSeen;
  readonly asked: HttpAsked;
  /** Whether its answer may wait for time itself. */
  readonly waits: boolean;
  /** Is told what happens to it. */
  readonly noted: Noted | undefined;
  readonly answers: (asked: HttpAsked) => WireAnswer | Promise<WireAnswer>;
}

/** Is told of each request that sets out in a world, before anything happens to it. */
export type Observer = (host: Host<LineWorld>, seen: RequestSeen, asked: HttpAsked) => void;

const observers = new WeakMap<object, Observer>();

/** Calls an observer before each request of a world. */
export function observeRequests({ turns }: Pick<Host<unknown>, "turns">, observer: Observer): void {
  observers.set(turns, observer);
}

export function isObserved({ turns }: Pick<Host<unknown>, "turns">): boolean {
  return observers.has(turns);
}

const gates = new WeakMap<object, () => Promise<void>>();

/** Lets each request of a program wait for a turn before it sets out. */
export function gateRequests({ turns }: Pick<Host<unknown>, "turns">, gate: () => Promise<void>): void {
  gates.set(turns, gate);
}

/** An answer that is on its way: nobody waits for his turn because of it. */
class UnderWay {
  readonly answer: Promise<WireAnswer>;

  constructor(answer: Promise<WireAnswer>) {
    this.answer = answer;
  }
}

/**
 * The answer to a request that goes by the line of its program, and meets what happens there: it is decided when it arrives, and answered
 * when the answer arrives (control-surface.md, "Their line").
 *
 * @throws TypeError as `fetch` does, for a connection that is not there or breaks
 */
export function alongLine(host: Host<LineWorld>, way: Way): WireAnswer | Promise<WireAnswer> {
  const setsOut = () => inItsTurn(host, way.asked, way.waits, () => setOut(host, way));
  const gate = host.program === AUTHOR ? undefined : gates.get(host.turns);
  return gate === undefined ? setsOut() : gate().then(setsOut);
}

/** Decides a request in its turn. A clock that waits for everybody waits for what is prepared, and not for what waits for time. */
export function inItsTurn(
  host: Host<object>,
  { method, url }: HttpAsked,
  waits: boolean,
  decide: () => WireAnswer | UnderWay | Promise<WireAnswer | UnderWay>,
): WireAnswer | Promise<WireAnswer> {
  const decided = inTurn(host.turns, !waits, decide);
  if (!(decided instanceof Promise)) return decided instanceof UnderWay ? decided.answer : decided;
  if (!waits) void host.hold(`${method} ${url.href}`, decided);
  return decided.then((made) => (made instanceof UnderWay ? made.answer : made));
}

function setOut(host: Host<LineWorld>, way: Way): WireAnswer | UnderWay | Promise<WireAnswer | UnderWay> {
  const { asked, seen, waits, noted } = way;
  asked.signal?.throwIfAborted();
  observers.get(host.turns)?.(host, seen, asked);
  const line = lineOf(host.program, seen);
  if (line.isCut(host.state)) {
    noted?.met(line.cut);
    throw unreachable(asked.url.origin, host.program);
  }
  const fault = faultMet(host, seen);
  if (fault?.effect.kind === "hang") {
    noted?.met(fault.effect.kind);
    return new UnderWay(until(host, asked, Number.POSITIVE_INFINITY, never));
  }
  const thereMs = line.lagMsThere(host.state) + (fault?.effect.kind === "delay" ? fault.effect.byMs : 0);
  if (thereMs === 0) return arrive(host, way, line, fault);
  const arrived = (): WireAnswer | Promise<WireAnswer> => {
    refuseCut(host, way, line);
    return inItsTurn(host, asked, waits, () => arrive(host, way, line, fault));
  };
  return new UnderWay(until(host, asked, host.nowMs + thereMs, arrived));
}

function never(): never {
  throw new Error("time has come to its end");
}

/** A connection does not outlive its line. */
function refuseCut({ state }: Host<LineWorld>, { noted }: Way, line: Line): void {
  if (!line.isCut(state)) return;
  noted?.met(line.cut);
  throw connectionReset();
}

function arrive(
  host: Host<LineWorld>,
  way: Way,
  line: Line,
  fault: Fault | undefined,
): WireAnswer | UnderWay | Promise<WireAnswer | UnderWay> {
  const { asked, noted, answers } = way;
  const effect = fault?.effect;
  if (effect?.kind === "lose-request" || (effect?.kind === "reset" && effect.after === undefined)) {
    noted?.met(effect.kind);
    throw connectionReset();
  }
  const answer = answers(effect?.kind === "status" ? { ...asked, failsWith: effect.status } : asked);
  const back = (made: WireAnswer): WireAnswer | UnderWay => {
    const carried = (): WireAnswer => withFault(host, way, line, made, fault);
    const backMs = line.lagMsBack(host.state);
    if (backMs === 0) return carried();
    const arrived = (): WireAnswer => {
      refuseCut(host, way, line);
      return carried();
    };
    return new UnderWay(until(host, asked, host.nowMs + backMs, arrived));
  };
  return answer instanceof Promise ? answer.then(back) : back(answer);
}

/** The answer as it arrives. @throws TypeError for one that is lost */
function withFault(
  host: Host<LineWorld>,
  way: Way,
  line: Line,
  answer: WireAnswer,
  fault: Fault | undefined,
): WireAnswer {
  if (fault === undefined) return answer;
  const { effect } = fault;
  way.noted?.met(effect.kind);
  const made = { ...answer, fault };
  switch (effect.kind) {
    case "lose-answer":
      throw connectionReset();
    case "reset":
      return brokenAfter(made, effect.after ?? 0, true);
    case "truncate":
      return brokenAfter(made, effect.bytes, false);
    case "slow":
      return made.body === null
        ? made
        : { ...made, pieces: slowly(host, way, line, bytesOf(made.body), effect.bytesPerSecond) };
    case "status": {
      const headers = { ...made.headers, ...effect.headers };
      if (effect.body === undefined || made.body === null) return { ...made, headers };
      return { ...made, headers, body: typeof effect.body === "string" ? effect.body : JSON.stringify(effect.body) };
    }
    case "delay":
    case "hang":
    case "lose-request":
      return made;
    default:
      return effect satisfies never;
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

function bytesOf(body: string | Bytes): Bytes {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** An answer whose connection ends after so many bytes of its body. One that is shorter has come as a whole by then. */
function brokenAfter<A extends WireAnswer>(answer: A, bytes: number, isReset: boolean): A {
  if (answer.body === null) return answer;
  const whole = bytesOf(answer.body);
  return bytes >= whole.length ? answer : { ...answer, pieces: begun(whole.subarray(0, bytes), isReset) };
}

async function* begun(piece: Bytes, isReset: boolean): AsyncGenerator<Bytes> {
  if (piece.length > 0) yield piece;
  throw new BrokenOff(isReset);
}

const MS_PER_SECOND = 1000;

/** A body of which so many bytes come in each second of virtual time, as long as the line is there. */
function slowly(
  host: Host<LineWorld>,
  { asked, noted }: Way,
  line: Line,
  body: Bytes,
  bytesPerSecond: number,
): AsyncIterable<Bytes> {
  const beganMs = host.nowMs;
  return (async function* () {
    for (let from = 0; from < body.length; from += bytesPerSecond) {
      const piece = body.subarray(from, from + bytesPerSecond);
      const dueMs = beganMs + Math.ceil(((from + piece.length) * MS_PER_SECOND) / bytesPerSecond);
      const isCut = await until(host, asked, dueMs, () => line.isCut(host.state));
      if (isCut) {
        noted?.met(line.cut);
        throw new BrokenOff(true);
      }
      yield piece;
    }
  })();
}

/** What is done at an instant, or at once where it has passed; who gives the request up does not wait for it. */
function until<T>(
  host: Host<LineWorld>,
  { method, url, signal }: HttpAsked,
  ms: number,
  then: () => T | Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (ms <= host.nowMs) {
      resolve(then());
      return;
    }
    const untilMs = ms > LAST_INSTANT_MS ? NEVER_MS : epochMs(ms);
    const ends = { changed: () => false, expired: () => resolve(then()), failed: reject };
    host.wait({ request: `${method} ${url.href}`, untilMs }, NOTHING, ends, signal);
  });
}

const NEVER_MS = Number.POSITIVE_INFINITY as EpochMs;

/** What never changes. */
const NOTHING = { name: "nothing", of: () => undefined };
