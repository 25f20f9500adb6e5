import { refuseElsewhere } from "../../access.ts";
import type { SecretsDecision } from "../../declare.ts";
import type { MountPath, MountPlace } from "../../place.ts";
import { mountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { userpassAt } from "../../world.ts";
import { logIn } from "../login.ts";
import { DEFAULT_PARAMETERS, type GivenParameters, parametersWith } from "../parameters.ts";
import type { User } from "./state.ts";

// Source of all rules in this file: auth/userpass/README.md.

export function userAt({ state }: Pick<SecretsDecision, "state">, at: MountPlace, username: string): User | undefined {
  return userpassAt(state, at)?.users.get(username.toLowerCase());
}

/** Writes a user: what is absent stays as it is. */
export function writeUser(
  decision: SecretsDecision,
  at: MountPlace,
  username: string,
  { password = "", ...given }: GivenParameters & { readonly password?: string },
): void {
  const before = userAt(decision, at, username);
  if (before === undefined && password === "") refuse("password_missing", {});
  const user = {
    password: password || (before?.password ?? ""),
    parameters: parametersWith(before?.parameters ?? DEFAULT_PARAMETERS, given),
  };
  decision.record({ type: "UserpassUserWritten", data: { at, username: username.toLowerCase(), user } });
}

/** Changes one thing of a user who is there. */
export function changeUser(
  decision: SecretsDecision,
  at: MountPlace,
  username: string,
  changed: Parameters<typeof writeUser>[3],
): void {
  if (userAt(decision, at, username) === undefined) refuse("user_unknown", {});
  if (changed.password === "") refuse("password_missing", {});
  writeUser(decision, at, username, changed);
}

export function deleteUser(decision: SecretsDecision, at: MountPlace, username: string): void {
  if (userAt(decision, at, username) === undefined) return;
  decision.record({ type: "UserpassUserDeleted", data: { at, username: username.toLowerCase() } });
}

/** Lets in whoever knows the password of a user. */
export function logInAsUser(
  decision: SecretsDecision,
  mount: MountPath,
  { username, password }: { readonly username: string; readonly password: string },
) {
  const method = userpassAt(decision.state, mountPlace(decision.caller, mount));
  const path = `login/${username}`;
  if (method === undefined) return refuse("unsupported_path", { path });
  if (password === "") refuse("login_password_missing", {});
  const name = username.toLowerCase();
  const user = method.users.get(name);
  if (user === undefined || user.password !== password) return refuse("user_credentials_wrong", {});
  const { parameters } = user;
  refuseElsewhere(decision, parameters.boundCidrs, path);
  const metadata = { username: name };
  return logIn(decision, { mount, method, path, name, alias: name, displayName: name, metadata, parameters });
}
