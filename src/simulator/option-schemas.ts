import * as v from "valibot";

// What options and the header of a log write alike.

/** RFC 1035: letters, digits and hyphens, none at the ends. */
export const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const whole = (least: number) =>
  v.pipe(v.number("it is a number"), v.integer("it is a whole number"), v.minValue(least, `it is at least ${least}`));

export const count = (most: number) => v.pipe(whole(1), v.maxValue(most, `it is at most ${most}`));
const LICENSES = ["enterprise", "community"] as const;
export const DEFAULT_SHARES = 5;
export const DEFAULT_THRESHOLD = 3;

export const DEFAULT_PLUGIN_DIRECTORY = "/plugins";
export const pluginDirectory = v.optional(
  v.nullable(
    v.pipe(
      v.string("a directory is a text, or null for none"),
      v.nonEmpty("a directory's path is not empty: null is none"),
    ),
  ),
  DEFAULT_PLUGIN_DIRECTORY,
);

/** What every cluster of a simulator begins with. Nodes are bounded because each has an address of its own. */
export const clusterOptions = {
  keyShares: v.optional(count(255)),
  keyThreshold: v.optional(count(255)),
  nodes: v.optional(count(100), 1),
  license: v.optional(v.picklist(LICENSES, `a license is one of ${LICENSES.join(", ")}`), "enterprise"),
  version: v.optional(v.pipe(v.string("a version is a text"), v.nonEmpty("a version is not empty")), "1.15.0"),
};
