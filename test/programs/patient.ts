import type { Place } from "./modes.ts";

/** How long a program waits for an answer. */
const PATIENCE_MS = 15_000;

/** An answer with its text; undefined where none comes in time, or not as a whole. */
export interface Answered {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Asks as programs should: whatever becomes of the connection, they go on. */
export async function asked(
  place: Place,
  url: string,
  init: RequestInit = {},
  patienceMs = PATIENCE_MS,
): Promise<Answered | undefined> {
  const giveUp = new AbortController();
  const end = (): void => giveUp.abort(init.signal?.reason);
  init.signal?.addEventListener("abort", end);
  if (init.signal?.aborted === true) end();
  const timer = place.setTimeout(() => giveUp.abort(), patienceMs);
  try {
    const response = await place.fetch(url, { ...init, signal: giveUp.signal });
    const { ok, status, headers } = response;
    return { ok, status, headers, text: await response.text() };
  } catch {
    return undefined;
  } finally {
    place.clearTimeout(timer as never);
    init.signal?.removeEventListener("abort", end);
  }
}
