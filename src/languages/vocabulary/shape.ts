import { isObject, isTexts, setOwn } from "../objects.ts";
import { renamedIdentifier, renamedText, renamedValue } from "./rename.ts";
import type { Direction, ServiceWords } from "./words.ts";

// What stands where in a body. Words are renamed by their place: a caller's own data may hold any of them, and stays as it is.

/** What turns content from one set of words into the other; `C` is what places need to know of the world. */
export interface Speech<C> {
  readonly words: ServiceWords;
  readonly to: Direction;
  readonly context: C;
}

/** What becomes of the content of a place; `field` is the neutral name of the member that it is. */
export type Turn<C> = (content: unknown, speech: Speech<C>, field: string) => unknown;

/** The caller's own. */
export const free: Turn<unknown> = (content) => content;

/** A text, or several. */
function ofTexts<C>(turn: (text: string, speech: Speech<C>, field: string) => string): Turn<C> {
  return (content, speech, field) => {
    if (typeof content === "string") return turn(content, speech, field);
    if (!Array.isArray(content)) return content;
    return content.map((item: unknown): unknown => (typeof item === "string" ? turn(item, speech, field) : item));
  };
}

export const textsOf = ofTexts;

/** An enumerated value. */
export const value: Turn<unknown> = ofTexts((text, { words, to }, field) => renamedValue(words, field, text, to));

/** Values that a text may list between commas as well. */
export const values: Turn<unknown> = ofTexts((text, { words, to }, field) =>
  text.replace(/[^,\s]+/g, (word) => renamedValue(words, field, word, to)),
);

/** A list in the order of its bytes, which is another one in other words. */
export function sorted<C>(turn: Turn<C>): Turn<C> {
  return (content, speech, field) => {
    const turned = turn(content, speech, field);
    return isTexts(turned) ? [...turned].sort(byBytes) : turned;
  };
}

/** Words are ASCII: their characters are in the order of their bytes. */
function byBytes(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

export const identifier: Turn<unknown> = ofTexts((text, { words, to }) => renamedIdentifier(words, text, to));

/** Texts for people, as the service says them. */
export const texts: Turn<unknown> = ofTexts((text, { words }) => renamedText(words, text, { quoted: true }));

/** An object whose keys are names of a caller, or of a kind of their own. */
export function keyed<C>(turnKey: Turn<C>, turn: Turn<C>): Turn<C> {
  return (content, speech, field) => {
    if (!isObject(content)) return content;
    const turned: Record<string, unknown> = {};
    for (const key of Object.keys(content)) {
      setOwn(turned, turnKey(key, speech, field) as string, turn(content[key], speech, field));
    }
    return turned;
  };
}

/** Objects whose members have names of the service, by the neutral ones; what is not named is one as well, or no word at all. */
export function record<C>(members: ReadonlyMap<string, Turn<C>>): Turn<C> {
  const turn: Turn<C> = (content, speech, field) => {
    if (Array.isArray(content))
      return content.map((item: unknown) => (isObject(item) ? turn(item, speech, field) : item));
    if (!isObject(content)) return content;
    const { words, to } = speech;
    const names = words.fields[to];
    const turned: Record<string, unknown> = {};
    for (const key of Object.keys(content)) {
      const other = names.get(key) ?? key;
      const neutral = to === "own" ? key : other;
      const member = content[key];
      // Most are numbers and flags, or texts of a caller.
      const own = typeof member === "string" || typeof member === "object" ? members.get(neutral) : undefined;
      if (own !== undefined && member !== "") setOwn(turned, other, own(member, speech, neutral));
      else setOwn(turned, other, typeof member === "object" ? turn(member, speech, neutral) : member);
    }
    return turned;
  };
  return turn;
}

/** The members of a table, for `record`. */
export function membersOf<C>(table: { readonly [name: string]: Turn<C> }): ReadonlyMap<string, Turn<C>> {
  return new Map(Object.entries(table));
}
