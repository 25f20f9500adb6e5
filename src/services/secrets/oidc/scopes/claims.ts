import type { EpochMs } from "../../../../kernel/brand.ts";
import { LanguageError } from "../../../../languages/language-error.ts";
import { setOwn } from "../../../../languages/objects.ts";
import {
  claimsIn,
  emptyTemplateData,
  filledTemplate,
  type TemplateData,
} from "../../../../languages/scope-template/fill.ts";
import { parseScopeTemplate, type ScopeTemplate } from "../../../../languages/scope-template/parse.ts";
import type { KnownEntity } from "../../identity/membership.ts";
import { templateData } from "../../identity/template-data.ts";
import type { Claims } from "../flows/state.ts";
import type { OidcConfiguration, Scope } from "../state.ts";

/** Names at the top level of a token that are the provider's own (decisions-oidc.md, 6). */
const RESERVED_CLAIMS: readonly string[] = [
  "iat",
  "aud",
  "exp",
  "iss",
  "sub",
  "namespace",
  "nonce",
  "auth_time",
  "at_hash",
  "c_hash",
];

/** A scope, or whatever else has a template. */
type Templated = Pick<Scope, "template">;

/** Templates by what they are of. */
const parsed = new WeakMap<Templated, ScopeTemplate>();

function templateOf(holder: Templated): ScopeTemplate {
  let template = parsed.get(holder);
  if (template === undefined) {
    template = parseScopeTemplate(holder.template);
    parsed.set(holder, template);
  }
  return template;
}

/** What a template says, filled in. One that is empty says nothing, and neither does one that is then no JSON. */
function filledClaims(holder: Templated, data: TemplateData): Claims {
  return holder.template === "" ? {} : (claimsIn(filledTemplate(templateOf(holder), data)) ?? {});
}

/** What is wrong with a template that somebody writes. */
export type TemplateFault =
  | { readonly kind: "syntax"; readonly reason: string }
  | { readonly kind: "no_object" }
  | { readonly kind: "reserved"; readonly claim: string };

/** Why a text is no template for a scope; undefined for one that is. It is tried with an entity that has nothing. */
export function templateFault(text: string, nowMs: EpochMs): TemplateFault | undefined {
  if (text === "") return undefined;
  let template: ScopeTemplate;
  try {
    template = parseScopeTemplate(text);
  } catch (error) {
    if (error instanceof LanguageError) return { kind: "syntax", reason: error.message };
    throw error;
  }
  const filled = filledTemplate(template, emptyTemplateData(nowSecondsOf(nowMs)));
  if (nestsTooDeep(filled)) return { kind: "syntax", reason: `it nests deeper than ${MAX_DEPTH} levels` };
  const claims = claimsIn(filled);
  if (claims === undefined) return { kind: "no_object" };
  const claim = Object.keys(claims).find((name) => RESERVED_CLAIMS.includes(name));
  return claim === undefined ? undefined : { kind: "reserved", claim };
}

/** Our choice: what a fact can hold, with room for what stands around claims and for the values that are filled in. */
const MAX_DEPTH = 200;

/** Brackets inside texts nest nothing. */
function nestsTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') isText = !isText;
    else if (isText) at += character === "\\" ? 1 : 0;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** The top-level claims that scopes name, tried with an entity that has nothing. */
export function claimNames(scope: Scope, nowMs: EpochMs): readonly string[] {
  return Object.keys(filledClaims(scope, emptyTemplateData(nowSecondsOf(nowMs))));
}

/** Claims that two scopes both have. */
export class ClaimConflict {
  readonly claim: string;
  readonly scopes: readonly [string, string];

  constructor(claim: string, scopes: readonly [string, string]) {
    this.claim = claim;
    this.scopes = scopes;
  }
}

/**
 * What scopes say of an entity now. A scope that is gone says nothing, and neither does one whose filled template is no JSON.
 *
 * Source: decisions-oidc.md, 6 and 11.
 */
export function scopeClaims(
  oidc: OidcConfiguration,
  scopes: readonly string[],
  known: KnownEntity,
  nowMs: EpochMs,
): Claims | ClaimConflict {
  const claims: Record<string, unknown> = {};
  const from = new Map<string, string>();
  const data = templateData(known, nowSecondsOf(nowMs));
  for (const name of scopes) {
    const scope = oidc.scopes.get(name);
    if (scope === undefined) continue;
    for (const [claim, value] of Object.entries(filledClaims(scope, data))) {
      const other = from.get(claim);
      if (other !== undefined) return new ClaimConflict(claim, [other, name]);
      from.set(claim, name);
      if (!RESERVED_CLAIMS.includes(claim)) setOwn(claims, claim, value);
    }
  }
  return claims;
}

/** What one template says of an entity now. */
export function templateClaims(holder: Templated, known: KnownEntity, nowMs: EpochMs): Claims {
  return filledClaims(holder, templateData(known, nowSecondsOf(nowMs)));
}

export function nowSecondsOf(nowMs: EpochMs): number {
  return Math.floor(nowMs / 1000);
}
