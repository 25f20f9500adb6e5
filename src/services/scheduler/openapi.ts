import {
  answer,
  type Described,
  type JsonSchema,
  PAST,
  type Parameter,
  pathParameters,
  summaryOf,
  templateOf,
} from "../kit/openapi.ts";
import type { SchedulerOperation } from "./declare.ts";
import type { SchedulerField } from "./fields.ts";
import { PARAMETERS } from "./query.ts";
import { schedulerRegistry } from "./registry.ts";

const JSON_TYPE = "application/json";
const METHODS = { GET: "get", POST: "post", DELETE: "delete" } as const;

const KINDS: Readonly<Record<SchedulerField["kind"], JsonSchema>> = {
  text: { type: "string" },
  texts: { type: "array", items: { type: "string" } },
  flag: { type: "boolean" },
};

const [REGION, ...OF_READS] = Object.entries(PARAMETERS).map(
  ([name, { about, type }]): Parameter => ({ name, in: "query", description: about, schema: { type } }),
) as [Parameter, ...Parameter[]];

/** The operations of the scheduler. */
export function* describedScheduler(): Generator<Described> {
  for (const [name, operation] of schedulerRegistry.byName) yield described(name, operation);
}

function described(name: string, { verb, path, evidence, fields, body, handler }: SchedulerOperation): Described {
  const properties = Object.fromEntries(Object.entries(fields).map(([field, { kind }]) => [field, KINDS[kind]]));
  return {
    name,
    method: METHODS[verb],
    path: templateOf(path),
    summary: summaryOf(name),
    parameters: [...pathParameters(path), REGION, ...(handler.kind === "view" ? [...OF_READS, PAST] : [])],
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
