import type { JsonSchema } from "../../services/kit/openapi.ts";

// What the admin path answers, for clients that are generated from its document.

const string: JsonSchema = { type: "string" };
const integer: JsonSchema = { type: "integer" };
const boolean: JsonSchema = { type: "boolean" };
const stringByName: JsonSchema = { type: "object", additionalProperties: string };

/** An object whose members are all there, but for those that are named. */
function object(properties: { readonly [name: string]: JsonSchema }, ...optional: readonly string[]): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required };
}

const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });
const map = (values: JsonSchema): JsonSchema => ({ type: "object", additionalProperties: values });

/** A value of any form, such as one that a caller gave. */
const any: JsonSchema = {};

const position: JsonSchema = { ...integer, description: "a position of the log" };
const atMs: JsonSchema = { ...integer, description: "milliseconds since 1970, in virtual time" };
const now = { now: { ...string, format: "date-time" }, nowMs: atMs };

const urls = object(
  { runs: string, scheduler: stringByName, secrets: stringByName },
  // Of a simulator without such a service.
  "runs",
);

const event = object({ type: string, v: integer, data: any });
const command = object({ name: string, input: any, caller: any, via: string, stream: string }, "stream");

/** The shapes by their names. */
export const SHAPES = {
  Error: object({
    error: object({ code: string, message: string, data: { type: "object" }, position }, "data", "position"),
  }),
  Index: object({ version: string, position, ...now, services: urls, documents: list(string) }),
  Server: object({ version: string, worlds: integer, documents: list(string) }),
  World: object(
    {
      id: string,
      name: string,
      urls,
      admin: object({ url: string, secret: string }),
      inspectUrl: string,
      rootTokens: stringByName,
      keyShares: map(list(string)),
      position,
      ...now,
    },
    "name",
    "inspectUrl",
  ),
  WorldInList: object({ id: string, name: string, createdAt: string, position, ...now }, "name"),
  Now: object(now),
  Place: object({ position, ...now }),
  Fired: object({ dueAtMs: atMs, command: string, owner: any, position }),
  ClockMoved: object({ ...now, fired: list({ $ref: "#/components/schemas/Fired" }) }),
  Pending: object(
    { dueAtMs: atMs, command: string, owner: any, timer: string, program: string, where: any },
    ...["command", "owner", "timer", "program", "where"],
  ),
  Clock: object({
    ...now,
    pending: list({ $ref: "#/components/schemas/Pending" }),
    waiting: list(object({ request: string, untilMs: atMs })),
  }),
  Mark: object({ name: string, position, ...now }),
  MarkInList: object({ name: string, position, atMs }),
  Commit: object({ position, atMs, command, events: list(event), failed: string }, "failed"),
  Event: object({ position, atMs, type: string, v: integer, data: any }),
  StateHash: object({ position, stateHash: string }),
  Difference: object({ path: string, before: any, after: any }, "before", "after"),
  History: object({
    path: string,
    born: any,
    writes: list(object({ position, at: string, command: string, value: any })),
  }),
  Explanation: object(
    {
      position,
      atMs,
      operation: string,
      route: string,
      caller: any,
      armedAt: position,
      moves: list({ type: "object" }),
      refusedMove: { type: "object" },
      events: list(event),
      changes: list({ $ref: "#/components/schemas/Difference" }),
      answer: any,
      why: { $ref: "#/components/schemas/Why" },
      evidence: string,
    },
    ...["operation", "route", "caller", "armedAt", "refusedMove", "answer", "why", "evidence"],
  ),
  Why: object({
    code: string,
    text: string,
    facts: list(object({ kind: string, position, text: string }, "position")),
  }),
  Rehearsal: object(
    { ok: boolean, position, expected: any, actual: any, why: string },
    ...["position", "expected", "actual", "why"],
  ),
  Rewritten: object({
    changed: list(object({ position, before: any, after: any }, "before", "after")),
    position,
    served: boolean,
  }),
  JournalEntry: {
    description: "By its kind: a request, a note, a move of the clock, a mark or a step.",
    ...object(
      {
        kind: { ...string, enum: ["request", "note", "clock", "mark", "step"] },
        atMs,
        n: integer,
        answeredAtMs: atMs,
        position,
        program: string,
        request: object({ method: string, url: string, headers: stringByName, body: any }, "body"),
        response: object({ status: integer, headers: stringByName, body: any }, "body"),
        operation: string,
        refusal: object({ code: string, why: string }),
        fault: string,
        where: object({ file: string, line: integer, column: integer, function: string }, "function"),
        trace: string,
        test: string,
        nearest: list(string),
        data: any,
        fromMs: atMs,
        by: string,
        name: string,
        title: string,
      },
      ...["n", "answeredAtMs", "position", "program", "request", "response", "operation", "refusal", "fault", "where"],
      ...["trace", "test", "nearest", "data", "fromMs", "by", "name", "title"],
    ),
  },
  Program: object({ name: string }),
  RequestFault: object({ id: integer, hits: integer, rule: { type: "object" } }),
  Operation: object(
    { name: string, method: string, path: string, service: string, evidence: string, graded: any },
    "graded",
  ),
  Scenario: object({ name: string, title: string }),
  ScenarioRun: object({ ok: boolean, steps: list({ type: "object" }), cast: any, position, served: boolean }),
  Document: { type: "object", description: "an OpenAPI 3.1 document" },
} as const satisfies { readonly [name: string]: JsonSchema };

/** The name of a shape. */
export type ShapeName = keyof typeof SHAPES;

/** One of the shapes, by reference. */
export function shape(name: ShapeName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A list of one of the shapes. */
export function shapes(name: ShapeName): JsonSchema {
  return list(shape(name));
}

/** One of the shapes, or null. */
export function shapeOrNull(name: ShapeName): JsonSchema {
  return { anyOf: [shape(name), { type: "null" }] };
}
