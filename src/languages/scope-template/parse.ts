import { type DurationField, parseContractDuration } from "../duration.ts";
import { LanguageError } from "../language-error.ts";
import { LineCounter } from "../line-counter.ts";

/** What stands in the place of a directive. */
export type Directive =
  | { readonly kind: "entity"; readonly field: "id" | "name" | "metadata" }
  | { readonly kind: "entityMetadata"; readonly key: string }
  | { readonly kind: "groups"; readonly field: "ids" | "names" }
  | {
      readonly kind: "alias";
      readonly accessor: string;
      readonly field: "id" | "name" | "metadata" | "custom_metadata";
    }
  | {
      readonly kind: "aliasMetadata";
      readonly accessor: string;
      readonly field: "metadata" | "custom_metadata";
      readonly key: string;
    }
  | { readonly kind: "time"; readonly offsetSeconds: number };

/** A template: text, directive, text ... as they stand in it. */
export type ScopeTemplate = readonly (string | Directive)[];

const LANGUAGE = "scope template";

/**
 * Reads the template of an OIDC scope. It is split at `{{` and `}}` and nothing else, whatever JSON is around them: outside
 * directives neither may stand, so `{"a":{"b":1}}` is none.
 *
 * Source: decisions-oidc.md, 6 "Template language".
 *
 * @throws LanguageError with line and column: unbalanced braces, or a directive that is none
 * @example
 * parseScopeTemplate('{"name": {{identity.entity.name}}}');
 * // ['{"name": ', { kind: "entity", field: "name" }, "}"]
 */
export function parseScopeTemplate(template: string): ScopeTemplate {
  const parts: (string | Directive)[] = [];
  const pieces = template.split("{{");
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (index === 0) parts.push(plain(template, at, piece));
    else {
      const end = piece.indexOf("}}");
      if (end < 0) throw mistake(template, at - 2, '"{{"', '"}}" after it');
      parts.push(directiveOf(piece.slice(0, end).trim(), template, at));
      parts.push(plain(template, at + end + 2, piece.slice(end + 2)));
    }
    at += piece.length + 2;
  }
  return parts;
}

function plain(template: string, at: number, text: string): string {
  const stray = text.indexOf("}}");
  if (stray >= 0) throw mistake(template, at + stray, '"}}"', '"{{" before it');
  return text;
}

function directiveOf(name: string, template: string, at: number): Directive {
  const directive = directiveNamed(name);
  if (directive === undefined) throw mistake(template, at, `the directive "${name}"`, "one that scopes know");
  return directive;
}

/** The directive of a name; undefined for a name of none. */
export function directiveNamed(name: string): Directive | undefined {
  switch (name) {
    case "identity.entity.id":
    case "identity.entity.name":
    case "identity.entity.metadata":
      return { kind: "entity", field: name.slice("identity.entity.".length) as "id" | "name" | "metadata" };
    case "identity.entity.groups.ids":
    case "identity.entity.groups.names":
      return { kind: "groups", field: name.slice("identity.entity.groups.".length) as "ids" | "names" };
    case "time.now":
      return { kind: "time", offsetSeconds: 0 };
    default:
      return withOperand(name);
  }
}

function withOperand(name: string): Directive | undefined {
  const metadata = after(name, "identity.entity.metadata.");
  if (metadata !== undefined) return { kind: "entityMetadata", key: metadata };
  const alias = after(name, "identity.entity.aliases.");
  if (alias !== undefined) return aliasDirective(alias);
  const plus = after(name, "time.now.plus.");
  if (plus !== undefined) return shifted(parseContractDuration(plus), 1);
  const minus = after(name, "time.now.minus.");
  return minus === undefined ? undefined : shifted(parseContractDuration(minus), -1);
}

function aliasDirective(rest: string): Directive | undefined {
  const dot = rest.indexOf(".");
  const accessor = rest.slice(0, dot);
  if (dot <= 0) return undefined;
  const field = rest.slice(dot + 1);
  if (field === "id" || field === "name" || field === "metadata" || field === "custom_metadata") {
    return { kind: "alias", accessor, field };
  }
  for (const holder of ["metadata", "custom_metadata"] as const) {
    const key = after(field, `${holder}.`);
    if (key !== undefined) return { kind: "aliasMetadata", accessor, field: holder, key };
  }
  return undefined;
}

function shifted(duration: DurationField, sign: 1 | -1): Directive | undefined {
  return duration.ok ? { kind: "time", offsetSeconds: sign * duration.seconds } : undefined;
}

/** What follows a prefix, if it is something. */
function after(name: string, prefix: string): string | undefined {
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : undefined;
}

function mistake(template: string, at: number, found: string, expected: string): LanguageError {
  return new LanguageError({ language: LANGUAGE, position: new LineCounter(template).at(at), found, expected });
}
