import type { EventFromLogic } from "xstate";
import { wrappingTokenMachine } from "../../../../machines/wrapping-token.machine.ts";
import { secondsAfter } from "../../../kernel/brand.ts";
import type { Plain } from "../../../kernel/plain.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import type { SecretsDecision, SecretsReading } from "../declare.ts";
import { placeOfNamespace } from "../place.ts";
import { WRAPPING_POLICY } from "../policies/built-in.ts";
import { refuse } from "../rejections.ts";
import type { WrapInfo } from "../reply.ts";
import { newTokenId } from "../tokens/create.ts";
import { revokeToken } from "../tokens/revoke.ts";
import type { TokenId } from "../tokens/state.ts";
import { clusterOf } from "../world.ts";
import { wrappingIdIn } from "./jwt.ts";
import type { WrappedResponse } from "./state.ts";

// Source of all rules in this file: decisions-secrets-core.md, A.6.

/** Puts an answer away under a new token of one use. */
export function wrapResponse(decision: SecretsDecision, wrapped: Omit<WrappedResponse, "wrappedAtMs">): WrapInfo {
  const { cluster, namespace } = placeOfNamespace(decision.caller);
  const token = newTokenId(decision, "service");
  const accessor = decision.draw.base62(24);
  const { path, ttlSeconds } = wrapped;
  const record = {
    accessor,
    type: "service" as const,
    policies: [WRAPPING_POLICY],
    ...(namespace === undefined ? {} : { namespace }),
    entityId: "",
    displayName: "",
    meta: null,
    path,
    createdAtMs: decision.nowMs,
    expiresAtMs: secondsAfter(decision.nowMs, ttlSeconds),
    creationTtlSeconds: ttlSeconds,
    explicitMaxTtlSeconds: ttlSeconds,
    periodSeconds: 0,
    usesLeft: 1,
    renewable: false,
    orphan: true,
  };
  decision.record({ type: "TokenCreated", data: { cluster, token, record } });
  decision.record({ type: "ResponseWrapped", data: { cluster, token, ...wrapped } });
  return {
    token,
    accessor,
    ttl: Math.floor(ttlSeconds),
    creation_time: rfc3339(decision.nowMs),
    creation_path: path,
    wrapped_accessor: wrapped.accessor,
  };
}

/** What a wrapping token holds now, which may come signed; any other token, and none, is refused. */
export function wrappedBy(reading: SecretsReading, given: string | undefined): WrappedResponse {
  const { wrapped, inForce } = waitingFor(reading, given);
  return wrapped !== undefined && inForce ? wrapped : refuse("wrapping_token_invalid", {});
}

/** Takes what a wrapping token holds: it is worth nothing after that. */
export function takeWrapped(
  decision: SecretsDecision,
  given: string | undefined,
  type: EventFromLogic<ReturnType<typeof wrappingTokenMachine>>["type"],
): WrappedResponse {
  const { token, wrapped } = waitingFor(decision, given);
  const next = decision.step(wrappingTokenMachine, wrapped === undefined ? "ended" : "waiting", {}, { type });
  if (wrapped === undefined || next === undefined) return refuse("wrapping_token_invalid", {});
  revokeToken(decision, decision.caller.cluster, token as TokenId);
  return wrapped;
}

function waitingFor(reading: SecretsReading, given: string | undefined) {
  const token = given === undefined ? "" : (wrappingIdIn(reading, given) ?? "");
  const { local } = clusterOf(reading.state, reading.caller.cluster);
  const expiresAtMs = local.tokens.get(token)?.expiresAtMs;
  const inForce = expiresAtMs !== undefined && reading.nowMs < expiresAtMs;
  return { token, wrapped: local.wrapped.get(token), inForce };
}

/** Whether a token that was sent is no wrapping token that holds something: its second use, or an expired or unknown one. */
export function holdsNothing(reading: SecretsReading, token: TokenId): boolean {
  const { local } = clusterOf(reading.state, reading.caller.cluster);
  const record = local.tokens.get(token);
  return record === undefined || (record.expiresAtMs !== undefined && reading.nowMs >= record.expiresAtMs);
}

/** The accessor of the token in an answer. */
export function accessorIn(response: Plain): string {
  const auth = (response as { readonly auth?: { readonly accessor?: string } | null }).auth;
  return auth?.accessor ?? "";
}
