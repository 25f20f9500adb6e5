import { assignmentOperations } from "./assignments/operations.ts";
import { clientOperations } from "./clients/operations.ts";
import { flowOperations } from "./flows/operations.ts";
import { keyOperations } from "./keys/operations.ts";
import { discoveryOperations, providerOperations } from "./providers/operations.ts";
import { scopeOperations } from "./scopes/operations.ts";

/** Every operation of the OIDC provider. */
export const oidcOperations = {
  keys: keyOperations,
  assignments: assignmentOperations,
  scopes: scopeOperations,
  clients: clientOperations,
  providers: providerOperations,
  ...discoveryOperations,
  ...flowOperations,
} as const;
