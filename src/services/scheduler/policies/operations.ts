import { mayReadPolicy, policyNamesOf } from "../access.ts";
import { command, type Reply, type ViewAsked, view } from "../declare.ts";
import { count, needed, text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import { policiesOf } from "../watches.ts";
import { deletePolicy, writePolicy } from "./decide.ts";
import { type PolicyDocument, type PolicyStub, policyDocument, policyStub } from "./views.ts";

/** The operations of ACL policies (scheduler-acl.md, "Endpoints"). */
export const policyOperations = {
  list: view({
    route: "GET /v1/acl/policies",
    evidence: "chosen",
    parameters: ["prefix"],
    view: listPolicies,
    watch: (_, { name, query }) => policiesOf(name, { prefix: query.prefix }),
  }),
  /** As the list: the real service answers both alike to whoever sends a token's secret (its source, `command/agent/acl_endpoint.go`). */
  self: view({
    route: "GET /v1/acl/policy/self",
    evidence: "observed",
    parameters: ["prefix"],
    view: listPolicies,
    watch: (_, { name, query }) => policiesOf(name, { prefix: query.prefix }),
  }),
  write: command({
    route: "POST /v1/acl/policy/:policy_name",
    evidence: "observed",
    fields: { Name: needed(text), Description: text, Rules: needed(text) },
    made: { Hash: text, CreateIndex: count, ModifyIndex: count },
    body: "required",
    named: { policy_name: "Name" },
    decide: writePolicy,
  }),
  read: view({
    route: "GET /v1/acl/policy/:policy_name",
    evidence: "chosen",
    view: readPolicy,
    watch: ({ policy_name }, { name }) => policiesOf(name, { key: policy_name }),
  }),
  delete: command({
    route: "DELETE /v1/acl/policy/:policy_name",
    evidence: "observed",
    decide: deletePolicy,
  }),
} as const;

/** All policies for a manager, for anybody else those of their own that exist. The index is that of the table for everybody. */
function listPolicies(_: unknown, { region, bearer, query: { prefix } }: ViewAsked): Reply<readonly PolicyStub[]> {
  const index = Math.max(1, region.policyIndex);
  if (bearer.kind === "management") {
    return { body: [...region.policies.values({ prefix })].map(policyStub), index };
  }
  const names = [...new Set(policyNamesOf(bearer))].filter((name) => name.startsWith(prefix)).sort();
  const body = names.flatMap((name) => {
    const policy = region.policies.get(name);
    return policy === undefined ? [] : [policyStub(policy)];
  });
  return { body, index };
}

function readPolicy(
  { policy_name: name }: { readonly policy_name: string },
  { region, bearer }: ViewAsked,
): Reply<PolicyDocument> {
  if (!mayReadPolicy(bearer, name)) refuse("permission_denied", {});
  const policy = region.policies.get(name);
  if (policy === undefined) return refuse("policy_not_found", { name, index: region.policyIndex });
  return { body: policyDocument(policy), index: policy.modifyIndex };
}
