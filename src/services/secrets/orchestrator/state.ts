import type { Brand, EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import type { PolicyRule } from "../../../surroundings/orchestrator/rules.ts";
import type { LabelSelector } from "../../../surroundings/orchestrator/selectors.ts";
import type { Labels } from "../../../surroundings/orchestrator/state.ts";
import type { InMount } from "../place.ts";

/** What an orchestrator engine has of its own (decisions-orchestrator.md, 2 and 3). */
export interface OrchestratorEngine {
  readonly config?: OrchestratorConfig;
  readonly roles: Table<OrchestratorRole>;
  /** When the mount came into being: passes of rollbacks count from it. */
  readonly mountedAtMs: EpochMs;
}

/** How an engine reaches the orchestrator, as it was written: what it lacks comes from the pod that it runs in. */
export interface OrchestratorConfig {
  readonly host: string;
  readonly caCert: string;
  readonly serviceAccountJwt: string;
  readonly disableLocalCaJwt: boolean;
}

/** A role's name: lower-case. */
export type OrchestratorRoleName = Brand<string, "OrchestratorRoleName">;

/** What credentials of a role are, and where they may be had. Exactly one of the three modes' members is there. */
export interface OrchestratorRole {
  /** Sorted; `*` means all. */
  readonly namespaces: readonly string[];
  readonly selector: Document<LabelSelector> | null;
  /** Mode 1: a token of an account that is there; `""` in the other modes. */
  readonly serviceAccountName: string;
  /** Mode 2: an account of its own, bound to a role that is there; `""` in the other modes. */
  readonly boundRoleName: string;
  /** Mode 3: an account and a role of its own. */
  readonly rules: Document<readonly PolicyRule[]> | null;
  readonly roleType: RoleType;
  /** `""` = the default one. */
  readonly nameTemplate: string;
  /** 0 = unset, as with the maximum. */
  readonly tokenDefaultTtlSeconds: number;
  readonly tokenMaxTtlSeconds: number;
  readonly extraLabels: Labels | null;
  readonly extraAnnotations: Labels | null;
  readonly tokenDefaultAudiences: readonly string[] | null;
}

export type RoleType = "Role" | "ClusterRole";

/** A text in JSON or YAML, as it was sent, and what it says. */
export interface Document<V> {
  readonly text: string;
  readonly parsed: V;
}

interface RoleAt extends InMount {
  readonly role: OrchestratorRoleName;
}

/** The facts of orchestrator engines. */
export interface OrchestratorEngineEvents {
  OrchestratorConfigured: InMount & { readonly config: OrchestratorConfig };
  OrchestratorConfigurationDeleted: InMount;
  OrchestratorRoleWritten: RoleAt & { readonly settings: OrchestratorRole };
  OrchestratorRoleDeleted: RoleAt;
}

export function newOrchestratorEngine(mountedAtMs: EpochMs): OrchestratorEngine {
  return { roles: Table.of<OrchestratorRole>(), mountedAtMs };
}

export const orchestratorEngineEvolvers: FlatEvolvers<OrchestratorEngine, OrchestratorEngineEvents> = {
  OrchestratorConfigured: (engine: { config?: OrchestratorConfig }, { config }) => {
    engine.config = config;
  },
  OrchestratorConfigurationDeleted: (engine: { config?: OrchestratorConfig }) => {
    delete engine.config;
  },
  OrchestratorRoleWritten: (engine, { role, settings }) => {
    engine.roles = engine.roles.set(role, settings);
  },
  OrchestratorRoleDeleted: (engine, { role }) => {
    engine.roles = engine.roles.delete(role);
  },
};
