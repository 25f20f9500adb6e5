/** What `fetch` rejects with where nobody listens: a stopped cluster. */
export function connectionRefused(url: string): TypeError {
  const { host } = new URL(url);
  const cause = Object.assign(new Error(`connect ECONNREFUSED ${host}: the cluster is stopped`), {
    code: "ECONNREFUSED",
  });
  return new TypeError("fetch failed", { cause });
}

/** The refused connection behind an error; undefined for any other error. */
export function refusedConnection(error: unknown): (Error & { readonly code: string }) | undefined {
  const cause: unknown = error instanceof TypeError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED"
    ? (cause as Error & { readonly code: string })
    : undefined;
}
