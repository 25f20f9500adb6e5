import type { Caller } from "../../kernel/commit.ts";
import type { Reading } from "../../kernel/decision.ts";
import type { CapturesOf, Evidence } from "../operation.ts";
import type { Query } from "./query.ts";
import type { RunsRecorder } from "./recorder.ts";
import type { TokenRecord } from "./tokens/state.ts";
import type { RunsWorld } from "./world.ts";

/** Who asks: whoever sends a token, or nobody. */
export interface RunsCaller extends NonNullable<Caller> {
  readonly token?: string;
}

/** What a view of this service reads. */
export type RunsReading = Reading<RunsWorld>;

export type Verb = "GET" | "POST";

/** Kinds of query parameters that an operation knows; all others are ignored. */
export type Parameter = "page" | "include" | "filter";

/** What a handler gets. */
export interface AskedOf<R extends string> {
  readonly captures: { readonly [N in CapturesOf<R>]: string };
  readonly query: Query;
  /** The token that asks, which is valid. */
  readonly bearer: TokenRecord;
  /** The path as links show it. */
  readonly path: string;
}

/** As `AskedOf`, for a command. */
export interface CommandAskedOf<R extends string> extends AskedOf<R> {
  readonly comment: string | undefined;
}

/** An answer. `B` is what the typed call gives; the wire shows it as JSON unless there is a `location`. */
export interface Reply<B> {
  readonly status: 200 | 204 | 307;
  readonly body: B;
  /** Where a redirect leads. */
  readonly location?: string;
}

interface Declared<R extends string, P extends Parameter> {
  /** Method and path: `GET /api/v2/policy-checks/:id`. */
  readonly route: R;
  readonly evidence: Evidence;
  readonly parameters?: readonly P[];
}

export type Handler =
  | { readonly kind: "command"; readonly decide: (decision: RunsRecorder, asked: never) => Reply<unknown> }
  | { readonly kind: "view"; readonly view: (reading: RunsReading, asked: never) => Reply<unknown> };

/** One operation, as the table holds it. `I` is the argument of its typed call, `P` its parameters, `B` its body. */
export interface RunsOperation<I = never, P extends Parameter = Parameter, B = unknown> {
  readonly verb: Verb;
  readonly path: string;
  /** The path cut at slashes; captures begin with a colon. */
  readonly segments: readonly string[];
  readonly evidence: Evidence;
  readonly parameters: readonly Parameter[];
  readonly captures: readonly string[];
  readonly handler: Handler;
  /** Carry types to the typed call; never there. */
  readonly takes?: (argument: I, parameters: P) => void;
  readonly gives?: B;
}

type Captures<R extends string> = { readonly [N in CapturesOf<R>]: string };

/** Declares an operation that only reads. */
export function view<const R extends `${Verb} /api/v2/${string}`, B, const P extends Parameter = never>(
  declared: Declared<R, P> & { readonly view: (reading: RunsReading, asked: AskedOf<R>) => Reply<B> },
): RunsOperation<Captures<R>, P, B> {
  return operation(declared, { kind: "view", view: declared.view });
}

/** Declares an operation that may change facts. Its body may hold a comment. */
export function command<const R extends `${Verb} /api/v2/${string}`, B>(
  declared: Declared<R, never> & {
    readonly decide: (decision: RunsRecorder, asked: CommandAskedOf<R>) => Reply<B>;
  },
): RunsOperation<Captures<R> & { readonly comment?: string | null | undefined }, never, B> {
  return operation(declared, { kind: "command", decide: declared.decide });
}

function operation<I, P extends Parameter, B>(
  { route, evidence, parameters = [] }: Declared<string, P>,
  handler: Handler,
): RunsOperation<I, P, B> {
  const [verb, path] = route.split(" ") as [Verb, string];
  const segments = path.split("/");
  const captures = segments.filter((segment) => segment.startsWith(":")).map((segment) => segment.slice(1));
  return { verb, path, segments, evidence, parameters, captures, handler };
}

export const ok = <B>(body: B): Reply<B> => ({ status: 200, body });
