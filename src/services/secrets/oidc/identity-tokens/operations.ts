import { ALGORITHMS } from "../../../../languages/jws/algorithms.ts";
import { signedToken } from "../../../../languages/jws/sign.ts";
import { command, promised, view } from "../../declare.ts";
import { text } from "../../fields.ts";
import { placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { bare, done, enveloped, rendered, withHeaders } from "../../reply.ts";
import { providerUrl } from "../../words/members.ts";
import { oidcAt } from "../keys/decide.ts";
import { isIssuer, issuerBelow } from "../providers/issuer.ts";
import { publishedKeysOfRoles } from "../providers/published.ts";
import { introspected } from "./introspect.ts";
import { identityToken } from "./issue.ts";

/** Of identity tokens (oidc/README.md, 2). */
export const configOperations = {
  read: view({
    route: "GET /v1/identity/oidc/config",
    evidence: "observed",
    view: (reading) => enveloped({ issuer: oidcAt(reading, reading.caller).issuer }),
  }),
  write: command({
    route: "POST /v1/identity/oidc/config",
    evidence: "observed",
    onSecondary: "forwarded",
    fields: { issuer: text },
    decide: (decision, { issuer }) => {
      if (issuer === undefined) return done();
      if (issuer !== "" && !isIssuer(issuer)) refuse("issuer_invalid", { issuer });
      decision.record({ type: "IdentityIssuerWritten", data: { at: placeOfNamespace(decision.caller), issuer } });
      return issuer === "" ? done() : enveloped(null, { warnings: [SET_EXPLICITLY] });
    },
  }),
};

const SET_EXPLICITLY =
  'if "issuer" is set explicitly, all tokens must be validated against that address, including those issued by secondary clusters. ' +
  'Setting issuer to "" will restore the default behavior of using the cluster\'s api_addr as the issuer.';

/** Tokens about the bearer's own entity (oidc/README.md, 3). */
export const identityTokenOperations = {
  generate: promised(
    view({
      route: "GET /v1/identity/oidc/token/:name",
      evidence: "observed",
      neverWrapped: true,
      view: (reading, { name }) => {
        const { role, key, claims } = identityToken(reading, name);
        const data = { client_id: role.clientId, token: "", ttl: role.ttlSeconds };
        return rendered(enveloped(data), async (content, speech) => {
          const iss = speech === undefined ? claims["iss"] : providerUrl(claims["iss"], speech, "iss");
          return { ...content, data: { ...data, token: await signedToken(key, { ...claims, iss }) } };
        });
      },
    }),
  ),
  introspect: promised(
    view({
      route: "POST /v1/identity/oidc/introspect",
      evidence: "observed",
      fields: { token: text, client_id: text },
      view: (reading, { token = "", client_id = "" }) => {
        const judge = introspected(reading, token, client_id);
        return rendered(bare({}), (_, speech) =>
          judge((issuer) => (speech === undefined ? issuer : providerUrl(issuer, speech, "iss"))),
        );
      },
    }),
  ),
  configuration: view({
    route: "GET /v1/identity/oidc/.well-known/openid-configuration",
    evidence: "observed",
    open: true,
    view: (reading) => {
      const issuer = issuerBelow(reading.state, reading.caller, oidcAt(reading, reading.caller).issuer);
      const configuration = {
        issuer,
        jwks_uri: `${issuer}/.well-known/keys`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ALGORITHMS,
      };
      return withHeaders(bare(configuration), { "Cache-Control": "max-age=3600" });
    },
  }),
  publicKeys: view({
    route: "GET /v1/identity/oidc/.well-known/keys",
    evidence: "observed",
    open: true,
    view: (reading) => bare({ keys: publishedKeysOfRoles(oidcAt(reading, reading.caller), reading.nowMs) }),
  }),
};
