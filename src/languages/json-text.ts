// Objects as JSON text, for what doubles or the stack would not hold: members keep the text that they were written with.

/** The members of an object, each with its text; of several with one name the last. The text is one of valid JSON. */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') {
      const end = endOfString(text, index);
      if (depth === 1) name ??= JSON.parse(text.slice(index, end)) as string;
      index = end - 1;
    } else if (character === "{" || character === "[") depth += 1;
    else if (character === ":" && depth === 1) start = index + 1;
    else if (character === "}" || character === "]") depth -= 1;
    const isOver = (character === "," && depth === 1) || (character === "}" && depth === 0);
    if (!isOver || name === undefined) continue;
    members.set(name, text.slice(start, index).trim());
    name = undefined;
  }
  return members;
}

/** Where a string ends that begins here. */
function endOfString(text: string, begin: number): number {
  let index = begin + 1;
  while (text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index + 1;
}

/** How deep two objects are merged: what a patch holds below takes the place of what was there. */
const DEEPEST_MERGE = 1_000;

/** What a merge patch makes of an object (RFC 7396), text and all. */
export function mergePatched(target: string, patch: string, level = 1): string {
  const members = target.startsWith("{") ? memberTexts(target) : new Map<string, string>();
  for (const [name, text] of memberTexts(patch)) {
    if (text === "null") members.delete(name);
    else if (text.startsWith("{") && level < DEEPEST_MERGE)
      members.set(name, mergePatched(members.get(name) ?? "{}", text, level + 1));
    else members.set(name, text);
  }
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
