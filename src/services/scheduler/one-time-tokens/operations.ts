import { epochMs } from "../../../kernel/brand.ts";
import { type CommandAsked, command, type Reply, type SchedulerRecorder } from "../declare.ts";
import { needed, text } from "../fields.ts";
import { type SecretId, secretKey } from "../ids.ts";
import { refuse } from "../rejections.ts";
import { executing, led, reached } from "../routing.ts";
import { nanosecondsText, type TokenDocument, tokenDocument } from "../tokens/views.ts";

// Source of all rules in this file: one-time-tokens/README.md.

const LIFETIME_MS = 10 * 60_000;

export interface CreatedOneTimeToken {
  readonly Index: number;
  readonly OneTimeToken: {
    readonly OneTimeSecretID: string;
    readonly AccessorID: string;
    readonly ExpiresAt: string;
    readonly CreateIndex: number;
    readonly ModifyIndex: number;
  };
}

export interface ExchangedOneTimeToken {
  readonly Index: number;
  readonly Token: TokenDocument;
}

export const oneTimeTokenOperations = {
  create: command({ route: "POST /v1/acl/token/onetime", evidence: "observed", decide: create }),
  exchange: command({
    route: "POST /v1/acl/token/onetime/exchange",
    evidence: "observed",
    fields: { OneTimeSecretID: needed(text) },
    body: "required",
    decide: exchange,
  }),
} as const;

/** Makes a one-time token of whoever asks. */
function create(
  decision: SchedulerRecorder,
  _: object,
  { from, to, secret: own }: CommandAsked,
): Reply<CreatedOneTimeToken> {
  const { name, region, bearer } = executing(decision, from, to, own);
  if (bearer.kind === "anonymous") return refuse("permission_denied", {});
  const { accessor } = bearer;
  const [index, secret] = [region.index + 1, decision.draw.uuid() as SecretId];
  const expiresAtMs = epochMs(decision.nowMs + LIFETIME_MS);
  const oneTimeToken = { accessor, secret, expiresAtMs };
  decision.record({ type: "OneTimeTokenCreated", data: { region: name, index, oneTimeToken } });
  const both = { CreateIndex: index, ModifyIndex: index };
  const shown = { OneTimeSecretID: secret, AccessorID: accessor, ExpiresAt: nanosecondsText(expiresAtMs), ...both };
  return { body: { Index: index, OneTimeToken: shown }, index };
}

/** Gives the token for which a one-time token stands. Whoever asks: a token is not looked at. */
function exchange(
  decision: SchedulerRecorder,
  { OneTimeSecretID: secret = "" }: { readonly OneTimeSecretID?: string },
  { from, to }: CommandAsked,
): Reply<ExchangedOneTimeToken> {
  const name = reached(decision.state, from, to);
  const region = led(decision.state, name);
  const accessor = region.accessorsByOneTimeSecret.get(secretKey(secret));
  const spent = accessor === undefined ? undefined : region.oneTimeTokens.get(accessor);
  if (spent === undefined) return refuse("one_time_token_unknown", {});
  if (decision.nowMs >= spent.expiresAtMs) return refuse("one_time_token_expired", { expiresAtMs: spent.expiresAtMs });
  const token = region.tokens.get(spent.accessor);
  if (token === undefined) return refuse("one_time_token_orphaned", { accessor: spent.accessor });
  const index = region.index + 1;
  decision.record({ type: "OneTimeTokenExchanged", data: { region: name, index, accessor: token.accessor } });
  return { body: { Index: index, Token: tokenDocument(token, region) }, index };
}
