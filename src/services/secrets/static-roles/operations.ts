import { command, type SecretsReading, view } from "../declare.ts";
import { DIRECTORY_NAME, DIRECTORY_PREFIX } from "../directory-config/names.ts";
import { roleNameOf } from "../directory-config/roles.ts";
import { flag, seconds, text } from "../fields.ts";
import { childrenOf, listing } from "../listing.ts";
import { noRoles } from "../mounts/state.ts";
import { type MountPath, mountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, type Envelope, enveloped, type Reply } from "../reply.ts";
import { directoryAt } from "../world.ts";
import { deleteStaticRole, rotateStaticRole, staticRoleAt, writeStaticRole } from "./decide.ts";
import { staticCredential, staticRoleShown } from "./views.ts";

/** The static roles of a directory engine (decisions-directory.md, 5 and 6). */
export const staticRoleOperations = {
  list: view({
    route: "LIST /v1/:mount/static-role/**:prefix",
    evidence: "observed",
    names: DIRECTORY_PREFIX,
    view: (reading, { mount, prefix }) => children(reading, mount, prefix.toLowerCase()),
  }),
  /** The contract lists with GET as well. */
  listAll: view({
    route: "GET /v1/:mount/static-role",
    evidence: "documented",
    view: (reading, { mount }) => children(reading, mount, ""),
  }),
  read: view({
    route: "GET /v1/:mount/static-role/**:role_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    view: (reading, { mount, role_name }) => {
      const role = staticRoleAt(reading, mountPlace(reading.caller, mount), roleNameOf(role_name));
      return role === undefined ? refuse("not_found", {}) : enveloped(staticRoleShown(role));
    },
  }),
  write: command({
    route: "POST /v1/:mount/static-role/**:role_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    fields: { username: text, dn: text, rotation_period: seconds, skip_import_rotation: flag },
    exists: (reading, { mount, role_name }) =>
      staticRoleAt(reading, mountPlace(reading.caller, mount), roleNameOf(role_name)) !== undefined,
    decide: (decision, { mount, role_name, username, dn, rotation_period, skip_import_rotation }) => {
      writeStaticRole(decision, mountPlace(decision.caller, mount), roleNameOf(role_name), {
        username,
        dn,
        rotationPeriodSeconds: rotation_period,
        skipImportRotation: skip_import_rotation,
      });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/:mount/static-role/**:role_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    decide: (decision, { mount, role_name }) => {
      deleteStaticRole(decision, mountPlace(decision.caller, mount), roleNameOf(role_name));
      return done();
    },
  }),
  credential: view({
    route: "GET /v1/:mount/static-cred/**:role_name",
    // The TTL of a role that was never rotated is chosen (amendments.md, S13).
    evidence: "chosen",
    names: DIRECTORY_NAME,
    view: (reading, { mount, role_name }) => {
      const name = roleNameOf(role_name);
      const role = staticRoleAt(reading, mountPlace(reading.caller, mount), name);
      if (role === undefined) return refuse("static_role_unknown", { role: name });
      return enveloped(staticCredential(role, reading.nowMs));
    },
  }),
  rotate: command({
    route: "POST /v1/:mount/rotate-role/**:role_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    decide: (decision, { mount, role_name }) => {
      rotateStaticRole(decision, mountPlace(decision.caller, mount), roleNameOf(role_name));
      return done();
    },
  }),
};

function children(reading: SecretsReading, mount: MountPath, prefix: string): Reply<Envelope<{ keys: string[] }>> {
  const { staticRoles } = directoryAt(reading.state, mountPlace(reading.caller, mount))?.roles ?? noRoles;
  return listing(childrenOf(staticRoles, prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`));
}
