import { command, view } from "../../declare.ts";
import { commaList, text } from "../../fields.ts";
import { listing } from "../../listing.ts";
import { mountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { ldapMethodAt } from "../../world.ts";
import { CONFIG_FIELDS, shownLdapConfig, writeLdapConfig } from "./config.ts";
import { deleteMapping, logInByDirectory, mappingAt, writeMapping } from "./decide.ts";

const METHOD = { engine: "auth/ldap", evidence: "observed" } as const;

/** Names of the directory may be any. */
const ANY_NAME = /^.+$/s;

/** People whom the directory lets in (auth/ldap/README.md). */
export const ldapMethodOperations = {
  config: {
    read: view({
      ...METHOD,
      route: "GET /v1/:mount/config",
      view: ({ state, caller }, { mount }) => {
        const config = ldapMethodAt(state, mountPlace(caller, mount))?.ldapConfig;
        return enveloped(shownLdapConfig(config ?? refuse("not_found", {})));
      },
    }),
    write: command({
      ...METHOD,
      route: "POST /v1/:mount/config",
      fields: CONFIG_FIELDS,
      exists: ({ state, caller }, { mount }) =>
        ldapMethodAt(state, mountPlace(caller, mount))?.ldapConfig !== undefined,
      decide: (decision, { mount, ...given }) => {
        writeLdapConfig(decision, mountPlace(decision.caller, mount), given);
        return done();
      },
    }),
  },
  groups: {
    list: view({
      ...METHOD,
      route: "LIST /v1/:mount/groups",
      view: ({ state, caller }, { mount }) =>
        listing(ldapMethodAt(state, mountPlace(caller, mount))?.mappedGroups.keys() ?? []),
    }),
    read: view({
      ...METHOD,
      route: "GET /v1/:mount/groups/**:name",
      names: ANY_NAME,
      view: (reading, { mount, name }) => {
        const group = mappingAt(reading, mountPlace(reading.caller, mount), "groups", name) ?? refuse("not_found", {});
        return enveloped({ policies: [...group.policies] });
      },
    }),
    write: command({
      ...METHOD,
      route: "POST /v1/:mount/groups/**:name",
      names: ANY_NAME,
      fields: { policies: commaList },
      decide: (decision, { mount, name, policies = [] }) => {
        writeMapping(decision, mountPlace(decision.caller, mount), "groups", { name, policies, groups: [] });
        return done();
      },
    }),
    delete: command({
      ...METHOD,
      route: "DELETE /v1/:mount/groups/**:name",
      names: ANY_NAME,
      decide: (decision, { mount, name }) => {
        deleteMapping(decision, mountPlace(decision.caller, mount), "groups", name);
        return done();
      },
    }),
  },
  users: {
    list: view({
      ...METHOD,
      route: "LIST /v1/:mount/users",
      view: ({ state, caller }, { mount }) =>
        listing(ldapMethodAt(state, mountPlace(caller, mount))?.mappedUsers.keys() ?? []),
    }),
    read: view({
      ...METHOD,
      route: "GET /v1/:mount/users/**:name",
      names: ANY_NAME,
      view: (reading, { mount, name }) => {
        const user = mappingAt(reading, mountPlace(reading.caller, mount), "users", name) ?? refuse("not_found", {});
        return enveloped({ groups: user.groups.join(","), policies: [...user.policies] });
      },
    }),
    write: command({
      ...METHOD,
      route: "POST /v1/:mount/users/**:name",
      names: ANY_NAME,
      fields: { policies: commaList, groups: commaList },
      decide: (decision, { mount, name, policies = [], groups = [] }) => {
        writeMapping(decision, mountPlace(decision.caller, mount), "users", { name, policies, groups });
        return done();
      },
    }),
    delete: command({
      ...METHOD,
      route: "DELETE /v1/:mount/users/**:name",
      names: ANY_NAME,
      decide: (decision, { mount, name }) => {
        deleteMapping(decision, mountPlace(decision.caller, mount), "users", name);
        return done();
      },
    }),
  },
  login: command({
    ...METHOD,
    route: "POST /v1/:mount/login/**:username",
    open: "login",
    onSecondary: "here",
    names: ANY_NAME,
    fields: { password: text },
    decide: (decision, { mount, username, password = "" }) => logInByDirectory(decision, mount, { username, password }),
  }),
};
