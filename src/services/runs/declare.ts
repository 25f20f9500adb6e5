import type { Caller, EventOf } from "../../kernel/commit.ts";
import type { Decision, Reading } from "../../kernel/decision.ts";
import {
  type ArgumentOf,
  type Declared,
  declared,
  type FieldReader,
  type Fields,
  type InputOf,
  type Operation,
} from "../kit/operation.ts";
import type { RunsEvents } from "./events.ts";
import type { Parameter, ParametersOf, Query } from "./query.ts";
import type { TokenRecord } from "./tokens/state.ts";
import type { RunsWorld } from "./world.ts";

/** Who asks: whoever sends a token, or nobody. */
export interface RunsCaller extends NonNullable<Caller> {
  readonly token?: string;
}

/** What a view of this service reads. */
export type RunsReading = Reading<RunsWorld>;
/** What anybody decides with who may change this service: a request, a timer, or a control call. */
export type RunsRecorder = Decision<RunsWorld, EventOf<RunsEvents>>;

type Verb = "GET" | "POST";
type Route = `${Verb} /api/v2/${string}`;

/** What handlers get besides captures and fields. */
export interface Asked {
  readonly query: Query;
  /** The token that asks, which is valid. */
  readonly bearer: TokenRecord;
  /** The path as links show it. */
  readonly path: string;
}

/** An answer. `B` is what the typed call gives; the wire shows it as JSON unless there is a `location`. */
export interface Reply<B> {
  readonly status: 200 | 202 | 204 | 307;
  readonly body: B;
  /** Where a redirect leads. */
  readonly location?: string;
  readonly headers?: { readonly [name: string]: string };
}

export const ok = <B>(body: B): Reply<B> => ({ status: 200, body });

type Handler =
  | {
      readonly kind: "command";
      readonly decide: (decision: RunsRecorder, input: never, asked: Asked) => Reply<unknown>;
    }
  | { readonly kind: "view"; readonly view: (reading: RunsReading, input: never, asked: Asked) => Reply<unknown> };

/** One operation of this service. */
export interface RunsOperation<C = unknown> extends Operation<C> {
  readonly verb: Verb;
  /** Kinds of parameters that it knows; all others are ignored. */
  readonly parameters: readonly Parameter[];
  readonly handler: Handler;
}

/** A text in a body; null is as none, and what is no text is ignored. */
export const text: FieldReader<string, string> = {};

/** Declares an operation that only reads. Its typed call takes captures, and then what it knows of the query. */
export function view<const R extends Route, B, const P extends Parameter = never>({
  parameters = [],
  view,
  ...route
}: Declared<R, Record<never, never>> & {
  readonly parameters?: readonly P[];
  readonly view: (reading: RunsReading, input: InputOf<R, Record<never, never>>, asked: Asked) => Reply<B>;
}): RunsOperation<(argument: ArgumentOf<R, Record<never, never>>, options?: ParametersOf<P>) => B> {
  return { ...declared<Verb>(route), parameters, handler: { kind: "view", view } };
}

/** Declares an operation that may change facts. */
export function command<const R extends Route, B, F extends Fields = Record<never, never>>({
  decide,
  ...route
}: Declared<R, F> & {
  readonly decide: (decision: RunsRecorder, input: InputOf<R, F>, asked: Asked) => Reply<B>;
}): RunsOperation<(argument: ArgumentOf<R, F>, options?: Record<never, never>) => B> {
  return { ...declared<Verb>(route), parameters: [], handler: { kind: "command", decide } };
}
