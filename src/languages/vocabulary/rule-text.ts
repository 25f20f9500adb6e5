import type { Body, Item, Value } from "../block-syntax/ast.ts";
import { renamed } from "./rename.ts";
import type { ServiceWords } from "./words.ts";

/**
 * A document of rules with the values in it as neutral words. A word that the rules know by itself stays: rule text survives byte for byte, so
 * that whoever reads it knows both (vocabularies.md).
 */
export function inNeutralWords(words: ServiceWords, body: Body, isKnown: (word: string) => boolean): Body {
  const turned = (value: Value): Value => {
    if (value.type === "list") return { ...value, items: value.items.map(turned) };
    if (value.type !== "string" || isKnown(value.value)) return value;
    return { ...value, value: renamed(words.values, value.value, "neutral") };
  };
  return body.map(
    (item): Item =>
      item.type === "block"
        ? { ...item, body: inNeutralWords(words, item.body, isKnown) }
        : { ...item, value: turned(item.value) },
  );
}
