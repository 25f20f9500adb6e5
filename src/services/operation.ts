/** How far an answer can be trusted: the weakest source that it rests on. */
export type Evidence = "documented" | "observed" | "chosen";

/**
 * How answers of an operation compared with those of a real server to the same requests: how many were the same but for the words of
 * errors and warnings, how many differ because the contract decides so, and how many because that server has another version.
 */
export interface Graded {
  readonly same: number;
  readonly decided: number;
  readonly version: number;
}

/** One row of `sim.operations()`. */
export interface OperationInfo {
  /** Service, resource, verb: `secrets.library.checkOut`. */
  readonly name: string;
  readonly method: string;
  /** The path with its captures: `/v1/:mount/library/**:set_name/check-out`. */
  readonly path: string;
  readonly service: "runs" | "scheduler" | "secrets";
  readonly evidence: Evidence;
  /** Absent where no answer of it could be compared. */
  readonly graded: Graded | undefined;
}

/** The names that a route captures: `"POST /v1/:mount/library/**:set_name"` has `mount` and `set_name`. */
export type CapturesOf<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? Name | CapturesOf<Rest>
  : Route extends `${string}:${infer Name}`
    ? Name
    : never;
