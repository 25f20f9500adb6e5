import { type Asked, NO_BODY } from "./asked.ts";

/** Where a response sends on to; undefined for one that does not. */
export function redirectOf(response: Response): string | undefined {
  return REDIRECTS.has(response.status) ? (response.headers.get("location") ?? undefined) : undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The request to which a redirect leads. Source: the Fetch standard, "HTTP-redirect fetch". */
export function redirected(asked: Asked, status: number, target: URL): Asked {
  const headers = new Headers(asked.headers);
  if (target.origin !== asked.url.origin) headers.delete("authorization");
  if (!becomesGet(asked.method, status)) return { ...asked, url: target, headers };
  for (const name of HEADERS_OF_A_BODY) headers.delete(name);
  return { ...asked, method: "GET", url: target, headers, body: NO_BODY };
}

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

const HEADERS_OF_A_BODY = ["content-encoding", "content-language", "content-location", "content-type"];
