import { command, type SecretsReading, view } from "../declare.ts";
import { DIRECTORY_NAME, DIRECTORY_PREFIX } from "../directory-config/names.ts";
import { roleNameOf } from "../directory-config/roles.ts";
import { seconds, text } from "../fields.ts";
import { childrenOf, listing } from "../listing.ts";
import { noRoles } from "../mounts/state.ts";
import { type MountPath, mountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, type Envelope, enveloped, type Reply } from "../reply.ts";
import { directoryAt } from "../world.ts";
import { deleteDynamicRole, dynamicRoleAt, makeCredentials, writeDynamicRole } from "./decide.ts";

/** The dynamic roles of a directory engine, and the accounts made of them (decisions-directory.md, 8). */
export const dynamicRoleOperations = {
  list: view({
    route: "LIST /v1/:mount/role/**:prefix",
    evidence: "observed",
    names: DIRECTORY_PREFIX,
    view: (reading, { mount, prefix }) => children(reading, mount, prefix.toLowerCase()),
  }),
  read: view({
    route: "GET /v1/:mount/role/**:role_name",
    evidence: "chosen",
    names: DIRECTORY_NAME,
    view: (reading, { mount, role_name }) => {
      const role = dynamicRoleAt(reading, mountPlace(reading.caller, mount), roleNameOf(role_name));
      if (role === undefined) return refuse("not_found", {});
      return enveloped({
        creation_ldif: role.creationLdif,
        deletion_ldif: role.deletionLdif,
        rollback_ldif: role.rollbackLdif,
        username_template: role.usernameTemplate,
        default_ttl: role.defaultTtlSeconds,
        max_ttl: role.maxTtlSeconds,
      });
    },
  }),
  write: command({
    route: "POST /v1/:mount/role/**:role_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    fields: {
      creation_ldif: text,
      deletion_ldif: text,
      rollback_ldif: text,
      username_template: text,
      default_ttl: seconds,
      max_ttl: seconds,
    },
    exists: (reading, { mount, role_name }) =>
      dynamicRoleAt(reading, mountPlace(reading.caller, mount), roleNameOf(role_name)) !== undefined,
    decide: (decision, { mount, role_name, ...fields }) => {
      writeDynamicRole(decision, mountPlace(decision.caller, mount), roleNameOf(role_name), {
        creationLdif: fields.creation_ldif,
        deletionLdif: fields.deletion_ldif,
        rollbackLdif: fields.rollback_ldif,
        usernameTemplate: fields.username_template,
        defaultTtlSeconds: fields.default_ttl,
        maxTtlSeconds: fields.max_ttl,
      });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/:mount/role/**:role_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    decide: (decision, { mount, role_name }) => {
      deleteDynamicRole(decision, mountPlace(decision.caller, mount), roleNameOf(role_name));
      return done();
    },
  }),
  credentials: command({
    route: "GET /v1/:mount/creds/**:role_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    onSecondary: "here",
    decide: (decision, { mount, role_name }) => {
      const place = mountPlace(decision.caller, mount);
      const made = makeCredentials(decision, place, roleNameOf(role_name), `${mount}creds/${role_name}`);
      const { username, password, distinguishedNames } = made;
      const data = { username, password, distinguished_names: [...distinguishedNames] };
      return enveloped(data, { lease: made.lease, warnings: made.warnings });
    },
  }),
};

function children(reading: SecretsReading, mount: MountPath, prefix: string): Reply<Envelope<{ keys: string[] }>> {
  const { dynamicRoles } = directoryAt(reading.state, mountPlace(reading.caller, mount))?.roles ?? noRoles;
  return listing(childrenOf(dynamicRoles, prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`));
}
