/** What `fetch` rejects with where nobody listens. `who` does not: "the cluster". */
export function connectionRefused(url: string, who: string): TypeError {
  return new TypeError("fetch failed", { cause: refusal(new URL(url).host, who) });
}

/** What Node's clients reject with where nobody listens. */
export function refusal(host: string, who: string): Error {
  return Object.assign(new Error(`connect ECONNREFUSED ${host}: ${who} is stopped`), { code: "ECONNREFUSED" });
}

/** The refused connection behind an error; undefined for any other error. */
export function refusedConnection(error: unknown): (Error & { readonly code: string }) | undefined {
  const cause: unknown = error instanceof TypeError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED"
    ? (cause as Error & { readonly code: string })
    : undefined;
}
