import type { Brand } from "../../../kernel/brand.ts";

/** A role's name: lower-case, with slashes for a hierarchy. */
export type RoleName = Brand<string, "RoleName">;

/** Roles are the same whatever the case of their name. */
export function roleNameOf(captured: string): RoleName {
  return captured.toLowerCase() as RoleName;
}
