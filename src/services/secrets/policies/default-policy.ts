import { lazy } from "../../../kernel/lazy.ts";
import { deepFreeze } from "../../../kernel/plain.ts";
import { parsePolicy } from "./document.ts";
import type { AclPolicy } from "./state.ts";

const TEXT = `# What every token may do for itself.
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self" { capabilities = ["update"] }
path "auth/token/revoke-self" { capabilities = ["update"] }
path "sys/capabilities-self" { capabilities = ["update"] }
path "sys/wrapping/lookup" { capabilities = ["update"] }
path "sys/wrapping/unwrap" { capabilities = ["update"] }
path "sys/wrapping/wrap" { capabilities = ["update"] }
path "sys/tools/hash" { capabilities = ["update"] }
path "sys/tools/hash/*" { capabilities = ["update"] }
path "sys/internal/ui/resultant-acl" { capabilities = ["read"] }
path "sys/leases/lookup" { capabilities = ["update"] }
path "sys/leases/renew" { capabilities = ["update"] }
path "cubbyhole/*" { capabilities = ["create", "read", "update", "delete", "list"] }
path "identity/oidc/provider/+/authorize" { capabilities = ["read", "update"] }
`;

/** The policy `default` of every namespace (decisions-secrets-core.md, A.8; amendments.md, S2). */
export const defaultPolicy: () => AclPolicy = lazy(() => deepFreeze({ text: TEXT, rules: parsePolicy(TEXT) }));
