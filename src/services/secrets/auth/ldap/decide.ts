import { refuseElsewhere } from "../../access.ts";
import type { SecretsDecision } from "../../declare.ts";
import { type MountPath, type MountPlace, mountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { ldapMethodAt } from "../../world.ts";
import { logIn } from "../login.ts";
import { askDirectory } from "./ask.ts";
import { MAPPED, type MappedKind, type Mapping } from "./state.ts";

// Source of all rules in this file: auth/ldap/README.md.

/** The key of a mapped name. */
function keyAt({ state }: Pick<SecretsDecision, "state">, at: MountPlace, name: string): string {
  return ldapMethodAt(state, at)?.ldapConfig?.caseSensitiveNames ? name : name.toLowerCase();
}

export function mappingAt(
  decision: Pick<SecretsDecision, "state">,
  at: MountPlace,
  kind: MappedKind,
  name: string,
): Mapping | undefined {
  return ldapMethodAt(decision.state, at)?.[MAPPED[kind]].get(keyAt(decision, at, name));
}

export function writeMapping(
  decision: SecretsDecision,
  at: MountPlace,
  kind: MappedKind,
  { name, ...mapping }: Mapping & { readonly name: string },
): void {
  const data = { at, kind, name: keyAt(decision, at, name), mapping };
  decision.record({ type: "LdapMappingWritten", data });
}

export function deleteMapping(decision: SecretsDecision, at: MountPlace, kind: MappedKind, name: string): void {
  if (mappingAt(decision, at, kind, name) === undefined) return;
  decision.record({ type: "LdapMappingDeleted", data: { at, kind, name: keyAt(decision, at, name) } });
}

/** Lets in whom the directory lets in. */
export function logInByDirectory(
  decision: SecretsDecision,
  mount: MountPath,
  given: { readonly username: string; readonly password: string },
) {
  const { username, password } = given;
  const method = ldapMethodAt(decision.state, mountPlace(decision.caller, mount));
  const path = `login/${username}`;
  if (method === undefined) return refuse("unsupported_path", { path });
  const config = method.ldapConfig ?? refuse("ldap_not_configured", {});
  const { parameters } = config;
  refuseElsewhere(decision, parameters.boundCidrs, path);
  const { alias, policies, groups, warnings } = askDirectory(decision, method, config, given);
  return logIn(decision, {
    mount,
    method,
    path,
    name: username,
    password,
    alias,
    aliasMetadata: { name: username },
    groups,
    displayName: username,
    metadata: { username },
    parameters: { ...parameters, policies: [...parameters.policies, ...policies] },
    warnings,
  });
}
