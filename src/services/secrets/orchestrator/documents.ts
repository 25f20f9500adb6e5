import { copyPlain, type Plain } from "../../../kernel/plain.ts";

// Fields that hold a document in JSON or YAML. JSON is read when a role is decided. YAML is read before: its parser is imported
// when it is first needed, which takes waiting, and what it read stands in the command's input.

/** What a text says, or why it says nothing. */
export type ReadText = { readonly value: Plain } | { readonly fault: string };

/** Our choice: no role needs more, and every parser is done with so much in a moment. */
const MAX_LENGTH = 65_536;

/** Our choice: far more than a selector or a rule has, and far from what would exhaust the stack. */
const MAX_DEPTH = 32;

const TOO_DEEP = Object.freeze({ fault: `it nests deeper than ${MAX_DEPTH} levels` });

const NOT_READ: ReadText = Object.freeze({ fault: "it is neither JSON nor YAML" });

/** Reads those of the named fields that hold YAML, each under its name; undefined when none does. */
export function prepareDocuments(
  fields: { readonly [name: string]: Plain | undefined },
  names: readonly string[],
): Promise<Plain> | undefined {
  const texts = names.flatMap((name) => {
    const text = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return typeof text === "string" && text.length <= MAX_LENGTH && readJson(text) === undefined
      ? [{ name, text }]
      : [];
  });
  if (texts.length === 0) return undefined;
  return import("yaml").then(
    (yaml): Plain => Object.fromEntries(texts.map(({ name, text }) => [name, { ...readYaml(yaml, text) }])),
  );
}

/** What the document of a field says. `prepared` is what came of its text if it is YAML. */
export function readDocument(text: string, name: string, prepared: Plain | undefined): ReadText {
  if (text.length > MAX_LENGTH) return { fault: `it is longer than ${MAX_LENGTH} characters` };
  return readJson(text) ?? preparedText(name, prepared);
}

function preparedText(name: string, prepared: Plain | undefined): ReadText {
  const texts = prepared as { readonly [name: string]: ReadText } | undefined;
  return (texts !== undefined && Object.hasOwn(texts, name) ? texts[name] : undefined) ?? NOT_READ;
}

/** Undefined for a text that is no JSON. */
function readJson(text: string): ReadText | undefined {
  try {
    return taken(JSON.parse(text) as Plain);
  } catch {
    return undefined;
  }
}

type Yaml = typeof import("yaml");

function readYaml(yaml: Yaml, text: string): ReadText {
  if (isFarTooDeep(yaml, text)) return TOO_DEEP;
  try {
    const document = yaml.parseDocument(text, { prettyErrors: false, stringKeys: true, uniqueKeys: false });
    // A tag that nobody knows is a warning to the parser; here it is a document that says something else than it seems to.
    const [wrong] = [...document.errors, ...document.warnings];
    if (wrong !== undefined) return { fault: FAULTS[wrong.code] ?? wrong.message };
    if (hasKeyTwice(yaml, document)) return { fault: "a key stands in a map twice" };
    const read = taken(document.toJS({ maxAliasCount: MAX_ALIASES }) as Plain);
    return "fault" in read ? read : { value: copyPlain(read.value) };
  } catch {
    return { fault: "it holds aliases that multiply, or what JSON cannot hold" };
  }
}

/** Where the parser's own words would speak of its calls. */
const FAULTS: { readonly [code: string]: string } = {
  MULTIPLE_DOCS: "it is more than one document",
  TAG_RESOLVE_FAILED: "it has a tag that is not known",
};

const MAX_ALIASES = 100;

/**
 * A document is made of its tokens by a recursion, and a stack that this exhausts may end the whole process: an engine that is at its
 * end inside a regular expression cannot throw. The tokens themselves are read with a stack of their own, which tells in time.
 */
function isFarTooDeep(yaml: Yaml, text: string): boolean {
  const parser = new yaml.Parser();
  for (const lexeme of new yaml.Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > 2 * MAX_DEPTH) return true;
  }
  return false;
}

/** The parser's own check compares every key with every other one. */
function hasKeyTwice(yaml: Yaml, document: ReturnType<Yaml["parseDocument"]>): boolean {
  let isTwice = false;
  yaml.visit(document, {
    Map: (_, { items }) => {
      const keys = new Set(items.map(({ key }) => (yaml.isScalar(key) ? key.value : key)));
      isTwice ||= keys.size < items.length;
    },
  });
  return isTwice;
}

function taken(value: Plain): ReadText {
  const fault = faultOf(value, 0);
  return fault === undefined ? { value } : { fault };
}

/** What makes a document one that is not taken: it nests too deep, or would change what objects inherit. */
function faultOf(value: Plain, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= MAX_DEPTH) return TOO_DEEP.fault;
  if (Object.hasOwn(value, "__proto__")) return "__proto__ is no name of a member";
  for (const member of Object.values(value) as Plain[]) {
    const fault = faultOf(member, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
