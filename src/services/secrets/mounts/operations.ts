import { command, type SecretsReading, view } from "../declare.ts";
import { flag, objectOf, seconds, systemSeconds, text, texts } from "../fields.ts";
import { leaseTimesOf } from "../leases/issue.ts";
import { type MountPath, mountPlace, placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { mountRule, newMountRule } from "../replication/forwarding/rules.ts";
import { done, enveloped, repeatingData } from "../reply.ts";
import { isMountLocal, mountAt, mountsAt, namespaceAt } from "../world.ts";
import { mountEngine, tuneMount, unmountEngine } from "./decide.ts";
import { MOUNT_PATH } from "./names.ts";
import { isAuthMount } from "./state.ts";
import { SYSTEM_PATHS, systemMount } from "./system.ts";
import { type MountShown, shownMount, shownSystemMount } from "./views.ts";

/** Mounts (decisions-secrets-core.md, D.2). */
export const mountOperations = {
  list: view({
    route: "GET /v1/sys/mounts",
    evidence: "observed",
    view: (reading) => repeatingData(enveloped(allMounts(reading))),
  }),
  read: view({
    route: "GET /v1/sys/mounts/**:path",
    evidence: "observed",
    names: MOUNT_PATH,
    view: (reading, { path }) => repeatingData(enveloped(found(reading, path))),
  }),
  write: command({
    route: "POST /v1/sys/mounts/**:path",
    evidence: "observed",
    onSecondary: newMountRule,
    names: MOUNT_PATH,
    fields: {
      type: text,
      description: text,
      local: flag,
      options: texts,
      config: objectOf({ default_lease_ttl: seconds, max_lease_ttl: seconds }),
    },
    decide: (decision, { path, type, description, local, options, config }) => {
      mountEngine(decision, placeOfNamespace(decision.caller), `${path}/` as MountPath, {
        type: type ?? "",
        local: local ?? false,
        settings: {
          description: description ?? "",
          options: options ?? null,
          defaultLeaseTtlSeconds: config?.default_lease_ttl ?? 0,
          maxLeaseTtlSeconds: config?.max_lease_ttl ?? 0,
        },
      });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/sys/mounts/**:path",
    evidence: "observed",
    onSecondary: mountRule(""),
    names: MOUNT_PATH,
    decide: (decision, { path }) => {
      unmountEngine(decision, placeOfNamespace(decision.caller), `${path}/` as MountPath);
      return done();
    },
  }),
  tuning: view({
    route: "GET /v1/sys/mounts/**:path/tune",
    evidence: "observed",
    names: MOUNT_PATH,
    view: (reading, { path }) => {
      const { description, config } = found(reading, path);
      const times = leaseTimesOf({
        defaultLeaseTtlSeconds: config.default_lease_ttl,
        maxLeaseTtlSeconds: config.max_lease_ttl,
      });
      const { defaultSeconds: default_lease_ttl, maxSeconds: max_lease_ttl } = times;
      return repeatingData(enveloped({ default_lease_ttl, max_lease_ttl, description }));
    },
  }),
  tune: command({
    route: "POST /v1/sys/mounts/**:path/tune",
    evidence: "observed",
    onSecondary: mountRule(""),
    names: MOUNT_PATH,
    fields: { default_lease_ttl: systemSeconds, max_lease_ttl: systemSeconds, description: text },
    decide: (decision, { path, default_lease_ttl, max_lease_ttl, description }) => {
      tuneMount(decision, placeOfNamespace(decision.caller), `${path}/` as MountPath, {
        ...(default_lease_ttl === undefined ? {} : { defaultLeaseTtlSeconds: default_lease_ttl }),
        ...(max_lease_ttl === undefined ? {} : { maxLeaseTtlSeconds: max_lease_ttl }),
        ...(description === undefined ? {} : { description }),
      });
      return done();
    },
  }),
};

/** All mounts of the request's namespace by their paths, in byte order. */
function allMounts({ state, caller }: SecretsReading): { readonly [path: string]: MountShown } {
  const namespace = namespaceAt(state, caller);
  const shown = new Map<string, MountShown>();
  for (const path of SYSTEM_PATHS) {
    const own = systemMount(namespace?.id ?? "", path);
    if (own !== undefined) shown.set(path, shownSystemMount(own, caller.namespace));
  }
  for (const { path, mount, local } of mountsAt(state, caller)) {
    if (!isAuthMount(mount)) shown.set(path, shownMount(mount, local));
  }
  return Object.fromEntries([...shown].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function found({ state, caller }: SecretsReading, name: string): MountShown {
  const path = `${name}/` as MountPath;
  const own = systemMount(namespaceAt(state, caller)?.id ?? "", path);
  if (own !== undefined) return shownSystemMount(own, caller.namespace);
  const place = mountPlace(caller, path);
  const mount = mountAt(state, place);
  if (mount === undefined || isAuthMount(mount)) return refuse("mount_not_found", { path });
  return shownMount(mount, isMountLocal(state, place));
}
