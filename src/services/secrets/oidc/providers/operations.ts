import { ALGORITHMS } from "../../../../languages/jws/algorithms.ts";
import { setOwn } from "../../../../languages/objects.ts";
import { command, type SecretsReading, view } from "../../declare.ts";
import { commaList, text } from "../../fields.ts";
import { placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { bare, done, enveloped, withHeaders } from "../../reply.ts";
import { oidcAt } from "../keys/decide.ts";
import { allows } from "../lists.ts";
import { DEFAULT_NAME, OPENID, type Provider } from "../state.ts";
import { writeProvider } from "./decide.ts";
import { computedIssuer } from "./issuer.ts";
import { publishedKeys } from "./published.ts";

export interface ProviderShown {
  readonly allowed_client_ids: readonly string[];
  readonly issuer: string;
  readonly scopes_supported: readonly string[];
}

/** Providers (decisions-oidc.md, 8). */
export const providerOperations = {
  list: view({
    route: "LIST /v1/identity/oidc/provider",
    evidence: "chosen",
    fields: { allowed_client_id: text },
    view: (reading, { allowed_client_id = "" }) => {
      const key_info: Record<string, ProviderShown> = {};
      for (const [name, provider] of oidcAt(reading, reading.caller).providers) {
        if (allowed_client_id !== "" && !allows(provider.allowedClientIds, allowed_client_id)) continue;
        const issuer = computedIssuer(reading.state, reading.caller, name, provider);
        setOwn(key_info, name, { ...shown(provider), issuer });
      }
      const keys = Object.keys(key_info).sort();
      return keys.length === 0 ? refuse("not_found", {}) : enveloped({ keys, key_info });
    },
  }),
  read: view({
    route: "GET /v1/identity/oidc/provider/:name",
    evidence: "observed",
    view: (reading, { name }) => {
      const provider = oidcAt(reading, reading.caller).providers.get(name);
      return provider === undefined ? refuse("not_found", {}) : enveloped(shown(provider));
    },
  }),
  write: command({
    route: "POST /v1/identity/oidc/provider/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    fields: { issuer: text, allowed_client_ids: commaList, scopes_supported: commaList },
    exists: (reading, { name }) => oidcAt(reading, reading.caller).providers.has(name),
    decide: (decision, { name, ...fields }) => {
      const warnings = writeProvider(decision, decision.caller, name, fields);
      return warnings.length === 0 ? done() : enveloped(null, { warnings });
    },
  }),
  delete: command({
    route: "DELETE /v1/identity/oidc/provider/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { name }) => {
      if (name === DEFAULT_NAME) refuse("built_in_not_deletable", { kind: "provider", name });
      if (oidcAt(decision, decision.caller).providers.has(name)) {
        decision.record({ type: "OidcProviderDeleted", data: { at: placeOfNamespace(decision.caller), name } });
      }
      return done();
    },
  }),
};

function shown({ issuer, allowedClientIds, scopesSupported }: Provider): ProviderShown {
  return { allowed_client_ids: [...allowedClientIds], issuer, scopes_supported: [...scopesSupported] };
}

/** What clients read of a provider before they use it; nobody needs a token for it (decisions-oidc.md, 9). */
export const discoveryOperations = {
  configuration: view({
    route: "GET /v1/identity/oidc/provider/:name/.well-known/openid-configuration",
    evidence: "chosen",
    open: true,
    view: (reading, { name }) => {
      const provider = providerNamed(reading, name);
      const issuer = computedIssuer(reading.state, reading.caller, name, provider);
      const configuration = {
        issuer,
        jwks_uri: `${issuer}/.well-known/keys`,
        authorization_endpoint: `${issuer.replace("/v1/", "/ui/secrets/")}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        id_token_signing_alg_values_supported: ALGORITHMS,
        response_types_supported: ["code"],
        scopes_supported: [...provider.scopesSupported, OPENID],
        subject_types_supported: ["public"],
        grant_types_supported: ["authorization_code"],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      };
      return withHeaders(bare(configuration), { "Cache-Control": "max-age=3600" });
    },
  }),
  publicKeys: view({
    route: "GET /v1/identity/oidc/provider/:name/.well-known/keys",
    evidence: "chosen",
    open: true,
    view: (reading, { name }) => {
      const provider = providerNamed(reading, name);
      return bare({ keys: publishedKeys(oidcAt(reading, reading.caller), provider, reading.nowMs) });
    },
  }),
};

function providerNamed(reading: SecretsReading, name: string): Provider {
  return oidcAt(reading, reading.caller).providers.get(name) ?? refuse("not_found", {});
}
