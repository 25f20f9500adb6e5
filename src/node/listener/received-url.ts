import type { UrlRead } from "../../services/kit/http.ts";

/** Targets that stand in a URL as they were sent: nothing to encode, no dots that lead up, no query. */
const PLAIN = /^(?:\/[\w~-][\w.~-]*)+$/;

const NO_PARAMETERS = Object.freeze(new URLSearchParams());

/**
 * The URL of what was asked of an origin. Most targets are plain, and taking one apart again takes longer than finding what it leads to.
 *
 * @param origin as a `URL` has it
 * @param target beginning with a slash
 */
export function receivedUrl(origin: string, target: string): UrlRead {
  const href = origin + target;
  if (PLAIN.test(target)) return { href, origin, pathname: target, search: "", searchParams: NO_PARAMETERS };
  const url = new URL(href);
  const [path = ""] = target.split(/[?#]/, 1);
  if (!RESOLVED.test(path)) return url;
  const { search, searchParams } = url;
  return { href, origin, pathname: path.replaceAll("\\", "%5C"), search, searchParams };
}

/** What a URL resolves by itself: the service is to see it as it was sent (amendments.md, A2). */
const RESOLVED = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;
