import type { Verb } from "./declare.ts";

/**
 * Whether a path is there in the root namespace only; elsewhere it is none, whoever asks.
 *
 * Source: decisions-secrets-core.md, A.10 "Root-only". It goes by the path, because it comes before anything is looked up.
 */
export function isRootOnly(verb: Verb, path: string): boolean {
  if (!path.startsWith("sys/")) return false;
  const [, first = "", second = "", ...rest] = path.split("/");
  if (ROOT_ONLY.has(first) || first.startsWith("seal")) return true;
  if (first !== "replication") return false;
  if (second !== "dr" && second !== "performance") return ROOT_ONLY_REPLICATION.has(second);
  const below = rest.join("/");
  if (below === "status") return false;
  return !(second === "dr" && verb === "GET" && below === "secondary/generate-operation-token/attempt");
}

const ROOT_ONLY: ReadonlySet<string> = new Set([
  ...["storage", "health", "unseal", "init", "audit", "leader"],
  // Those of operators (cluster/README.md).
  ...["ha-status", "host-info", "version-history", "step-down", "key-status", "rotate", "generate-root", "rekey"],
]);
const ROOT_ONLY_REPLICATION: ReadonlySet<string> = new Set(["status", "recover", "reindex", "merkle-check"]);
