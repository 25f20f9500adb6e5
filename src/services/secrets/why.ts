import { nearestRoutes } from "../kit/router.ts";
import { type Fact, fact, factsBy, failureFact, given, recorded, textGiven } from "../kit/why.ts";
import { authWhy } from "./auth/why.ts";
import { clusterWhy, sealFact } from "./cluster/why.ts";
import { directoryConfigWhy } from "./directory-config/why.ts";
import { dynamicRoleWhy } from "./dynamic-roles/why.ts";
import { askedOf, gate, gone, mountAsked, ofCluster, type SecretsExplainers, type SecretsMet } from "./explaining.ts";
import { identityWhy } from "./identity/why.ts";
import { kvWhy } from "./kv/why.ts";
import { versionedKvWhy } from "./kv2/why.ts";
import { leaseWhy } from "./leases/why.ts";
import { libraryWhy } from "./library/why.ts";
import { mountFact, mountsFact, mountWhy } from "./mounts/why.ts";
import { namespaceFact, namespaceWhy } from "./namespaces/why.ts";
import { notSimulated } from "./not-simulated.ts";
import { oidcWhy } from "./oidc/why.ts";
import { orchestratorWhy } from "./orchestrator/why.ts";
import { passwordPolicyWhy } from "./password-policies/why.ts";
import { pluginWhy } from "./plugins/why.ts";
import { deniedFacts, policyWhy } from "./policies/why.ts";
import { secretsRegistry } from "./registry.ts";
import type { RequestRefusals, SecretsRefusals } from "./rejections.ts";
import { replicationWhy } from "./replication/why.ts";
import { isRootOnly } from "./root-only.ts";
import { snapshotWhy } from "./snapshots/why.ts";
import { staticRoleWhy } from "./static-roles/why.ts";
import { callerFacts, tokenFacts, tokenWhy } from "./tokens/why.ts";
import { clusterOf } from "./world.ts";
import { wrappingWhy } from "./wrapping/why.ts";

const requestWhy: SecretsExplainers<RequestRefusals> = {
  request_failed: (met, { status }) => [
    failureFact(
      met,
      status,
      met.past.last("ClusterRequestFailureInjected", (data) => ofCluster(met)(data) && data.status === status),
    ),
  ],
  past_is_read_only: ({ command }) => [fact("past", `${command.name} is a command, and a view of the past only reads`)],
  sealed: (met) => [sealFact(met)],
  namespace_not_found: (met, { namespace }) => [namespaceFact(met, namespace)],
  trailing_slash: (_, { path }) => [
    fact("argument", `the path is ${path}, and nothing is written to one that ends in /`),
  ],
  permission_denied: deniedFacts,
  no_handler_for_route: (met, { path }) => [notSimulated(path) ?? mountAbove(met, path), mountsFact(met)],
  unsupported_path: (met, { path }) => pathFacts(met, path),
  unsupported_operation: (met, { path }) => [
    fact("route", `${askedOf(met).verb} is none of the methods of ${path}`),
    ...routeFacts(path),
  ],
  field_validation_failed: (_, { field, reason }) => [fact("argument", `${field}: ${reason}`)],
  lease_of_spent_token: (met) => [fact("token", "it was the last use of the token"), ...callerFacts(met)],
  token_exists: (met) => tokenFacts(met, textGiven(met, "id")),
  not_found: (met) => [absence(met)],
};

/** Why the service refuses, by the codes of its families. */
const WHY: SecretsExplainers<SecretsRefusals> = {
  ...requestWhy,
  ...tokenWhy,
  ...authWhy,
  ...leaseWhy,
  ...wrappingWhy,
  ...policyWhy,
  ...namespaceWhy,
  ...mountWhy,
  ...kvWhy,
  ...versionedKvWhy,
  ...clusterWhy,
  ...replicationWhy,
  ...passwordPolicyWhy,
  ...snapshotWhy,
  ...pluginWhy,
  ...directoryConfigWhy,
  ...libraryWhy,
  ...identityWhy,
  ...oidcWhy,
  ...orchestratorWhy,
  ...staticRoleWhy,
  ...dynamicRoleWhy,
};

/** The facts behind a refusal of this service. */
export function secretsWhy(met: SecretsMet): readonly Fact[] {
  return factsBy(WHY, met);
}

/** What became of the mount that a path may have meant. */
function mountAbove(met: SecretsMet, path: string): Fact {
  const end = met.past.last("EngineUnmounted", ({ at }) => path.startsWith(at.mount));
  return end === undefined
    ? mountFact(met, path.split("/")[0] ?? "")
    : gone("mount", `mount ${end.data.at.mount}`, end);
}

function pathFacts(met: SecretsMet, path: string): readonly (Fact | undefined)[] {
  const { verb, operation } = askedOf(met);
  const { license } = clusterOf(met.state, met.caller.cluster).ignored;
  const absent = notSimulated(path);
  if (absent !== undefined) return [absent];
  if (met.caller.namespace !== undefined && isRootOnly(verb, path)) {
    return [gate(`${path} is there in the root namespace only, and ${met.caller.namespace} was asked`, undefined)];
  }
  if (operation?.access.enterprise && license !== "enterprise") {
    return [fact("licence", `${path} needs the licence enterprise, and the cluster has ${license}`)];
  }
  return [fact("route", `no operation has the path ${path}`), ...routeFacts(path)];
}

function routeFacts(path: string): readonly Fact[] {
  const nearest = nearestRoutes(secretsRegistry.byName.values(), `/v1/${path}`.split("/"));
  return nearest.length === 0 ? [] : [fact("route", `nearest: ${nearest.join(", ")}`)];
}

/** What is not there, and the request that deleted it, if one did. */
function absence(met: SecretsMet): Fact {
  const { path, operation } = askedOf(met);
  const { name } = met.command;
  const captures = operation?.captures ?? [];
  const same = captures.length > 0 && captures.every((capture) => given(met, capture) !== undefined);
  const end = met.past.lastCommand(
    `${name.slice(0, name.lastIndexOf("."))}.delete`,
    (command) =>
      same &&
      command.caller?.["namespace"] === met.caller.namespace &&
      mountAsked({ ...met, command, caller: command.caller as never }) === mountAsked(met) &&
      captures.every((capture) => given({ command }, capture) === given(met, capture)),
  );
  return (
    recorded("object", `${path} was deleted`, end) ?? fact("object", `nothing is at ${path}, and no request deleted it`)
  );
}
