import { command, type SecretsCaller, view } from "../declare.ts";
import { texts } from "../fields.ts";
import { childrenOf } from "../listing.ts";
import type { NamespacePath } from "../place.ts";
import { refuse } from "../rejections.ts";
import { enveloped } from "../reply.ts";
import { clusterOf } from "../world.ts";
import { createNamespace, deleteNamespace } from "./decide.ts";
import type { CustomMetadata, Namespace } from "./state.ts";

/** A namespace as it is shown. */
export interface NamespaceShown {
  readonly id: string;
  /** The full path, with a slash at its end. */
  readonly path: string;
  readonly custom_metadata: CustomMetadata;
}

/** Namespaces, children of that of the request (decisions-secrets-core.md, D.3). */
export const namespaceOperations = {
  list: view({
    route: "LIST /v1/sys/namespaces",
    evidence: "observed",
    enterprise: true,
    view: ({ state, caller }) => {
      const { namespaces } = clusterOf(state, caller.cluster).replicated;
      const prefix = caller.namespace ?? "";
      // A key of its own namespace is no child; every other key below it ends with a slash.
      const keys = [...childrenOf(namespaces, prefix)].filter((key) => key !== "");
      if (keys.length === 0) return refuse("not_found", {});
      const key_info: Record<string, NamespaceShown> = {};
      for (const key of keys) {
        const child = namespaces.get(prefix + key);
        if (child !== undefined) key_info[key] = shown(prefix + key, child);
      }
      return enveloped({ keys, key_info });
    },
  }),
  read: view({
    route: "GET /v1/sys/namespaces/:name",
    evidence: "observed",
    enterprise: true,
    view: ({ state, caller }, { name }) => {
      const path = childPath(caller, name);
      const child = clusterOf(state, caller.cluster).replicated.namespaces.get(path);
      return child === undefined ? refuse("not_found", {}) : enveloped(shown(path, child));
    },
  }),
  write: command({
    route: "POST /v1/sys/namespaces/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    enterprise: true,
    fields: { custom_metadata: texts },
    decide: (decision, { name, custom_metadata = {} }) => {
      const { cluster } = decision.caller;
      const path = childPath(decision.caller, name);
      createNamespace(decision, cluster, path, custom_metadata);
      const child = clusterOf(decision.state, cluster).replicated.namespaces.get(path);
      if (child === undefined) throw new Error(`namespace ${path} was created, and is not there`);
      return enveloped(shown(path, child));
    },
  }),
  delete: command({
    route: "DELETE /v1/sys/namespaces/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    enterprise: true,
    decide: (decision, { name }) => {
      const path = childPath(decision.caller, name);
      const was = deleteNamespace(decision, decision.caller.cluster, path);
      const warning = was ? `deletion of namespace ${path} is done` : `requested namespace ${path} does not exist`;
      return enveloped(null, { warnings: [warning] });
    },
  }),
};

function childPath({ namespace }: SecretsCaller, name: string): NamespacePath {
  return `${namespace ?? ""}${name}/` as NamespacePath;
}

function shown(path: string, { id, customMetadata }: Namespace): NamespaceShown {
  return { id, path, custom_metadata: customMetadata };
}
