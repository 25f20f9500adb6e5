/** What would move the cursor or ring a bell is no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Text without characters that a terminal obeys. */
export function harmless(text: string): string {
  return text.replace(CONTROL, "?");
}

/** Text cut to so many columns; what is cut is its end. */
export function fitted(text: string, columns: number): string {
  const shown = harmless(text);
  return shown.length <= columns ? shown : `${shown.slice(0, Math.max(0, columns - 3))}...`.slice(0, columns);
}

/** A path in a state, cut to so many columns: it says most at its end, so what is cut are its first steps. */
export function fittedPath(path: string, columns: number): string {
  const shown = harmless(path);
  if (shown.length <= columns) return shown;
  const rest = shown.slice(3 - columns);
  const step = rest.search(/[.[]/);
  return `...${rest.slice(rest[step] === "." ? step + 1 : Math.max(step, 0))}`;
}

/** Text in lines of so many columns, the first behind a head, the others below it. A word that fits no line is broken. */
export function wrapped(text: string, head: string, columns: number): string[] {
  const room = Math.max(1, columns - head.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).flatMap((whole) => broken(harmless(whole), room))) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((part, index) => (index === 0 ? head : " ".repeat(head.length)) + part);
}

/** The lines of a text, none of them empty, each with its indentation and in lines of so many columns; the first is behind a head. */
export function wrappedLines(text: string, head: string, columns: number): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line, index) => {
    // What is indented far would leave no room.
    const [indent = ""] = /^ {0,8}/.exec(line) ?? [];
    return wrapped(line.trim(), (index === 0 ? head : " ".repeat(head.length)) + indent, columns);
  });
}

function broken(word: string, room: number): string[] {
  const parts: string[] = [];
  for (let from = 0; from < word.length; from += room) parts.push(word.slice(from, from + room));
  return parts;
}
