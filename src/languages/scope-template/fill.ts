import { isObject } from "../objects.ts";
import type { Directive, ScopeTemplate } from "./parse.ts";

type Texts = { readonly [name: string]: string };

/** An alias as templates see it. */
export interface TemplateAlias {
  readonly id: string;
  readonly name: string;
  readonly metadata: Texts;
  readonly customMetadata: Texts;
}

/** What templates are filled with. */
export interface TemplateData {
  readonly entity: { readonly id: string; readonly name: string; readonly metadata: Texts };
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly aliasOn: (accessor: string) => TemplateAlias | undefined;
  readonly nowSeconds: number;
}

/** An entity with nothing, in no group: what a template is tried with when it is written. */
export function emptyTemplateData(nowSeconds: number): TemplateData {
  return { entity: { id: "", name: "", metadata: {} }, groups: [], aliasOn: () => undefined, nowSeconds };
}

/**
 * The text of a template with its directives filled in, each as JSON: strings come quoted. What is missing has a value of its
 * own: `""` for a string, `{}` for an object, `null` for no groups.
 */
export function filledTemplate(template: ScopeTemplate, data: TemplateData): string {
  return template.map((part) => (typeof part === "string" ? part : JSON.stringify(filledIn(part, data)))).join("");
}

/** What stands in the place of one directive. */
export function filledIn(directive: Directive, { entity, groups, aliasOn, nowSeconds }: TemplateData): unknown {
  switch (directive.kind) {
    case "entity":
      return entity[directive.field];
    case "entityMetadata":
      return own(entity.metadata, directive.key);
    case "groups":
      return groups.length === 0 ? null : groups.map(({ id, name }) => (directive.field === "ids" ? id : name));
    case "alias": {
      const alias = aliasOn(directive.accessor);
      if (directive.field === "metadata") return alias?.metadata ?? {};
      if (directive.field === "custom_metadata") return alias?.customMetadata ?? {};
      return alias?.[directive.field] ?? "";
    }
    case "aliasMetadata": {
      const alias = aliasOn(directive.accessor);
      const texts = directive.field === "metadata" ? alias?.metadata : alias?.customMetadata;
      return texts === undefined ? "" : own(texts, directive.key);
    }
    case "time":
      return nowSeconds + directive.offsetSeconds;
    default:
      return directive satisfies never;
  }
}

function own(texts: Texts, key: string): string {
  return Object.hasOwn(texts, key) ? (texts[key] as string) : "";
}

/** The claims that a filled template has: the members of its object; undefined when it is no JSON object. */
export function claimsIn(filled: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(filled);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
