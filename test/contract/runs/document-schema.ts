import { Ajv } from "ajv";

// A JSON:API 1.0 document as a schema, written from https://jsonapi.org/format/1.0/ (sections 5 and 9).

const memberName = "^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$";

const meta = { type: "object" };

const link = {
  anyOf: [
    { type: "string", format: "reference" },
    {
      type: "object",
      required: ["href"],
      properties: { href: { type: "string", format: "reference" }, meta },
      additionalProperties: false,
    },
  ],
};

const identifier = {
  type: "object",
  required: ["id", "type"],
  properties: { id: { type: "string", minLength: 1 }, type: { type: "string", pattern: memberName }, meta },
  additionalProperties: false,
};

const linkage = { anyOf: [{ type: "null" }, identifier, { type: "array", items: identifier, uniqueItems: true }] };

const relationship = {
  type: "object",
  minProperties: 1,
  properties: {
    links: {
      type: "object",
      properties: { self: link, related: link },
      additionalProperties: false,
      anyOf: [{ required: ["self"] }, { required: ["related"] }],
    },
    data: linkage,
    meta,
  },
  additionalProperties: false,
};

const resource = {
  type: "object",
  required: ["id", "type"],
  properties: {
    id: { type: "string", minLength: 1 },
    type: { type: "string", pattern: memberName },
    attributes: {
      type: "object",
      propertyNames: { pattern: memberName, not: { enum: ["id", "type", "links", "relationships"] } },
    },
    relationships: {
      type: "object",
      propertyNames: { pattern: memberName, not: { enum: ["id", "type"] } },
      additionalProperties: relationship,
    },
    links: { type: "object", additionalProperties: link },
    meta,
  },
  additionalProperties: false,
};

const pageLink = { anyOf: [link, { type: "null" }] };

const topLinks = {
  type: "object",
  properties: { self: link, related: link, first: pageLink, last: pageLink, prev: pageLink, next: pageLink },
  additionalProperties: false,
};

const success = {
  type: "object",
  required: ["data"],
  properties: {
    data: { anyOf: [{ type: "null" }, resource, { type: "array", items: resource, uniqueItems: true }] },
    included: { type: "array", items: resource, uniqueItems: true },
    links: topLinks,
    meta,
    jsonapi: { type: "object" },
  },
  additionalProperties: false,
};

const failure = {
  type: "object",
  required: ["errors"],
  properties: {
    errors: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        minProperties: 1,
        properties: {
          id: { type: "string" },
          links: { type: "object" },
          status: { type: "string", pattern: "^[45]\\d\\d$" },
          code: { type: "string" },
          title: { type: "string" },
          detail: { type: "string" },
          source: {
            type: "object",
            properties: { pointer: { type: "string" }, parameter: { type: "string" } },
            additionalProperties: false,
          },
          meta,
        },
        additionalProperties: false,
      },
    },
    meta,
    jsonapi: { type: "object" },
  },
  additionalProperties: false,
};

const ajv = new Ajv({ allErrors: true, formats: { reference: isReference } });
const validates = ajv.compile({ oneOf: [success, failure] });

/** A URI reference that is absolute once it is resolved. */
function isReference(text: string): boolean {
  return URL.canParse(text, "https://base.test") && /^[!-~]+$/.test(text);
}

/** What keeps a body from being a JSON:API 1.0 document; empty when nothing does. */
export function documentFaults(body: unknown): string[] {
  if (validates(body)) return duplicatesIn(body);
  return (validates.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

interface Resource {
  readonly id: string;
  readonly type: string;
  readonly relationships?: { readonly [name: string]: { readonly data?: unknown } };
}

/** Each resource stands once, and what is included is linked from what is there: "compound documents". */
function duplicatesIn(body: unknown): string[] {
  const { data = null, included = [] } = body as { data?: Resource | Resource[] | null; included?: Resource[] };
  const primary = data === null ? [] : Array.isArray(data) ? data : [data];
  const all = [...primary, ...included];
  const keys = all.map(keyOf);
  const faults = keys.filter((key, index) => keys.indexOf(key) !== index).map((key) => `${key} stands twice`);
  const linked = new Set(all.flatMap(({ relationships }) => Object.values(relationships ?? {})).flatMap(linkedKeys));
  return [
    ...faults,
    ...included
      .map(keyOf)
      .filter((key) => !linked.has(key))
      .map((key) => `${key} is linked by nothing`),
  ];
}

function keyOf({ id, type }: { readonly id: string; readonly type: string }): string {
  return `${type} ${id}`;
}

function linkedKeys({ data }: { readonly data?: unknown }): string[] {
  const linkages = (Array.isArray(data) ? data : data === undefined || data === null ? [] : [data]) as Resource[];
  return linkages.map(keyOf);
}
