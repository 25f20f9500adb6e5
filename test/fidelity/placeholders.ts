/** What the answers so far gave, by the names that later requests have for it. */
export type Variables = Map<string, string>;

/** A text with the values of its `${name}`; unknown names stay. */
export function filledIn(variables: Variables, text: string): string {
  return text.replace(/\$\{(\w+)\}/g, (whole, name: string) => variables.get(name) ?? whole);
}

/** What stands for values that are another each time. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ["token", String.raw`hvs\.\w+`],
  ["batch", String.raw`hvb\.[\w-]+`],
  ["accessor", String.raw`\w{24}(?:\.\w{5,6})?`],
  ["uuid", "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"],
  ["time", String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`],
  ["rand", String.raw`\w{24}`],
  ["rand24", String.raw`\w{24}`],
  ["code", String.raw`\w+`],
  ["client_id", String.raw`\w{32}`],
  ["client_secret", String.raw`hvo_secret_\w{64}`],
  ["nsid", String.raw`\w{5,6}`],
  ["cluster", String.raw`[\w-]+`],
  ["b64", String.raw`[\w+/=-]+`],
  ["text", String.raw`[\s\S]*`],
]);

/** The pattern of a text with placeholders; undefined for a text that has none. */
export function patternOf(text: string, variables: Variables): RegExp | undefined {
  const pieces = text.split(/<([^<>]+)>/);
  if (pieces.length === 1) return undefined;
  const source = pieces.map((piece, index) => (index % 2 === 0 ? escaped(piece) : sourceOf(piece, variables)));
  return new RegExp(`^${source.join("")}$`);
}

function sourceOf(name: string, variables: Variables): string {
  const value = variables.get(name);
  const form = formOf(name);
  if (value === undefined) return form ?? escaped(`<${name}>`);
  return form === undefined ? escaped(value) : `(?:${escaped(value)}|${form})`;
}

function formOf(name: string): string | undefined {
  const [, length] = /^pw:(\d+)$/.exec(name) ?? [];
  if (length !== undefined) return `.{${length}}`;
  const [, mounted] = /^(\w+) accessor$/.exec(name) ?? [];
  if (mounted !== undefined) return `${mounted}_[0-9a-f]{8}`;
  // The root token of the dev mode was made as others are, and is called so.
  const [, role] = /^v_token_(\w+)$/.exec(name) ?? [];
  if (role !== undefined) return `v_(?:token|root)_${role}_\\w{10}_\\d{10}`;
  return FORMS.get(name);
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
