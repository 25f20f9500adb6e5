import type { OrchestratorSession } from "../../../surroundings/orchestrator/calls.ts";
import type { PodEnvironment } from "../cluster/state.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { MountPlace } from "../place.ts";
import { clusterOf, orchestratorAt } from "../world.ts";

/** What an engine cannot reach the orchestrator without. */
export type SessionFault = "orchestrator_config_missing" | "orchestrator_host_missing";

/**
 * How an engine reaches the orchestrator now: by what was written, and by what its pod has where nothing was.
 *
 * Source: decisions-orchestrator.md, 2.
 */
export function sessionAt(decision: SecretsRecorder, at: MountPlace): OrchestratorSession | SessionFault {
  const config = orchestratorAt(decision.state, at)?.engine.config;
  if (config === undefined) return "orchestrator_config_missing";
  const { podEnvironment } = clusterOf(decision.state, at.cluster).ignored;
  const url = config.host || podHost(podEnvironment);
  if (url === undefined) return "orchestrator_host_missing";
  const local = config.disableLocalCaJwt ? undefined : podEnvironment.tokenFile;
  return { url, token: config.serviceAccountJwt || (local ?? "") };
}

/** What a fault is in words, for whoever tries again later. */
export const SESSION_FAULTS: Readonly<Record<SessionFault, string>> = {
  orchestrator_config_missing: "could not load backend configuration",
  orchestrator_host_missing: "the orchestrator's host could not be determined from environment variables",
};

/** The URL that a pod's variables make; undefined unless both are set. */
export function podHost({ host, port }: PodEnvironment): string | undefined {
  return host === undefined || port === undefined ? undefined : `https://${host}:${port}`;
}
