import type { SchedulerOperation } from "../../services/scheduler/declare.ts";
import type { FieldKind } from "../../services/scheduler/fields.ts";
import { schedulerOperationsByName } from "../../services/scheduler/registry.ts";
import {
  answer,
  type Described,
  type JsonSchema,
  PAST,
  type Parameter,
  pathParameters,
  summaryOf,
  templateOf,
} from "./document.ts";

const JSON_TYPE = "application/json";
const METHODS = { GET: "get", POST: "post", DELETE: "delete" } as const;

const KINDS: Readonly<Record<FieldKind, JsonSchema>> = {
  text: { type: "string" },
  texts: { type: "array", items: { type: "string" } },
  flag: { type: "boolean" },
};

const REGION: Parameter = query("region", "the region that is asked for; by default the one that is called", "string");

const READ_PARAMETERS: readonly Parameter[] = [
  REGION,
  query("index", "waits until there is something newer", "integer"),
  query("wait", "how long at most, such as 30s", "string"),
  query("stale", "asks the server that is called, without the leader", "string"),
  query("prefix", "what names begin with", "string"),
  query("per_page", "how many on a page", "integer"),
  query("next_token", "where the page begins", "string"),
  PAST,
];

function query(name: string, description: string, type: string): Parameter {
  return { name, in: "query", description, schema: { type } };
}

/** The operations of the scheduler. */
export function* describedScheduler(): Generator<Described> {
  for (const [name, operation] of schedulerOperationsByName) yield described(name, operation);
}

function described(name: string, { verb, path, evidence, fields, body, handler }: SchedulerOperation): Described {
  const properties = Object.fromEntries(Object.entries(fields).map(([field, kind]) => [field, KINDS[kind]]));
  return {
    name,
    method: METHODS[verb],
    path: templateOf(path),
    summary: summaryOf(name),
    parameters: [...pathParameters(path), ...(handler.kind === "view" ? READ_PARAMETERS : [REGION])],
    body:
      body === "none"
        ? undefined
        : { mediaType: JSON_TYPE, required: body === "required", schema: { type: "object", properties } },
    answers: {
      200: answer("the answer", JSON_TYPE),
      "4XX": answer("refused", "text/plain", { type: "string" }),
      "5XX": answer("failed", "text/plain", { type: "string" }),
    },
    evidence,
  };
}
