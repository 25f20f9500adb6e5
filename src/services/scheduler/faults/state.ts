import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { RegionName } from "../ids.ts";

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
export interface RegionFaultEvents {
  RegionRequestFailureInjected: RequestFailure & { readonly region: RegionName };
  /** One of them happened. */
  RegionRequestFailed: { readonly region: RegionName; readonly status: number };
}

export const regionFaultEvolvers: FlatEvolvers<RequestFailureSlice, RegionFaultEvents> = {
  RegionRequestFailureInjected: (region, { count, status }) => {
    region.requestFailures = [...region.requestFailures, { count, status }];
  },
  RegionRequestFailed: (region) => {
    const [next, ...later] = region.requestFailures;
    if (next === undefined) return;
    region.requestFailures = next.count > 1 ? [{ ...next, count: next.count - 1 }, ...later] : later;
  },
};
