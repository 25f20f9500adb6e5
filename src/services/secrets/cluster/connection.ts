/** What `fetch` rejects with where nobody listens: a stopped cluster. */
export function connectionRefused(url: string): TypeError {
  const { host } = new URL(url);
  const cause = Object.assign(new Error(`connect ECONNREFUSED ${host}: the cluster is stopped`), {
    code: "ECONNREFUSED",
  });
  return new TypeError("fetch failed", { cause });
}
