import type { Cursor } from "../cursor.ts";

/**
 * Reads a heredoc, which the cursor stands before: the lines from the one after `<<ANCHOR` to the one that holds only
 * the anchor, each with its line break.
 *
 * As in HCL1, the anchor may be indented. After `<<-` its indentation is taken off every line, or off none if a line
 * has less; after `<<` it stays, as the end of the text. Unlike HCL1, which there looks for the anchor with its dash,
 * `<<-` also ends at an anchor that is not indented.
 *
 * @example
 * readHeredoc(new Cursor("block syntax", "<<-END\n  a\n    b\n  END\n")) // "a\n  b\n"
 */
export function readHeredoc(cursor: Cursor): string {
  const opening = cursor.offset;
  const head = cursor.take(/<<-?[\p{L}\p{Nd}_]{1,1024}\n/uy);
  if (head === "") throw cursor.error("a heredoc such as <<END, with a line break right after its anchor");

  const unindents = head.startsWith("<<-");
  const anchor = head.slice(unindents ? 3 : 2, -1);
  const start = cursor.offset;
  for (;;) {
    const lineStart = cursor.offset;
    const lineEnd = cursor.text.indexOf("\n", lineStart);
    if (lineEnd < 0) throw unclosed(cursor, opening, anchor);
    cursor.offset = lineEnd + 1;
    const indent = indentOf(cursor.text.slice(lineStart, lineEnd), anchor);
    if (indent === undefined) continue;
    const lines = cursor.text.slice(start, lineStart);
    return unindents ? unindented(lines, indent) : lines + indent;
  }
}

/** What stands before the anchor, if the line holds nothing else. */
function indentOf(line: string, anchor: string): string | undefined {
  if (!line.endsWith(anchor)) return undefined;
  const indent = line.slice(0, line.length - anchor.length);
  return indent.trim() === "" ? indent : undefined;
}

function unindented(text: string, indent: string): string {
  const lines = text.split("\n");
  const last = lines.length - 1; // what follows the last line break: nothing
  if (!lines.every((line, index) => index === last || line.startsWith(indent))) return text;
  return lines.map((line, index) => (index === last ? line : line.slice(indent.length))).join("\n");
}

function unclosed(cursor: Cursor, opening: number, anchor: string): Error {
  const { line } = cursor.position(opening);
  cursor.offset = cursor.text.length;
  return cursor.error(`a line "${anchor}" to end the heredoc of line ${line}`);
}
