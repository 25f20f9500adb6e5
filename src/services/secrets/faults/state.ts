import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { type Failing, failureInjected, type RequestFailure, requestFailed } from "../../kit/request-failures.ts";
import type { ClusterName } from "../place.ts";

/** The facts of injected failures. */
export interface ClusterFaultEvents {
  ClusterRequestFailureInjected: RequestFailure & { readonly cluster: ClusterName };
  /** One of them happened. */
  ClusterRequestFailed: { readonly cluster: ClusterName; readonly status: number };
}

export const clusterFaultEvolvers: FlatEvolvers<Failing, ClusterFaultEvents> = {
  ClusterRequestFailureInjected: failureInjected,
  ClusterRequestFailed: requestFailed,
};
