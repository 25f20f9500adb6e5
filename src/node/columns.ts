/** Text cut to so many columns; what is cut is its end. */
export function fitted(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 3)}...`;
}

/** A path in a state, cut to so many columns: it says most at its end, so what is cut are its first steps. */
export function fittedPath(path: string, columns: number): string {
  if (path.length <= columns) return path;
  const rest = path.slice(3 - columns);
  const step = rest.search(/[.[]/);
  return `...${rest.slice(rest[step] === "." ? step + 1 : Math.max(step, 0))}`;
}

/** Text in lines of so many columns, the first behind a head, the others below it. */
export function wrapped(text: string, head: string, columns: number): string[] {
  const room = columns - head.length;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((part, index) => (index === 0 ? head : " ".repeat(head.length)) + part);
}
