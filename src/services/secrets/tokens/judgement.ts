import type { EventFromLogic } from "xstate";
import { tokenMachine } from "../../../../machines/token.machine.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { Token } from "./state.ts";

/** Asks the chart of tokens: one that is over, or never was, has ended. */
export function stepToken(
  decision: SecretsRecorder,
  token: Token | undefined,
  type: EventFromLogic<ReturnType<typeof tokenMachine>>["type"],
) {
  const judgement = {
    type: token?.type ?? "service",
    renewable: token?.renewable === true,
    limited: token?.usesLeft !== undefined,
  };
  return decision.step(tokenMachine, token === undefined ? "ended" : "valid", judgement, { type });
}
