import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { failureInjected, type RequestFailure, requestFailed } from "../../kit/request-failures.ts";
import type { RunService } from "../state.ts";

export type { RequestFailure };

/** The facts of injected failures. */
export interface RequestFaultEvents {
  RunsRequestFailureInjected: RequestFailure;
  /** One of them happened. */
  RunsRequestFailed: { readonly status: number };
}

export const requestFaultEvolvers: FlatEvolvers<RunService, RequestFaultEvents> = {
  RunsRequestFailureInjected: failureInjected,
  RunsRequestFailed: requestFailed,
};
