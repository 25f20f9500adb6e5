import type { Command } from "../kernel/commit.ts";
import type { Outcome } from "../kernel/outcome.ts";
import { operationsByName } from "../services/secrets/registry.ts";
import type { Reply } from "../services/secrets/reply.ts";

/**
 * What a command came to, as whoever asked got it: the body of the answer without its `request_id`, null for none, or what a
 * control call returned. A refusal is its code and data.
 */
export function answerOf({ name }: Command, outcome: Outcome<unknown>): unknown {
  if (outcome.kind !== "accepted") return { refused: outcome.refusal.code, data: outcome.refusal.data };
  const result = operationsByName.has(name) ? (outcome.result as Reply<unknown>).enveloped : outcome.result;
  return result ?? null;
}
