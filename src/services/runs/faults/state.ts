import type { FlatEvolvers } from "../../../kernel/evolvers.ts";

/** Requests to come that are answered with an error whatever they ask for. */
export interface RequestFailure {
  readonly count: number;
  readonly status: number;
}

export interface RequestFailureSlice {
  /** Requests to come that fail, the next ones first. */
  readonly requestFailures: readonly RequestFailure[];
}

/** The facts of injected failures. */
export interface RequestFaultEvents {
  RunsRequestFailureInjected: RequestFailure;
  /** One of them happened. */
  RunsRequestFailed: { readonly status: number };
}

export const requestFaultEvolvers: FlatEvolvers<RequestFailureSlice, RequestFaultEvents> = {
  RunsRequestFailureInjected: (service, failure) => {
    service.requestFailures = [...service.requestFailures, failure];
  },
  RunsRequestFailed: (service) => {
    const [next, ...later] = service.requestFailures;
    if (next === undefined) return;
    service.requestFailures = next.count > 1 ? [{ ...next, count: next.count - 1 }, ...later] : later;
  },
};
