import type { Evolvers } from "../../kernel/evolvers.ts";
import { through, within } from "../../kernel/evolvers.ts";
import type { DirectoryEvents } from "../../surroundings/directory/state.ts";
import { type DirectoryConfigEvents, directoryConfigEvolvers } from "./directory-config/state.ts";
import { type LeaseEvents, leaseEvolvers } from "./leases/state.ts";
import { type LibraryEvents, libraryEvolvers } from "./library/state.ts";
import { type MountEvents, mountEvolvers } from "./mounts/state.ts";
import { type NamespaceEvents, namespaceEvolvers } from "./namespaces/state.ts";
import { type PasswordPolicyEvents, passwordPolicyEvolvers } from "./password-policies/state.ts";
import { type PolicyEvents, policyEvolvers } from "./policies/state.ts";
import { changeLibrary, changeMount, changeNamespace, localOf, type Replicated, type SecretsWorld } from "./state.ts";
import { type TokenEvents, tokenEvolvers } from "./tokens/state.ts";

/** What the secrets service records: its own facts, and those of the surroundings that its engines act on. */
export interface SecretsEvents extends SecretsFacts, DirectoryEvents {}

/** The facts of the service itself. */
export interface SecretsFacts
  extends TokenEvents,
    LeaseEvents,
    PolicyEvents,
    NamespaceEvents,
    MountEvents,
    PasswordPolicyEvents,
    DirectoryConfigEvents,
    LibraryEvents {}

/** Folds them into the world; each family knows its own part only. */
export const secretsEvolvers: Evolvers<SecretsWorld, SecretsFacts> = {
  ...within(localOf, tokenEvolvers),
  ...within(localOf, leaseEvolvers),
  ...within<SecretsWorld, Replicated, NamespaceEvents>(
    (world, { cluster }) => world.secrets[cluster]?.replicated,
    namespaceEvolvers,
  ),
  ...through(changeNamespace, mountEvolvers),
  ...through(changeNamespace, policyEvolvers),
  ...through(changeNamespace, passwordPolicyEvolvers),
  ...through(changeMount, directoryConfigEvolvers),
  ...through(changeLibrary, libraryEvolvers),
};
