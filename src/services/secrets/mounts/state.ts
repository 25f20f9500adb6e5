import type { EpochMs } from "../../../kernel/brand.ts";
import { disarm } from "../../../kernel/calendar.ts";
import type { Fold } from "../../../kernel/evolvers.ts";
import { withMember } from "../../../kernel/parts.ts";
import { Table } from "../../../kernel/table.ts";
import type { KvData } from "../kv/state.ts";
import { emptyLibrary } from "../library/state.ts";
import { newOrchestratorEngine } from "../orchestrator/state.ts";
import type { InMount } from "../place.ts";
import {
  directoryAt,
  type EngineType,
  localMountKey,
  type Mount,
  type MountedPlugin,
  type MountSettings,
  type SecretsWorld,
  withLocal,
  withMount,
  withNamespace,
  withPart,
} from "../state.ts";

/** The facts of mounts. */
export interface MountEvents {
  EngineMounted: InMount & {
    readonly type: EngineType;
    readonly accessor: string;
    readonly uuid: string;
    /** No other performance cluster sees it. */
    readonly local?: true;
    /** Absent when the engine is a built-in one. */
    readonly plugin?: MountedPlugin;
    /** Absent when all are the defaults. */
    readonly settings?: MountSettings;
  };
  MountTuned: InMount & { readonly settings: MountSettings };
  /** It is gone, with all that was in it. */
  EngineUnmounted: InMount & { readonly local?: true };
}

/** Whether a mount is local decides the part in which it lies, so these facts find their own way. */
export const mountFolds: { readonly [T in keyof MountEvents]: Fold<SecretsWorld, MountEvents[T]> } = {
  EngineMounted: (world, fact, meta) => {
    const mount = newMount(fact.type, fact.accessor, fact.uuid, meta.atMs, fact.settings, fact.plugin);
    return withMounts(world, fact, (mounts, key) => mounts.set(key, mount));
  },
  MountTuned: (world, fact) => withMount(world, fact, (mount) => ({ ...mount, ...fact.settings })),
  EngineUnmounted: (world, fact) =>
    withMounts(withoutRotations(world, fact), fact, (mounts, key) => mounts.delete(key)),
};

/** What an engine would have rotated goes with it. */
function withoutRotations(world: SecretsWorld, { at, local }: InMount & { readonly local?: true }): SecretsWorld {
  const key = Object.hasOwn(world.secrets, at.cluster) ? directoryAt(world, at)?.roles?.deadline : undefined;
  if (key === undefined) return world;
  return withPart(world, at, local ? "local" : "replicated", (part) =>
    withMember<typeof part, "calendar">(part, "calendar", (calendar) => {
      const holder = { calendar };
      disarm(holder, key);
      return holder.calendar;
    }),
  );
}

function withMounts(
  world: SecretsWorld,
  fact: InMount & { readonly local?: true },
  change: (mounts: Table<Mount>, key: string) => Table<Mount>,
): SecretsWorld {
  const { at, local } = fact;
  if (local) {
    return withLocal(world, at, (part) => withMember(part, "mounts", (mounts) => change(mounts, localMountKey(at))));
  }
  return withNamespace(world, fact, (namespace) =>
    withMember(namespace, "mounts", (mounts) => change(mounts, at.mount)),
  );
}

export const DEFAULT_SETTINGS: MountSettings = Object.freeze({
  description: "",
  options: null,
  defaultLeaseTtlSeconds: 0,
  maxLeaseTtlSeconds: 0,
});

/** An engine as it is when it has just been mounted. */
export function newMount(
  type: EngineType,
  accessor: string,
  uuid: string,
  atMs: EpochMs,
  settings = DEFAULT_SETTINGS,
  plugin?: MountedPlugin,
): Mount {
  const entry = { accessor, uuid, ...settings, ...(plugin === undefined ? {} : { plugin }) };
  switch (type) {
    case "ldap":
      return { type, ...entry, library: emptyLibrary };
    case "kv":
      return { type, ...entry, entries: Table.of<KvData>() };
    case "orchestrator":
      return { type, ...entry, engine: newOrchestratorEngine(atMs) };
    default:
      return type satisfies never;
  }
}
