import type { Command } from "../kernel/commit.ts";
import type { Outcome } from "../kernel/outcome.ts";
import type { Reply as RunsReply } from "../services/runs/declare.ts";
import { runsRegistry } from "../services/runs/registry.ts";
import type { Reply as SchedulerReply } from "../services/scheduler/declare.ts";
import { schedulerRegistry } from "../services/scheduler/registry.ts";
import { operationsByName } from "../services/secrets/registry.ts";
import { type Reply as SecretsReply, withToken } from "../services/secrets/reply.ts";
import type { ServiceAccountToken } from "../surroundings/orchestrator/state.ts";
import { renderToken } from "../surroundings/orchestrator/tokens.ts";

/**
 * What a command came to, as whoever asked got it: the body of the answer without its `request_id`, null for none, or what a
 * control call returned. A refusal is its code and data.
 *
 * @param tokenShown what stands for a token that is signed when an answer is made; by default its bytes
 */
export function answerOf(
  { name }: Command,
  outcome: Outcome<unknown>,
  tokenShown: (token: ServiceAccountToken) => unknown = renderToken,
): unknown {
  if (outcome.kind !== "accepted") return { refused: outcome.refusal.code, data: outcome.refusal.data };
  return resultOf(name, outcome.result, tokenShown) ?? null;
}

function resultOf(name: string, result: unknown, tokenShown: (token: ServiceAccountToken) => unknown): unknown {
  if (operationsByName.has(name)) {
    const { enveloped, bare, unsigned } = result as SecretsReply<unknown>;
    const body = enveloped ?? bare;
    return unsigned === undefined ? body : withToken(body, unsigned, tokenShown(unsigned.token));
  }
  if (runsRegistry.byName.has(name)) return (result as RunsReply<unknown>).body;
  if (schedulerRegistry.byName.has(name)) return (result as SchedulerReply<unknown>).body;
  return result;
}
