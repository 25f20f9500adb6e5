import type { EpochMs } from "../../../../kernel/brand.ts";
import { arm, type Calendar, type DeadlineKey, type Due, disarm } from "../../../../kernel/calendar.ts";
import type { Flat } from "../../../../kernel/draft.ts";
import type { FlatEvolvers, FoldMeta } from "../../../../kernel/evolvers.ts";
import { withEntry } from "../../../../kernel/parts.ts";
import type { Table } from "../../../../kernel/table.ts";
import type { Algorithm } from "../../../../languages/jws/algorithms.ts";
import type { KeySeed } from "../../../../languages/jws/key.ts";
import type { InNamespace, NamespacePlace } from "../../place.ts";

/** A key pair under its key id: what it is made of, and not yet made. */
export interface SigningKey extends KeySeed {
  readonly kid: string;
}

/** A key in its ring. Its public half is published until it expires; the signing key and the next one do not. */
export interface RingKey {
  readonly key: SigningKey;
  readonly expiresAtMs?: EpochMs;
}

/** What a named key is written with. */
export interface KeySettings {
  readonly algorithm: Algorithm;
  readonly rotationPeriodSeconds: number;
  readonly verificationTtlSeconds: number;
  /** Ids of clients, as they were given; `*` is all. */
  readonly allowedClientIds: readonly string[];
}

/** A named key (decisions-oidc.md, 4). */
export interface NamedKey extends KeySettings {
  /** A ring waits until a client or a role uses its key. */
  readonly status: "waiting" | "armed";
  /** Of an armed ring the next rotation; of one that waits a due time that has passed or will pass without a trace. */
  readonly nextRotationMs: EpochMs;
  /** Oldest first; the last two are the signing key and the next one. Empty while it waits. */
  readonly ring: readonly RingKey[];
  readonly deadline?: DeadlineKey;
}

interface OfKey extends InNamespace {
  readonly name: string;
}

/** The facts of named keys. */
export interface KeyEvents {
  NamedKeyWritten: OfKey & {
    readonly settings: KeySettings;
    readonly nextRotationMs: EpochMs;
    /** The new signing key and the new next one, where the algorithm of an armed ring is another one. */
    readonly replaced?: readonly [signing: SigningKey, next: SigningKey];
  };
  NamedKeyDeleted: OfKey;
  KeyRingArmed: OfKey & {
    readonly status: NamedKey["status"];
    readonly signing: SigningKey;
    readonly next: SigningKey;
    readonly nextRotationMs: EpochMs;
  };
  KeyRotated: OfKey & {
    readonly rotatedAtMs: EpochMs;
    /** When the public half of what signed until then goes. */
    readonly retiredUntilMs: EpochMs;
    readonly next: SigningKey;
    readonly nextRotationMs: EpochMs;
  };
  /** Somebody rotated a key whose ring waits. */
  KeyPeriodRestarted: OfKey & { readonly nextRotationMs: EpochMs };
}

/** The named keys of a namespace. */
export interface KeySlice {
  readonly keys: Table<NamedKey>;
}

/** They lie in their namespace, and their deadlines in the calendar of all namespaces. */
export type Keys = KeySlice & Due;

export const keyEvolvers: FlatEvolvers<Keys, KeyEvents> = {
  NamedKeyWritten: (part, { at, name, settings, nextRotationMs, replaced }, meta) => {
    const before = part.keys.get(name);
    const ring = (before?.ring ?? []).concat((replaced ?? []).map((key) => ({ key })));
    put(part, { at, name }, { ...settings, status: before?.status ?? "waiting", nextRotationMs, ring }, meta);
  },
  NamedKeyDeleted: (part, { name }) => {
    disarm(part, part.keys.get(name)?.deadline);
    part.keys = part.keys.delete(name);
  },
  KeyRingArmed: (part, { at, name, status, signing, next, nextRotationMs }, meta) => {
    const key = part.keys.get(name);
    if (key === undefined) return;
    put(part, { at, name }, { ...key, status, nextRotationMs, ring: [{ key: signing }, { key: next }] }, meta);
  },
  KeyRotated: (part, { at, name, rotatedAtMs, retiredUntilMs, next, nextRotationMs }, meta) => {
    const key = part.keys.get(name);
    if (key === undefined) return;
    const signing = key.ring.length - 2;
    const ring = key.ring
      .map((each, index) => (index === signing ? { ...each, expiresAtMs: retiredUntilMs } : each))
      .filter(({ expiresAtMs }) => expiresAtMs === undefined || rotatedAtMs < expiresAtMs);
    put(part, { at, name }, { ...key, nextRotationMs, ring: [...ring, { key: next }] }, meta);
  },
  KeyPeriodRestarted: (part, { name, nextRotationMs }) => {
    part.keys = withEntry(part.keys, name, (key) => ({ ...key, nextRotationMs }));
  },
};

/** Puts a named key in its place; an armed one is due again. */
function put(
  part: Flat<Keys>,
  { at, name }: { readonly at: NamespacePlace; readonly name: string },
  key: NamedKey,
  meta: FoldMeta,
): void {
  disarm(part, part.keys.get(name)?.deadline);
  const { deadline: _, ...settled } = key;
  const input = at.namespace === undefined ? { key: name } : { namespace: at.namespace, key: name };
  const deadline =
    key.status === "armed" ? arm(part, key.nextRotationMs, { command: "timer.keyRotation", input }, meta) : undefined;
  part.keys = part.keys.set(name, deadline === undefined ? settled : { ...settled, deadline });
}

/** Takes away the deadlines of the keys of a namespace that goes. */
export function disarmKeys(holder: { calendar: Calendar }, { oidc }: { readonly oidc: KeySlice }): void {
  for (const { deadline } of oidc.keys.values()) disarm(holder, deadline);
}
