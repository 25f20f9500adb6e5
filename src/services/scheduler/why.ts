import { formatDuration } from "../../languages/duration.ts";
import { rfc3339 } from "../../languages/instant.ts";
import {
  argument,
  argumentsTogether,
  type Fact,
  fact,
  factsBy,
  failureFact,
  recorded,
  shownArgument,
  textGiven,
} from "../kit/why.ts";
import type { SchedulerExplainers, SchedulerMet } from "./explaining.ts";
import { secretKey } from "./ids.ts";
import type { SchedulerRefusals } from "./rejections.ts";
import { accessorFacts, callerFacts, regionAsked } from "./tokens/why.ts";
import { regionNamed, schedulerOf } from "./world.ts";

/** Where it is said what is not simulated. */
const LIMITS = "README.md#what-is-not-simulated";

/** Why the scheduler refuses. */
const WHY: SchedulerExplainers<SchedulerRefusals> = {
  request_failed: (met, { status }) => [
    failureFact(
      met,
      status,
      met.past.last(
        "RegionRequestFailureInjected",
        (data) => data.region === met.caller.region && data.status === status,
      ),
    ),
  ],
  path_moved: (_, { location }) => [fact("route", `the path has doubled slashes, and leads to ${location}`)],
  unknown_path: (met) => [fact("route", `no operation has this path and method in region ${met.caller.region}`)],
  policy_name_missing: argument("policy_name", "a name at the end of the path"),
  accessor_missing: argument("accessor_id", "an accessor at the end of the path"),
  namespace_name_missing: argument("namespace_name", "a name at the end of the path"),
  role_id_missing: argument("role_id", "an id at the end of the path"),
  role_name_missing: argument("role_name", "a name at the end of the path"),
  method_not_allowed: () => [fact("route", "the path has operations, and none of this method")],
  acl_disabled: () => [fact("configured", "aclEnabled is false")],
  past_refused: (_, { reason }) => [fact("past", reason)],

  index_invalid: shownArgument("index", "a whole number"),
  wait_invalid: shownArgument("wait", "a duration"),
  stale_invalid: shownArgument("stale", "a boolean, or empty"),
  per_page_invalid: shownArgument("per_page", "a whole number"),
  body_missing: () => [fact("argument", "the body is empty: an object is expected")],
  body_malformed: (_, { reason }) => [fact("argument", `the body: ${reason}`)],
  policy_name_mismatch: argumentsTogether(["policy_name", "Name"], "the same"),
  accessor_mismatch: argumentsTogether(["accessor_id", "AccessorID"], "the same"),
  role_id_mismatch: argumentsTogether(["role_id", "ID"], "the same"),

  no_path_to_region: (met, { region }) => {
    const known = Object.keys(schedulerOf(met.state).regions);
    const cut = met.past.last("LinkCut", ({ a, b }) => a["region"] === region || b["region"] === region);
    return [
      known.includes(region)
        ? (recorded("gate", `the way to region ${region} was cut`, cut) ??
          fact("gate", `the way to region ${region} is cut`))
        : fact("region", `there is no region ${region}: there are ${known.join(", ")}`),
    ];
  },
  no_cluster_leader: (met, { region }) => [
    recorded(
      "gate",
      `region ${region} lost its leader`,
      met.past.last("RegionLeaderLost", (data) => data.region === region),
    ) ?? fact("gate", `region ${region} has no leader`),
  ],

  token_unknown: callerFacts,
  token_expired: callerFacts,
  one_time_token_unknown: () => [
    fact("argument", "OneTimeSecretID: it is none, or it was used, or a later one of the same token took its place"),
  ],
  one_time_token_expired: (_, { expiresAtMs }) => [
    fact("expiry", `the one-time token ended at ${rfc3339(expiresAtMs)}`),
  ],
  one_time_token_orphaned: (met, { accessor }) => accessorFacts(met, accessor),
  permission_denied: (met) => [neededFact(met), ...callerFacts(met), ...policyFacts(met)],

  policy_invalid: (_, { faults }) => faultFacts(faults),
  token_invalid: (_, { faults }) => faultFacts(faults),
  role_invalid: (_, { faults }) => faultFacts(faults),
  role_exists: (met, { name }) => [roleNamed(met, name)],
  role_name_taken: (met, { name }) => [roleNamed(met, name)],
  role_missing: (met, { role }) => [goneRole(met, role)],
  role_nonexistent: (met, { role }) => [goneRole(met, role)],
  policy_missing: (met, { policy }) => [gonePolicy(met, policy)],
  role_not_found: (met, { role }) => [goneRole(met, role)],
  auth_method_not_found: (_, { name }) => [
    fact("limit", `auth method ${name}: auth methods are not simulated, see ${LIMITS}`),
  ],
  binding_rule_not_found: (_, { id }) => [
    fact("limit", `binding rule ${id}: binding rules are not simulated, see ${LIMITS}`),
  ],
  login_invalid: (_, { faults }) => faultFacts(faults),
  auth_method_missing: (_, { name }) => [
    fact("limit", `auth method ${name}: auth methods are not simulated, see ${LIMITS}`),
  ],
  bootstrap_done: (met, { resetIndex }) => [bootstrapFact(met), fact("configured", `the reset index is ${resetIndex}`)],
  bootstrap_reset_invalid: (met, { specified, resetIndex }) => [
    fact("configured", `the reset index is ${resetIndex}, and ${specified} was placed`),
    recorded(
      "bootstrap",
      "it was placed",
      met.past.last("AclBootstrapResetPlaced", () => true),
    ),
    bootstrapFact(met),
  ],
  bootstrap_secret_invalid: argument("BootstrapSecret", "a UUID"),
  accessor_unreadable: (_, { reason }) => [fact("argument", `accessor_id: ${reason}`)],
  accessor_invalid: (_, { reason }) => [fact("argument", `accessor_id: ${reason}`)],
  prefix_invalid: (_, { reason }) => [fact("argument", `prefix: ${reason}`)],
  policy_not_found: (met, { name, index }) => [gonePolicy(met, name), tableIndex("policies", index)],
  namespace_not_found: (_, { name, index }) => [
    fact("namespace", `there is no namespace ${name}: there is default`),
    tableIndex("namespaces", index),
  ],
  token_not_found: (met, { accessor, index }) => [
    ...(accessor === "" ? callerFacts(met) : accessorFacts(met, accessor)),
    tableIndex("tokens", index),
  ],
  token_missing: (met, { accessor }) => accessorFacts(met, accessor),
  token_nonexistent: (met, { accessor }) => accessorFacts(met, accessor),
  global_mode_fixed: (met, { accessor }) => accessorFacts(met, accessor),

  region_exists: (met, { region }) => [
    recorded(
      "region",
      `region ${region} was added`,
      met.past.lastCommand("control.scheduler.addRegion", (command) => textGiven({ command }, "name") === region),
    ) ?? fact("region", `region ${region} is there from the start`),
  ],
};

