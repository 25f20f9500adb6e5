// biome-ignore-all lint/suspicious/noTemplateCurlyInString: block syntax has interpolations of its own
import fc from "fast-check";
import type { Body, Item, Value } from "../../../src/languages/block-syntax/ast.ts";

/** A document without positions and spellings: what both spellings of it say. */
export type Document = readonly Entry[];
export type Entry = BlockEntry | { key: string; value: Datum };
export interface BlockEntry {
  key: string;
  labels: readonly string[];
  body: Document;
}
export type Datum = string | boolean | NumberText | readonly Datum[];
export interface NumberText {
  number: string;
}

/** The keys that bear a label in generated documents. */
export const LABELLED: ReadonlySet<string> = new Set(["path", "rule", "namespace"]);

/** What a parser made of a document, without positions. */
export function meaningOf(body: Body): Document {
  return body.map(entryOf);
}

function entryOf(item: Item): Entry {
  return item.type === "block"
    ? { key: item.key, labels: item.labels, body: meaningOf(item.body) }
    : { key: item.key, value: datumOf(item.value) };
}

function datumOf(value: Value): Datum {
  switch (value.type) {
    case "number":
      return { number: value.text };
    case "list":
      return value.items.map(datumOf);
    case "object":
      throw new Error("generated documents have no objects in lists");
    default:
      return value.value;
  }
}

const TRICKY_TEXTS = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "${",
  "}",
  "a${b}",
  "#",
  "//",
  "/*",
  "\n",
  "\\",
  '"',
  "true",
  "<<E",
];

const text = () => fc.oneof(fc.constantFrom(...TRICKY_TEXTS), fc.string({ unit: "binary", maxLength: 12 }));
const key = () => fc.oneof(fc.constantFrom("agent", "policy", "min-chars", "a.b", "größe", "_", "__proto__"), text());
const datum = (): fc.Arbitrary<Datum> =>
  fc.oneof(scalar(), fc.array(fc.oneof(scalar(), fc.array(scalar(), { maxLength: 2 })), { maxLength: 4 }));
const scalar = (): fc.Arbitrary<Datum> => fc.oneof(text(), fc.boolean(), numberText());
const numberText = (): fc.Arbitrary<NumberText> =>
  fc.constantFrom("0", "7", "-20", "1.5", "-0.25", "1e3", "2.5E-7", "123456789").map((number) => ({ number }));

/** Documents whose keys may repeat and be anything; `LABELLED` keys bear one label, others none. */
export function documents(): fc.Arbitrary<Document> {
  const { document } = fc.letrec<{ document: Document; entry: Entry }>((tie) => ({
    document: fc.array(tie("entry"), { maxLength: 4 }),
    entry: fc.oneof(
      { depthSize: "small" },
      fc.record({ key: key(), value: datum() }),
      fc.record({ key: key().filter((name) => !LABELLED.has(name)), labels: fc.constant([]), body: tie("document") }),
      fc.record({ key: fc.constantFrom(...LABELLED), labels: fc.tuple(text()), body: tie("document") }),
    ) as fc.Arbitrary<Entry>,
  }));
  return document;
}

/** How a document is spelled, where the languages leave a choice. */
export interface Style {
  /** What stands between tokens that need nothing between them. */
  blank: string;
  /** What stands after an item. */
  separator: string;
  /** Quotes keys and labels that could stand bare. */
  quotesAll: boolean;
  /** Gathers neighbouring blocks of one key: in JSON as one member. */
  gathers: "never" | "in an object" | "in a list";
}

export function styles(): fc.Arbitrary<Style> {
  return fc.record({
    blank: fc.constantFrom(" ", "\n", "\r\n", "\t", " # note\n", "// note {\n", " /* note\n */ "),
    separator: fc.constantFrom("\n", " ", ", ", "\n,\n", " # note\n"),
    quotesAll: fc.boolean(),
    gathers: fc.constantFrom("never", "in an object", "in a list"),
  });
}

/** The document in block syntax. */
export function inBlockSyntax(document: Document, style: Style): string {
  return document.map((entry) => itemText(entry, style) + style.separator).join("");
}

function itemText(entry: Entry, style: Style): string {
  const { blank } = style;
  if ("value" in entry) return `${nameText(entry.key, style)}${blank}=${blank}${datumText(entry.value, style)}`;
  const head = [entry.key, ...entry.labels].map((name) => nameText(name, style)).join(blank);
  return `${head}${blank}{${blank}${inBlockSyntax(entry.body, style)}}`;
}

function nameText(name: string, style: Style): string {
  const isBare = /^[a-zA-Z_][a-zA-Z0-9_.-]*$/.test(name) && name !== "true" && name !== "false";
  return isBare && !style.quotesAll ? name : quoted(name);
}

function datumText(value: Datum, style: Style): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return String(value);
  if ("number" in value) return value.number;
  return `[${value.map((item) => datumText(item, style) + style.blank).join(",")}]`;
}

/** `$` as a byte, so that no `${` begins an interpolation. */
function quoted(value: string): string {
  return JSON.stringify(value).replaceAll("$", "\\x24");
}

/** The document in JSON. */
export function inJson(document: Document, style: Style): string {
  const members = groups(document, style).map((group) => memberText(group, style));
  return `{${members.join(",")}}`;
}

/** Runs of neighbouring blocks of one key, if the style gathers them. */
function groups(document: Document, style: Style): Entry[][] {
  const gathered: Entry[][] = [];
  for (const entry of document) {
    const last = gathered.at(-1);
    const joins = style.gathers !== "never" && "body" in entry && last?.[0] !== undefined && "body" in last[0];
    if (joins && last?.[0]?.key === entry.key) last.push(entry);
    else gathered.push([entry]);
  }
  return gathered;
}

function memberText(group: Entry[], style: Style): string {
  const [first] = group;
  if (first === undefined) return "";
  if ("value" in first) return `${JSON.stringify(first.key)}: ${jsonDatum(first.value)}`;
  const blocks = group.filter((entry): entry is BlockEntry => "body" in entry);
  return `${JSON.stringify(first.key)}: ${blocksText(blocks, style)}`;
}

function blocksText(blocks: BlockEntry[], style: Style): string {
  const bodies = blocks.map((block) => {
    const body = inJson(block.body, style);
    return block.labels.length === 0 ? body : `${JSON.stringify(block.labels[0])}: ${body}`;
  });
  const isLabelled = blocks[0]?.labels.length === 1;
  if (isLabelled && style.gathers !== "in a list") return `{${bodies.join(",")}}`;
  const objects = isLabelled ? bodies.map((body) => `{${body}}`) : bodies;
  return objects.length === 1 ? objects.join("") : `[${objects.join(", ")}]`;
}

function jsonDatum(value: Datum): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean") return String(value);
  if ("number" in value) return value.number;
  return `[${value.map(jsonDatum).join(", ")}]`;
}
