import type { Described, JsonSchema } from "../../services/kit/openapi.ts";

export interface DocumentHead {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly url: string;
  /** How a caller shows who it is: each of these will do, unless an operation says which. */
  readonly security: { readonly [name: string]: JsonSchema };
  /** What a caller of a few operations shows instead. */
  readonly otherSecurity?: { readonly [name: string]: JsonSchema };
  /** Shapes that operations refer to, by their names. */
  readonly schemas?: { readonly [name: string]: JsonSchema };
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
    const tag = operation.tag ?? (operation.name.split(".").slice(1, -1).join(".") || operation.name);
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
    components: {
      ...(head.schemas === undefined ? {} : { schemas: head.schemas }),
      securitySchemes: { ...head.security, ...head.otherSecurity },
    },
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
