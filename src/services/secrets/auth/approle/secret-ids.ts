import type { EventFromLogic } from "xstate";
import { secretIdMachine } from "../../../../../machines/secret-id.machine.ts";
import { secondsAfter } from "../../../../kernel/brand.ts";
import { arrivedAt } from "../../../../kernel/machine.ts";
import { isBlock, liesWithin } from "../../../../languages/cidr.ts";
import type { SecretsDecision, SecretsReading, SecretsRecorder } from "../../declare.ts";
import { leaseTimesOf } from "../../leases/issue.ts";
import type { MountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { approleAt } from "../../world.ts";
import { approleName, metadataIn } from "./roles.ts";
import { type Approle, type NewSecretId, type SecretId, type SecretIdKey, secretIdKey } from "./state.ts";

// Source of all rules in this file: auth/approle/README.md, 2.

/** What a secret id is asked for with. */
export interface AskedSecretId {
  readonly secretId: string | undefined;
  readonly metadata: string;
  readonly cidrs: readonly string[];
  readonly tokenCidrs: readonly string[];
  readonly uses: number | undefined;
  readonly ttlSeconds: number | undefined;
}

/** Makes a secret id of a role, under an id of the caller's or one that is drawn. */
export function issueSecretId(decision: SecretsDecision, at: MountPlace, name: string, asked: AskedSecretId) {
  const method = approleAt(decision.state, at);
  if (asked.secretId === "") refuse("secret_id_missing", {});
  const role = approleName(name);
  const approle = method?.approles.get(role);
  if (method === undefined || approle === undefined) return refuse("approle_unknown", { role: name, status: 404 });
  if (!approle.bindSecretId) refuse("secret_id_not_bound", {});
  refuseCidrs(approle, asked);
  const usesLeft = boundedBy(
    approle.secretIdUses,
    asked.uses,
    "num_uses cannot be higher than the role's secret_id_num_uses",
  );
  const ttlSeconds = boundedBy(
    approle.secretIdTtlSeconds,
    asked.ttlSeconds,
    "ttl cannot be longer than the role's secret_id_ttl",
  );
  const { maxSeconds } = leaseTimesOf(method);
  const grantedSeconds = Math.min(ttlSeconds, maxSeconds);
  const secretId = asked.secretId ?? decision.draw.uuid();
  const metadata = metadataIn(asked.metadata);
  const accessor = decision.draw.uuid();
  if (method.secretIds.has(secretIdKey({ role, secretId }))) refuse("secret_id_exists", {});
  const secret: NewSecretId = {
    role,
    secretId,
    accessor,
    usesLeft,
    ttlSeconds,
    ...(grantedSeconds === 0 ? {} : { expiresAtMs: secondsAfter(decision.nowMs, grantedSeconds) }),
    metadata,
    cidrs: asked.cidrs,
    tokenCidrs: asked.tokenCidrs,
  };
  decision.record({ type: "SecretIdIssued", data: { at, secret } });
  return {
    secret_id: secretId,
    secret_id_accessor: accessor,
    secret_id_num_uses: usesLeft,
    secret_id_ttl: grantedSeconds,
  };
}

/** What a role sets, or something less of it; 0 is without end. */
function boundedBy(ofRole: number, asked: number | undefined, reason: string): number {
  if (asked === undefined) return ofRole;
  if (ofRole > 0 && (asked === 0 || asked > ofRole)) refuse("secret_id_beyond_role", { reason });
  return asked;
}

function refuseCidrs({ secretIdBoundCidrs, parameters }: Approle, { cidrs, tokenCidrs }: AskedSecretId): void {
  if (!cidrs.every(isBlock)) refuse("secret_id_cidrs_invalid", { what: "CIDR blocks" });
  refuseOutside(cidrs, secretIdBoundCidrs);
  if (!tokenCidrs.every(isBlock)) refuse("secret_id_cidrs_invalid", { what: "token CIDR blocks" });
  refuseOutside(tokenCidrs, parameters.boundCidrs);
}

/** Blocks of a secret id lie within those of its role, if that has any. */
export function refuseOutside(cidrs: readonly string[], ofRole: readonly string[]): void {
  if (cidrs.length > 0 && ofRole.length > 0 && !liesWithin(cidrs, ofRole)) {
    refuse("secret_id_cidrs_outside", { role: ofRole, secretId: cidrs });
  }
}

/** A secret id that is in force, by its key. */
export function secretIdAt({ state, nowMs }: Pick<SecretsReading, "state" | "nowMs">, at: MountPlace, key: string) {
  const secret = approleAt(state, at)?.secretIds.get(key);
  return secret === undefined || isOver(secret, nowMs) ? undefined : secret;
}

function isOver({ expiresAtMs }: SecretId, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}

/** Asks the chart of secret ids: one that is not there has ended. */
export function stepSecretId(
  decision: SecretsRecorder,
  secret: SecretId | undefined,
  type: EventFromLogic<ReturnType<typeof secretIdMachine>>["type"],
) {
  const judgement = {
    inForce: secret !== undefined && !isOver(secret, decision.nowMs),
    lastUse: secret?.usesLeft === 1,
  };
  return decision.step(secretIdMachine, secret?.status ?? "ended", judgement, { type });
}

/** Destroys a secret id; one that is not there is destroyed already. */
export function destroySecretId(decision: SecretsDecision, at: MountPlace, key: SecretIdKey): void {
  const secret = approleAt(decision.state, at)?.secretIds.get(key);
  const next = stepSecretId(decision, secret, "destroy");
  if (next === undefined) return;
  arrivedAt(next, "ended");
  decision.record({ type: "SecretIdEnded", data: { at, key } });
}

/** Ends the secret ids whose time is over. */
export function expireSecretIds(decision: SecretsRecorder, at: MountPlace): void {
  const method = approleAt(decision.state, at);
  for (const key of method?.secretIdExpiries.values() ?? []) {
    const secret = method?.secretIds.get(key);
    if (secret === undefined || !isOver(secret, decision.nowMs)) return;
    arrivedAt(stepSecretId(decision, secret, "expire"), "ended");
    decision.record({ type: "SecretIdEnded", data: { at, key } });
  }
}
