import * as v from "valibot";
import { optionsSchema, readArgument } from "../../../kernel/arguments.ts";
import { label } from "../../kit/options.ts";
import type { ClusterDefaults } from "../birth.ts";
import type { SecretsRecorder } from "../declare.ts";
import { givenKeys, keysOf, licenseName, nodeCount, type SecretsOptions } from "../options.ts";
import type { ClusterName } from "../place.ts";
import { refuse } from "../rejections.ts";

/** What a cluster that is added may have of its own; the rest it has from the simulator's options. */
export interface AddClusterOptions extends Pick<SecretsOptions, "keyShares" | "keyThreshold" | "nodes" | "license"> {}

const newClusterInput = optionsSchema({
  name: label("a cluster's name"),
  url: v.string("url is a text"),
  ...givenKeys.entries,
  nodes: v.optional(nodeCount),
  license: v.optional(licenseName),
  defaults: v.custom<ClusterDefaults>((value) => typeof value === "object" && value !== null),
});

/** Adds a cluster that stands alone. */
export function addCluster(decision: SecretsRecorder, input: unknown): void {
  const { name, url, defaults, ...own } = readArgument(newClusterInput, "addCluster", input);
  if (Object.hasOwn(decision.state.secrets, name)) refuse("cluster_exists", { cluster: name });
  const keys = keysOf("addCluster: keyThreshold", own, defaults);
  const ofNodes = { nodes: own.nodes ?? defaults.nodes, license: own.license ?? defaults.license };
  const seed = decision.draw.uuid();
  decision.record({
    type: "ClusterAdded",
    data: { ...defaults, cluster: name as ClusterName, seed, url, ...keys, ...ofNodes },
  });
}
