import { aclBootstrapMachine } from "../../../../machines/acl-bootstrap.machine.ts";
import type { CommandAsked, Reply, SchedulerRecorder } from "../declare.ts";
import { type AccessorId, isUuid, type SecretId, secretKey } from "../ids.ts";
import { refuse } from "../rejections.ts";
import { led, reached } from "../routing.ts";
import type { TokenSlice } from "../tokens/state.ts";
import { type TokenDocument, tokenDocument } from "../tokens/views.ts";
import { regionOf, schedulerOf } from "../world.ts";
import type { BootstrapSlice } from "./state.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, section 3.

/** Bootstraps the ACL system of the authoritative region. Whoever asks: a token is not looked at. */
export function bootstrapAcl(
  decision: SchedulerRecorder,
  { BootstrapSecret = "" }: { readonly BootstrapSecret?: string },
  { from }: CommandAsked,
): Reply<TokenDocument> {
  const name = reached(decision.state, from, schedulerOf(decision.state).authoritative);
  const region = led(decision.state, name);
  const judgement = { resetIndexIsCurrent: isCurrent(region) };
  const next = decision.step(aclBootstrapMachine, region.bootstrap.status, judgement, { type: "bootstrap" });
  if (next === undefined) return refuseAgain(region);
  // The chart has no way back.
  if (next.value !== "bootstrapped") throw new TypeError(`a bootstrap leads to ${next.value}`);
  const secret = secretIn(decision, region, BootstrapSecret);
  const index = region.index + 1;
  const token = {
    accessor: decision.draw.uuid() as AccessorId,
    secret,
    name: "Bootstrap Token",
    rights: { type: "management" },
    global: true,
    createdAtMs: decision.nowMs,
  } as const;
  decision.record({ type: "AclBootstrapped", data: { region: name, status: next.value, index, token } });
  const after = regionOf(decision.state, name);
  const kept = after.tokens.get(token.accessor);
  if (kept === undefined) throw new TypeError(`the token ${token.accessor} was not kept`);
  return { body: tokenDocument(kept, after), index };
}

/** A reset index of 0 is as none. */
function isCurrent({ bootstrap, bootstrapResetIndex = 0 }: BootstrapSlice): boolean {
  return bootstrap.status === "bootstrapped" && bootstrapResetIndex !== 0 && bootstrap.index === bootstrapResetIndex;
}

function refuseAgain({ bootstrap, bootstrapResetIndex = 0 }: BootstrapSlice): never {
  const resetIndex = bootstrap.status === "bootstrapped" ? bootstrap.index : 0;
  if (bootstrapResetIndex === 0) return refuse("bootstrap_done", { resetIndex });
  return refuse("bootstrap_reset_invalid", { specified: bootstrapResetIndex, resetIndex });
}

/** Our choice: a secret that another token has is none for a new one, because a secret names its token. */
function secretIn({ draw }: SchedulerRecorder, region: TokenSlice, given: string): SecretId {
  if (given === "") return draw.uuid() as SecretId;
  const secret = given as SecretId;
  if (!isUuid(given) || region.accessorsBySecret.has(secretKey(secret))) return refuse("bootstrap_secret_invalid", {});
  return secret;
}
