import type { EngineType } from "./state.ts";

/** What engines are called as types of mounts, and by default where they and auth methods are mounted. */
export const ENGINE_NAMES: { readonly [T in EngineType]: string } = {
  ldap: "ldap",
  kv: "kv",
  kv2: "kv",
  orchestrator: "orchestrator",
  "auth/userpass": "auth/userpass",
  "auth/approle": "auth/approle",
  "auth/ldap": "auth/ldap",
  "auth/orchestrator": "auth/orchestrator",
};

/** A mount's path: any number of segments that each keep the rule of names (decisions-secrets-core.md, D.2 and A.4). */
export const MOUNT_PATH = /^\w([\w.-]*\w)?(\/\w([\w.-]*\w)?)*$/;
