import { authenticated, entityIsBarred, mayReach } from "../access.ts";
import { allMethods } from "../auth/methods/operations.ts";
import { command, type SecretsReading, view } from "../declare.ts";
import { flag, objectOf, seconds, systemSeconds, text, texts } from "../fields.ts";
import { leaseTimesOf } from "../leases/issue.ts";
import { type MountPath, mountPlace, placeOfNamespace, withoutOuterSlashes } from "../place.ts";
import { refuse } from "../rejections.ts";
import { mountRule, newMountRule } from "../replication/forwarding/rules.ts";
import { done, enveloped, repeatingData, warned } from "../reply.ts";
import { clusterOf, isMountLocal, mountAt, mountsAt, namespaceAt } from "../world.ts";
import { mountEngine, tuneMount, unmountEngine, visibilityIn } from "./decide.ts";
import { moveMount, placeOfPath } from "./move.ts";
import { MOUNT_PATH } from "./names.ts";
import { AUTH, isAuthMount } from "./state.ts";
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
      config: objectOf({ default_lease_ttl: seconds, max_lease_ttl: seconds, listing_visibility: text }),
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
          ...visibilityIn(config?.listing_visibility),
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
  /** What command lines ask before anything else (README.md of the service). */
  ui: {
    list: view({
      route: "GET /v1/sys/internal/ui/mounts",
      evidence: "observed",
      open: true,
      view: (reading) => {
        const listed = listedMounts(reading);
        const methods = listed.filter(([path]) => path.startsWith(AUTH));
        const auth = methods.map(([path, method]) => [path.slice(AUTH.length), method] as const);
        const secret = listed.filter(([path]) => !path.startsWith(AUTH));
        return enveloped({ auth: Object.fromEntries(auth), secret: Object.fromEntries(secret) });
      },
    }),
    read: view({
      route: "GET /v1/sys/internal/ui/mounts/**:path",
      evidence: "observed",
      open: true,
      names: /^/,
      view: (reading, { path }) => {
        const reached = reachedMounts(reading).find(([mount]) => `${path}/`.startsWith(mount));
        const [at, mount] = reached ?? refuse("mount_out_of_reach", { path: `${path}/` });
        return enveloped({ ...mount, path: at });
      },
    }),
  },
  remount: command({
    route: "POST /v1/sys/remount",
    evidence: "observed",
    sudo: true,
    onSecondary: ({ state, caller }, { from }) =>
      isMountLocal(state, placeOfPath(state, caller, withoutOuterSlashes(typeof from === "string" ? from : "")))
        ? "here"
        : "forwarded",
    fields: { from: text, to: text },
    decide: (decision, { from = "", to = "" }) => {
      const moved = moveMount(decision, withoutOuterSlashes(from), withoutOuterSlashes(to));
      const warnings = ["the move of the mount has been queued: sys/remount/status tells how it goes"];
      return repeatingData(enveloped(moved, { warnings }));
    },
  }),
  migration: view({
    route: "GET /v1/sys/remount/status/:migration_id",
    evidence: "observed",
    onSecondary: ({ state, caller }, { migration_id }) =>
      typeof migration_id === "string" && clusterOf(state, caller.cluster).ignored.migrations?.has(migration_id)
        ? "here"
        : "forwarded",
    view: ({ state, caller }, { migration_id }) => {
      const { migrations } = clusterOf(state, caller.cluster).ignored;
      const { from, to, status } = migrations?.get(migration_id) ?? refuse("not_found", {});
      const migration_info = { source_mount: from, target_mount: to, status };
      return repeatingData(enveloped({ migration_id, migration_info }));
    },
  }),
  tuning: view({
    route: "GET /v1/sys/mounts/**:path/tune",
    evidence: "observed",
    names: MOUNT_PATH,
    view: (reading, { path }) => {
      const { description, options, config } = found(reading, path);
      const times = leaseTimesOf({
        defaultLeaseTtlSeconds: config.default_lease_ttl,
        maxLeaseTtlSeconds: config.max_lease_ttl,
      });
      const { defaultSeconds: default_lease_ttl, maxSeconds: max_lease_ttl } = times;
      const { force_no_cache, listing_visibility } = config;
      const visibility = listing_visibility === undefined ? {} : { listing_visibility };
      const own = options === null || Object.keys(options).length === 0 ? {} : { options };
      return repeatingData(
        enveloped({ default_lease_ttl, max_lease_ttl, description, force_no_cache, ...visibility, ...own }),
      );
    },
  }),
  tune: command({
    route: "POST /v1/sys/mounts/**:path/tune",
    evidence: "observed",
    onSecondary: mountRule(""),
    names: MOUNT_PATH,
    fields: {
      default_lease_ttl: systemSeconds,
      max_lease_ttl: systemSeconds,
      description: text,
      options: texts,
      listing_visibility: text,
    },
    decide: (decision, { path, default_lease_ttl, max_lease_ttl, description, options, listing_visibility }) => {
      const warnings = tuneMount(decision, placeOfNamespace(decision.caller), `${path}/` as MountPath, {
        ...(default_lease_ttl === undefined ? {} : { defaultLeaseTtlSeconds: default_lease_ttl }),
        ...(max_lease_ttl === undefined ? {} : { maxLeaseTtlSeconds: max_lease_ttl }),
        ...(description === undefined ? {} : { description }),
        ...(options === undefined ? {} : { options }),
        ...visibilityIn(listing_visibility),
      });
      return warned(warnings);
    },
  }),
};

