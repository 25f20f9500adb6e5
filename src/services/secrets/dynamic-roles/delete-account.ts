import type { SecretsRecorder } from "../declare.ts";
import { sessionOf } from "../directory-config/rotate.ts";
import type { CredentialsGrant } from "../leases/state.ts";
import type { MountPlace } from "../place.ts";
import { mountAt } from "../world.ts";
import { executeAll } from "./ldif.ts";

/**
 * Takes an account away because its lease ended: the deletion LDIF as it was at the issue, all its entries. What became of
 * the role meanwhile does not matter.
 *
 * Source: decisions-directory.md, 8 "Expiry or revocation".
 *
 * @returns why it failed, if any of its entries did
 */
export function deleteAccount(decision: SecretsRecorder, at: MountPlace, grant: CredentialsGrant): string | undefined {
  const mount = mountAt(decision.state, at);
  // Unmounting revokes its leases first, so a lease without a mount has nothing left to undo.
  if (mount?.type !== "ldap") return undefined;
  if (mount.config === undefined) return "missing LDAP configuration";
  return executeAll(decision, sessionOf(mount.config, decision.nowMs), grant.deletionLdif, grant.fields);
}
