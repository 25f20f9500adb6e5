import type { Caller, EventOf } from "../../kernel/commit.ts";
import type { Decision, Reading } from "../../kernel/decision.ts";
import type { Plain } from "../../kernel/plain.ts";
import {
  type CapturesOf,
  type Declared as DeclaredOperation,
  declared,
  type FieldInput,
  type FieldValues,
  type Operation,
} from "../kit/operation.ts";
import type { SecretsEvents } from "./events.ts";
import type { Field, Fields } from "./fields.ts";
import type { KvData } from "./kv/state.ts";
import type { EngineType } from "./mounts/state.ts";
import type { ClusterName, MountPath, NamespacePath } from "./place.ts";
import type { Reply } from "./reply.ts";
import type { SecretsWorld } from "./world.ts";

/** Who asks, and of which cluster and namespace. */
export interface SecretsCaller extends NonNullable<Caller> {
  readonly cluster: ClusterName;
  readonly namespace?: NamespacePath;
  /** The token as it was sent; absent when none was. */
  readonly token?: string;
  /** The mount of the engine that is asked, unless it is where the engine is mounted from the start. */
  readonly mount?: string;
  /** The performance secondary that let the bearer in and asks here for it. No log has it: there the request is the secondary's. */
  readonly behalf?: ClusterName;
  /** Where the request comes from, where it says so (auth/README.md, 4.1). */
  readonly address?: string;
  /** The node that was asked, where nodes answer for themselves and it is not the cluster's own address. */
  readonly node?: number;
  /** The answer is to be wrapped, and to be had for so long. */
  readonly wrapTtlSeconds?: number;
  /** Its wrapping token is to come as a signed text that says where it belongs. */
  readonly wrapFormat?: "jwt";
  /** What a header `Authorization: Basic` holds, decoded, where somebody looks at it. */
  readonly basic?: string;
  /** The token came in the header of its own, where that makes a difference. */
  readonly tokenHeader?: true;
  /** Fields of a body that captures of the path took the place of: a wrapped answer holds the warning of them. */
  readonly replaced?: readonly string[];
}

/** What a view of this service reads. */
export type SecretsReading = Reading<SecretsWorld, SecretsCaller>;
/** What anybody decides with who may change this service: a request, a timer, or a control call. */
export type SecretsRecorder = Decision<SecretsWorld, EventOf<SecretsEvents>>;
/** What a decider of requests decides with. */
export type SecretsDecision = Decision<SecretsWorld, EventOf<SecretsEvents>, SecretsCaller>;

export type Verb = "GET" | "LIST" | "POST" | "PATCH" | "DELETE";

/** The prefix of a listing may be left out: it then lists from the top, and the handler gets "". */
type OptionalCapture<R extends string> = R extends `LIST ${string}` ? "prefix" : never;

/** The captures of a route as handlers get them: a mount's path with its slash, all others as they stand in the path. */
type CaptureValues<R extends string> = {
  readonly [N in CapturesOf<R>]: N extends "mount" ? MountPath : string;
};
/** The captures as callers give them: the mount has a default. */
type CaptureInput<R extends string> = {
  readonly [N in Exclude<CapturesOf<R>, "mount" | OptionalCapture<R>>]: string;
} & { readonly [N in CapturesOf<R> & OptionalCapture<R>]?: string };

/** What a handler gets: captures and fields. A capture wins over a field of its name. */
export type InputOf<R extends string, F extends Fields> = CaptureValues<R> &
  Omit<FieldValues<F>, CapturesOf<R>> & {
    /** What was made of the fields beforehand, where something was. */
    readonly prepared?: Plain | undefined;
  };

/** The route is that below the namespace: `POST /v1/:mount/library/**:set_name/check-out`. */
interface Declared<R extends string, F extends Fields> extends DeclaredOperation<R, F>, Access {
  /** What captures must look like, those of one path joined by slashes; a path that breaks it is no path at all. */
  readonly names?: RegExp;
  /** The engine below whose mounts it lies; by default that of directories. */
  readonly engine?: EngineType;
  /** Its field `data` is stored: it may be text (amendments.md, S30). */
  readonly keepsData?: true;
  /** Whether the object is there: a POST then needs `update`, else `create`. Without it a POST always needs `update`. */
  readonly exists?: (reading: SecretsReading, input: InputOf<R, F>) => boolean;
}

