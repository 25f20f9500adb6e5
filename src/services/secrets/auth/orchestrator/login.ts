import { wordsOf } from "../../../../languages/vocabulary/worded.ts";
import { reviewRefusal } from "../../../../surroundings/orchestrator/calls.ts";
import { type AccountOfToken, accountIn, reviewToken } from "../../../../surroundings/orchestrator/tokens.ts";
import { refuseElsewhere } from "../../access.ts";
import type { SecretsDecision, SecretsReading } from "../../declare.ts";
import { type MountPath, mountPlace } from "../../place.ts";
import { failKeepingFacts, refuse } from "../../rejections.ts";
import { accountLoginAt, clusterOf } from "../../world.ts";
import { logIn } from "../login.ts";
import type { AccountRole, ReviewConfig } from "./state.ts";

// Source of all rules in this file: auth/orchestrator/README.md, 2.

const PATH = "login";

/** Whether the orchestrator finds a token in order: verifying a signature takes waiting. */
export function reviewed(reading: Omit<SecretsReading, "draw">, jwt: unknown): Promise<boolean> | undefined {
  if (typeof jwt !== "string" || jwt === "") return undefined;
  const { state, nowMs } = reading;
  const review = reviewToken(state.orchestrator, nowMs, jwt, wordsOf(state)?.secrets);
  return review.then(({ authenticated }) => authenticated);
}

/** Lets in a service account whose token the orchestrator has reviewed. */
export function logInAsAccount(
  decision: SecretsDecision,
  mount: MountPath,
  given: { readonly role: string; readonly jwt: string; readonly authenticated: boolean },
) {
  const method = accountLoginAt(decision.state, mountPlace(decision.caller, mount));
  if (method === undefined) return refuse("unsupported_path", { path: PATH });
  const { role, jwt } = given;
  if (role === "") refuse("login_field_missing", { field: "role" });
  if (jwt === "") refuse("login_field_missing", { field: "jwt" });
  const name = role.toLowerCase();
  const accountRole = method.accountRoles.get(name) ?? refuse("login_role_unknown", { role });
  const { parameters } = accountRole;
  refuseElsewhere(decision, parameters.boundCidrs, PATH);
  const config = method.reviewConfig ?? refuse("orchestrator_config_missing", {});
  const account = accountIn(jwt, wordsOf(decision.state)?.secrets);
  if (account === undefined) return refuse("account_not_authorized", { reason: "token is malformed" });
  refuseClaims(account, accountRole, config);
  const { podEnvironment } = clusterOf(decision.state, decision.caller.cluster).ignored;
  const local = config.disableLocalCaJwt ? undefined : podEnvironment.tokenFile;
  const session = { url: config.host, token: config.reviewerJwt || (local ?? jwt) };
  if (reviewRefusal(decision, session) !== undefined) failKeepingFacts("permission_denied", { path: PATH });
  if (!given.authenticated) refuse("permission_denied", { path: PATH });
  const metadata = {
    service_account_uid: account.uid,
    service_account_name: account.name,
    service_account_namespace: account.namespace,
    service_account_secret_name: "",
  };
  return logIn(decision, {
    mount,
    method,
    path: PATH,
    name,
    alias: accountRole.aliasSource === "serviceaccount_uid" ? account.uid : `${account.namespace}/${account.name}`,
    aliasMetadata: metadata,
    displayName: `${account.namespace}-${account.name}`,
    metadata: { ...metadata, role },
    parameters,
  });
}

function refuseClaims(
  { audiences, issuer, name, namespace }: AccountOfToken,
  { audience, names, namespaces }: AccountRole,
  config: ReviewConfig,
): void {
  if (!config.disableIssuerValidation && config.issuer !== "" && issuer !== config.issuer) {
    refuse("account_not_authorized", { reason: "invalid issuer (iss) claim" });
  }
  if (audience.trim() !== "" && !audiences.includes(audience)) {
    refuse("account_not_authorized", { reason: "invalid audience (aud) claim" });
  }
  if (!names.some((pattern) => fits(pattern, name))) {
    refuse("account_not_authorized", { reason: "service account name not authorized" });
  }
  if (!namespaces.some((pattern) => fits(pattern, namespace))) {
    refuse("account_not_authorized", { reason: "namespace not authorized" });
  }
}

/** Whether a text is what a pattern says, in which a star at either end stands for any text. */
function fits(pattern: string, text: string): boolean {
  const [starts, ends] = [pattern.endsWith("*"), pattern.startsWith("*")];
  const middle = pattern.slice(ends ? 1 : 0, starts && pattern.length > 1 ? -1 : undefined);
  if (pattern === "*") return true;
  if (starts && ends) return text.includes(middle);
  if (starts) return text.startsWith(middle);
  return ends ? text.endsWith(middle) : text === pattern;
}
