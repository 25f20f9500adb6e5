import type { EpochMs } from "../../../kernel/brand.ts";
import type { RoleId } from "../ids.ts";
import type { RoleSlice } from "../roles/state.ts";
import { ttlText } from "./expiry.ts";
import type { AclToken } from "./state.ts";

/** One token, as the wire shows it. */
export interface TokenDocument extends TokenStub {
  readonly SecretID: string;
}

/** A token in a list. */
export interface TokenStub {
  readonly AccessorID: string;
  readonly Name: string;
  readonly Type: "client" | "management";
  /** Null for a management token, and for one that has roles only. */
  readonly Policies: readonly string[] | null;
  /** Of a token that has some. */
  readonly Roles?: readonly { readonly ID: string; readonly Name: string }[];
  readonly Global: boolean;
  readonly CreateTime: string;
  /** Of a token that ends; empty where its end was given as an instant. */
  readonly ExpirationTTL?: string;
  readonly ExpirationTime?: string;
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

export function tokenDocument(token: AclToken, region: Pick<RoleSlice, "roles">): TokenDocument {
  const { AccessorID, ...rest } = tokenStub(token, region);
  return { AccessorID, SecretID: token.secret, ...rest };
}

export function tokenStub(
  { accessor, name, rights, global, createdAtMs, expiry, createIndex, modifyIndex }: AclToken,
  region: Pick<RoleSlice, "roles">,
): TokenStub {
  return {
    AccessorID: accessor,
    Name: name,
    Type: rights.type,
    Policies: rights.type === "client" && rights.policies.length > 0 ? rights.policies : null,
    ...(rights.type === "client" && rights.roles !== undefined ? { Roles: linksTo(rights.roles, region) } : {}),
    Global: global,
    CreateTime: nanosecondsText(createdAtMs),
    ...(expiry === undefined ? {} : { ExpirationTTL: ttlText(expiry), ExpirationTime: nanosecondsText(expiry.atMs) }),
    CreateIndex: createIndex,
    ModifyIndex: modifyIndex,
  };
}

/** RFC 3339 in UTC with nine fraction digits (decisions-scheduler-acl.md, section 5, `CreateTime`). */
export function nanosecondsText(ms: EpochMs): string {
  return new Date(ms).toISOString().replace("Z", "000000Z");
}

/** Of the roles that are there, by their present names. */
function linksTo(ids: readonly RoleId[], { roles }: Pick<RoleSlice, "roles">): TokenStub["Roles"] & object {
  return ids.flatMap((id) => {
    const role = roles.get(id);
    return role === undefined ? [] : [{ ID: id, Name: role.name }];
  });
}
