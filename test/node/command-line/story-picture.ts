const LINE_HEIGHT = 17;
const CHARACTER_WIDTH = 7.83;
const PADDING = 14;

/** Colours of a terminal: those that a story uses, by the sequences that begin them. */
const COLOURS: ReadonlyMap<string, string> = new Map([
  ["1", 'class="strong"'],
  ["2", 'class="quiet"'],
  ["31", 'class="bad"'],
  ["32", 'class="good"'],
]);

/** What a command printed on a terminal, as a picture of that terminal. */
export function pictureOf(title: string, printed: string): string {
  const lines = printed.replaceAll("\r\n", "\n").trimEnd().split("\n");
  const width = Math.ceil(80 * CHARACTER_WIDTH + 2 * PADDING);
  const height = lines.length * LINE_HEIGHT + 2 * PADDING;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    "<style>",
    "text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d1d7e0; white-space: pre; }",
    ".strong { font-weight: bold; fill: #f0f6fc; } .quiet { fill: #8b949e; } .good { fill: #57ab5a; } .bad { fill: #f47067; }",
    "</style>",
    `<rect width="${width}" height="${height}" rx="8" fill="#1c2128"/>`,
    ...lines.map((line, index) => {
      const y = PADDING + LINE_HEIGHT * (index + 0.75);
      return line === "" ? "" : `<text x="${PADDING}" y="${y}" xml:space="preserve">${marked(line)}</text>`;
    }),
    "</svg>",
    "",
  ]
    .filter((line) => line !== "")
    .join("\n")
    .concat("\n");
}

/** A line with its colours, which never reach over its end. */
function marked(line: string): string {
  const [first = "", ...parts] = line.split("\u001b[");
  let text = escaped(first);
  for (const part of parts) {
    const [sequence = "", rest = ""] = [part.slice(0, part.indexOf("m")), part.slice(part.indexOf("m") + 1)];
    const colour = COLOURS.get(sequence);
    text += colour === undefined ? `</tspan>${escaped(rest)}` : `<tspan ${colour}>${escaped(rest)}`;
  }
  return text;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