/** Who may ask, and when. */
interface Access {
  /** Needs `sudo` on top of the capability. */
  readonly sudo?: true;
  /** Asks for no token, and ignores one that is sent; the answer of a login can be wrapped all the same. */
  readonly open?: true | "login";
  /** Is answered while the cluster is sealed. */
  readonly whileSealed?: true;
  /** Is there with the enterprise licence only. */
  readonly enterprise?: true;
  /** Each node answers it for itself; all else goes to the active node. */
  readonly ofNode?: true;
  /** Takes a wrapping token as the header's: one that holds nothing is told so, and not that it is unknown. */
  readonly opensWrapping?: true;
  /** Clients may say who they are by the scheme Basic, and repeat parameters of a form (decisions-oidc.md, 11). */
  readonly takesBasic?: true;
  /** It matters in which header the token came. */
  readonly tellsHeader?: true;
  /** What each of its answers says in its headers, refusals included. */
  readonly headers?: { readonly [name: string]: string };
  /** Its typed call gives a promise: something is made before it is decided, or signed when its answer is made. */
  readonly promised?: true;
  /**
   * Where a performance secondary has it carried out (decisions-replication.md, 3). By default commands of shared mounts are
   * `forwarded` to the primary and everything else is done `here`; a local mount's own are always done here.
   */
  readonly onSecondary?: "here" | "forwarded" | ForwardingRule;
  /** Is answered by a disaster-recovery secondary, which looks at no header token (decisions-replication.md, 3). */
  readonly onDrSecondary?: true;
  /** Answers what it answers, whether its answer was to be wrapped or not. */
  readonly neverWrapped?: true;
  /** Its answer over HTTP is a file. */
  readonly givesFile?: true;
  /** Its body over HTTP is a file: what is read of it becomes the fields. */
  readonly readsFile?: (world: SecretsWorld, bytes: Uint8Array) => { readonly [name: string]: Plain };
  /** What is looked at once the caller has been let in, and before the body is. */
  readonly guard?: (reading: SecretsReading, input: { readonly [name: string]: Plain | undefined }) => void;
  /**
   * What has to be made before the decision, because it takes its time or never comes out the same twice. It stands in the command's
   * input as `prepared`, so that whoever decides it again need not make it again. Undefined where nothing is to be made.
   */
  readonly prepare?: (
    reading: Omit<SecretsReading, "draw">,
    input: { readonly [name: string]: Plain | undefined },
  ) => Promise<Plain | undefined> | undefined;
}

/** Where a performance secondary has a request carried out that depends on what it asks for. */
export type ForwardingRule = (
  reading: SecretsReading,
  input: { readonly [name: string]: Plain | undefined },
) => "here" | "forwarded";

/** One operation of the service. Its captures are without the mount. */
export interface SecretsOperation<C = unknown> extends Operation<C> {
  readonly verb: Verb;
  /** The path below `/v1/`, cut where captures stand: text, capture, text ... */
  readonly pathParts: readonly string[];
  /** The path without `/v1/`, and without the mount of an engine's operation. */
  readonly pattern: string;
  /** The same without a prefix that may be left out. */
  readonly shortPattern: string | undefined;
  readonly fields: { readonly [name: string]: Field };
  readonly names: RegExp;
  readonly access: Access;
  /** The engine below whose mounts it lies; absent for one of the system's. */
  readonly engine: EngineType | undefined;
  /** Its fields are the caller's own: handlers get the body as `data`. */
  readonly takesBody: boolean;
  readonly keepsData: boolean;
  /** Another operation's path can look like one of its own, with a name that has slashes. */
  readonly collides: boolean;
  readonly exists: ((reading: SecretsReading, input: never) => boolean) | undefined;
  readonly handler: Handler;
  readonly others?: { readonly [suffix: string]: SecretsOperation };
  /** Which other route a typed call takes, by its argument; none by default. */
  readonly otherFor?: (argument: { readonly [name: string]: unknown }) => string | undefined;
}

/** What else a call can say. */
export interface CallOptions {
  /**
   * Wraps an answer with a result: it is put away under a token of one use, and what comes is an envelope whose `data` is null and
   * whose `wrap_info` names the token, which `wrapping.unwrap` takes. A contract duration, numbers in seconds; 0, the default, is
   * not at all.
   */
  readonly wrapTtl?: string | number;
}

/** The typed call of an operation: captures and fields in one object, the body of the answer as the result. */
type CallOf<I, B> =
  Record<never, never> extends I
    ? (argument?: I, options?: CallOptions) => B
    : (argument: I, options?: CallOptions) => B;

/** What a call takes as its argument. */
type ArgumentIn<C> = C extends (argument: infer I, options?: CallOptions) => unknown ? Exclude<I, undefined> : never;

type Handler =
  | { readonly kind: "command"; readonly decide: (decision: SecretsDecision, input: never) => Reply<unknown> }
  | { readonly kind: "view"; readonly view: (reading: SecretsReading, input: never) => Reply<unknown> };

type ArgumentOf<R extends string, F extends Fields> = CaptureInput<R> & Omit<FieldInput<F>, CapturesOf<R>>;

