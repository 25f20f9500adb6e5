import { argument, type Explainer, type Fact, fact, recorded, shownArgument, textGiven, when } from "../../kit/why.ts";
import { gone, inNamespace, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { byWhom, callerFacts } from "../tokens/why.ts";
import type { OidcRefusals, ProtocolError, ProtocolRefusals } from "./rejections.ts";

type Kind = OidcRefusals["in_use"]["kind"];

const WRITTEN = {
  provider: "OidcProviderWritten",
  key: "NamedKeyWritten",
  assignment: "OidcAssignmentWritten",
  scope: "OidcScopeWritten",
  client: "OidcClientWritten",
  role: "IdentityRoleWritten",
} as const;

const DELETED = {
  provider: "OidcProviderDeleted",
  key: "NamedKeyDeleted",
  assignment: "OidcAssignmentDeleted",
  scope: "OidcScopeDeleted",
  client: "OidcClientDeleted",
  role: "IdentityRoleDeleted",
} as const;

const named = (met: SecretsMet, kind: Kind, name: string): Fact =>
  there(
    kind,
    `${kind} ${name}`,
    met.past.last(WRITTEN[kind], (data) => inNamespace(met)(data) && data.name === name),
  );

const goneNamed = (met: SecretsMet, kind: Kind, name: string): Fact =>
  gone(
    kind,
    `${kind} ${name}`,
    met.past.last(DELETED[kind], (data) => inNamespace(met)(data) && data.name === name),
  );

/** A refusal of the protocol says what is wrong; what it is about was written or issued by a commit. */
const protocol: Explainer<ProtocolError, SecretsMet> = (met, { endpoint, error_description }) => [
  fact("protocol", `${endpoint}: ${error_description}`),
  ...clientFacts(met),
  ...(endpoint === "token" ? [codeFact(met)] : callerFacts(met)),
];

function clientFacts(met: SecretsMet): readonly (Fact | undefined)[] {
  const provider = textGiven(met, "name") || textGiven(met, "provider");
  const id = textGiven(met, "client_id") || (met.caller.basic ?? "").split(":")[0];
  const client = met.past.last("OidcClientWritten", (data) => data.client.clientId === id);
  return [
    provider === "" ? undefined : named(met, "provider", provider),
    recorded("client", `client ${client?.data.name} was written last`, client),
  ];
}

/** The code that was to be exchanged, which is not told. */
function codeFact(met: SecretsMet): Fact | undefined {
  const code = textGiven(met, "code");
  if (code === "") return undefined;
  const issued = met.past.last("AuthorizationCodeIssued", (data) => data.code === code);
  if (issued === undefined) return fact("code", "the code is none that was issued here");
  const spent = met.past.last("AuthorizationCodeSpent", (data) => data.code === code);
  const text = `the code was issued ${when(issued)}${byWhom(met, issued.command)}`;
  return recorded("code", `${text}, and spent`, spent) ?? { kind: "code", position: issued.position, text };
}

function keyWritten(met: SecretsMet) {
  const key = textGiven(met, "key") || "default";
  return met.past.last("NamedKeyWritten", (data) => inNamespace(met)(data) && data.name === key);
}

/** Why the endpoints of the OIDC configuration refuse, and those of the protocol. */
export const oidcWhy: SecretsExplainers<OidcRefusals & ProtocolRefusals> = {
  built_in_not_writable: (_, { kind, name }) => [fact("configured", `${kind} ${name} is there from the start`)],
  built_in_not_deletable: (_, { kind, name }) => [fact("configured", `${kind} ${name} is there from the start`)],
  in_use: (met, { kind, name, by, users }) => [
    fact(kind, `${kind} ${name} is used by ${users.join(", ")}`),
    ...users.slice(0, 3).map((user) => named(met, by, user)),
  ],
  rotation_period_too_short: (_, { seconds }) => [fact("argument", `rotation_period is ${seconds}s: 60s or more`)],
  verification_ttl_too_long: (_, { seconds, longest }) => [
    fact("argument", `verification_ttl is ${seconds}s: at most ${longest}s`),
  ],
  verification_ttl_below_role: (met, { role, seconds }) => [
    fact("argument", `verification_ttl is ${seconds}s, and role ${role} has tokens that live longer`),
    named(met, "role", role),
  ],
  verification_ttl_below_client: (met, { client, seconds }) => [
    fact("argument", `verification_ttl is ${seconds}s, and client ${client} has tokens that live longer`),
    named(met, "client", client),
  ],
  algorithm_unknown: shownArgument("algorithm", "RS256, RS384, RS512, ES256, ES384, ES512 or EdDSA"),
  key_not_found: (met, { key }) => [goneNamed(met, "key", key)],
  template_invalid: (_, { reason }) => [fact("argument", `template: ${reason}`)],
  template_no_object: argument("template", "JSON of an object"),
  template_claim_reserved: (_, { claim }) => [
    fact("argument", `template has the claim ${claim}, which tokens have anyway`),
  ],
  assignment_not_found: (met, { assignment }) => [goneNamed(met, "assignment", assignment)],
  client_key_immutable: (met, { client }) => [...argument("key", "what it was")(met, {}), named(met, "client", client)],
  id_token_ttl_too_long: (met, { seconds, longest }) => [
    fact("argument", `id_token_ttl is ${seconds}s: at most ${longest}s, as the key is verified`),
    recorded("key", "its key was written last", keyWritten(met)),
  ],
  client_type_immutable: (met, { client }) => [
    ...shownArgument("client_type", "what it was")(met, {}),
    named(met, "client", client),
  ],
  client_type_unknown: shownArgument("client_type", "confidential or public"),
  issuer_invalid: shownArgument("issuer", "scheme, host and at most a port"),
  scope_not_found: (met, { scope }) => [goneNamed(met, "scope", scope)],
  role_key_not_given: argument("key", "the name of a named key"),
  role_ttl_too_long: (met, { seconds, longest }) => [
    fact("argument", `ttl is ${seconds}s: at most ${longest}s, as the key is verified`),
    recorded("key", "its key was written last", keyWritten(met)),
  ],
  identity_role_not_found: (met, { role }) => [goneNamed(met, "role", role)],
  role_not_allowed_by_key: (met, { role, key }) => [named(met, "key", key), named(met, "role", role)],
  token_without_entity: callerFacts,

  invalid_client_id: protocol,
  invalid_request: protocol,
  invalid_redirect_uri: protocol,
  unauthorized_client: protocol,
  request_not_supported: protocol,
  request_uri_not_supported: protocol,
  unsupported_response_type: protocol,
  access_denied: protocol,
  max_age_violation: protocol,
  invalid_client: protocol,
  unsupported_grant_type: protocol,
  invalid_grant: protocol,
  invalid_token: protocol,
};
