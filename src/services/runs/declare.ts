import type { Caller, EventOf } from "../../kernel/commit.ts";
import type { Decision, Reading } from "../../kernel/decision.ts";
import { flagAt, textAt } from "../kit/arguments.ts";
import {
  type ArgumentOf,
  type Declared,
  declared,
  type FieldReader,
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
  readonly status: 200 | 201 | 202 | 204 | 307;
  readonly body: B;
  /** Where a redirect leads. */
  readonly location?: string;
  readonly headers?: { readonly [name: string]: string };
}

export const ok = <B>(body: B): Reply<B> => ({ status: 200, body });
export const created = <B>(body: B): Reply<B> => ({ status: 201, body });

type Handler =
  | {
      readonly kind: "command";
      readonly decide: (decision: RunsRecorder, input: never, asked: Asked) => Reply<unknown>;
    }
  | { readonly kind: "view"; readonly view: (reading: RunsReading, input: never, asked: Asked) => Reply<unknown> };

/** One operation of this service. */
export interface RunsOperation<C = unknown> extends Operation<C> {
  readonly verb: Verb;
  readonly fields: RunsFields;
  /** Kinds of parameters that it knows; all others are ignored. */
  readonly parameters: readonly Parameter[];
  readonly handler: Handler;
}

/** A field of a body: what it holds, and where it stands. Null is as none, and what is of another type is ignored. */
export interface RunsField<I = unknown, O = unknown> extends FieldReader<I, O> {
  readonly kind: "text" | "flag";
  /** At the top, among the attributes of the resource, or the id of a related one. */
  readonly within: "document" | "attributes" | "relationships";
}

interface RunsFields {
  readonly [name: string]: RunsField;
}

/** What fields hold. */
export interface FieldsRead {
  readonly [name: string]: string | boolean;
}

export const text: RunsField<string, string> = { kind: "text", within: "document" };
export const attribute: RunsField<string, string> = { kind: "text", within: "attributes" };
export const flag: RunsField<boolean, boolean> = { kind: "flag", within: "attributes" };
export const related: RunsField<string, string> = { kind: "text", within: "relationships" };

/** A field that typed calls have to give. */
export function needed<I, O>(field: RunsField<I, O>): RunsField<I, O> & { readonly needed: true } {
  return { ...field, needed: true };
}

/** What a typed call or the log gives for a field. @throws TypeError for a value of another type */
export function fieldAt(call: string, name: string, { kind }: RunsField, given: unknown): string | boolean {
  return kind === "text" ? textAt(call, name, given) : flagAt(call, name, given);
}

/** Declares an operation that only reads. Its typed call takes captures, and then what it knows of the query. */
export function view<const R extends Route, B, const P extends Parameter = never>({
  parameters = [],
  view,
  ...route
}: Declared<R, Record<never, never>> & {
  readonly parameters?: readonly P[];
  readonly view: (reading: RunsReading, input: InputOf<R, Record<never, never>>, asked: Asked) => Reply<B>;
}): RunsOperation<(argument: ArgumentOf<R, Record<never, never>>, options?: ParametersOf<P>) => B> {
  return { ...declared<Verb>(route), fields: {}, parameters, handler: { kind: "view", view } };
}

/** Declares an operation that may change facts. */
export function command<const R extends Route, B, F extends RunsFields = Record<never, never>>({
  decide,
  fields,
  ...route
}: Declared<R, F> & {
  readonly decide: (decision: RunsRecorder, input: InputOf<R, F>, asked: Asked) => Reply<B>;
}): RunsOperation<(argument: ArgumentOf<R, F>, options?: Record<never, never>) => B> {
  return { ...declared<Verb>(route), fields: fields ?? {}, parameters: [], handler: { kind: "command", decide } };
}
