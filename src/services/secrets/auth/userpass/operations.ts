import { command, type SecretsReading, view } from "../../declare.ts";
import { commaList, text } from "../../fields.ts";
import { listing } from "../../listing.ts";
import { type MountPath, mountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { userpassAt } from "../../world.ts";
import { OLD_FIELDS, PARAMETER_FIELDS, shownParameters } from "../parameters.ts";
import { changeUser, deleteUser, logInAsUser, userAt, writeUser } from "./decide.ts";

const METHOD = { engine: "auth/userpass", evidence: "observed" } as const;

const USER = {
  ...PARAMETER_FIELDS,
  password: text,
  policies: OLD_FIELDS.policies,
  ttl: OLD_FIELDS.ttl,
  max_ttl: OLD_FIELDS.max_ttl,
  bound_cidrs: OLD_FIELDS.bound_cidrs,
};

/** People with passwords (auth/userpass/README.md). */
export const userpassOperations = {
  list: view({
    ...METHOD,
    route: "LIST /v1/:mount/users",
    view: ({ state, caller }, { mount }) => listing(userpassAt(state, mountPlace(caller, mount))?.users.keys() ?? []),
  }),
  read: view({
    ...METHOD,
    route: "GET /v1/:mount/users/:username",
    view: (reading, { mount, username }) => {
      const user = userOf(reading, mount, username) ?? refuse("not_found", {});
      return enveloped(shownParameters(user.parameters));
    },
  }),
  write: command({
    ...METHOD,
    route: "POST /v1/:mount/users/:username",
    fields: USER,
    exists: (reading, { mount, username }) => userOf(reading, mount, username) !== undefined,
    decide: (decision, { mount, username, ...given }) => {
      writeUser(decision, mountPlace(decision.caller, mount), username, given);
      return done();
    },
  }),
  delete: command({
    ...METHOD,
    route: "DELETE /v1/:mount/users/:username",
    decide: (decision, { mount, username }) => {
      deleteUser(decision, mountPlace(decision.caller, mount), username);
      return done();
    },
  }),
  setPassword: command({
    ...METHOD,
    route: "POST /v1/:mount/users/:username/password",
    fields: { password: text },
    decide: (decision, { mount, username, password = "" }) => {
      changeUser(decision, mountPlace(decision.caller, mount), username, { password });
      return done();
    },
  }),
  setPolicies: command({
    ...METHOD,
    route: "POST /v1/:mount/users/:username/policies",
    fields: { token_policies: commaList, policies: commaList },
    decide: (decision, { mount, username, ...given }) => {
      changeUser(decision, mountPlace(decision.caller, mount), username, given);
      return done();
    },
  }),
  login: command({
    ...METHOD,
    route: "POST /v1/:mount/login/:username",
    open: "login",
    onSecondary: "here",
    fields: { password: text },
    decide: (decision, { mount, username, password = "" }) => logInAsUser(decision, mount, { username, password }),
  }),
};

function userOf(reading: SecretsReading, mount: MountPath, username: string) {
  return userAt(reading, mountPlace(reading.caller, mount), username);
}
