import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { ClusterName } from "../place.ts";

/** Requests to come that are answered with an error whatever they ask for. */
export interface RequestFailure {
  readonly count: number;
  readonly status: number;
}

export interface RequestFailureSlice {
  /** Requests to come that fail because a test wants them to, in the order in which that was said. */
  readonly requestFailures: readonly RequestFailure[];
}

/** The facts of injected failures. */
export interface ClusterFaultEvents {
  ClusterRequestFailureInjected: RequestFailure & { readonly cluster: ClusterName };
  /** One of them happened. */
  ClusterRequestFailed: { readonly cluster: ClusterName; readonly status: number };
}

export const clusterFaultEvolvers: FlatEvolvers<RequestFailureSlice, ClusterFaultEvents> = {
  ClusterRequestFailureInjected: (ignored, { count, status }) => {
    ignored.requestFailures = [...ignored.requestFailures, { count, status }];
  },
  ClusterRequestFailed: (ignored) => {
    const [next, ...later] = ignored.requestFailures;
    if (next === undefined) return;
    ignored.requestFailures = next.count > 1 ? [{ ...next, count: next.count - 1 }, ...later] : later;
  },
};

export const NO_FAILURES: readonly RequestFailure[] = Object.freeze([]);
