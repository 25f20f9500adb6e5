/** A line of an LDIF entry, put together from the lines that continue it, and where it begins (from 1). */
export interface LogicalLine {
  readonly text: string;
  readonly line: number;
}

/**
 * Cuts a text into entries: lines between blank ones. A line that begins with a space continues the one before, without
 * that space, so a line that is a single space is not blank, and nothing where there is nothing to continue; `#` lines and what continues
 * them are left out.
 *
 * Source: decisions-directory.md section 10.
 */
export function* entriesOf(text: string): Generator<readonly LogicalLine[], void, undefined> {
  let lines: LogicalLine[] = [];
  let parts: string[] = [];
  let startedAt = 0;
  let isComment = false;
  let number = 0;
  const endLine = (): void => {
    const text = parts.join("");
    if (text !== "") lines.push({ text, line: startedAt });
    parts = [];
  };
  for (const line of linesOf(text)) {
    number += 1;
    if (line === "") {
      endLine();
      if (lines.length > 0) yield lines;
      lines = [];
      isComment = false;
    } else if (line.startsWith("#")) {
      isComment = true;
    } else if (line.startsWith(" ")) {
      if (isComment) continue;
      if (parts.length === 0) startedAt = number;
      parts.push(line.slice(1));
    } else {
      endLine();
      isComment = false;
      startedAt = number;
      parts.push(line);
    }
  }
  endLine();
  if (lines.length > 0) yield lines;
}

/** The lines of a text without the LF or CRLF that ends them. */
function* linesOf(text: string): Generator<string, void, undefined> {
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf("\n", from);
    const end = newline < 0 ? text.length : newline;
    yield text.slice(from, text.charAt(end - 1) === "\r" && end > from ? end - 1 : end);
    from = end + 1;
  }
}
