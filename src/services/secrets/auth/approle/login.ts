import { arrivedAt } from "../../../../kernel/machine.ts";
import { liesWithin } from "../../../../languages/cidr.ts";
import { LOOPBACK } from "../../access.ts";
import type { SecretsDecision } from "../../declare.ts";
import type { ApproleMount } from "../../mounts/state.ts";
import { type MountPath, type MountPlace, mountPlace } from "../../place.ts";
import { failKeepingFacts, refuse, type SecretsRefusals } from "../../rejections.ts";
import { homeOfShared } from "../../replication/forwarding/home.ts";
import { approleAt, isMountLocal } from "../../world.ts";
import { logIn } from "../login.ts";
import { refuseOutside, stepSecretId } from "./secret-ids.ts";
import { type Approle, type ApproleName, type SecretId, type SecretIdKey, secretIdKey } from "./state.ts";

// Source of all rules in this file: auth/approle/README.md, 3.

/** Lets in a program that knows the role id of a role and, if that binds one, a secret id. */
export function logInAsRole(
  decision: SecretsDecision,
  mount: MountPath,
  given: { readonly roleId: string; readonly secretId: string },
) {
  const at = mountPlace(decision.caller, mount);
  const method = approleAt(decision.state, at);
  const roleId = given.roleId.trim();
  if (method === undefined) return refuse("unsupported_path", { path: "login" });
  if (roleId === "") refuse("login_role_id_missing", {});
  const name = method.approlesById.get(roleId) ?? refuse("approle_credentials_wrong", {});
  const approle = method.approles.get(name) ?? refuse("approle_credentials_wrong", {});
  const enter = (secret?: SecretId) => entered(decision, { mount, method, name, approle, secret });
  if (!approle.bindSecretId) return enter();
  const secretId = given.secretId.trim();
  if (secretId === "") refuse("secret_id_missing", {});
  const key = secretIdKey({ role: name, secretId });
  const here = usable(decision, at, key).secret;
  // An unlimited one is used without a fact.
  if (here.usesLeft === 0) return enter(here);
  const secret = used(decision, at, key);
  const attempt = decision.attempt(() => enter(secret));
  if (attempt.ok) return attempt.result;
  return failKeepingFacts(attempt.refusal.code as keyof SecretsRefusals, attempt.refusal.data as never);
}

/** A secret id that may be used, and what becomes of it then. */
function usable(decision: SecretsDecision, at: MountPlace, key: SecretIdKey) {
  const secret = approleAt(decision.state, at)?.secretIds.get(key);
  const next = stepSecretId(decision, secret, "use");
  if (secret === undefined || next === undefined) return refuse("approle_credentials_wrong", {});
  return { secret, status: arrivedAt(next, "issued", "ended") };
}

/** Spends a use of a limited secret id, where it is counted. */
function used(decision: SecretsDecision, here: MountPlace, key: SecretIdKey): SecretId {
  const cluster = isMountLocal(decision.state, here) ? here.cluster : homeOfShared(decision, here.cluster, "login");
  const at = { ...here, cluster };
  const { secret, status } = usable(decision, at, key);
  if (status === "issued") decision.record({ type: "SecretIdUsed", data: { at, key, status } });
  else decision.record({ type: "SecretIdEnded", data: { at, key } });
  return secret;
}

function entered(
  decision: SecretsDecision,
  {
    mount,
    method,
    name,
    approle,
    secret,
  }: {
    readonly mount: MountPath;
    readonly method: ApproleMount;
    readonly name: ApproleName;
    readonly approle: Approle;
    readonly secret: SecretId | undefined;
  },
) {
  const { address = LOOPBACK } = decision.caller;
  const { secretIdBoundCidrs, parameters, roleId } = approle;
  const { cidrs = [], tokenCidrs = [], metadata: noted = {} } = secret ?? {};
  refuseOutside(cidrs, secretIdBoundCidrs);
  if (cidrs.length > 0 && !liesWithin([address], cidrs)) refuse("secret_id_elsewhere", { address, of: "secret ID" });
  if (secretIdBoundCidrs.length > 0 && !liesWithin([address], secretIdBoundCidrs)) {
    refuse("secret_id_elsewhere", { address, of: "role" });
  }
  const metadata = { ...noted, role_name: name };
  return logIn(decision, {
    mount,
    method,
    path: "login",
    name,
    alias: roleId,
    aliasMetadata: metadata,
    metadata,
    parameters: tokenCidrs.length === 0 ? parameters : { ...parameters, boundCidrs: tokenCidrs },
  });
}
