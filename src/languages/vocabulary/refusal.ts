import { renamedText } from "./rename.ts";
import type { ServiceWords } from "./words.ts";

/**
 * How a datum of a refusal stands in its text: `kept` as it is given back, `plain` because the text is chosen by it, `told` as a text that
 * has names in it.
 */
export type Datum = readonly [how: "kept" | "plain" | "told", text: string];

/**
 * The texts of a refusal with the service's names renamed, and nothing of what a caller gave: they are made with placeholders, so that an
 * object that is named like a field keeps its name.
 *
 * @param datumOf what becomes of a text among the data
 * @param textsOf makes the texts from the data
 */
export function refusalTexts(
  words: ServiceWords,
  data: object,
  datumOf: (member: string, text: string) => Datum,
  textsOf: (data: object) => readonly string[],
): readonly string[] {
  const kept: string[] = [];
  const held = (member: string, text: string): string => {
    const [how, turned] = datumOf(member, text);
    // An empty text is one that is missing: what is said may depend on it.
    if (how === "plain" || turned === "") return turned;
    return `${BEGIN}${kept.push(how === "told" ? renamedText(words, turned, { quoted: false }) : turned) - 1}${END}`;
  };
  const given = Object.fromEntries(
    Object.entries(data).map(([member, value]: [string, unknown]) => {
      if (typeof value === "string") return [member, held(member, value)];
      if (!Array.isArray(value)) return [member, value];
      return [member, value.map((item: unknown) => (typeof item === "string" ? held(member, item) : item))];
    }),
  );
  return textsOf(given).map((text) =>
    renamedText(words, text, { quoted: true }).replace(HELD, (_, index: string) => kept[Number(index)] ?? ""),
  );
}

// No character of a text: what a caller gave is never between them when names are looked for.
const BEGIN = "\uFDD0";
const END = "\uFDD1";
const HELD = new RegExp(`${BEGIN}(\\d+)${END}`, "g");
