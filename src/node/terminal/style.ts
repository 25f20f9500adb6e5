import { styleText } from "node:util";

/** How text is marked: by colours on a terminal, not at all elsewhere. Nothing is told by a mark alone. */
export interface Style {
  readonly strong: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

const same = (text: string): string => text;

/** No marks: for pipes and files. */
export const PLAIN_STYLE: Style = { strong: same, quiet: same, good: same, bad: same };

/** Marks for a terminal that shows colours and whose owner wants them (https://no-color.org). */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const wanted = (process.env["NO_COLOR"] ?? "") === "" && stream.isTTY && stream.hasColors();
  if (!wanted) return PLAIN_STYLE;
  return {
    strong: (text) => styleText("bold", text),
    quiet: (text) => styleText("dim", text),
    good: (text) => styleText("green", text),
    bad: (text) => styleText("red", text),
  };
}
