import type { Draw } from "../../../kernel/randomness.ts";
import type { PasswordPolicy } from "./state.ts";

/**
 * A password of a policy: `min-chars` of each rule, the rest from all charsets together, shuffled.
 *
 * Source: decisions-secrets-core.md, D.6.
 */
export function generatePassword(draw: Draw, policy: PasswordPolicy): string {
  const characters: string[] = [];
  for (const { charset, minChars } of policy.rules) {
    const own = [...charset];
    for (let count = 0; count < minChars; count++) characters.push(own[draw.below(own.length)] as string);
  }
  const all = [...new Set(policy.rules.flatMap(({ charset }) => [...charset]))];
  while (characters.length < policy.length) characters.push(all[draw.below(all.length)] as string);
  return draw.shuffle(characters).join("");
}
