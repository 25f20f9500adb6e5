import { mayReadPolicy, policyNamesOf } from "../access.ts";
import { command, type Reply, type ViewAsked, view } from "../declare.ts";
import { refuse } from "../rejections.ts";
import { policiesOf } from "../watches.ts";
import { deletePolicy, writePolicy } from "./decide.ts";
import { type PolicyDocument, type PolicyStub, policyDocument, policyStub } from "./views.ts";

/** The operations of ACL policies (scheduler-acl.md, "Endpoints"). */
export const policyOperations = {
  list: view<{ readonly prefix?: string | undefined; readonly region?: string | undefined }>()({
    route: "GET /v1/acl/policies",
    evidence: "chosen",
    view: listPolicies,
    watch: ({ name, query }) => policiesOf(name, { prefix: query.prefix }),
  }),
  write: command<{
    /** The name in the path; `Name` when it is left out. */
    readonly policy_name?: string;
    readonly Name: string;
    readonly Description?: string | null | undefined;
    readonly Rules: string;
    readonly region?: string | undefined;
  }>()({
    route: "POST /v1/acl/policy/:policy_name",
    evidence: "observed",
    fields: { Name: "text", Description: "text", Rules: "text" },
    body: "required",
    decide: writePolicy,
  }),
  read: view<{ readonly policy_name: string; readonly region?: string | undefined }>()({
    route: "GET /v1/acl/policy/:policy_name",
    evidence: "chosen",
    view: readPolicy,
    watch: ({ name, captures }) => policiesOf(name, { key: captures.policy_name }),
  }),
  delete: command<{ readonly policy_name: string; readonly region?: string | undefined }>()({
    route: "DELETE /v1/acl/policy/:policy_name",
    evidence: "observed",
    decide: deletePolicy,
  }),
} as const;

/** All policies for a manager, for anybody else those of their own that exist. The index is that of the table for everybody. */
function listPolicies({ region, bearer, query: { prefix } }: ViewAsked<string>): Reply<readonly PolicyStub[]> {
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

function readPolicy({
  region,
  bearer,
  captures: { policy_name: name },
}: ViewAsked<":policy_name">): Reply<PolicyDocument> {
  if (!mayReadPolicy(bearer, name)) refuse("permission_denied", {});
  const policy = region.policies.get(name);
  if (policy === undefined) return refuse("policy_not_found", { name, index: region.policyIndex });
  return { body: policyDocument(policy), index: policy.modifyIndex };
}
