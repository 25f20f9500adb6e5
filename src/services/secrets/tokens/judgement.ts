import type { Token } from "./state.ts";

/** What the token chart's guards ask about a token. */
export function tokenJudgement({ type, renewable, usesLeft }: Token): {
  readonly type: Token["type"];
  readonly renewable: boolean;
  readonly limited: boolean;
} {
  return { type, renewable, limited: usesLeft !== undefined };
}
