import { type OpenApiDocument, openApiDocument } from "./document.ts";
import { describedRuns } from "./runs.ts";
import { describedScheduler } from "./scheduler.ts";
import { ACCESS_TOKEN, CLIENT, describedSecrets } from "./secrets.ts";

export type ServiceName = "runs" | "scheduler" | "secrets";

export const SERVICE_NAMES: readonly ServiceName[] = ["runs", "scheduler", "secrets"];

const HEADS = {
  runs: { title: "Run service", described: describedRuns, security: { token: { type: "http", scheme: "bearer" } } },
  scheduler: {
    title: "Workload scheduler",
    described: describedScheduler,
    security: { token: { type: "apiKey", in: "header", name: "X-Scheduler-Token" } },
  },
  secrets: {
    title: "Secrets service",
    described: describedSecrets,
    security: { token: { type: "apiKey", in: "header", name: "X-Secrets-Token" } },
    otherSecurity: { [ACCESS_TOKEN]: { type: "http", scheme: "bearer" }, [CLIENT]: { type: "http", scheme: "basic" } },
  },
} as const;

/**
 * The OpenAPI 3.1 document of a service, made from its operations table.
 *
 * @param url where the service answers
 * @param version that of this library
 */
export function serviceDocument(service: ServiceName, url: string, version: string): OpenApiDocument {
  const { described, ...head } = HEADS[service];
  const description = "Simulated by hindcast. `x-hindcast-evidence` tells how far an answer can be trusted.";
  return openApiDocument({ ...head, version, description, url }, described());
}
