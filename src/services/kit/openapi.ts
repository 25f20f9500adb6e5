import type { Evidence, Operation } from "./operation.ts";

// What operations say of themselves for OpenAPI documents.

/** A JSON schema, as far as documents here use it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: "deepObject";
  readonly explode?: boolean;
  readonly schema: JsonSchema;
}

/** Every service answers reads from the past as well. */
const PAST: Parameter = {
  name: "X-Hindcast-At",
  in: "header",
  description: "answers as it was at a position, an instant or a mark",
  schema: { type: "string" },
};

/** An operation, before it has its place in a document. */
export interface Described {
  /** Its full name: `secrets.library.checkOut`. */
  readonly name: string;
  /** The group that it stands in. Default the resource in its name. */
  readonly tag?: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With captures in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly mediaType: string; readonly required: boolean; readonly schema: JsonSchema } | undefined;
  readonly answers: { readonly [status: string]: unknown };
  /** Whether it asks for no token. */
  readonly open?: boolean;
  /** The one of the head's schemes by which a caller shows who it is, where that is not any of them. */
  readonly security?: string | undefined;
  readonly evidence?: Evidence;
  /** The method of the wire where OpenAPI has no word for it. */
  readonly wireMethod?: string;
}

/** What a service says of an operation; its path where a document has another one. */
export type OwnDescription = Pick<Described, "answers"> & Partial<Described>;

/** An operation, with what its declaration says of it. */
export function describedOperation(
  name: string,
  { verb, path, evidence, handler }: Operation,
  { path: ownPath = path, parameters = [], ...own }: OwnDescription,
): Described {
  return {
    name,
    method: METHODS[verb as keyof typeof METHODS],
    path: templateOf(ownPath),
    summary: summaryOf(name),
    parameters: [...pathParameters(ownPath), ...parameters, ...(handler.kind === "view" ? [PAST] : [])],
    evidence,
    ...own,
  };
}

/** OpenAPI has no LIST. */
const METHODS = { GET: "get", LIST: "get", POST: "post", PATCH: "patch", DELETE: "delete" } as const;

/** A path with its captures in braces: `/v1/{mount}/library/{set_name}`. */
function templateOf(path: string): string {
  return path.replace(/(?:\*\*)?:(\w+)/g, "{$1}");
}

/** The captures of a path as parameters. */
function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/(\*\*)?:(\w+)/g)].map(([, many, name]) => ({
    name: name as string,
    in: "path",
    required: true,
    ...(many === undefined ? {} : { description: "may hold slashes" }),
    schema: { type: "string" },
  }));
}

/** What an operation's name says: `secrets.library.checkOut` is "library: check out". */
function summaryOf(name: string): string {
  const words = name.split(".").slice(1);
  const verb = (words.pop() ?? "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.length === 0 ? verb : `${words.join(" ")}: ${verb}`;
}

export function answer(description: string, mediaType: string, schema: JsonSchema = {}): object {
  return { description, content: { [mediaType]: { schema } } };
}
