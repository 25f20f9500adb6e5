import { isObject } from "../../languages/objects.ts";
import { renamed, renamedText, renamedValue, spokenHeader } from "../../languages/vocabulary/rename.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import type { ServiceModule } from "../../services/kit/module.ts";
import type { Described, JsonSchema, Parameter } from "../../services/kit/openapi.ts";

// Documents in the words of a vocabulary: what they say of the wire is called as on the wire. Names of operations, and what is made of
// them, are the library's own, as `sim.operations()` tells them, and stay.

/** How a service calls things in other words. */
type Naming = Pick<ServiceModule<never>["words"], "pathOf" | "parameterOf">;

export function wordedOperation(
  words: ServiceWords,
  { pathOf = (_, path) => path, parameterOf = (own, name) => renamed(own.fields, name, "own") }: Naming,
  operation: Described,
): Described {
  const { path, description, parameters, body, answers } = operation;
  return {
    ...operation,
    path: pathOf(words, path),
    ...(description === undefined
      ? {}
      : { description: told(words, description).replace(/(?<=`)\/[^`]+/g, (named) => pathOf(words, named)) }),
    parameters: parameters.map((parameter) => wordedParameter(words, parameterOf, parameter)),
    ...(body === undefined ? {} : { body: { ...body, schema: wordedSchema(words, body.schema) } }),
    answers: mapped(answers, (answer) => wordedAnswer(words, answer)),
  };
}

/** A scheme by which callers show who they are: some do so in a header. */
export function wordedScheme(words: ServiceWords, scheme: JsonSchema): JsonSchema {
  const { in: place, name } = scheme;
  return place === "header" && typeof name === "string" ? { ...scheme, name: spokenHeader(words, name) } : scheme;
}

function wordedParameter(
  words: ServiceWords,
  parameterOf: NonNullable<Naming["parameterOf"]>,
  parameter: Parameter,
): Parameter {
  const { name, in: place, description, schema } = parameter;
  // What captures are called is not on the wire.
  if (place === "path") return parameter;
  return {
    ...parameter,
    ...(description === undefined ? {} : { description: told(words, description) }),
    ...(place === "header"
      ? { name: spokenHeader(words, name) }
      : { name: parameterOf(words, name), schema: wordedSchema(words, schema, name) }),
  };
}

function wordedAnswer(words: ServiceWords, answer: unknown): unknown {
  if (!isObject(answer) || !isObject(answer["content"])) return answer;
  const content = mapped(answer["content"], (held) =>
    isObject(held) && isObject(held["schema"]) ? { ...held, schema: wordedSchema(words, held["schema"]) } : held,
  );
  return { ...answer, content };
}

/** What a schema says of members and of enumerated values; `field` is the neutral name of the member that it is of. */
function wordedSchema(words: ServiceWords, schema: JsonSchema, field = ""): JsonSchema {
  return mapped(schema, (content, keyword) => KEYWORDS[keyword]?.(words, content, field) ?? content);
}

type Worded = (words: ServiceWords, content: unknown, field: string) => unknown;

const inner: Worded = (words, content, field) => (isObject(content) ? wordedSchema(words, content, field) : content);
const value: Worded = (words, content, field) =>
  typeof content === "string" ? renamedValue(words, field, content, "own") : content;
const each =
  (worded: Worded): Worded =>
  (words, content, field) =>
    Array.isArray(content) ? content.map((item: unknown) => worded(words, item, field)) : content;

/** The keywords below which names or values of the service stand. Members without a name of their own hold what callers named. */
const KEYWORDS: { readonly [keyword: string]: Worded } = {
  properties: (words, members) =>
    isObject(members)
      ? Object.fromEntries(
          Object.entries(members).map(([name, schema]) => [
            renamed(words.fields, name, "own"),
            inner(words, schema, name),
          ]),
        )
      : members,
  required: each((words, name) => (typeof name === "string" ? renamed(words.fields, name, "own") : name)),
  enum: each(value),
  const: value,
  default: value,
  items: inner,
  additionalProperties: inner,
  anyOf: each(inner),
  oneOf: each(inner),
  allOf: each(inner),
  description: (words, text) => (typeof text === "string" ? told(words, text) : text),
};

function told(words: ServiceWords, text: string): string {
  return renamedText(words, text, { quoted: true });
}

function mapped<T, U>(
  given: { readonly [name: string]: T },
  turn: (content: T, name: string) => U,
): { readonly [name: string]: U } {
  return Object.fromEntries(Object.entries(given).map(([name, content]) => [name, turn(content, name)]));
}
