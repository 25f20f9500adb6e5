import * as v from "valibot";
import { optionsSchema, readArgument } from "../../../kernel/arguments.ts";
import type { ClusterBirth } from "../birth.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { refuse } from "../rejections.ts";

/** What a cluster that is added may have of its own; the rest it has from the simulator's options. */
export interface AddClusterOptions {
  /** Shares into which its key is split, 1 to 255. */
  readonly keyShares?: number;
  /** How many of them unseal it. */
  readonly keyThreshold?: number;
  readonly nodes?: number;
  readonly license?: "enterprise" | "community";
}

/** What every cluster of a simulator begins with. */
export type ClusterDefaults = Omit<ClusterBirth, "name" | "seed" | "url" | "atMs">;

const count = (most: number, what: string) =>
  v.pipe(
    v.number(`${what} is a number`),
    v.integer(`${what} is whole`),
    v.minValue(1, `${what} is 1 or more`),
    v.maxValue(most, `${what} is at most ${most}`),
  );

/** RFC 1035: letters, digits and hyphens, none at the ends. */
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

const newClusterInput = optionsSchema({
  name: v.pipe(v.string("a cluster's name is a text"), v.regex(DNS_LABEL, "a cluster's name is a DNS label")),
  url: v.string("url is a text"),
  keyShares: v.optional(count(255, "keyShares")),
  keyThreshold: v.optional(count(255, "keyThreshold")),
  nodes: v.optional(count(100, "nodes")),
  license: v.optional(v.picklist(["enterprise", "community"], "a license is one of enterprise, community")),
  defaults: v.custom<ClusterDefaults>((value) => typeof value === "object" && value !== null),
});

/** Adds a cluster that stands alone. */
export function addCluster(decision: SecretsRecorder, input: unknown): void {
  const { name, url, defaults, ...own } = readArgument(newClusterInput, "addCluster", input);
  if (Object.hasOwn(decision.state.secrets, name)) refuse("cluster_exists", { cluster: name });
  const keyShares = own.keyShares ?? Math.max(defaults.keyShares, own.keyThreshold ?? 0);
  const keyThreshold = own.keyThreshold ?? Math.min(defaults.keyThreshold, keyShares);
  if (keyThreshold > keyShares) {
    throw new TypeError(`addCluster: keyThreshold is ${keyThreshold}: it is at most the ${keyShares} keyShares`);
  }
  const nodes = own.nodes ?? defaults.nodes;
  const license = own.license ?? defaults.license;
  const seed = decision.draw.uuid();
  decision.record({
    type: "ClusterAdded",
    data: { ...defaults, cluster: name as ClusterName, seed, url, keyShares, keyThreshold, nodes, license },
  });
}
