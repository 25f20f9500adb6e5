import { LanguageError } from "../../../languages/language-error.ts";
import { parseLdif } from "../../../languages/ldif/parse.ts";
import type { LdifRecord } from "../../../languages/ldif/record.ts";
import type { Template } from "../../../languages/template/ast.ts";
import { FUNCTION_NAMES, NAME_FUNCTIONS } from "../../../languages/template/functions.ts";
import { parseTemplate } from "../../../languages/template/parse.ts";
import { renderTemplate } from "../../../languages/template/render.ts";
import { TemplateError } from "../../../languages/template/template-error.ts";
import type { TemplateFields } from "../../../languages/template/value.ts";
import { applyRecord } from "../../../surroundings/directory/apply.ts";
import type { DirectorySession } from "../../../surroundings/directory/session.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { LdifFields } from "./state.ts";

/** A result, or why there is none, in words. */
export type Attempted<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Renders the name of an account; templates of names do not have all functions. */
export function renderName(decision: SecretsRecorder, template: string, fields: TemplateFields): Attempted<string> {
  return rendered(decision, template, fields, NAME_FUNCTIONS);
}

/** The entries of an LDIF template, rendered. */
export function renderLdif(
  decision: SecretsRecorder,
  template: string,
  fields: LdifFields,
): Attempted<readonly LdifRecord[]> {
  const text = rendered(decision, template, { ...fields }, FUNCTION_NAMES);
  if (!text.ok) return { ok: false, reason: `invalid template: ${text.reason}` };
  try {
    return { ok: true, value: parseLdif(text.value) };
  } catch (error) {
    if (error instanceof LanguageError) return { ok: false, reason: `LDIF is invalid: ${error.message}` };
    throw error;
  }
}

function rendered(
  { nowMs, draw }: SecretsRecorder,
  template: string,
  fields: TemplateFields,
  functions: ReadonlySet<string>,
): Attempted<string> {
  let parsed: Template;
  try {
    parsed = parseTemplate(template, functions);
  } catch (error) {
    if (error instanceof LanguageError) return { ok: false, reason: `unable to parse template: ${error.message}` };
    throw error;
  }
  try {
    return { ok: true, value: renderTemplate(parsed, fields, { nowMs, draw }) };
  } catch (error) {
    if (error instanceof TemplateError) return { ok: false, reason: `unable to apply template: ${error.message}` };
    throw error;
  }
}

const REQUEST: Readonly<Record<LdifRecord["change"], string>> = {
  add: "AddRequest",
  modify: "ModifyRequest",
  delete: "DelRequest",
};

/** Carries out one entry, and says what went wrong. */
export function execute(decision: SecretsRecorder, session: DirectorySession, record: LdifRecord): string | undefined {
  const error = applyRecord(decision, session, record);
  return error === undefined ? undefined : `failed to execute ${REQUEST[record.change]}: ${error}`;
}

/** Carries out all entries, whatever becomes of each, and says all that went wrong. */
export function executeAll(
  decision: SecretsRecorder,
  session: DirectorySession,
  template: string,
  fields: LdifFields,
): string | undefined {
  const records = renderLdif(decision, template, fields);
  if (!records.ok) return records.reason;
  const errors = records.value
    .map((record) => execute(decision, session, record))
    .filter((error) => error !== undefined);
  return errors.length === 0 ? undefined : errors.join("; ");
}
