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
  return PLAIN.test(target)
    ? { href, origin, pathname: target, search: "", searchParams: NO_PARAMETERS }
    : new URL(href);
}
