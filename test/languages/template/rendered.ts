import { Draw } from "../../../src/kernel/randomness.ts";
import { LanguageError } from "../../../src/languages/language-error.ts";
import { FUNCTION_NAMES } from "../../../src/languages/template/functions.ts";
import { parseTemplate } from "../../../src/languages/template/parse.ts";
import { renderTemplate } from "../../../src/languages/template/render.ts";
import { TemplateError } from "../../../src/languages/template/template-error.ts";
import type { TemplateFields } from "../../../src/languages/template/value.ts";

/** What became of a template: its text, or the stage at which it was refused. */
export type Rendered = { stage: "ok"; output: string } | { stage: "parse" } | { stage: "render" };

/** Renders a template and tells refusals by their kind; anything else that is thrown is a bug and goes on. */
export function renderedBy(
  template: string,
  fields: TemplateFields,
  now: string | number,
  functions = FUNCTION_NAMES,
): Rendered {
  try {
    const scope = { nowMs: new Date(now).getTime(), draw: new Draw("vectors") };
    return { stage: "ok", output: renderTemplate(parseTemplate(template, functions), fields, scope) };
  } catch (error) {
    if (error instanceof LanguageError) return { stage: "parse" };
    if (error instanceof TemplateError) return { stage: "render" };
    throw error;
  }
}
