import type { SecretsDecision } from "../declare.ts";
import type { MountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { clusterOf, orchestratorAt } from "../world.ts";
import { podHost } from "./session.ts";
import type { OrchestratorConfig } from "./state.ts";

// Source of all rules in this file: decisions-orchestrator.md, 2.

/** What a configuration is written with: absent members keep their value. */
export type WrittenConfig = { readonly [M in keyof OrchestratorConfig]: OrchestratorConfig[M] | undefined };

/**
 * Writes an engine's configuration. Nothing is checked but that there is a host: one that is sent, if only to be cleared, one that
 * is stored, or that of the pod.
 */
export function writeConfig(decision: SecretsDecision, at: MountPlace, written: WrittenConfig): void {
  const stored = orchestratorAt(decision.state, at)?.engine.config;
  const { podEnvironment } = clusterOf(decision.state, at.cluster).ignored;
  const isHostKnown =
    written.host !== undefined || (stored?.host ?? "") !== "" || podHost(podEnvironment) !== undefined;
  if (!isHostKnown) refuse("orchestrator_host_missing", {});
  const config: OrchestratorConfig = {
    host: written.host ?? stored?.host ?? "",
    caCert: written.caCert ?? stored?.caCert ?? "",
    serviceAccountJwt: written.serviceAccountJwt ?? stored?.serviceAccountJwt ?? "",
    disableLocalCaJwt: written.disableLocalCaJwt ?? stored?.disableLocalCaJwt ?? false,
  };
  decision.record({ type: "OrchestratorConfigured", data: { at, config } });
}

/** Forgets the configuration; roles and leases stay, and what needs it fails until it is written again. */
export function deleteConfig(decision: SecretsDecision, at: MountPlace): void {
  if (orchestratorAt(decision.state, at)?.engine.config === undefined) return;
  decision.record({ type: "OrchestratorConfigurationDeleted", data: { at } });
}
