import { command, type SecretsReading, view } from "../../declare.ts";
import { flag, objectOf, seconds, systemSeconds, text, texts } from "../../fields.ts";
import { leaseTimesOf } from "../../leases/issue.ts";
import { visibilityIn } from "../../mounts/decide.ts";
import { MOUNT_PATH } from "../../mounts/names.ts";
import { AUTH, type AuthMount, isAuthMount, type MethodTokenType } from "../../mounts/state.ts";
import { TOKEN_METHOD, tokenMethod } from "../../mounts/system.ts";
import { type MountShown, shownMount, shownSystemMount } from "../../mounts/views.ts";
import { refuse } from "../../rejections.ts";
import { mountRule, newMountRule } from "../../replication/forwarding/rules.ts";
import { done, enveloped, repeatingData } from "../../reply.ts";
import { clusterOf, isMountLocal, mountsAt, namespaceAt } from "../../world.ts";
import { disableMethod, enableMethod, methodAt, methodPlace, tokenTypeIn, tuneMethod } from "./decide.ts";

/** A method as it is shown. */
export interface MethodShown extends MountShown {
  readonly config: MountShown["config"] & { readonly token_type: MethodTokenType };
}

/** Auth methods (auth/README.md, 1). */
export const methodOperations = {
  list: view({
    route: "GET /v1/sys/auth",
    evidence: "observed",
    view: (reading) => repeatingData(enveloped(allMethods(reading))),
  }),
  read: view({
    route: "GET /v1/sys/auth/**:path",
    evidence: "observed",
    sudo: true,
    names: MOUNT_PATH,
    view: (reading, { path }) => repeatingData(enveloped(found(reading, path))),
  }),
  enable: command({
    route: "POST /v1/sys/auth/**:path",
    evidence: "observed",
    sudo: true,
    onSecondary: newMountRule,
    names: MOUNT_PATH,
    fields: {
      type: text,
      description: text,
      local: flag,
      options: texts,
      config: objectOf({
        default_lease_ttl: seconds,
        max_lease_ttl: seconds,
        token_type: text,
        listing_visibility: text,
      }),
    },
    decide: (decision, { path, type = "", description = "", local = false, options = null, config = {} }) => {
      const { default_lease_ttl: defaultLeaseTtlSeconds = 0, max_lease_ttl: maxLeaseTtlSeconds = 0 } = config;
      const settings = { description, options, defaultLeaseTtlSeconds, maxLeaseTtlSeconds };
      enableMethod(decision, path, type, {
        local,
        settings: { ...settings, ...tokenTypeIn(config.token_type), ...visibilityIn(config.listing_visibility) },
      });
      return done();
    },
  }),
  disable: command({
    route: "DELETE /v1/sys/auth/**:path",
    evidence: "observed",
    sudo: true,
    onSecondary: mountRule(AUTH),
    names: MOUNT_PATH,
    decide: (decision, { path }) => {
      disableMethod(decision, path);
      return done();
    },
  }),
  tuning: view({
    route: "GET /v1/sys/auth/**:path/tune",
    evidence: "observed",
    sudo: true,
    names: MOUNT_PATH,
    view: (reading, { path }) => {
      const { description, config } = found(reading, path);
      const { defaultSeconds, maxSeconds } = leaseTimesOf({
        defaultLeaseTtlSeconds: config.default_lease_ttl,
        maxLeaseTtlSeconds: config.max_lease_ttl,
      });
      const times = { ...config, default_lease_ttl: defaultSeconds, max_lease_ttl: maxSeconds };
      return repeatingData(enveloped({ ...times, description }));
    },
  }),
  tune: command({
    route: "POST /v1/sys/auth/**:path/tune",
    evidence: "observed",
    sudo: true,
    onSecondary: mountRule(AUTH),
    names: MOUNT_PATH,
    fields: {
      default_lease_ttl: systemSeconds,
      max_lease_ttl: systemSeconds,
      description: text,
      options: texts,
      token_type: text,
      listing_visibility: text,
    },
    decide: (
      decision,
      { path, default_lease_ttl, max_lease_ttl, description, options, token_type, listing_visibility },
    ) => {
      tuneMethod(decision, path, {
        ...(default_lease_ttl === undefined ? {} : { defaultLeaseTtlSeconds: default_lease_ttl }),
        ...(max_lease_ttl === undefined ? {} : { maxLeaseTtlSeconds: max_lease_ttl }),
        ...(description === undefined ? {} : { description }),
        ...(options === undefined ? {} : { options }),
        ...tokenTypeIn(token_type),
        ...visibilityIn(listing_visibility),
      });
      return done();
    },
  }),
};

/** All methods of the request's namespace by their paths below `auth/`, in byte order. */
export function allMethods(reading: SecretsReading): { readonly [path: string]: MethodShown } {
  const shown: [string, MethodShown][] = [["token/", shownTokenMethod(reading)]];
  for (const { path, mount, local } of mountsAt(reading.state, reading.caller)) {
    if (isAuthMount(mount)) shown.push([path.slice(AUTH.length), shownMethod(reading, mount, local)]);
  }
  return Object.fromEntries(shown.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function found(reading: SecretsReading, path: string): MethodShown {
  const place = methodPlace(reading, path);
  if (place.mount === TOKEN_METHOD) return shownTokenMethod(reading);
  const method = methodAt(reading.state, place) ?? refuse("auth_method_not_found", { path: `${path}/` });
  return shownMethod(reading, method, isMountLocal(reading.state, place));
}

function shownTokenMethod({ state, caller }: SecretsReading): MethodShown {
  const method = tokenMethod(namespaceAt(state, caller)?.id ?? "");
  const { version } = clusterOf(state, caller.cluster).ignored;
  return withTokenType(shownSystemMount(method, caller.namespace, version), "default-service");
}

function shownMethod({ state, caller }: SecretsReading, method: AuthMount, local: boolean): MethodShown {
  const { version } = clusterOf(state, caller.cluster).ignored;
  return withTokenType(shownMount(method, local, version), method.tokenType ?? "default-service");
}

function withTokenType(shown: MountShown, token_type: MethodTokenType): MethodShown {
  return { ...shown, config: { ...shown.config, token_type } };
}
