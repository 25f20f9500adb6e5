import type { Block, Item } from "../../../languages/block-syntax/ast.ts";
import { parseDocument } from "../../../languages/block-syntax/parse-document.ts";
import { LanguageError } from "../../../languages/language-error.ts";
import { documentText } from "../document-text.ts";
import type { CharsetRule, PasswordPolicy } from "./state.ts";

const LANGUAGE = "password policy";
const SHORTEST = 4;
const LONGEST = 100;

/**
 * The recipe of a password policy, from either spelling of its document or from base64 of one.
 *
 * Source: decisions-secrets-core.md, D.6.
 *
 * @throws LanguageError with line and column
 * @example
 * parsePasswordPolicy('length = 20 rule "charset" { charset = "abc" min-chars = 1 }');
 */
export function parsePasswordPolicy(text: string): PasswordPolicy {
  let length = 0;
  const rules: CharsetRule[] = [];
  for (const item of parseDocument(documentText(text), new Set(["rule"]))) {
    if (item.key === "length" && item.type === "attribute") length = integerOf(item);
    else if (item.key === "rule") rules.push(ruleOf(item));
  }
  const fault = faultOf(length, rules);
  if (fault !== undefined) throw mistake({ line: 1, column: 1 }, fault.found, fault.expected);
  return { text, length, rules };
}

function faultOf(length: number, rules: readonly CharsetRule[]): { found: string; expected: string } | undefined {
  if (length < SHORTEST || length > LONGEST) {
    return { found: `length ${length}`, expected: `a length from ${SHORTEST} to ${LONGEST}` };
  }
  if (rules.length === 0) return { found: "no charset", expected: "at least one charset rule" };
  const minimum = rules.reduce((sum, { minChars }) => sum + minChars, 0);
  if (minimum > length) return { found: `${minimum} required characters`, expected: `at most the length ${length}` };
  return undefined;
}

function ruleOf(item: Item): CharsetRule {
  if (item.type !== "block") throw mistake(item, "an attribute", 'a block: rule "charset" { ... }');
  const [type] = item.labels;
  if (type !== "charset" || item.labels.length !== 1) throw mistake(item, `rule ${type ?? ""}`, 'rule "charset"');
  const charset = charsetOf(item);
  const minimum = item.body.find(({ key }) => key === "min-chars");
  return { charset, minChars: minimum === undefined ? 0 : Math.max(0, integerOf(minimum)) };
}

function charsetOf(block: Block): string {
  const item = block.body.find(({ key }) => key === "charset");
  if (item?.type !== "attribute" || item.value.type !== "string" || item.value.value === "") {
    throw mistake(item ?? block, "no charset", "a text of characters");
  }
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(item.value.value)) {
    throw mistake(item, "an unprintable character", "printable characters");
  }
  return item.value.value;
}

/** A whole number; fractions are cut off, and texts are none (amendments.md, S47). */
function integerOf(item: Item): number {
  const value = item.type === "attribute" ? item.value : undefined;
  const number = value?.type === "number" ? Math.trunc(value.value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw mistake(item, `${item.key} that is no integer`, "an integer");
  return number;
}

function mistake(position: { line: number; column: number }, found: string, expected: string): LanguageError {
  return new LanguageError({ language: LANGUAGE, position, found, expected });
}
