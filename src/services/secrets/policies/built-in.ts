import type { PathRule } from "./rules.ts";

/** The policy of root tokens: it has no document, and nothing is denied to it. */
export const ROOT_POLICY = "root";

/** The policy of wrapping tokens: nobody can write it, or have it otherwise (decisions-secrets-core.md, A.6). */
export const WRAPPING_POLICY = "response-wrapping";

export const WRAPPING_TEXT = 'path "sys/wrapping/unwrap" { capabilities = ["update"] }\n';

export const WRAPPING_RULES: readonly PathRule[] = Object.freeze([
  Object.freeze({ path: "sys/wrapping/unwrap", capabilities: Object.freeze(["update"] as const) }),
]);
