/** How far an answer can be trusted: the weakest source that it rests on. */
export type Evidence = "documented" | "observed" | "chosen";

/** One row of `sim.operations()`. */
export interface OperationInfo {
  /** Service, resource, verb: `secrets.library.checkOut`. */
  readonly name: string;
  readonly method: string;
  /** The path with its captures: `/v1/:mount/library/**:set_name/check-out`. */
  readonly path: string;
  readonly service: "runs" | "scheduler" | "secrets";
  readonly evidence: Evidence;
}

/** The names that a route captures: `"POST /v1/:mount/library/**:set_name"` has `mount` and `set_name`. */
export type CapturesOf<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? Name | CapturesOf<Rest>
  : Route extends `${string}:${infer Name}`
    ? Name
    : never;