/** Names in system paths: decisions-secrets-core.md, A.4. */
export const SYSTEM_NAME = /^\w([\w.-]*\w)?$/;

/** Declares an operation that may change facts, whatever its HTTP method. */
export function command<const R extends `${Verb} /v1/${string}`, B, F extends Fields = Record<never, never>>(
  declared: Declared<R, F> & { readonly decide: (decision: SecretsDecision, input: InputOf<R, F>) => Reply<B> },
): SecretsOperation<CallOf<ArgumentOf<R, F>, B>> {
  return operation(declared, { kind: "command", decide: declared.decide });
}

/** Declares an operation that only reads. */
export function view<const R extends `${Verb} /v1/${string}`, B, F extends Fields = Record<never, never>>(
  declared: Declared<R, F> & { readonly view: (reading: SecretsReading, input: InputOf<R, F>) => Reply<B> },
): SecretsOperation<CallOf<ArgumentOf<R, F>, B>> {
  return operation(declared, { kind: "view", view: declared.view });
}

type BodyInputOf<R extends string> = CaptureValues<R> & { readonly data: KvData };

/** Declares a command that keeps the body of its request as it is, whatever the names in it. */
export function bodyCommand<const R extends `POST /v1/${string}`, B>(
  declared: Omit<Declared<R, Record<never, never>>, "fields" | "exists"> & {
    readonly exists?: (reading: SecretsReading, input: CaptureValues<R>) => boolean;
    readonly decide: (decision: SecretsDecision, input: BodyInputOf<R>) => Reply<B>;
  },
): SecretsOperation<CallOf<CaptureInput<R> & { readonly [field: string]: unknown }, B>> {
  return operation(declared, { kind: "command", decide: declared.decide }, true);
}

/** An operation whose typed call returns a promise: something is made before it is decided, or when its answer is. */
export function promised<C extends (...args: never) => unknown>(
  operation: SecretsOperation<C>,
): SecretsOperation<(...args: Parameters<C>) => Promise<ReturnType<C>>> {
  const { call: _, ...declaration } = operation;
  return { ...declaration, access: { ...operation.access, promised: true } };
}

function operation(
  {
    names,
    engine,
    exists,
    ...declaration
  }: Omit<Declared<string, Fields>, "exists"> & {
    readonly exists?: NonNullable<SecretsOperation["exists"]>;
  },
  handler: Handler,
  takesBody = false,
): SecretsOperation<never> {
  const { verb, path, segments, captures, evidence } = declared<Verb>(declaration);
  const below = path.slice("/v1/".length);
  const ofMount = below.startsWith(":mount");
  const pattern = ofMount ? below.slice(":mount".length) : `/${below}`;
  return {
    verb,
    path,
    segments,
    captures: captures.filter((name) => name !== "mount"),
    evidence,
    fields: declaration.fields ?? {},
    pathParts: below.split(/(?:\*\*)?:(\w+)/),
    pattern,
    shortPattern:
      verb === "LIST" && pattern.endsWith("/**:prefix") ? pattern.slice(0, -"/**:prefix".length) : undefined,
    names: names ?? SYSTEM_NAME,
    access: declaration,
    engine: ofMount ? (engine ?? "ldap") : undefined,
    takesBody,
    keepsData: declaration.keepsData === true,
    collides: pattern.includes("**:") && !/^(\/cubbyhole)?\/\*\*:\w+$/.test(pattern),
    exists,
    handler,
  };
}

/**
 * Declares an operation that has more than one route. Each route is an operation of its own in the log and in the table; the typed
 * call is one, and takes the first route unless its argument picks another.
 */
export function withOthers<
  C extends (...args: never) => unknown,
  const O extends { readonly [suffix: string]: SecretsOperation },
>(
  first: SecretsOperation<C>,
  others: O,
  otherFor?: (argument: { readonly [name: string]: unknown }) => (keyof O & string) | undefined,
): SecretsOperation<CallOf<ArgumentIn<C> | ArgumentIn<CallIn<O[keyof O]>>, ReturnType<C>>> {
  const { call: _, ...declaration } = first;
  return { ...declaration, others, ...(otherFor === undefined ? {} : { otherFor }) };
}

type CallIn<O> = O extends SecretsOperation<infer C> ? C : never;

/** Where a command's input has what was made before it was decided. */
export const PREPARED = "prepared";

/** A request as both doors make it. */
export interface Asked {
  readonly verb: Verb;
  /** Below the namespace, without a leading slash. */
  readonly path: string;
  /** What answers it; absent when no route fits. */
  readonly operation?: SecretsOperation | undefined;
  /** A route fits the path, but not with this verb. */
  readonly wrongVerb?: boolean;
  /** All that is there at the path asks for no token. */
  readonly openPath?: boolean;
  readonly input: { readonly [name: string]: Plain | undefined };
}
