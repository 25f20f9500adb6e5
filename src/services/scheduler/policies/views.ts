import type { Policy } from "./state.ts";

/** One policy, as the wire shows it. */
export interface PolicyDocument {
  readonly Name: string;
  readonly Description: string;
  readonly Rules: string;
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

/** A policy in a list. */
export type PolicyStub = Omit<PolicyDocument, "Rules">;

export function policyDocument({ name, description, rules, createIndex, modifyIndex }: Policy): PolicyDocument {
  return { Name: name, Description: description, Rules: rules, CreateIndex: createIndex, ModifyIndex: modifyIndex };
}

export function policyStub({ name, description, createIndex, modifyIndex }: Policy): PolicyStub {
  return { Name: name, Description: description, CreateIndex: createIndex, ModifyIndex: modifyIndex };
}
