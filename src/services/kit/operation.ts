/** How far an answer can be trusted: the weakest source that it rests on. */
export type Evidence = "documented" | "observed" | "chosen";

/**
 * One operation, as the table of a service holds it. A service adds what only its own operations have.
 *
 * An operation is declared by what stands in the contract: its route, and the fields of its body. What handlers get and what its typed call
 * takes is inferred from these two, and what the call gives from the handler.
 */
export interface Operation<C = unknown> {
  readonly verb: string;
  /** The path with its captures: `/v1/:mount/library/**:set_name/check-out`. */
  readonly path: string;
  /** The path cut at slashes. */
  readonly segments: readonly string[];
  /** Names of its captures. */
  readonly captures: readonly string[];
  readonly evidence: Evidence;
  readonly fields: Fields;
  readonly handler: { readonly kind: "command" | "view" };
  /** Other routes to the same call, by what their names end with. */
  readonly others?: { readonly [suffix: string]: Operation };
  /** Carries the type of the typed call; never there. */
  readonly call?: C;
}

/** What every declaration says. */
export interface Declared<R extends string, F extends Fields> {
  /** Method and path: `GET /v1/acl/policy/:policy_name`. */
  readonly route: R;
  readonly evidence: Evidence;
  /** The fields of its body, by their names. */
  readonly fields?: F;
}

/** What an operation has from its declaration. */
export function declared<V extends string>({
  route,
  evidence,
  fields = {},
}: Declared<string, Fields>): Pick<Operation, "path" | "segments" | "captures" | "evidence" | "fields"> & {
  readonly verb: V;
} {
  const [verb, path] = route.split(" ") as [V, string];
  const captures = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  return { verb, path, segments: path.split("/"), captures, evidence, fields };
}

// --- what is inferred -----------------------------------------------------------------------------------------------

/** The names that a route captures: `"POST /v1/:mount/library/**:set_name"` has `mount` and `set_name`. */
export type CapturesOf<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? Name | CapturesOf<Rest>
  : Route extends `${string}:${infer Name}`
    ? Name
    : never;

/** What reads a field: it carries the types of what callers give, and of what handlers get. Each service has its own readers. */
export interface FieldReader<I = unknown, O = unknown> {
  readonly "~types"?: { readonly input: I; readonly output: O } | undefined;
  /** A typed call has to give it. The wire may leave out any field: that is the handler's to check. */
  readonly needed?: boolean;
}

export type Fields = { readonly [name: string]: FieldReader };

type TypesOf<T extends FieldReader> = NonNullable<T["~types"]>;
type NeededIn<F extends Fields> = { [N in keyof F]: F[N] extends { readonly needed: true } ? N : never }[keyof F];

/** What callers give for the fields: null is as nothing. */
export type FieldInput<F extends Fields> = {
  readonly [N in Exclude<keyof F, NeededIn<F>>]?: TypesOf<F[N]>["input"] | null | undefined;
} & { readonly [N in NeededIn<F>]: TypesOf<F[N]>["input"] };

/** What handlers get. Every field may be absent. */
export type FieldValues<F extends Fields> = { readonly [N in keyof F]?: TypesOf<F[N]>["output"] };

/** What callers give for a route and fields. */
export type ArgumentOf<R extends string, F extends Fields> = { readonly [N in CapturesOf<R>]: string } & Omit<
  FieldInput<F>,
  CapturesOf<R>
>;

/** What handlers get for a route and fields. A capture wins over a field of its name. */
export type InputOf<R extends string, F extends Fields> = { readonly [N in CapturesOf<R>]: string } & Omit<
  FieldValues<F>,
  CapturesOf<R>
>;
