/**
 * What rendering a template throws, and the only thing it throws: an unknown field, a wrong argument, a bound that was
 * passed. A template that cannot be read at all is a `LanguageError`, thrown by `parseTemplate`.
 */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}
