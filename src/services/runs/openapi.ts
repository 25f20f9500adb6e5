import { answer, type JsonSchema, type OwnDescription, type Parameter } from "../kit/openapi.ts";
import type { RunsField, RunsOperation } from "./declare.ts";
import type { Parameter as Kind } from "./query.ts";

const MEDIA_TYPE = "application/vnd.api+json";

const PARAMETERS: Readonly<Record<Kind, readonly Parameter[]>> = {
  page: [
    { name: "page[number]", in: "query", schema: { type: "integer" } },
    { name: "page[size]", in: "query", schema: { type: "integer" } },
  ],
  include: [
    { name: "include", in: "query", description: "related resources, with commas between", schema: { type: "string" } },
  ],
  filter: [
    {
      name: "filter",
      in: "query",
      description: "written filter[name]=value",
      style: "deepObject",
      explode: true,
      schema: { type: "object", additionalProperties: { type: "string" } },
    },
  ],
};

const ERRORS: JsonSchema = { type: "object", properties: { errors: { type: "array", items: { type: "object" } } } };

/** An operation of the run service. */
export function describedRuns({ parameters, fields, handler }: RunsOperation): OwnDescription {
  return {
    parameters: parameters.flatMap((kind) => PARAMETERS[kind]),
    body: handler.kind === "view" ? undefined : { mediaType: MEDIA_TYPE, required: false, schema: documentOf(fields) },
    answers: {
      200: answer("the document", MEDIA_TYPE, { type: "object" }),
      201: answer("the document of what was made", MEDIA_TYPE, { type: "object" }),
      202: { description: "taken; there is nothing to say" },
      204: { description: "done; there is nothing to say" },
      "3XX": { description: "leads to where the content is" },
      "4XX": answer("refused", MEDIA_TYPE, ERRORS),
      "5XX": answer("failed, because a test wanted it", MEDIA_TYPE, ERRORS),
    },
  };
}

/** The body of an operation: JSON:API puts what is given in one of three places. */
function documentOf(fields: RunsOperation["fields"]): JsonSchema {
  const within = (place: RunsField["within"], schemaOf: (field: RunsField) => JsonSchema): [string, JsonSchema][] =>
    Object.entries(fields).flatMap(([name, field]) => (field.within === place ? [[name, schemaOf(field)]] : []));
  const related = { data: objectWith([["id", { type: "string" }]]) };
  const resource = [
    ...nested("attributes", within("attributes", schemaOf)),
    ...nested(
      "relationships",
      within("relationships", () => objectWith(Object.entries(related))),
    ),
  ];
  return objectWith([...within("document", schemaOf), ...nested("data", resource)]);
}

function nested(name: string, members: readonly [string, JsonSchema][]): [string, JsonSchema][] {
  return members.length === 0 ? [] : [[name, objectWith(members)]];
}

function objectWith(members: readonly [string, JsonSchema][]): JsonSchema {
  return { type: "object", properties: Object.fromEntries(members) };
}

function schemaOf({ kind }: RunsField): JsonSchema {
  return { type: [kind === "text" ? "string" : "boolean", "null"] };
}
