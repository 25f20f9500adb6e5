import type { Caller, EventOf } from "../../kernel/commit.ts";
import type { Decision, Reading } from "../../kernel/decision.ts";
import type { Watch } from "../../kernel/waiting.ts";
import {
  type ArgumentOf,
  type Declared,
  declared,
  type FieldInput,
  type Fields,
  type InputOf,
  type Operation,
} from "../kit/operation.ts";
import type { Bearer } from "./access.ts";
import type { SchedulerEvents } from "./events.ts";
import type { SchedulerField } from "./fields.ts";
import type { RegionName } from "./ids.ts";
import type { ListQuery, ReadOptions, ReadParameter, ReadParameters } from "./query.ts";
import type { Region } from "./state.ts";
import type { SchedulerWorld } from "./world.ts";

/** Who asks, and which region: whoever sends a secret, or nobody. */
export interface SchedulerCaller extends NonNullable<Caller> {
  readonly region: RegionName;
  readonly token?: string;
}

/** What a view of this service reads. */
export type SchedulerReading = Reading<SchedulerWorld, SchedulerCaller>;
/** What anybody decides with who may change this service: a request, a timer, or a control call. */
export type SchedulerRecorder = Decision<SchedulerWorld, EventOf<SchedulerEvents>>;

type Verb = "GET" | "POST" | "DELETE";

/** An answer: what the typed call gives and the wire shows, and the index of what was read or written. */
export interface Reply<B> {
  readonly body: B;
  readonly index: number;
  /** Names the first item of the next page. */
  readonly nextToken?: string;
  /** The wire tells no index beside it, and nobody waits for a newer one. */
  readonly bare?: true;
}

/** What a view gets besides captures. On a later look `bearer` is still who it was at the first (section 7, authorisation while blocked). */
export interface ViewAsked {
  readonly name: RegionName;
  readonly region: Region;
  readonly bearer: Bearer;
  readonly query: ListQuery;
  readonly world: SchedulerWorld;
}

/** What a command gets besides captures and fields. It finds the region that executes it by itself. */
export interface CommandAsked {
  /** The region that was asked. */
  readonly from: RegionName;
  /** The `region` of the query; empty for none. */
  readonly to: string;
  readonly secret: string | undefined;
}

type Handler =
  | {
      readonly kind: "command";
      readonly decide: (decision: SchedulerRecorder, input: never, asked: CommandAsked) => Reply<unknown>;
    }
  | {
      readonly kind: "view";
      readonly asks: Asks;
      readonly view: (input: never, asked: ViewAsked) => Reply<unknown>;
      readonly watch: (input: never, asked: ViewAsked) => Watch<SchedulerWorld>;
    };

/**
 * What a view asks for before it answers: `acl` for the ACL system, a token and a leader; `token` for the token only where there is the
 * ACL system; `region` for a leader; `server` for nothing but the server that is called, which ignores the query.
 */
type Asks = "acl" | "token" | "region" | "server";

/** One operation of this service. */
export interface SchedulerOperation<C = unknown> extends Operation<C> {
  readonly verb: Verb;
  readonly fields: { readonly [name: string]: SchedulerField };
  /** What the server makes by itself, and a body may hold as it was read. */
  readonly made: { readonly [name: string]: SchedulerField };
  readonly body: "required" | "optional" | "none";
  /** Captures whose text stands in a field as well, so that a typed call need not give it twice. */
  readonly named: { readonly [capture: string]: string };
  readonly handler: Handler;
}

/** A list, beside whose items stands what the wire tells of it in headers; that is not enumerated. */
export type Listing<T> = readonly T[] & {
  /** What a blocking read of something newer is given. */
  readonly index: number;
  /** Where the next page begins; undefined on the last one. */
  readonly nextToken: string | undefined;
};

type Shown<B> = B extends readonly (infer T)[] ? Listing<T> : B;

/** A read that is given an `index` always returns a promise, which waits until the answer has a greater one. */
export interface ReadCall<I, B> {
  (argument: I | undefined, options: ReadOptions & { readonly index: number }): Promise<B>;
  (argument?: I, options?: ReadOptions & { readonly index?: undefined }): B;
}

type WriteCall<I, B> = object extends I ? (argument?: I) => B : (argument: I) => B;

type NoFields = Record<never, never>;

/** Declares an operation that only reads, and what wakes whoever waits for another answer. */
export function view<const R extends `GET /v1/${string}`, B, const P extends ReadParameter = never>({
  view,
  watch,
  asks = "acl",
  parameters: _,
  ...route
}: Declared<R, NoFields> & {
  readonly asks?: Asks;
  /** What its typed call takes besides captures and `region`. */
  readonly parameters?: readonly P[];
  readonly view: (input: InputOf<R, NoFields>, asked: ViewAsked) => Reply<B>;
  readonly watch: (input: InputOf<R, NoFields>, asked: ViewAsked) => Watch<SchedulerWorld>;
}): SchedulerOperation<ReadCall<ArgumentOf<R, NoFields> & Pick<ReadParameters, P | "region">, Shown<B>>> {
  return {
    ...declared<Verb>(route),
    fields: {},
    made: {},
    body: "none",
    named: {},
    handler: { kind: "view", asks, view, watch },
  };
}

/** Declares an operation that may change facts. */
export function command<
  const R extends `${"POST" | "DELETE"} /v1/${string}`,
  B,
  F extends { readonly [name: string]: SchedulerField } = NoFields,
  const N extends { readonly [capture: string]: keyof F & string } = NoFields,
>({
  decide,
  body,
  named,
  fields,
  made = {},
  ...route
}: Declared<R, F> & {
  readonly made?: SchedulerOperation["made"];
  readonly body?: "required" | "optional";
  readonly named?: N;
  readonly decide: (decision: SchedulerRecorder, input: InputOf<R, F>, asked: CommandAsked) => Reply<B>;
}): SchedulerOperation<WriteCall<WriteArgument<R, F, N>, B>> {
  return {
    ...declared<Verb>(route),
    fields: fields ?? {},
    made,
    body: body ?? "none",
    named: named ?? {},
    handler: { kind: "command", decide },
  };
}

type WriteArgument<R extends string, F extends Fields, N> = Omit<ArgumentOf<R, NoFields>, keyof N> & {
  readonly [capture in keyof N]?: string;
} & FieldInput<F> &
  Pick<ReadParameters, "region">;
