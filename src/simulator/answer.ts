import type { Command } from "../kernel/commit.ts";
import type { Outcome } from "../kernel/outcome.ts";
import type { WorldService } from "./model.ts";

/**
 * What a command came to, as whoever asked got it: the body of the answer without its `request_id`, null for none, or what a
 * control call returned. A refusal is its code and data.
 *
 * @param signed whether what is signed when an answer is made is signed; else what it says stands for it
 */
export function answerOf(
  services: readonly WorldService[],
  { name }: Command,
  outcome: Outcome<unknown>,
  signed = true,
): unknown {
  if (outcome.kind !== "accepted") return { refused: outcome.refusal.code, data: outcome.refusal.data };
  const service = services.find(({ registry }) => registry.byName.has(name));
  const result = service === undefined ? outcome.result : service.bodyOf(outcome.result as never, signed);
  return result ?? null;
}