/** The facts behind a refusal of this service. */
export function schedulerWhy(met: SchedulerMet): readonly Fact[] {
  return factsBy(WHY, met);
}

function faultFacts(faults: readonly string[]): readonly Fact[] {
  return faults.map((fault) => fact("argument", fault));
}

function tableIndex(table: string, index: number): Fact {
  return fact("index", `the index of the ${table} is ${index}`);
}

/** What a request needs; most need a management token. */
function neededFact(met: SchedulerMet): Fact {
  const { name } = met.command;
  const wanted = textGiven(met, "policy_name");
  return READS.test(name)
    ? fact(
        "policy",
        `${name}${wanted === "" ? "" : ` of ${wanted}`} needs a management token, or one that has it by its policies or roles`,
      )
    : fact("policy", `${name} needs a management token`);
}

const READS = /\.(read|readByName|self|health|list)$/;

/** Who wrote the policies of the caller last, or that they are not there. */
function policyFacts(met: SchedulerMet): readonly Fact[] {
  const { token = "" } = met.caller;
  const region = regionNamed(schedulerOf(met.state), regionAsked(met));
  const accessor = region?.accessorsBySecret.get(secretKey(token));
  const rights = accessor === undefined ? undefined : region?.tokens.get(accessor)?.rights;
  const names = rights?.type === "client" ? rights.policies : accessor === undefined ? ["anonymous"] : [];
  return names.slice(0, 3).map((policy) => {
    const written = met.past.last("AclPolicyWritten", (data) => data.name === policy);
    return (
      recorded("policy", `policy ${policy} was written last`, written) ?? fact("policy", `there is no policy ${policy}`)
    );
  });
}

function roleNamed(met: SchedulerMet, name: string): Fact {
  const written = met.past.last("AclRoleWritten", ({ role }) => role.name === name);
  return recorded("role", `role ${name} was written`, written) ?? fact("role", `role ${name} is there`);
}

function goneRole(met: SchedulerMet, role: string): Fact {
  const id =
    met.past.last("AclRoleWritten", (data) => data.role.id === role || data.role.name === role)?.data.role.id ?? role;
  const end = met.past.last("AclRoleDeleted", (data) => data.id === id);
  return (
    recorded("role", `role ${role} was deleted`, end) ??
    fact("role", `no role ${role} was made here, or it has not arrived in region ${regionAsked(met)}`)
  );
}

function gonePolicy(met: SchedulerMet, name: string): Fact {
  const end = met.past.last("AclPolicyDeleted", (data) => data.name === name);
  const lag = formatDuration(schedulerOf(met.state).replicationLagMs);
  return (
    recorded("policy", `policy ${name} was deleted`, end) ??
    fact("policy", `no policy ${name} is in region ${regionAsked(met)}; what another one writes comes after ${lag}`)
  );
}

function bootstrapFact(met: SchedulerMet): Fact {
  const done = met.past.last("AclBootstrapped", () => true);
  return recorded("bootstrap", "bootstrapped", done) ?? fact("bootstrap", "not bootstrapped yet");
}
