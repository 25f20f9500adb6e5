import { rfc3339 } from "../../../../languages/instant.ts";
import { command, type SecretsDecision, type SecretsReading, view } from "../../declare.ts";
import { commaList, natural, seconds, text } from "../../fields.ts";
import { listing } from "../../listing.ts";
import { pairPrefix } from "../../pair-key.ts";
import { type MountPath, mountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { accepted, done, enveloped } from "../../reply.ts";
import { approleAt } from "../../world.ts";
import { logInAsRole } from "./login.ts";
import {
  approleName,
  approleNamed,
  deleteApprole,
  givenOf,
  initialOf,
  ROLE_FIELDS,
  SINGLE_FIELDS,
  shownApprole,
  shownField,
  writeApprole,
} from "./roles.ts";
import { type AskedSecretId, destroySecretId, issueSecretId, secretIdAt } from "./secret-ids.ts";
import { type Approle, type SecretId, secretIdKey } from "./state.ts";

const METHOD = { engine: "auth/approle", evidence: "observed" } as const;

/** Single fields: the role, a slash, and one of them. */
const WRITTEN_FIELD = new RegExp(`^\\w([\\w.-]*\\w)?/(${Object.keys(SINGLE_FIELDS).join("|")})$`);
const READ_FIELD = new RegExp(`^\\w([\\w.-]*\\w)?/(${Object.keys(SINGLE_FIELDS).join("|")}|local-secret-ids)$`);

const SECRET_ID = {
  metadata: text,
  cidr_list: commaList,
  token_bound_cidrs: commaList,
  num_uses: natural(2_147_483_647),
  ttl: seconds,
};

/** Programs with roles and secret ids (auth/approle/README.md). */
export const approleOperations = {
  list: view({
    ...METHOD,
    route: "LIST /v1/:mount/role",
    view: ({ state, caller }, { mount }) => listing(approleAt(state, mountPlace(caller, mount))?.approles.keys() ?? []),
  }),
  read: view({
    ...METHOD,
    route: "GET /v1/:mount/role/:role_name",
    view: (reading, { mount, role_name }) => enveloped(shownApprole(roleOf(reading, mount, role_name))),
  }),
  write: command({
    ...METHOD,
    route: "POST /v1/:mount/role/:role_name",
    fields: ROLE_FIELDS,
    exists: (reading, { mount, role_name }) =>
      approleNamed(reading, mountPlace(reading.caller, mount), role_name) !== undefined,
    decide: (decision, { mount, role_name, ...given }) => {
      const warnings = writeApprole(decision, mountPlace(decision.caller, mount), role_name, given);
      return warnings.length === 0 ? done() : enveloped(null, { warnings });
    },
  }),
  delete: command({
    ...METHOD,
    route: "DELETE /v1/:mount/role/:role_name",
    decide: (decision, { mount, role_name }) => {
      deleteApprole(decision, mountPlace(decision.caller, mount), role_name);
      return done();
    },
  }),
  roleId: {
    read: view({
      ...METHOD,
      route: "GET /v1/:mount/role/:role_name/role-id",
      view: (reading, { mount, role_name }) => enveloped({ role_id: roleOf(reading, mount, role_name).roleId }),
    }),
    write: command({
      ...METHOD,
      route: "POST /v1/:mount/role/:role_name/role-id",
      fields: { role_id: text },
      decide: (decision, { mount, role_name, role_id }) => {
        refuseNone(decision, mount, role_name);
        const wanted = role_id || refuse("role_field_missing", { field: "role_id" });
        writeApprole(decision, mountPlace(decision.caller, mount), role_name, { role_id: wanted });
        return done();
      },
    }),
  },
  fields: {
    read: view({
      ...METHOD,
      route: "GET /v1/:mount/role/:role_name/:field",
      names: READ_FIELD,
      view: (reading, { mount, role_name, field }) => {
        return enveloped(shownField(roleOf(reading, mount, role_name), field));
      },
    }),
    write: command({
      ...METHOD,
      route: "POST /v1/:mount/role/:role_name/:field",
      names: WRITTEN_FIELD,
      fields: ROLE_FIELDS,
      decide: (decision, { mount, role_name, field, ...given }) => {
        refuseNone(decision, mount, role_name);
        writeApprole(decision, mountPlace(decision.caller, mount), role_name, givenOf(field, given));
        return done();
      },
    }),
    delete: command({
      ...METHOD,
      route: "DELETE /v1/:mount/role/:role_name/:field",
      names: WRITTEN_FIELD,
      decide: (decision, { mount, role_name, field }) => {
        const at = mountPlace(decision.caller, mount);
        if (approleNamed(decision, at, role_name) !== undefined)
          writeApprole(decision, at, role_name, initialOf(field));
        return done();
      },
    }),
  },
  secretIds: {
    list: view({
      ...METHOD,
      route: "LIST /v1/:mount/role/:role_name/secret-id",
      view: ({ state, caller, nowMs }, { mount, role_name }) => {
        const at = mountPlace(caller, mount);
        const method = approleAt(state, at);
        const role = approleName(role_name);
        if (method?.approles.has(role) !== true) return refuse("approle_unknown", { role: role_name, status: 400 });
        const keys = [...method.secretIds.keys({ prefix: pairPrefix(role) })];
        const accessors = keys.flatMap((key) => secretIdAt({ state, nowMs }, at, key)?.accessor ?? []);
        return listing(accessors.sort());
      },
    }),
    generate: command({
      ...METHOD,
      route: "POST /v1/:mount/role/:role_name/secret-id",
      fields: SECRET_ID,
      decide: (decision, { mount, role_name, ...given }) => {
        return enveloped(issueSecretId(decision, mountPlace(decision.caller, mount), role_name, askedWith(given)));
      },
    }),
    custom: command({
      ...METHOD,
      route: "POST /v1/:mount/role/:role_name/custom-secret-id",
      fields: { ...SECRET_ID, secret_id: text },
      decide: (decision, { mount, role_name, secret_id = "", ...given }) => {
        const asked = askedWith(given, secret_id);
        return enveloped(issueSecretId(decision, mountPlace(decision.caller, mount), role_name, asked));
      },
    }),
    lookup: view({
      ...METHOD,
      route: "POST /v1/:mount/role/:role_name/secret-id/lookup",
      fields: { secret_id: text },
      view: (reading, { mount, role_name, secret_id = "" }) => {
        if (secret_id === "") refuse("secret_id_missing", {});
        const { role, at } = knownRole(reading, mount, role_name);
        const secret = secretIdAt(reading, at, secretIdKey({ role, secretId: secret_id }));
        return secret === undefined ? done() : enveloped(shownSecretId(secret));
      },
    }),
    destroy: command({
      ...METHOD,
      route: "POST /v1/:mount/role/:role_name/secret-id/destroy",
      fields: { secret_id: text },
      decide: (decision, { mount, role_name, secret_id = "" }) => {
        if (secret_id === "") refuse("secret_id_missing", {});
        const { role, at } = knownRole(decision, mount, role_name);
        destroySecretId(decision, at, secretIdKey({ role, secretId: secret_id }));
        return done();
      },
    }),
    lookupByAccessor: view({
      ...METHOD,
      route: "POST /v1/:mount/role/:role_name/secret-id-accessor/lookup",
      fields: { secret_id_accessor: text },
      view: (reading, { mount, role_name, secret_id_accessor = "" }) => {
        const { secret } = byAccessor(reading, mount, role_name, { accessor: secret_id_accessor, status: 404 });
        return enveloped(shownSecretId(secret));
      },
    }),
    destroyByAccessor: command({
      ...METHOD,
      route: "POST /v1/:mount/role/:role_name/secret-id-accessor/destroy",
      fields: { secret_id_accessor: text },
      decide: (decision, { mount, role_name, secret_id_accessor = "" }) => {
        const found = byAccessor(decision, mount, role_name, { accessor: secret_id_accessor, status: 500 });
        destroySecretId(decision, found.at, secretIdKey(found.secret));
        return done();
      },
    }),
  },
  tidy: view({ ...METHOD, route: "POST /v1/:mount/tidy/secret-id", view: () => accepted() }),
  login: command({
    ...METHOD,
    route: "POST /v1/:mount/login",
    open: "login",
    onSecondary: "here",
    fields: { role_id: text, secret_id: text },
    decide: (decision, { mount, role_id = "", secret_id = "" }) =>
      logInAsRole(decision, mount, { roleId: role_id, secretId: secret_id }),
  }),
};

function roleOf(reading: SecretsReading, mount: MountPath, name: string): Approle {
  return approleNamed(reading, mountPlace(reading.caller, mount), name) ?? refuse("not_found", {});
}

/** A field is written of a role that is there. */
function refuseNone(decision: SecretsDecision, mount: MountPath, name: string): void {
  if (approleNamed(decision, mountPlace(decision.caller, mount), name) === undefined) {
    refuse("unsupported_path", { path: name });
  }
}

function knownRole(reading: SecretsReading, mount: MountPath, name: string) {
  const at = mountPlace(reading.caller, mount);
  if (approleNamed(reading, at, name) === undefined) refuse("approle_unknown", { role: name, status: 500 });
  return { at, role: approleName(name) };
}

function byAccessor(
  reading: SecretsReading,
  mount: MountPath,
  name: string,
  { accessor, status }: { readonly accessor: string; readonly status: 404 | 500 },
) {
  if (accessor === "") refuse("role_field_missing", { field: "secret_id_accessor" });
  const { role, at } = knownRole(reading, mount, name);
  const key = approleAt(reading.state, at)?.secretIdsByAccessor.get(accessor);
  const secret = key === undefined ? undefined : secretIdAt(reading, at, key);
  if (secret?.role !== role) return refuse("secret_id_accessor_unknown", { accessor, status });
  return { secret, at };
}

function askedWith(
  given: {
    readonly metadata?: string;
    readonly cidr_list?: readonly string[];
    readonly token_bound_cidrs?: readonly string[];
    readonly num_uses?: number;
    readonly ttl?: number;
  },
  secretId?: string,
): AskedSecretId {
  return {
    secretId,
    metadata: given.metadata ?? "",
    cidrs: given.cidr_list ?? [],
    tokenCidrs: given.token_bound_cidrs ?? [],
    uses: given.num_uses,
    ttlSeconds: given.ttl,
  };
}

/** A secret id as look-ups show it. */
function shownSecretId(secret: SecretId) {
  return {
    cidr_list: [...secret.cidrs],
    creation_time: rfc3339(secret.issuedAtMs),
    expiration_time: secret.expiresAtMs === undefined ? NEVER : rfc3339(secret.expiresAtMs),
    last_updated_time: rfc3339(secret.changedAtMs),
    metadata: secret.metadata,
    secret_id_accessor: secret.accessor,
    secret_id_num_uses: secret.usesLeft,
    secret_id_ttl: secret.ttlSeconds,
    token_bound_cidrs: [...secret.tokenCidrs],
  };
}

/** The time that the real service has where there is none. */
const NEVER = "0001-01-01T00:00:00Z";
