import { deepEqual, equal } from "node:assert/strict";
import { Jsona } from "jsona";

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
  equal(models.length, resources.length);
  const included = new Map((body.included ?? []).map((resource) => [`${resource.type} ${resource.id}`, resource]));
  resources.forEach((resource, index) => {
    expectModel(models[index] as Model, resource, included);
  });
}

function expectModel(model: Model, resource: Resource, included: ReadonlyMap<string, Resource>): void {
  equal(model["id"], resource.id);
  equal(model["type"], resource.type);
  expectAttributes(model, resource);
  if (resource.links !== undefined) deepEqual(model["links"], resource.links);
  for (const [name, { data }] of Object.entries(resource.relationships ?? {})) {
    if (data === undefined) continue;
    const linkages = (Array.isArray(data) ? data : [data]) as Resource[];
    const related = (Array.isArray(data) ? model[name] : [model[name]]) as Model[];
    const identifiers = (of: readonly Model[] | readonly Resource[]): unknown =>
      of.map(({ id, type }) => ({ id, type }));
    deepEqual(identifiers(related), identifiers(linkages));
    linkages.forEach(({ id, type }, place) => {
      const whole = included.get(`${type} ${id}`);
      if (whole !== undefined && type !== resource.type) expectAttributes(related[place] as Model, whole);
    });
  }
}

function expectAttributes(model: Model, { attributes = {} }: Resource): void {
  for (const [name, value] of Object.entries(attributes)) deepEqual(model[name], value);
}
