import type { Brand } from "../../kernel/brand.ts";
import type { Draw } from "../../kernel/randomness.ts";

/** The name of an organization, which is its id. */
export type OrganizationName = Brand<string, "OrganizationName">;
export type WorkspaceId = Brand<string, "WorkspaceId">;
export type RunId = Brand<string, "RunId">;
export type PolicyCheckId = Brand<string, "PolicyCheckId">;
export type TaskStageId = Brand<string, "TaskStageId">;
export type PolicyEvaluationId = Brand<string, "PolicyEvaluationId">;
export type PolicySetOutcomeId = Brand<string, "PolicySetOutcomeId">;
/** Names a token without giving it away. */
export type ApiTokenId = Brand<string, "ApiTokenId">;
/** A token as its holder sends it. */
export type ApiToken = Brand<string, "ApiToken">;

/** 58 characters: no `0`, `O`, `I`, `l` (decisions-policy-checks.md, 3). */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Kinds of ids by their prefixes. */
interface IdByPrefix {
  readonly ws: WorkspaceId;
  readonly run: RunId;
  readonly polchk: PolicyCheckId;
  readonly ts: TaskStageId;
  readonly poleval: PolicyEvaluationId;
  readonly psout: PolicySetOutcomeId;
  /** Our choice: the decisions name no prefix for tokens. */
  readonly at: ApiTokenId;
  readonly user: string;
  readonly team: string;
}

/** A fresh id: the prefix, a hyphen and 16 characters. */
export function newId<P extends keyof IdByPrefix>(draw: Draw, prefix: P): IdByPrefix[P] {
  return `${prefix}-${draw.text(ALPHABET, 16)}` as IdByPrefix[P];
}

/** A fresh token. Our choice: three parts, of which the first may be shown in lists, as upstream has it. */
export function newApiToken(draw: Draw): ApiToken {
  return `${draw.text(ALPHABET, 14)}.v1.${draw.text(ALPHABET, 60)}` as ApiToken;
}

/** A key for signing links. */
export function newLinkKey(draw: Draw): string {
  return draw.text(ALPHABET, 32);
}
