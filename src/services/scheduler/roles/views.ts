import type { Role } from "./state.ts";

/** A role, as the wire shows it, also in lists. */
export interface RoleDocument {
  readonly ID: string;
  readonly Name: string;
  readonly Description: string;
  readonly Policies: readonly { readonly Name: string }[];
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

export function roleDocument({ id, name, description, policies, createIndex, modifyIndex }: Role): RoleDocument {
  return {
    ID: id,
    Name: name,
    Description: description,
    Policies: policies.map((policy) => ({ Name: policy })),
    CreateIndex: createIndex,
    ModifyIndex: modifyIndex,
  };
}
