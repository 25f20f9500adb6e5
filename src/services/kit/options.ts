import * as v from "valibot";

// What options of services and the headers of logs write alike.

/** RFC 1035: letters, digits and hyphens, none at the ends. */
export const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The name of a place: `what` is how messages call it. */
export const label = (what: string) =>
  v.pipe(v.string(`${what} is a text`), v.regex(DNS_LABEL, `${what} is a DNS label`));

export const whole = (least: number) =>
  v.pipe(v.number("it is a number"), v.integer("it is a whole number"), v.minValue(least, `it is at least ${least}`));

export const count = (most: number) => v.pipe(whole(1), v.maxValue(most, `it is at most ${most}`));

/** Names of places, at least one; none comes twice. */
export const labels = (what: string) =>
  v.pipe(
    v.array(label(`a ${what}'s name`)),
    v.minLength(1, `there is at least one ${what}`),
    v.check((names) => new Set(names).size === names.length, `each ${what} has a name of its own`),
  );

/** Where a place answers, by its name. */
export const urlsByName = (what: string) =>
  v.custom<(name: string) => unknown>((value) => typeof value === "function", `url is a function of a ${what}'s name`);

/** The origin that somebody gave. @throws TypeError for what is no URL, and for one that says more than an origin */
export function originAt(where: string, url: unknown): string {
  const { origin, href } = typeof url === "string" && URL.canParse(url) ? new URL(url) : NO_URL;
  if (origin === NO_URL.origin) throw new TypeError(`createSimulator: ${where} ${String(url)}, which is no URL`);
  if (href !== `${origin}/`) {
    throw new TypeError(`createSimulator: ${where} ${String(url)}, and has to be an origin: ${origin}`);
  }
  return origin;
}

/** A URL without an origin of its own has this text for one. */
const NO_URL = { origin: "null", href: "" };
