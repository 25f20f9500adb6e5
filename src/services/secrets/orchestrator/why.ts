import { argument, argumentsTogether, type Fact, fact, recorded, textGiven } from "../../kit/why.ts";
import { gone, inMount, mountAsked, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { mountFact } from "../mounts/why.ts";
import { orchestratorAt } from "../world.ts";
import type { OrchestratorEngineRefusals } from "./rejections.ts";

const NAMESPACES = ["allowed_orchestrator_namespaces", "allowed_orchestrator_namespace_selector"] as const;
const MODES = ["service_account_name", "orchestrator_role_name", "generated_role_rules"] as const;

/** Why orchestrator engines refuse. */
export const orchestratorWhy: SecretsExplainers<OrchestratorEngineRefusals> = {
  orchestrator_host_missing: (met) => [
    ...argument("orchestrator_host", "where the orchestrator answers, unless the pod says")(met, {}),
    recorded(
      "configured",
      "the pod's environment was set last",
      met.past.last("PodEnvironmentSet", () => true),
    ),
  ],
  role_namespaces_missing: argumentsTogether(NAMESPACES, "at least one of them"),
  role_modes_wrong: argumentsTogether(MODES, "exactly one of them"),
  role_default_ttl_above_max: argumentsTogether(["token_default_ttl", "token_max_ttl"], "a default below the maximum"),
  role_type_unknown: (_, { type }) => [
    fact("argument", `orchestrator_role_type is ${JSON.stringify(type)}: Role or ClusterRole`),
  ],
  role_document_invalid: (_, { field, reason }) => [fact("argument", `${field}: ${reason}`)],
  name_template_invalid: (_, { reason }) => [fact("argument", `name_template: ${reason}`)],

  orchestrator_role_missing: (met, { role }) => [roleFact(met, role)],
  orchestrator_namespace_missing: (met) => [
    ...argument("orchestrator_namespace", "a namespace, as the role allows several")(met, {}),
    roleFact(met, textGiven(met, "name")),
  ],
  orchestrator_namespace_forbidden: (met, { namespace }) => {
    const role = textGiven(met, "name");
    const allowed = engineOf(met)?.roles.get(role)?.namespaces ?? [];
    return [
      fact("role", `role ${role} allows ${allowed.join(", ") || "a selector"}, and ${namespace} was asked for`),
      roleFact(met, role),
    ];
  },
  orchestrator_config_missing: (met) => [configFact(met)],
  cluster_binding_of_role: (met) => [
    roleFact(met, textGiven(met, "name")),
    ...argument("cluster_role_binding", "false for a Role")(met, {}),
  ],
  name_generation_failed: (met, { reason }) => [
    fact("configured", `name_template: ${reason}`),
    roleFact(met, textGiven(met, "name")),
  ],
  orchestrator_call_failed: (met, { attempt, reason }) => [
    fact("orchestrator", `${attempt}: ${reason}`),
    ...orchestratorFacts(met),
    configFact(met),
  ],
  rollback_failed: (met, { path, reason }) => [
    fact("orchestrator", reason),
    mountFact(met, path),
    ...orchestratorFacts(met),
  ],
};

function engineOf(met: SecretsMet) {
  return orchestratorAt(met.state, { ...met.caller, mount: mountAsked(met) })?.engine;
}

function roleFact(met: SecretsMet, role: string): Fact {
  const fits = (data: Parameters<ReturnType<typeof inMount>>[0] & { readonly role: string }): boolean =>
    inMount(met)(data) && data.role === role;
  return engineOf(met)?.roles.has(role)
    ? there("role", `role ${role}`, met.past.last("OrchestratorRoleWritten", fits))
    : gone("role", `role ${role}`, met.past.last("OrchestratorRoleDeleted", fits));
}

function configFact(met: SecretsMet): Fact {
  const config = engineOf(met)?.config;
  return config === undefined
    ? gone(
        "configured",
        `configuration of ${mountAsked(met)}`,
        met.past.last("OrchestratorConfigurationDeleted", inMount(met)),
      )
    : there(
        "configured",
        `${mountAsked(met)} asks ${config.host}`,
        met.past.last("OrchestratorConfigured", inMount(met)),
      );
}

/** What a test did to the orchestrator. */
function orchestratorFacts({ past }: SecretsMet): readonly (Fact | undefined)[] {
  return [
    recorded(
      "fault",
      "the orchestrator was switched last",
      past.last("OrchestratorAvailabilityChanged", () => true),
    ),
    recorded(
      "fault",
      "a failure of the orchestrator was asked for",
      past.last("OrchestratorFailureInjected", () => true),
    ),
    recorded(
      "fault",
      "a token was required",
      past.last("OrchestratorTokenRequired", () => true),
    ),
  ];
}
