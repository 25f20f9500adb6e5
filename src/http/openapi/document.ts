import type { Evidence } from "../../services/operation.ts";

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
export const PAST: Parameter = {
  name: "X-Hindcast-At",
  in: "header",
  description: "answers as it was at a position, an instant or a mark",
  schema: { type: "string" },
};

/** An operation, before it has its place in a document. */
export interface Described {
  /** Its full name: `secrets.library.checkOut`. */
  readonly name: string;
  readonly method: "get" | "post" | "delete";
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

export interface DocumentHead {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly url: string;
  /** How a caller shows who it is: each of these will do, unless an operation says which. */
  readonly security: { readonly [name: string]: JsonSchema };
  /** What a caller of a few operations shows instead. */
  readonly otherSecurity?: { readonly [name: string]: JsonSchema };
}

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = { readonly [member: string]: unknown };

/**
 * A document of operations.
 *
 * @throws Error when two of them have the same method and path: one would hide the other
 */
export function openApiDocument(head: DocumentHead, operations: Iterable<Described>): OpenApiDocument {
  const paths = new Map<string, Record<string, unknown>>();
  const tags = new Set<string>();
  // Templates that differ in the names of their captures only are one path: the first names them.
  const firsts = new Map<string, string>();
  for (const operation of operations) {
    const key = operation.path.replace(/\{\w+\}/g, "{}");
    const path = firsts.get(key) ?? operation.path;
    firsts.set(key, path);
    const item = paths.get(path) ?? {};
    paths.set(path, item);
    const tag = operation.name.split(".").slice(1, -1).join(".") || operation.name;
    tags.add(tag);
    if (Object.hasOwn(item, operation.method)) {
      throw new Error(
        `${operation.name} has the method and the path of another operation: ${operation.method} ${path}`,
      );
    }
    item[operation.method] = operationObject(operation, namesOf(operation.path, path), tag);
  }
  return {
    openapi: "3.1.0",
    info: { title: head.title, version: head.version, description: head.description },
    servers: [{ url: head.url }],
    security: Object.keys(head.security).map((name) => ({ [name]: [] })),
    tags: [...tags].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: { securitySchemes: { ...head.security, ...head.otherSecurity } },
  };
}

/** How the captures of a path are called where another one has named them. */
function namesOf(own: string, shared: string): ReadonlyMap<string, string> {
  const captures = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const names = captures(shared);
  return new Map(captures(own).map((name, index) => [name, names[index] ?? name]));
}

function operationObject(operation: Described, names: ReadonlyMap<string, string>, tag: string): object {
  const { name, summary, description, parameters, body, answers, open, security, evidence, wireMethod } = operation;
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0
      ? {}
      : {
          parameters: parameters.map((parameter) =>
            parameter.in === "path" ? { ...parameter, name: names.get(parameter.name) ?? parameter.name } : parameter,
          ),
        }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.required, content: { [body.mediaType]: { schema: body.schema } } } }),
    responses: answers,
    ...(security !== undefined ? { security: [{ [security]: [] }] } : open === true ? { security: [] } : {}),
    ...(evidence === undefined ? {} : { "x-hindcast-evidence": evidence }),
    ...(wireMethod === undefined ? {} : { "x-hindcast-method": wireMethod }),
  };
}

/** A path with its captures in braces: `/v1/{mount}/library/{set_name}`. */
export function templateOf(path: string): string {
  return path.replace(/(?:\*\*)?:(\w+)/g, "{$1}");
}

/** The captures of a path as parameters. */
export function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/(\*\*)?:(\w+)/g)].map(([, many, name]) => ({
    name: name as string,
    in: "path",
    required: true,
    ...(many === undefined ? {} : { description: "may hold slashes" }),
    schema: { type: "string" },
  }));
}

/** What an operation's name says: `secrets.library.checkOut` is "library: check out". */
export function summaryOf(name: string): string {
  const words = name.split(".").slice(1);
  const verb = (words.pop() ?? "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.length === 0 ? verb : `${words.join(" ")}: ${verb}`;
}

export function answer(description: string, mediaType: string, schema: JsonSchema = {}): object {
  return { description, content: { [mediaType]: { schema } } };
}
