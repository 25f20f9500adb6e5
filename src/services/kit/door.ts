import type { Behind } from "../../kernel/behind.ts";
import type { LogPosition } from "../../kernel/brand.ts";
import type { Caller, Command } from "../../kernel/commit.ts";
import type { Decider, Decision, Reading } from "../../kernel/decision.ts";
import type { Host } from "../../kernel/host.ts";
import type { Noted } from "../../kernel/journal.ts";
import { Ending, type Refusal } from "../../kernel/outcome.ts";
import type { Plain } from "../../kernel/plain.ts";
import type { Draw } from "../../kernel/randomness.ts";
import type { Operation } from "./operation.ts";
import type { Registry } from "./registry.ts";

/** What came of a request that was not refused. */
export interface Accepted<R> {
  readonly reply: R;
  /** For what the answer needs at random. */
  readonly draw: Draw;
  /** The commit that the request made, if it made one. */
  readonly commit?: LogPosition | undefined;
}

/** What came of a request that was refused. */
export interface Refused {
  readonly refusal: Refusal;
  /** For what the answer needs at random. */
  readonly draw: Draw;
  /** The commit of what happened nevertheless. */
  readonly commit?: LogPosition | undefined;
}

/** How a service puts what came of a request of its own: `Q` is the request, `R` what handlers give, `A` the answer. */
export interface Manners<W, Q, R, A> {
  readonly accepted: (host: Host<W>, request: Q, accepted: Accepted<R>) => A;
  readonly refused: (host: Host<W>, request: Q, refused: Refused) => A;
  /** The refusal of a command by a view of the past. */
  readonly past: Refusal;
}

/** The refusal of a command by a view of the past, where a service has no other one. */
export const PAST_IS_READ_ONLY: Refusal = Object.freeze({ code: "past_is_read_only", data: Object.freeze({}) });

/** The way of every request, typed or from the wire, to whatever answers it. */
export class Door<W extends object, Q extends { readonly caller: Caller }, R, A> {
  readonly #manners: Manners<W, Q, R, A>;

  constructor(manners: Manners<W, Q, R, A>) {
    this.#manners = manners;
  }

  /** Answers a request that only reads. */
  read<C extends Q["caller"]>(host: Host<W>, request: Q, view: (reading: Reading<W, C>) => R): A {
    const draw = host.serve();
    const reading = { state: host.state, nowMs: host.nowMs, caller: request.caller as C, draw };
    try {
      return this.#manners.accepted(host, request, { reply: view(reading), draw });
    } catch (ending) {
      if (ending instanceof Ending) return this.#manners.refused(host, request, { refusal: ending.refusal, draw });
      throw ending;
    }
  }

  /** Answers a request that may change facts; the past is read-only. */
  execute(host: Host<W>, request: Q, command: Command): A {
    const { accepted, refused, past } = this.#manners;
    if (!host.takesCommands) return refused(host, request, { refusal: past, draw: host.serve() });
    return host.execute(command, (outcome) => {
      const { draw } = outcome;
      const commit = outcome.commit?.position;
      if (outcome.kind !== "accepted") return refused(host, request, { refusal: outcome.refusal, draw, commit });
      return accepted(host, request, { reply: outcome.result as R, draw, commit });
    });
  }

  /** Answers with a refusal that no handler made. */
  refuse(host: Host<W>, request: Q, refusal: Refusal): A {
    return this.#manners.refused(host, request, { refusal, draw: host.serve() });
  }
}

/** A request that no operation answers, as the log keeps it when it left a fact. */
export function unroutedOf(service: string): string {
  return `${service}.unrouted`;
}

/** Finds who decides a request of a service from its command alone; undefined for a command of somebody else. */
export function requestDeciders<O extends Operation, W, E, C extends Caller>(
  { service, byName }: Registry<O>,
  decide: (decision: Decision<W, E, C>, operation: O | undefined, input: { readonly [name: string]: Plain }) => unknown,
): (name: string) => Decider<W, E, C> | undefined {
  const unrouted = unroutedOf(service);
  return (name) => {
    const operation = byName.get(name);
    if (operation === undefined && name !== unrouted) return undefined;
    return (decision, input) => decide(decision, operation, input as { readonly [name: string]: Plain });
  };
}

/** Whether whoever handles a request may record facts. */
export function isDecision<D extends { record: unknown }>(context: object): context is D {
  return "record" in context;
}

/** A typed call that is under way, in the journal. */
export interface NotedCall extends Pick<Noted, "met" | "failed"> {
  /** What it was answered: `body` is what the caller gets of it, asked for when somebody looks. */
  answered(answer: {
    readonly status: number;
    readonly commit?: LogPosition | undefined;
    readonly refused?: Behind | undefined;
    readonly body: () => unknown;
  }): void;
}

/** Notes a typed call as the request that the wire would have; what it says is asked for when somebody looks. */
export function noteCall(
  host: Host<unknown>,
  { name, operation }: { readonly name: string; readonly operation: Pick<Operation, "verb"> },
  said: () => { readonly url: string; readonly argument: object },
): NotedCall | undefined {
  const noted = host.journal?.begin({
    program: host.program,
    request: () => {
      const { url, argument } = said();
      return { method: operation.verb, url, headers: {}, ...contentOf(argument) };
    },
  });
  return (
    noted && {
      met: (fault) => noted.met(fault),
      failed: (fault) => noted.failed(fault),
      answered: ({ status, commit, refused, body }) =>
        noted.answered({
          position: commit ?? host.position,
          operation: name,
          refused,
          response: () => ({ status, headers: {}, ...contentOf(body()) }),
        }),
    }
  );
}

/** A copy, as a log would carry it: callers may change what they got. */
function contentOf(value: unknown): { readonly body?: Plain } {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined || text === "{}" ? {} : { body: JSON.parse(text) as Plain };
}
