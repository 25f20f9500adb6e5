import { command, view } from "../../declare.ts";
import { commaList, seconds, text } from "../../fields.ts";
import { listing } from "../../listing.ts";
import { pairPrefix } from "../../pair-key.ts";
import { placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { DEFAULT_NAME } from "../state.ts";
import { oidcAt, rotateKey, writeKey } from "./decide.ts";

/** Named keys (decisions-oidc.md, 4). */
export const keyOperations = {
  list: view({
    route: "LIST /v1/identity/oidc/key",
    evidence: "observed",
    view: (reading) => listing(oidcAt(reading, reading.caller).keys.keys()),
  }),
  read: view({
    route: "GET /v1/identity/oidc/key/:name",
    evidence: "observed",
    view: (reading, { name }) => {
      const key = oidcAt(reading, reading.caller).keys.get(name);
      if (key === undefined) return refuse("not_found", {});
      return enveloped({
        algorithm: key.algorithm,
        allowed_client_ids: [...key.allowedClientIds],
        rotation_period: key.rotationPeriodSeconds,
        verification_ttl: key.verificationTtlSeconds,
      });
    },
  }),
  write: command({
    route: "POST /v1/identity/oidc/key/:name",
    evidence: "chosen",
    onSecondary: "forwarded",
    fields: { rotation_period: seconds, verification_ttl: seconds, algorithm: text, allowed_client_ids: commaList },
    exists: (reading, { name }) => oidcAt(reading, reading.caller).keys.has(name),
    decide: (decision, { name, ...fields }) => {
      writeKey(decision, decision.caller, name, fields);
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/identity/oidc/key/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { name }) => {
      if (name === DEFAULT_NAME) refuse("built_in_not_deletable", { kind: "key", name });
      const oidc = oidcAt(decision, decision.caller);
      for (const [by, uses] of [
        ["role", oidc.identityRolesByKey],
        ["client", oidc.clientsByKey],
      ] as const) {
        const users = [...uses.values({ prefix: pairPrefix(name) })].sort();
        if (users.length > 0) refuse("in_use", { kind: "key", name, by, users });
      }
      if (oidc.keys.has(name)) {
        decision.record({ type: "NamedKeyDeleted", data: { at: placeOfNamespace(decision.caller), name } });
      }
      return done();
    },
  }),
  rotate: command({
    route: "POST /v1/identity/oidc/key/:name/rotate",
    evidence: "chosen",
    onSecondary: "forwarded",
    fields: { verification_ttl: seconds },
    decide: (decision, { name, verification_ttl }) => {
      rotateKey(decision, decision.caller, name, verification_ttl);
      return done();
    },
  }),
};
