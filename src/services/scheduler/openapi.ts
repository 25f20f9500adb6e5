import { answer, type JsonSchema, type OwnDescription, type Parameter } from "../kit/openapi.ts";
import type { SchedulerOperation } from "./declare.ts";
import type { SchedulerField } from "./fields.ts";
import { PARAMETERS } from "./query.ts";

const JSON_TYPE = "application/json";

const KINDS: Readonly<Record<SchedulerField["kind"], JsonSchema>> = {
  text: { type: "string" },
  texts: { type: "array", items: { type: "string" } },
  flag: { type: "boolean" },
  count: { type: "integer" },
  duration: { type: "string" },
  links: { type: "array", items: { type: "object" } },
  instant: { type: "string", format: "date-time" },
};

const [REGION, ...OF_READS] = Object.entries(PARAMETERS).map(
  ([name, { about, type }]): Parameter => ({ name, in: "query", description: about, schema: { type } }),
) as [Parameter, ...Parameter[]];

/** An operation of the scheduler. */
export function describedScheduler({ fields, body, handler }: SchedulerOperation): OwnDescription {
  const properties = Object.fromEntries(Object.entries(fields).map(([field, { kind }]) => [field, KINDS[kind]]));
  return {
    parameters: [REGION, ...(handler.kind === "view" ? OF_READS : [])],
    body:
      body === "none"
        ? undefined
        : { mediaType: JSON_TYPE, required: body === "required", schema: { type: "object", properties } },
    answers: {
      200: answer("the answer", JSON_TYPE),
      "4XX": answer("refused", "text/plain", { type: "string" }),
      "5XX": answer("failed", "text/plain", { type: "string" }),
    },
  };
}
