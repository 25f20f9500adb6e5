import type { Served } from "../services/kit/http.ts";

/** Behind the responses that were given out. */
const served = new WeakMap<Response, Served>();

export function noteServed(response: Response, what: Served): void {
  served.set(response, what);
}

/** What stands behind a response; undefined for one that no simulator gave. */
export function servedBehind(response: Response): Served | undefined {
  return served.get(response);
}
