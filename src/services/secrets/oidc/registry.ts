import { assignmentOperations } from "./assignments/operations.ts";
import { clientOperations } from "./clients/operations.ts";
import { flowOperations } from "./flows/operations.ts";
import { configOperations, identityTokenOperations } from "./identity-tokens/operations.ts";
import { keyOperations } from "./keys/operations.ts";
import { discoveryOperations, providerOperations } from "./providers/operations.ts";
import { roleOperations } from "./roles/operations.ts";
import { scopeOperations } from "./scopes/operations.ts";

/** Every operation of the OIDC provider, and of identity tokens. */
export const oidcOperations = {
  keys: keyOperations,
  assignments: assignmentOperations,
  scopes: scopeOperations,
  clients: clientOperations,
  providers: providerOperations,
  roles: roleOperations,
  config: configOperations,
  identityTokens: identityTokenOperations,
  ...discoveryOperations,
  ...flowOperations,
} as const;
