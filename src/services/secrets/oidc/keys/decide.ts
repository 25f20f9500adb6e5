import { bytesToHex } from "@noble/hashes/utils.js";
import { keyRingMachine } from "../../../../../machines/key-ring.machine.ts";
import { type EpochMs, epochMs, secondsAfter } from "../../../../kernel/brand.ts";
import { dueAtMsOf } from "../../../../kernel/calendar.ts";
import type { Draw } from "../../../../kernel/randomness.ts";
import type { Table } from "../../../../kernel/table.ts";
import { ALGORITHMS, type Algorithm } from "../../../../languages/jws/algorithms.ts";
import { READY_PAIRS } from "../../../../languages/jws/rsa.ts";
import type { SecretsRecorder } from "../../declare.ts";
import { pairPrefix } from "../../pair-key.ts";
import { type ClusterName, type NamespacePath, type NamespacePlace, placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { namespaceAt, type SecretsWorld } from "../../world.ts";
import { keyUse, type OidcConfiguration } from "../state.ts";
import type { KeySettings, NamedKey, SigningKey } from "./state.ts";

// Source of all rules in this file: decisions-oidc.md, 4.

/** The shortest period of a key. */
const MIN_PERIOD_SECONDS = 60;
/** How many periods the public half of a key may stay at most. */
const MAX_PERIODS = 10;

const NEW_KEY: KeySettings = {
  algorithm: "RS256",
  rotationPeriodSeconds: 86_400,
  verificationTtlSeconds: 86_400,
  allowedClientIds: [],
};

/** What somebody writes; what is absent stays as it is. */
export interface KeyFields {
  readonly rotation_period?: number;
  readonly verification_ttl?: number;
  readonly algorithm?: string;
  readonly allowed_client_ids?: readonly string[];
}

/** The OIDC configuration of a namespace that is there. */
export function oidcAt({ state }: { readonly state: SecretsWorld }, at: NamespacePlace): OidcConfiguration {
  const namespace = namespaceAt(state, at);
  if (namespace === undefined) throw new Error(`there is no namespace ${at.namespace}`);
  return namespace.oidc;
}

export function writeKey(decision: SecretsRecorder, place: NamespacePlace, name: string, fields: KeyFields): void {
  const at = placeOfNamespace(place);
  const before = oidcAt(decision, at).keys.get(name);
  const settings = settingsOf(decision, at, name, before ?? NEW_KEY, fields);
  const period = settings.rotationPeriodSeconds;
  const soonest = secondsAfter(decision.nowMs, period);
  const data = { at, name, settings };
  if (before === undefined) {
    decision.record({ type: "NamedKeyWritten", data: { ...data, nextRotationMs: soonest } });
    return;
  }
  const nextRotationMs = epochMs(Math.min(nextRotationOf(before, decision.nowMs), soonest));
  const isReplaced =
    settings.algorithm !== before.algorithm &&
    decision.step(keyRingMachine, before.status, {}, { type: "replace" }) !== undefined;
  const replaced = isReplaced ? { replaced: newPair(decision.draw, settings.algorithm) } : {};
  decision.record({ type: "NamedKeyWritten", data: { ...data, nextRotationMs, ...replaced } });
}

function settingsOf(
  decision: SecretsRecorder,
  at: NamespacePlace,
  name: string,
  before: KeySettings,
  fields: KeyFields,
): KeySettings {
  const rotationPeriodSeconds = fields.rotation_period ?? before.rotationPeriodSeconds;
  const verificationTtlSeconds = fields.verification_ttl ?? before.verificationTtlSeconds;
  if (rotationPeriodSeconds < MIN_PERIOD_SECONDS) {
    refuse("rotation_period_too_short", { seconds: rotationPeriodSeconds });
  }
  const longest = MAX_PERIODS * rotationPeriodSeconds;
  if (verificationTtlSeconds > longest) {
    refuse("verification_ttl_too_long", { seconds: verificationTtlSeconds, longest });
  }
  const { clientsByKey, identityRolesByKey } = oidcAt(decision, at);
  const longerOf = (users: Table<string>): string | undefined => {
    const [use, user] = users.firstFrom(keyUse(name, verificationTtlSeconds + 1)) ?? [];
    return use?.startsWith(pairPrefix(name)) ? user : undefined;
  };
  const role = longerOf(identityRolesByKey);
  if (role !== undefined) refuse("verification_ttl_below_role", { key: name, role, seconds: verificationTtlSeconds });
  const client = longerOf(clientsByKey);
  if (client !== undefined) refuse("verification_ttl_below_client", { client, seconds: verificationTtlSeconds });
  const given = fields.algorithm ?? before.algorithm;
  const algorithm = ALGORITHMS.find((known) => known === given);
  if (algorithm === undefined) return refuse("algorithm_unknown", { algorithm: given });
  const allowedClientIds = fields.allowed_client_ids ?? before.allowedClientIds;
  return { algorithm, rotationPeriodSeconds, verificationTtlSeconds, allowedClientIds };
}

/** When a key rotates next. A ring that waits has due times, too, which pass without a trace: at one of them it has passed. */
function nextRotationOf(key: NamedKey, nowMs: EpochMs): EpochMs {
  const { status, nextRotationMs, rotationPeriodSeconds } = key;
  if (status === "armed" || nextRotationMs > nowMs) return nextRotationMs;
  const periodMs = rotationPeriodSeconds * 1000;
  return epochMs(nextRotationMs + (Math.floor((nowMs - nextRotationMs) / periodMs) + 1) * periodMs);
}

/** Gives a key its ring, if it has none: a client or a role uses it from now on. */
export function armKey(decision: SecretsRecorder, place: NamespacePlace, name: string): void {
  const at = placeOfNamespace(place);
  const key = oidcAt(decision, at).keys.get(name);
  if (key === undefined) return;
  const next = decision.step(keyRingMachine, key.status, {}, { type: "arm" });
  if (next === undefined) return;
  const [signing, following] = newPair(decision.draw, key.algorithm);
  const nextRotationMs = nextRotationOf(key, decision.nowMs);
  decision.record({
    type: "KeyRingArmed",
    data: { at, name, status: next.value, signing, next: following, nextRotationMs },
  });
}

/** Rotates a key by hand: at once, and its period starts anew. */
export function rotateKey(
  decision: SecretsRecorder,
  place: NamespacePlace,
  name: string,
  verificationTtlSeconds: number | undefined,
): void {
  const at = placeOfNamespace(place);
  const key = oidcAt(decision, at).keys.get(name);
  if (key === undefined) {
    refuse("key_not_found", { key: name });
    return;
  }
  if (decision.step(keyRingMachine, key.status, {}, { type: "restart" }) !== undefined) {
    const nextRotationMs = secondsAfter(decision.nowMs, key.rotationPeriodSeconds);
    decision.record({ type: "KeyPeriodRestarted", data: { at, name, nextRotationMs } });
    return;
  }
  rotate(decision, at, name, key, decision.nowMs, verificationTtlSeconds ?? key.verificationTtlSeconds);
}

/** A key's time has come. Where it comes late, all is as if it had been done at its due time (decisions-oidc.md, 12). */
export function rotateDueKey(
  decision: SecretsRecorder,
  cluster: ClusterName,
  { namespace, key: name }: { readonly namespace?: NamespacePath; readonly key: string },
): void {
  const at = namespace === undefined ? { cluster } : { cluster, namespace };
  const key = namespaceAt(decision.state, at)?.oidc.keys.get(name);
  const deadline = decision.caller?.["deadline"];
  if (key === undefined || typeof deadline !== "string") return;
  rotate(decision, at, name, key, dueAtMsOf(deadline), key.verificationTtlSeconds);
}

function rotate(
  decision: SecretsRecorder,
  at: NamespacePlace,
  name: string,
  key: NamedKey,
  rotatedAtMs: EpochMs,
  verificationTtlSeconds: number,
): void {
  if (decision.step(keyRingMachine, key.status, {}, { type: "rotate" }) === undefined) return;
  decision.record({
    type: "KeyRotated",
    data: {
      at,
      name,
      rotatedAtMs,
      retiredUntilMs: secondsAfter(rotatedAtMs, verificationTtlSeconds),
      next: newKey(decision.draw, key.algorithm),
      nextRotationMs: secondsAfter(rotatedAtMs, key.rotationPeriodSeconds),
    },
  });
}

const SEED_BYTES = 32;

function newKey(draw: Draw, algorithm: Algorithm): SigningKey {
  const seed = bytesToHex(draw.bytes(SEED_BYTES));
  return { kid: draw.uuid(), algorithm, seed };
}

/** The two keys that a ring begins with. Those of RSA are made of primes that are ready, so that a first login is quick. */
function newPair(draw: Draw, algorithm: Algorithm): readonly [signing: SigningKey, next: SigningKey] {
  const pair = [newKey(draw, algorithm), newKey(draw, algorithm)] as const;
  if (!algorithm.startsWith("RS")) return pair;
  const first = draw.below(READY_PAIRS);
  const second = (first + 1 + draw.below(READY_PAIRS - 1)) % READY_PAIRS;
  return [
    { ...pair[0], readyPair: first },
    { ...pair[1], readyPair: second },
  ];
}

/** The key that signs now. */
export function signingKeyOf({ ring }: NamedKey): SigningKey | undefined {
  return ring.at(-2)?.key;
}
