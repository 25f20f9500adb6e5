import { passwordAttributes } from "../../../surroundings/directory/passwords.ts";
import {
  changePassword,
  type DirectorySession,
  type DirectoryTarget,
  directoryName,
} from "../../../surroundings/directory/session.ts";
import { generatePassword } from "../password-policies/generate.ts";
import type { MountPlace } from "../place.ts";
import type { SecretsRecorder } from "../recorder.ts";
import { directoryAt, namespaceAt } from "../state.ts";
import type { DirectoryConfig } from "./state.ts";
import { isSearchAttribute } from "./user-attributes.ts";

/** A password that the directory has taken, or why there is none. */
export type Rotation =
  | { readonly ok: true; readonly password: string }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): Rotation => ({ ok: false, reason });

/**
 * Gives an entry a new password: makes one, finds the entry by its name under `userdn`, and writes it.
 *
 * A failure may have used up an injected fault, which is a fact: refuse with `failKeepingFacts` afterwards.
 *
 * Source: decisions-directory.md, 2, 4 and 7.
 */
export function rotateAccountPassword(decision: SecretsRecorder, at: MountPlace, name: string): Rotation {
  const config = directoryAt(decision.state, at)?.config;
  if (config === undefined) return failed("missing LDAP configuration");
  const password = newPassword(decision, at, config);
  if (password === undefined) return failed("unable to generate password: the password policy does not exist");
  if (!isSearchAttribute(config.userattr)) return failed(`unsupported userattr ${config.userattr}`);
  const target: DirectoryTarget = { by: "value", attribute: config.userattr, value: name };
  const error = changePassword(decision, sessionOf(config), target, passwordAttributes(config.schema, password));
  return error === undefined ? { ok: true, password } : failed(error);
}

/** A password as the configuration wants it; undefined when its policy is gone. */
function newPassword(decision: SecretsRecorder, at: MountPlace, config: DirectoryConfig): string | undefined {
  if (config.passwordPolicy === "") return decision.draw.base62(config.length);
  const policy = namespaceAt(decision.state, at)?.passwordPolicies.get(config.passwordPolicy);
  return policy === undefined ? undefined : generatePassword(decision.draw, policy);
}

/** Sessions by the configuration that they were made of. */
const sessions = new WeakMap<DirectoryConfig, DirectorySession>();

function sessionOf(config: DirectoryConfig): DirectorySession {
  let session = sessions.get(config);
  if (session === undefined) {
    session = {
      urls: config.url.split(",").map((url) => url.trim()),
      timeoutMs: smallestTimeoutMs(config.requestTimeoutSeconds, config.connectionTimeoutSeconds),
      bind: directoryName(bindNameOf(config)),
      bindPasswords: [config.bindpass],
      base: config.userdn === "" ? undefined : directoryName(config.userdn),
    };
    sessions.set(config, session);
  }
  return session;
}

/** With `upndomain` the engine binds by user principal name (decisions-directory.md, 2). */
export function bindNameOf({ binddn, upndomain, userattr }: DirectoryConfig): string {
  return userattr === "userPrincipalName" && upndomain !== "" ? `${binddn}@${upndomain}` : binddn;
}

function smallestTimeoutMs(...timeoutsSeconds: readonly number[]): number {
  const set = timeoutsSeconds.filter((seconds) => seconds > 0);
  return set.length === 0 ? 0 : Math.min(...set) * 1000;
}
