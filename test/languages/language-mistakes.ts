import { LanguageError } from "../../src/languages/language-error.ts";

/** The `LanguageError` that `parse` throws; any other outcome is a failure of the test. */
export function mistakeIn(parse: () => unknown): LanguageError {
  const mistake = mistakeOf(parse);
  if (mistake === undefined) throw new Error("the text was read, and should have been refused");
  return mistake;
}

/** What `parse` complains of, or nothing where it reads the text; any other error is thrown on. */
export function mistakeOf(parse: () => unknown): LanguageError | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof LanguageError) return error;
    throw error;
  }
}
