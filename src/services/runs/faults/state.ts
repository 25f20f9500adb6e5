import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { type Failing, failureInjected, type RequestFailure, requestFailed } from "../../kit/request-failures.ts";

/** The facts of injected failures. */
export interface RequestFaultEvents {
  RunsRequestFailureInjected: RequestFailure;
  /** One of them happened. */
  RunsRequestFailed: { readonly status: number };
}

export const requestFaultEvolvers: FlatEvolvers<Failing, RequestFaultEvents> = {
  RunsRequestFailureInjected: failureInjected,
  RunsRequestFailed: requestFailed,
};
