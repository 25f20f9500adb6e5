import { LanguageError } from "../../../languages/language-error.ts";
import { wordsOf } from "../../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { requireManagement } from "../access.ts";
import type { CommandAsked, Reply, SchedulerRecorder } from "../declare.ts";
import { byteLength } from "../fields.ts";
import type { PolicyName } from "../ids.ts";
import { refuse } from "../rejections.ts";
import { executing } from "../routing.ts";
import { parseRules } from "../rules/parse.ts";
import { schedulerOf } from "../world.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, sections 4 and 6.

const NAME = /^[a-zA-Z0-9-]{1,128}$/;
const LONGEST_DESCRIPTION = 256;

/** What a body says of a policy. */
interface PolicyFields {
  readonly Name?: string;
  readonly Description?: string;
  readonly Rules?: string;
}

interface InPath {
  readonly policy_name: string;
}

/** Creates a policy or replaces it whole, always in the authoritative region, whatever region the query names. */
export function writePolicy(
  decision: SchedulerRecorder,
  { policy_name, ...fields }: InPath & PolicyFields,
  { from, secret }: CommandAsked,
): Reply<undefined> {
  const { Name: name = "", Description: description = "", Rules: rules = "" } = fields;
  if (name !== policy_name) refuse("policy_name_mismatch", {});
  const at = executing(decision, from, schedulerOf(decision.state).authoritative, secret);
  requireManagement(at.bearer);
  const faults = policyFaults(name, fields, wordsOf(decision.state)?.scheduler);
  if (faults.length > 0) refuse("policy_invalid", { faults });
  const index = at.region.index + 1;
  decision.record({
    type: "AclPolicyWritten",
    data: { region: at.name, index, name: name as PolicyName, description, rules },
  });
  return { body: undefined, index };
}

/** Deletes a policy. One that is not there, or whose name cannot be one, takes an index, too. */
export function deletePolicy(
  decision: SchedulerRecorder,
  { policy_name: name }: InPath,
  { from, secret }: CommandAsked,
): Reply<undefined> {
  const at = executing(decision, from, schedulerOf(decision.state).authoritative, secret);
  requireManagement(at.bearer);
  const index = at.region.index + 1;
  const missing = at.region.policies.has(name) ? {} : { missing: true as const };
  decision.record({ type: "AclPolicyDeleted", data: { region: at.name, index, name, ...missing } });
  return { body: undefined, index };
}

/** All faults of a policy, in their order: name, rules, description. */
function policyFaults(
  name: string,
  { Rules, Description = "" }: PolicyFields,
  words: ServiceWords | undefined,
): string[] {
  const faults: string[] = [];
  if (!NAME.test(name)) faults.push(`invalid name '${name}'`);
  const rulesFault = faultOfRules(Rules, words);
  if (rulesFault !== undefined) faults.push(rulesFault);
  if (byteLength(Description) > LONGEST_DESCRIPTION) {
    faults.push(`description longer than ${LONGEST_DESCRIPTION}`);
  }
  return faults;
}

function faultOfRules(rules: string | undefined, words: ServiceWords | undefined): string | undefined {
  if (rules === undefined) return "missing rules";
  try {
    parseRules(rules, words);
    return undefined;
  } catch (error) {
    if (error instanceof LanguageError) return `failed to parse rules: ${error.message}`;
    throw error;
  }
}
