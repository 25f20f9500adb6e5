import type { Words } from "./words.ts";

/**
 * Where a state has the words that its services speak. They are no fact and change with none, but everybody who reads a state may have to
 * know them: deciders that read rules, views, and whoever writes an answer. Under a symbol they are neither hashed nor compared, and no log
 * has them but for its header: the state is the same in all words.
 */
export const WORDS: unique symbol = Symbol("words");

/** A state that may have words of its own. */
export interface Worded {
  readonly [WORDS]?: Words;
}

/** The words of a state; undefined for the contract's. */
export function wordsOf(state: object): Words | undefined {
  return (state as Worded)[WORDS];
}
