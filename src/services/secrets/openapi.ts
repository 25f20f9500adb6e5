import * as v from "valibot";
import { answer, type JsonSchema, type OwnDescription, type Parameter } from "../kit/openapi.ts";
import type { SecretsOperation } from "./declare.ts";
import type { Field } from "./fields.ts";
import { ENGINE_NAMES } from "./mounts/names.ts";

const JSON_TYPE = "application/json";
const MERGE_PATCH_TYPE = "application/merge-patch+json";

/** That of a file, and what it is. */
const FILE_TYPE = "application/gzip";
const FILE: JsonSchema = { type: "string", format: "binary" };

const ERRORS: JsonSchema = {
  type: "object",
  properties: { errors: { type: "array", items: { type: "string" } } },
  required: ["errors"],
};

/** The protocol of providers has errors of its own (RFC 6749, 5.2). */
const PROTOCOL_ERROR: JsonSchema = {
  type: "object",
  properties: { error: { type: "string" }, error_description: { type: "string" } },
  required: ["error"],
};

/** What a client of a provider was given for a user, and how it shows who itself is. */
export const ACCESS_TOKEN = "accessToken";
export const CLIENT = "client";

const HEADERS: readonly Parameter[] = [
  {
    name: "X-Secrets-Namespace",
    in: "header",
    description: "the namespace that paths begin in",
    schema: { type: "string" },
  },
  {
    name: "X-Secrets-Wrap-TTL",
    in: "header",
    description: "puts the answer away for so long",
    schema: { type: "string" },
  },
  {
    name: "X-Secrets-Wrap-Format",
    in: "header",
    description: "jwt: the token of an answer that is put away comes signed",
    schema: { type: "string", enum: ["jwt"] },
  },
];

/** An operation of the secrets service. */
export function describedSecrets(operation: SecretsOperation, name: string): OwnDescription {
  const { verb, access, fields, takesBody } = operation;
  const refused = refusalOf(name, operation);
  const isListing = verb === "LIST";
  const path = pathFromTheStart(operation);
  const description = descriptionOf(operation);
  return {
    // OpenAPI has no LIST: the same is had by GET of the path with a slash at its end and `list=true`.
    path: isListing ? `${path}/` : path,
    ...(description === "" ? {} : { description }),
    ...(isListing ? { wireMethod: "LIST" } : {}),
    parameters: [
      ...(isListing ? [LIST_PARAMETER] : []),
      ...(verb === "GET" || verb === "DELETE" ? queryOf(fields) : []),
      ...HEADERS,
    ],
    body:
      verb !== "POST" && verb !== "PATCH"
        ? undefined
        : access.readsFile !== undefined
          ? { mediaType: FILE_TYPE, required: true, schema: FILE }
          : {
              mediaType: verb === "POST" ? JSON_TYPE : MERGE_PATCH_TYPE,
              required: takesBody,
              schema: bodySchema(fields, takesBody),
            },
    answers: {
      200: access.givesFile ? answer("the file", FILE_TYPE, FILE) : answer("the answer", JSON_TYPE, { type: "object" }),
      202: { description: "accepted; it will be done" },
      204: { description: "done; there is nothing to say" },
      "4XX": answer("refused", JSON_TYPE, refused),
      "5XX": answer("sealed, standing by, or failed", JSON_TYPE, refused),
    },
    open: access.open !== undefined,
    security: access.tellsHeader === true ? ACCESS_TOKEN : access.takesBasic === true ? CLIENT : undefined,
  };
}

/** What a refusal says: the health of a node is the same document whatever its status is. */
function refusalOf(name: string, { access, path, engine }: SecretsOperation): JsonSchema {
  if (name.startsWith("secrets.health")) return { type: "object" };
  // A version that is gone has the body of a success (kv2/README.md).
  if (engine === "kv2") return { anyOf: [ERRORS, { type: "object", required: ["data", "warnings"] }] };
  const isProtocol = access.tellsHeader === true || access.takesBasic === true || path.endsWith("/authorize");
  return isProtocol ? { anyOf: [PROTOCOL_ERROR, ERRORS] } : ERRORS;
}

/**
 * The path of an operation, of an engine's where the engine is mounted from the start: below a mount whose name is left open, several
 * engines have the same path, and OpenAPI takes one operation of a method at a path.
 */
function pathFromTheStart({ path, engine }: SecretsOperation): string {
  return engine === undefined ? path : path.replace("/:mount", `/${ENGINE_NAMES[engine]}`);
}

function descriptionOf({ engine, verb, shortPattern }: SecretsOperation): string {
  return [
    ...(engine === undefined
      ? []
      : [
          `\`/v1/${ENGINE_NAMES[engine]}\` is where the engine is mounted from the start: other mounts of it work alike.`,
        ]),
    ...(verb === "LIST" ? ["The method LIST without the slash and the parameter does the same."] : []),
    ...(shortPattern === undefined ? [] : ["The prefix and its slash may be left out: it then lists from the top."]),
  ].join(" ");
}

const LIST_PARAMETER: Parameter = { name: "list", in: "query", required: true, schema: { const: "true" } };

function queryOf(fields: { readonly [name: string]: Field }): Parameter[] {
  return Object.entries(fields).map(([name, field]) => ({ name, in: "query", schema: schemaOf(field) }));
}

function bodySchema(fields: { readonly [name: string]: Field }, takesBody: boolean): JsonSchema {
  if (takesBody) return { type: "object", additionalProperties: true };
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]));
  return { type: "object", properties };
}

/** Values that tell apart what a field takes. */
const PROBES: { readonly [type: string]: readonly unknown[] } = {
  string: ["x", "1", "true", "1h", "2026-01-01T00:00:00Z", "{}", "https://a.test", "service"],
  integer: [0, 1, 200],
  boolean: [true],
  array: [["x"], []],
  object: [{}, { a: "b" }],
};

/**
 * What a field takes, found by asking it: a field reads several kinds of values, and knows by itself which.
 */
function schemaOf(field: Field): JsonSchema {
  const types = Object.entries(PROBES)
    .filter(([, probes]) => probes.some((probe) => v.safeParse(field, probe).success))
    .map(([type]) => type);
  return types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types };
}
