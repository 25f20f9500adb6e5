import { answer, type JsonSchema, type OwnDescription, type Parameter } from "../kit/openapi.ts";
import type { RunsOperation } from "./declare.ts";
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

const COMMENT: JsonSchema = { type: "object", properties: { comment: { type: ["string", "null"] } } };

/** An operation of the run service. */
export function describedRuns({ parameters, handler }: RunsOperation): OwnDescription {
  return {
    parameters: parameters.flatMap((kind) => PARAMETERS[kind]),
    body: handler.kind === "view" ? undefined : { mediaType: MEDIA_TYPE, required: false, schema: COMMENT },
    answers: {
      200: answer("the document", MEDIA_TYPE, { type: "object" }),
      202: { description: "taken; there is nothing to say" },
      204: { description: "done; there is nothing to say" },
      "3XX": { description: "leads to where the content is" },
      "4XX": answer("refused", MEDIA_TYPE, ERRORS),
      "5XX": answer("failed, because a test wanted it", MEDIA_TYPE, ERRORS),
    },
  };
}