/** The mounts and auth methods that whoever asks is told of: without a token little, and only of those that everybody is told of. */
function listedMounts(reading: SecretsReading): readonly (readonly [path: string, mount: Partial<MountShown>])[] {
  const open = mountsAndMethods(reading).filter(([, { config }]) => config.listing_visibility === "unauth");
  if (reading.caller.token === undefined) {
    return open.map(([path, { type, description, options }]) => [path, { type, description, options }] as const);
  }
  const listed = new Map<string, MountShown>([...reachedMounts(reading), ...open]);
  return [...listed].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The mounts and auth methods of which a token that is sent may do anything at all. */
function reachedMounts(reading: SecretsReading): readonly (readonly [path: string, mount: MountShown])[] {
  const { token } = authenticated(reading, "sys/internal/ui/mounts");
  if (entityIsBarred(reading, token)) return refuse("permission_denied", { path: "sys/internal/ui/mounts" });
  return mountsAndMethods(reading).filter(([path]) => mayReach(reading, token, path as MountPath));
}

function mountsAndMethods(reading: SecretsReading): readonly (readonly [path: string, mount: MountShown])[] {
  const methods = Object.entries(allMethods(reading)).map(([path, method]) => [AUTH + path, method] as const);
  return [...Object.entries(allMounts(reading)), ...methods];
}

/** All mounts of the request's namespace by their paths, in byte order. */
function allMounts({ state, caller }: SecretsReading): { readonly [path: string]: MountShown } {
  const namespace = namespaceAt(state, caller);
  const shown = new Map<string, MountShown>();
  const { version } = clusterOf(state, caller.cluster).ignored;
  for (const path of SYSTEM_PATHS) {
    const own = systemMount(namespace?.id ?? "", path);
    if (own !== undefined) shown.set(path, shownSystemMount(own, caller.namespace, version));
  }
  for (const { path, mount, local } of mountsAt(state, caller)) {
    if (!isAuthMount(mount)) shown.set(path, shownMount(mount, local, version));
  }
  return Object.fromEntries([...shown].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function found({ state, caller }: SecretsReading, name: string): MountShown {
  const path = `${name}/` as MountPath;
  const { version } = clusterOf(state, caller.cluster).ignored;
  const own = systemMount(namespaceAt(state, caller)?.id ?? "", path);
  if (own !== undefined) return shownSystemMount(own, caller.namespace, version);
  const place = mountPlace(caller, path);
  const mount = mountAt(state, place);
  if (mount === undefined || isAuthMount(mount)) return refuse("mount_not_found", { path });
  return shownMount(mount, isMountLocal(state, place), version);
}
