import { command, promised, type SecretsReading, view } from "../declare.ts";
import { commaList, flag, pairs, seconds, text } from "../fields.ts";
import { listing } from "../listing.ts";
import { type MountPath, mountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped } from "../reply.ts";
import { orchestratorAt } from "../world.ts";
import { deleteConfig, writeConfig } from "./config.ts";
import { issueCredentials } from "./credentials.ts";
import { prepareDocuments } from "./documents.ts";
import { deleteRole, RULES_FIELD, SELECTOR_FIELD, writeRole } from "./roles.ts";
import type { OrchestratorEngine, OrchestratorRole, OrchestratorRoleName } from "./state.ts";
import { shownRole } from "./views.ts";

const ENGINE = "orchestrator";

/** The configuration of an orchestrator engine (decisions-orchestrator.md, 2). */
const config = {
  read: view({
    route: "GET /v1/:mount/config",
    engine: ENGINE,
    evidence: "observed",
    view: (reading, { mount }) => {
      const stored = engineOf(reading, mount)?.config;
      if (stored === undefined) return refuse("not_found", {});
      return enveloped({
        orchestrator_host: stored.host,
        orchestrator_ca_cert: stored.caCert,
        disable_local_ca_jwt: stored.disableLocalCaJwt,
      });
    },
  }),
  write: command({
    route: "POST /v1/:mount/config",
    engine: ENGINE,
    evidence: "chosen",
    fields: {
      orchestrator_host: text,
      orchestrator_ca_cert: text,
      service_account_jwt: text,
      disable_local_ca_jwt: flag,
    },
    decide: (decision, { mount, ...fields }) => {
      writeConfig(decision, mountPlace(decision.caller, mount), {
        host: fields.orchestrator_host,
        caCert: fields.orchestrator_ca_cert,
        serviceAccountJwt: fields.service_account_jwt,
        disableLocalCaJwt: fields.disable_local_ca_jwt,
      });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/:mount/config",
    engine: ENGINE,
    evidence: "observed",
    decide: (decision, { mount }) => {
      deleteConfig(decision, mountPlace(decision.caller, mount));
      return done();
    },
  }),
};

/** Its roles (decisions-orchestrator.md, 3). */
const roles = {
  list: view({
    route: "LIST /v1/:mount/roles",
    engine: ENGINE,
    evidence: "observed",
    view: (reading, { mount }) => listing(engineOf(reading, mount)?.roles.keys() ?? []),
  }),
  read: view({
    route: "GET /v1/:mount/roles/:name",
    engine: ENGINE,
    evidence: "observed",
    view: (reading, { mount, name }) => {
      const role = findRole(reading, mount, name);
      return role === undefined ? refuse("not_found", {}) : enveloped(shownRole(roleNameOf(name), role));
    },
  }),
  write: promised(
    command({
      route: "POST /v1/:mount/roles/:name",
      engine: ENGINE,
      evidence: "observed",
      fields: {
        allowed_orchestrator_namespaces: commaList,
        allowed_orchestrator_namespace_selector: text,
        token_max_ttl: seconds,
        token_default_ttl: seconds,
        token_default_audiences: commaList,
        service_account_name: text,
        orchestrator_role_name: text,
        orchestrator_role_type: text,
        generated_role_rules: text,
        name_template: text,
        extra_annotations: pairs,
        extra_labels: pairs,
      },
      exists: (reading, { mount, name }) => findRole(reading, mount, name) !== undefined,
      prepare: (_, fields) => prepareDocuments(fields, [SELECTOR_FIELD, RULES_FIELD]),
      decide: (decision, { mount, name, prepared, ...fields }) => {
        writeRole(decision, mountPlace(decision.caller, mount), roleNameOf(name), {
          namespaces: fields.allowed_orchestrator_namespaces,
          selector: fields.allowed_orchestrator_namespace_selector,
          serviceAccountName: fields.service_account_name,
          boundRoleName: fields.orchestrator_role_name,
          rules: fields.generated_role_rules,
          roleType: fields.orchestrator_role_type,
          nameTemplate: fields.name_template,
          tokenDefaultTtlSeconds: fields.token_default_ttl,
          tokenMaxTtlSeconds: fields.token_max_ttl,
          extraLabels: fields.extra_labels,
          extraAnnotations: fields.extra_annotations,
          tokenDefaultAudiences: fields.token_default_audiences,
          prepared,
        });
        return done();
      },
    }),
  ),
  delete: command({
    route: "DELETE /v1/:mount/roles/:role",
    engine: ENGINE,
    evidence: "observed",
    decide: (decision, { mount, role }) => {
      deleteRole(decision, mountPlace(decision.caller, mount), roleNameOf(role));
      return done();
    },
  }),
};

/** Credentials of a role (decisions-orchestrator.md, 4 to 6). A performance secondary issues them itself (decisions-replication.md, 3). */
const creds = promised(
  command({
    route: "POST /v1/:mount/creds/:role",
    engine: ENGINE,
    evidence: "chosen",
    onSecondary: "here",
    fields: { orchestrator_namespace: text, cluster_role_binding: flag, ttl: seconds, audiences: commaList },
    decide: (decision, { mount, role, ...fields }) => {
      const { lease, token, warnings } = issueCredentials(
        decision,
        mountPlace(decision.caller, mount),
        roleNameOf(role),
        {
          namespace: fields.orchestrator_namespace ?? "",
          clusterRoleBinding: fields.cluster_role_binding ?? false,
          ttlSeconds: fields.ttl,
          audiences: fields.audiences,
          path: `${mount}creds/${role}`,
        },
      );
      const data = {
        service_account_namespace: token.namespace,
        service_account_name: token.name,
        service_account_token: "",
      };
      const reply = enveloped(data, { lease, warnings });
      return { ...reply, unsigned: { member: "service_account_token", token } };
    },
  }),
);

/** Orchestrator engines: their configuration, their roles, and the credentials that roles give. */
export const orchestratorOperations = { config, roles, creds };

/** Roles are the same whatever the case of their name. */
function roleNameOf(captured: string): OrchestratorRoleName {
  return captured.toLowerCase() as OrchestratorRoleName;
}

function engineOf({ state, caller }: SecretsReading, mount: MountPath): OrchestratorEngine | undefined {
  return orchestratorAt(state, mountPlace(caller, mount))?.engine;
}

function findRole(reading: SecretsReading, mount: MountPath, captured: string): OrchestratorRole | undefined {
  return engineOf(reading, mount)?.roles.get(roleNameOf(captured));
}
