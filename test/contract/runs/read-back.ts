import { Jsona } from "jsona";
import { expect } from "vitest";

interface Resource {
  readonly id: string;
  readonly type: string;
  readonly attributes?: { readonly [name: string]: unknown };
  readonly relationships?: { readonly [name: string]: { readonly data?: unknown } };
  readonly links?: unknown;
}

interface Model {
  readonly [name: string]: unknown;
}

/** A document has nothing that an independent JSON:API client does not read from it. */
export function expectReadBack(body: {
  readonly data: Resource | readonly Resource[];
  readonly included?: Resource[];
}): void {
  const read = new Jsona().deserialize(body) as unknown as Model | Model[];
  const resources = Array.isArray(body.data) ? (body.data as readonly Resource[]) : [body.data as Resource];
  const models = Array.isArray(read) ? read : [read];
  expect(models.length).toBe(resources.length);
  const included = new Map((body.included ?? []).map((resource) => [`${resource.type} ${resource.id}`, resource]));
  resources.forEach((resource, index) => {
    expectModel(models[index] as Model, resource, included);
  });
}

function expectModel(model: Model, resource: Resource, included: ReadonlyMap<string, Resource>): void {
  expect(model["id"]).toBe(resource.id);
  expect(model["type"]).toBe(resource.type);
  for (const [name, value] of Object.entries(resource.attributes ?? {})) expect(model[name]).toEqual(value);
  if (resource.links !== undefined) expect(model["links"]).toEqual(resource.links);
  for (const [name, { data }] of Object.entries(resource.relationships ?? {})) {
    if (data === undefined) continue;
    const linkages = (Array.isArray(data) ? data : [data]) as Resource[];
    const related = (Array.isArray(data) ? model[name] : [model[name]]) as Model[];
    expect(related.map(({ id, type }) => ({ id, type }))).toEqual(linkages.map(({ id, type }) => ({ id, type })));
    linkages.forEach(({ id, type }, place) => {
      const whole = included.get(`${type} ${id}`);
      if (whole !== undefined && type !== resource.type) expectAttributes(related[place] as Model, whole);
    });
  }
}

function expectAttributes(model: Model, { attributes = {} }: Resource): void {
  for (const [name, value] of Object.entries(attributes)) expect(model[name]).toEqual(value);
}
