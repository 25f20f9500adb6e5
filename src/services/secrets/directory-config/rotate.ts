import { passwordAttributes } from "../../../surroundings/directory/passwords.ts";
import {
  changePassword,
  type DirectorySession,
  type DirectoryTarget,
  directoryName,
} from "../../../surroundings/directory/session.ts";
import type { SecretsRecorder } from "../declare.ts";
import { generatePassword } from "../password-policies/generate.ts";
import type { MountPlace } from "../place.ts";
import { directoryAt, namespaceAt } from "../world.ts";
import type { DirectoryConfig } from "./state.ts";
import { isSearchAttribute } from "./user-attributes.ts";

/** A password that the directory has taken, or why there is none. */
export type Rotation =
  | { readonly ok: true; readonly password: string }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): Rotation => ({ ok: false, reason });

/**
 * Gives an account of a set a new password: makes one, finds the entry by its name under `userdn`, and writes it.
 *
 * A failure may have used up an injected fault, which is a fact: refuse with `failKeepingFacts` afterwards.
 *
 * Source: decisions-directory.md, 2, 4 and 7.
 */
export function rotateAccountPassword(decision: SecretsRecorder, at: MountPlace, name: string): Rotation {
  const config = directoryAt(decision.state, at)?.config;
  if (config === undefined) return failed("missing LDAP configuration");
  return rotatePassword(decision, at, config, byName(config, name));
}

/** As for an account of a set, for that of a static role, which may be found by its DN. */
export function rotateRolePassword(
  decision: SecretsRecorder,
  at: MountPlace,
  { dn, username }: { readonly dn: string; readonly username: string },
): Rotation {
  const config = directoryAt(decision.state, at)?.config;
  if (config === undefined) return failed("the config is currently unset");
  return rotatePassword(decision, at, config, dn === "" ? byName(config, username) : byDn(config, dn));
}

/** As for a static role, for the account that the engine binds as. */
export function rotateOwnPassword(decision: SecretsRecorder, at: MountPlace): Rotation {
  const config = directoryAt(decision.state, at)?.config;
  if (config === undefined) return failed("the config is currently unset");
  return rotatePassword(decision, at, config, byDn(config, config.binddn));
}

function rotatePassword(
  decision: SecretsRecorder,
  at: MountPlace,
  config: DirectoryConfig,
  target: DirectoryTarget,
): Rotation {
  const password = newPassword(decision, at, config);
  if (password === undefined) return failed(NO_PASSWORD);
  if (target.by === "value" && !isSearchAttribute(target.attribute)) {
    return failed(`unsupported userattr ${target.attribute}`);
  }
  const session = sessionOf(config, decision.nowMs);
  const error = changePassword(decision, session, target, passwordAttributes(config.schema, password));
  return error === undefined ? { ok: true, password } : failed(error);
}

/** Why no password could be made. */
export const NO_PASSWORD = "unable to generate password: the password policy does not exist";

function byName({ userattr }: DirectoryConfig, name: string): DirectoryTarget {
  return { by: "value", attribute: userattr, value: name };
}

/** With `upndomain` an entry of a DN is looked for by its user principal name (decisions-directory.md, 2). */
function byDn({ userattr, upndomain }: DirectoryConfig, dn: string): DirectoryTarget {
  if (userattr === "userPrincipalName" && upndomain !== "") {
    return { by: "value", attribute: userattr, value: `${dn}@${upndomain}` };
  }
  return { by: "dn", name: directoryName(dn) };
}

/** A password as the configuration wants it; undefined when its policy is gone. */
export function newPassword(decision: SecretsRecorder, at: MountPlace, config: DirectoryConfig): string | undefined {
  if (config.passwordPolicy === "") return decision.draw.base62(config.length);
  const policy = namespaceAt(decision.state, at)?.passwordPolicies.get(config.passwordPolicy);
  return policy === undefined ? undefined : generatePassword(decision.draw, policy);
}

/** Sessions by the configuration that they were made of: with the present password, and with the one before as well. */
const sessions = new WeakMap<DirectoryConfig, { readonly alone: DirectorySession; readonly both: DirectorySession }>();

/** How long after a rotation of the bind password the one before is tried as well (decisions-directory.md, 6). */
const PREVIOUS_PASSWORD_MS = 600_000;

/** How an engine reaches the directory at an instant. */
export function sessionOf(config: DirectoryConfig, nowMs: number): DirectorySession {
  let made = sessions.get(config);
  if (made === undefined) {
    const { bindpass, previousBindpass = bindpass } = config;
    const alone = newSession(config, [bindpass]);
    made = { alone, both: { ...alone, bindPasswords: [bindpass, previousBindpass] } };
    sessions.set(config, made);
  }
  const { lastBindPasswordRotationMs: rotatedAtMs } = config;
  return rotatedAtMs !== undefined && nowMs < rotatedAtMs + PREVIOUS_PASSWORD_MS ? made.both : made.alone;
}

function newSession(config: DirectoryConfig, bindPasswords: readonly string[]): DirectorySession {
  return {
    urls: config.url.split(",").map((url) => url.trim()),
    timeoutMs: smallestTimeoutMs(config.requestTimeoutSeconds, config.connectionTimeoutSeconds),
    bind: directoryName(bindNameOf(config)),
    // Our choice: a bind account of which only the DN is known binds by its principal name all the same. That the passwords are equal
    // is all that a bind depends on (decisions-directory.md, 2).
    account: directoryName(config.binddn),
    bindPasswords,
    base: config.userdn === "" ? undefined : directoryName(config.userdn),
  };
}

/** With `upndomain` the engine binds by user principal name (decisions-directory.md, 2). */
export function bindNameOf({ binddn, upndomain, userattr }: DirectoryConfig): string {
  return userattr === "userPrincipalName" && upndomain !== "" ? `${binddn}@${upndomain}` : binddn;
}

function smallestTimeoutMs(...timeoutsSeconds: readonly number[]): number {
  const set = timeoutsSeconds.filter((seconds) => seconds > 0);
  return set.length === 0 ? 0 : Math.min(...set) * 1000;
}
