import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { type Failing, failureInjected, type RequestFailure, requestFailed } from "../../kit/request-failures.ts";
import type { RegionName } from "../ids.ts";

/** The facts of injected failures. */
export interface RegionFaultEvents {
  RegionRequestFailureInjected: RequestFailure & { readonly region: RegionName };
  /** One of them happened. */
  RegionRequestFailed: { readonly region: RegionName; readonly status: number };
}

export const regionFaultEvolvers: FlatEvolvers<Failing, RegionFaultEvents> = {
  RegionRequestFailureInjected: failureInjected,
  RegionRequestFailed: requestFailed,
};
