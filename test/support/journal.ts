import type { RequestEntry, Simulator } from "../../src/index.ts";

type Journaled = Pick<Simulator, "journal">;

/** The requests in the journal of a simulator. */
export function requestsOf({ journal }: Journaled): RequestEntry[] {
  return journal.filter((entry) => entry.kind === "request");
}

/** What its journal tells of the last request. @throws Error where there is none */
export function lastRequest(sim: Journaled): RequestEntry {
  const last = requestsOf(sim).at(-1);
  if (last === undefined) throw new Error("the journal holds no request");
  return last;
}
