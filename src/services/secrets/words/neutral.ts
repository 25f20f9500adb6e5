import { ALGORITHMS } from "../../../languages/jws/algorithms.ts";
import type { NeutralWords } from "../../../languages/vocabulary/ambiguity.ts";
import { TLS_VERSIONS } from "../directory-config/state.ts";
import { METHOD_NAMES } from "../plugins/catalog.ts";
import { secretsRegistry } from "../registry.ts";
import { MEMBER_NAMES } from "./members.ts";
import { SHOWN } from "./shown.ts";

/** The words of this service, of which none can be an own word of something else. */
export function secretsWords(): NeutralWords {
  const operations = [...secretsRegistry.byName.values()];
  return {
    headers: [
      "X-Secrets-Token",
      "X-Secrets-Namespace",
      "X-Secrets-Wrap-TTL",
      "X-Secrets-Wrap-Format",
      "X-Secrets-Request",
      "Authorization",
      "Content-Type",
      "Cache-Control",
      "Location",
      "WWW-Authenticate",
    ],
    segments: [
      "ldap",
      "kv",
      "orchestrator",
      "cubbyhole",
      "identity",
      "sys",
      "auth",
      ...METHOD_NAMES,
      ...operations.flatMap(({ path }) =>
        path.split("/").filter((segment) => segment !== "" && !segment.includes(":")),
      ),
    ],
    // By `list` any GET becomes a LIST.
    fields: [
      "list",
      ...operations.flatMap(({ fields }) => Object.keys(fields)),
      ...MEMBER_NAMES,
      ...SHOWN,
      ...IN_GENERATED,
    ],
    values: VALUES,
    prefixes: ["scs.", "b.", "oidc_secret_", "cloud1://", "cloud2://", "cloud3://", "file://", "/ui/secrets/"],
  };
}

/** Names in what is written or signed for others (decisions-orchestrator.md, 3). */
const IN_GENERATED = ["app.orchestrator.io/managed-by", "app.orchestrator.io/created-by", "orchestrator.io"];

const VALUES = [
  "secrets",
  "secrets-engine-orchestrator",
  "https://orchestrator.default.svc.cluster.local",
  ...ALGORITHMS,
  ...TLS_VERSIONS,
  "ldap",
  "kv",
  "orchestrator",
  "cubbyhole",
  "identity",
  "system",
  "local",
  "cloud1-bucket",
  "cloud2-bucket",
  "cloud3-blob",
  "open-dir",
  "ad",
  "racf",
  "secrets-snapshot",
  "service",
  "batch",
  "confidential",
  "public",
  "internal",
  "external",
  "allow",
  "deny",
  "disabled",
  "primary",
  "secondary",
  "create",
  "read",
  "update",
  "patch",
  "delete",
  "list",
  "sudo",
  "root",
  "Role",
  "ClusterRole",
  "authorization_code",
  "code",
  "plain",
  "S256",
  "Bearer",
  "shamir",
  ...METHOD_NAMES,
  "token",
  "default",
  "default-service",
  "default-batch",
  "bootstrapping",
  "connected",
  "disconnected",
  "unknown",
  "idle",
  "merkle-diff",
  "merkle-sync",
  "stream-wals",
  "replicated",
];
