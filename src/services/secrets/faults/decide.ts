import * as v from "valibot";
import { optionsSchema, readArgument } from "../../../kernel/arguments.ts";
import { failingRequests, failingStatus } from "../../kit/request-failures.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { failKeepingFacts } from "../rejections.ts";
import { clusterOf } from "../world.ts";

const failure = optionsSchema({
  service: v.strictObject({ cluster: v.string() }, "a handle, as sim.secrets.cluster gives it"),
  ...failingRequests,
});

/** Lets the next requests to a cluster fail. */
export function injectClusterFailure(decision: SecretsRecorder, input: unknown): void {
  const { service, count, status } = readArgument(failure, "failNextRequests", input);
  const cluster = service.cluster as ClusterName;
  clusterOf(decision.state, cluster);
  decision.record({ type: "ClusterRequestFailureInjected", data: { cluster, count, status } });
}

/** An injected failure answers whatever is asked; only its count is a fact. */
export function failIfInjected(decision: SecretsRecorder, cluster: ClusterName): void {
  const status = failingStatus(clusterOf(decision.state, cluster).ignored);
  if (status === undefined) return;
  decision.record({ type: "ClusterRequestFailed", data: { cluster, status } });
  failKeepingFacts("request_failed", { status });
}
