import { type Fact, fact } from "../../kit/why.ts";
import { gone, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { mountsFact } from "../mounts/why.ts";
import { clusterOf } from "../world.ts";
import type { NamespaceRefusals } from "./rejections.ts";

/** Why the endpoints of namespaces refuse. */
export const namespaceWhy: SecretsExplainers<NamespaceRefusals> = {
  namespace_reserved: (_, { namespace }) => [fact("argument", `${namespace} is a word of the system's`)],
  namespace_conflicts: (met) => [mountsFact(met)],
  namespace_has_children: (met, { namespace }) => {
    const { namespaces } = clusterOf(met.state, met.caller.cluster).replicated;
    const child = [...namespaces.keys()].find((path) => path !== `${namespace}/` && path.includes(`${namespace}/`));
    const made = met.past.last("NamespaceCreated", (data) => data.namespace === child);
    return [there("namespace", `namespace ${child ?? namespace}`, made)];
  },
};

/** What became of a namespace that is not there. */
export function namespaceFact(met: SecretsMet, path: string): Fact {
  const full = path.endsWith("/") ? path : `${path}/`;
  return gone(
    "namespace",
    `namespace ${path}`,
    met.past.last("NamespaceDeleted", ({ namespace }) => namespace === full),
  );
}
