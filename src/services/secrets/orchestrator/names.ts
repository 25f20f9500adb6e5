import type { EpochMs } from "../../../kernel/brand.ts";
import type { Draw } from "../../../kernel/randomness.ts";
import { LanguageError } from "../../../languages/language-error.ts";
import { NAME_FUNCTIONS } from "../../../languages/template/functions.ts";
import { parseTemplate } from "../../../languages/template/parse.ts";
import { renderTemplate } from "../../../languages/template/render.ts";
import { TemplateError } from "../../../languages/template/template-error.ts";

// Source of all rules in this file: decisions-orchestrator.md, 6 "Name".

/** At most 62 characters, and lower case. A template of one's own is neither cut nor lower-cased. */
const DEFAULT_TEMPLATE =
  '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 8) (.RoleName | truncate 8) (unix_time) (random 24) | truncate 62 | lowercase }}';

/** What is wrong with a template as a text; undefined when nothing is. What it shows is not looked at. */
export function nameTemplateFault(template: string): string | undefined {
  try {
    parseTemplate(template, NAME_FUNCTIONS);
    return undefined;
  } catch (error) {
    if (error instanceof LanguageError) return `unable to parse template: ${error.message}`;
    throw error;
  }
}

/** The name of all that is generated for a request, or what is wrong with its template. */
export function generatedName(
  template: string,
  { displayName, roleName }: { readonly displayName: string; readonly roleName: string },
  nowMs: EpochMs,
  draw: Draw,
): { readonly name: string } | { readonly fault: string } {
  const fields = { DisplayName: displayName, RoleName: roleName };
  try {
    const parsed = parseTemplate(template || DEFAULT_TEMPLATE, NAME_FUNCTIONS);
    return { name: renderTemplate(parsed, fields, { nowMs, draw }) };
  } catch (error) {
    if (error instanceof TemplateError) return { fault: `unable to apply template: ${error.message}` };
    if (error instanceof LanguageError) return { fault: `unable to parse template: ${error.message}` };
    throw error;
  }
}
