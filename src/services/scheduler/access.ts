import type { EpochMs } from "../../kernel/brand.ts";
import { type AccessorId, type RoleId, secretKey } from "./ids.ts";
import { refuse } from "./rejections.ts";
import type { Region } from "./state.ts";
import { isExpired } from "./tokens/expiry.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, section 2.

/** The one policy that applies to whoever sends no token. */
const ANONYMOUS = "anonymous";

/** Whoever asks, as the executing region knows them. */
export type Bearer =
  | { readonly kind: "anonymous" }
  | {
      readonly kind: "client";
      readonly accessor: AccessorId;
      /** Its own, and those of its roles. */
      readonly policies: readonly string[];
      readonly roles: readonly RoleId[];
    }
  | { readonly kind: "management"; readonly accessor: AccessorId };

/** Resolves a secret against a region's own copy. A secret that is none there, or is over, never falls back to anonymous. */
export function bearerOf(region: Region, secret: string | undefined, nowMs: EpochMs): Bearer {
  if (secret === undefined) return { kind: "anonymous" };
  const accessor = region.accessorsBySecret.get(secretKey(secret));
  const token = accessor === undefined ? undefined : region.tokens.get(accessor);
  if (token === undefined) return refuse("token_unknown", {});
  if (isExpired(token, nowMs)) return refuse("token_expired", {});
  const { rights } = token;
  if (rights.type === "management") return { kind: "management", accessor: token.accessor };
  const { policies, roles = [] } = rights;
  const ofRoles = roles.flatMap((id) => region.roles.get(id)?.policies ?? []);
  // A policy that is not there is known by name where the token itself names it only.
  const existing = ofRoles.filter((policy) => region.policies.has(policy));
  return { kind: "client", accessor: token.accessor, policies: [...policies, ...existing], roles };
}

/** Whether a secret is one of a region's own copy. */
export function isKnown(region: Region, secret: string): boolean {
  return region.accessorsBySecret.has(secretKey(secret));
}

/** The names of policies that a bearer who is no manager has; a policy of such a name need not exist. */
export function policyNamesOf(bearer: Exclude<Bearer, { readonly kind: "management" }>): readonly string[] {
  return bearer.kind === "anonymous" ? [ANONYMOUS] : bearer.policies;
}

export function requireManagement(bearer: Bearer): void {
  if (bearer.kind !== "management") refuse("permission_denied", {});
}

/** Whether a bearer may read a policy, existing or not. Everybody may read the one that applies to everybody. */
export function mayReadPolicy(bearer: Bearer, name: string): boolean {
  return bearer.kind === "management" || name === ANONYMOUS || policyNamesOf(bearer).includes(name);
}
