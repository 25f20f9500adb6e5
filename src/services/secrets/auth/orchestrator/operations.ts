import { command, promised, type SecretsReading, view } from "../../declare.ts";
import { flag, text } from "../../fields.ts";
import { listing } from "../../listing.ts";
import { mountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { accountLoginAt } from "../../world.ts";
import { logInAsAccount, reviewed } from "./login.ts";
import { accountRoleAt, deleteAccountRole, ROLE_FIELDS, shownAccountRole, writeAccountRole } from "./roles.ts";

const METHOD = { engine: "auth/orchestrator", evidence: "observed" } as const;

/** Service accounts of the orchestrator (auth/orchestrator/README.md). */
export const accountLoginOperations = {
  config: {
    read: view({
      ...METHOD,
      route: "GET /v1/:mount/config",
      view: ({ state, caller }, { mount }) => {
        const config = accountLoginAt(state, mountPlace(caller, mount))?.reviewConfig ?? refuse("not_found", {});
        return enveloped({
          orchestrator_host: config.host,
          orchestrator_ca_cert: config.caCert,
          issuer: config.issuer,
          disable_iss_validation: config.disableIssuerValidation,
          disable_local_ca_jwt: config.disableLocalCaJwt,
          token_reviewer_jwt_set: config.reviewerJwt !== "",
        });
      },
    }),
    write: command({
      ...METHOD,
      route: "POST /v1/:mount/config",
      fields: {
        orchestrator_host: text,
        orchestrator_ca_cert: text,
        token_reviewer_jwt: text,
        issuer: text,
        disable_iss_validation: flag,
        disable_local_ca_jwt: flag,
      },
      decide: (decision, { mount, ...given }) => {
        const config = {
          host: given.orchestrator_host || refuse("review_host_missing", {}),
          caCert: given.orchestrator_ca_cert ?? "",
          reviewerJwt: given.token_reviewer_jwt ?? "",
          issuer: given.issuer ?? "",
          disableIssuerValidation: given.disable_iss_validation ?? true,
          disableLocalCaJwt: given.disable_local_ca_jwt ?? false,
        };
        decision.record({ type: "ReviewConfigured", data: { at: mountPlace(decision.caller, mount), config } });
        return done();
      },
    }),
  },
  roles: {
    list: view({
      ...METHOD,
      route: "LIST /v1/:mount/role",
      view: ({ state, caller }, { mount }) =>
        listing(accountLoginAt(state, mountPlace(caller, mount))?.accountRoles.keys() ?? []),
    }),
    read: view({
      ...METHOD,
      route: "GET /v1/:mount/role/:name",
      view: (reading, { mount, name }) =>
        enveloped(shownAccountRole(roleOf(reading, mount, name) ?? refuse("not_found", {}))),
    }),
    write: command({
      ...METHOD,
      route: "POST /v1/:mount/role/:name",
      fields: ROLE_FIELDS,
      exists: (reading, { mount, name }) => roleOf(reading, mount, name) !== undefined,
      decide: (decision, { mount, name, ...given }) => {
        const warnings = writeAccountRole(decision, mountPlace(decision.caller, mount), name, given);
        return warnings.length === 0 ? done() : enveloped(null, { warnings });
      },
    }),
    delete: command({
      ...METHOD,
      route: "DELETE /v1/:mount/role/:name",
      decide: (decision, { mount, name }) => {
        deleteAccountRole(decision, mountPlace(decision.caller, mount), name);
        return done();
      },
    }),
  },
  login: promised(
    command({
      ...METHOD,
      route: "POST /v1/:mount/login",
      open: "login",
      onSecondary: "here",
      fields: { role: text, jwt: text },
      prepare: (reading, { jwt }) => reviewed(reading, jwt),
      decide: (decision, { mount, role = "", jwt = "", prepared }) =>
        logInAsAccount(decision, mount, { role, jwt, authenticated: prepared === true }),
    }),
  ),
};

function roleOf(reading: SecretsReading, mount: Parameters<typeof mountPlace>[1], name: string) {
  return accountRoleAt(reading, mountPlace(reading.caller, mount), name);
}
