/** What a refusal of the OIDC protocol says. */
export interface ProtocolError {
  readonly endpoint: "authorize" | "token" | "userinfo";
  readonly error_description: string;
  /** Of `authorize`: what was sent, or `""`. */
  readonly state?: string;
}

/** Why the protocol endpoints refuse, by the codes of OAuth and OpenID Connect (decisions-oidc.md, 10 and 11). */
export interface ProtocolRefusals {
  invalid_client_id: ProtocolError;
  invalid_request: ProtocolError;
  invalid_redirect_uri: ProtocolError;
  unauthorized_client: ProtocolError;
  request_not_supported: ProtocolError;
  request_uri_not_supported: ProtocolError;
  unsupported_response_type: ProtocolError;
  access_denied: ProtocolError;
  max_age_violation: ProtocolError;
  invalid_client: ProtocolError;
  unsupported_grant_type: ProtocolError;
  invalid_grant: ProtocolError;
  invalid_token: ProtocolError;
}

type Kind = "provider" | "key" | "assignment" | "scope" | "client" | "role";

interface Named {
  readonly kind: Kind;
  readonly name: string;
}

/** Why the endpoints of the OIDC configuration refuse, in the order in which they look. */
export interface OidcRefusals {
  built_in_not_writable: Named;
  built_in_not_deletable: Named;
  /** Others name it, sorted. */
  in_use: Named & { readonly by: Kind; readonly users: readonly string[] };
  rotation_period_too_short: { readonly seconds: number };
  verification_ttl_too_long: { readonly seconds: number; readonly longest: number };
  verification_ttl_below_role: { readonly key: string; readonly role: string; readonly seconds: number };
  verification_ttl_below_client: { readonly client: string; readonly seconds: number };
  algorithm_unknown: { readonly algorithm: string };
  key_not_found: { readonly key: string };
  template_invalid: { readonly reason: string };
  template_no_object: Record<never, never>;
  template_claim_reserved: { readonly claim: string };
  assignment_not_found: { readonly assignment: string };
  client_key_immutable: { readonly client: string };
  id_token_ttl_too_long: { readonly seconds: number; readonly longest: number };
  client_type_immutable: { readonly client: string };
  client_type_unknown: { readonly type: string };
  issuer_invalid: { readonly issuer: string };
  scope_not_found: { readonly scope: string };
  role_key_not_given: Record<never, never>;
  role_ttl_too_long: { readonly seconds: number; readonly longest: number };
  identity_role_not_found: { readonly role: string };
  role_not_allowed_by_key: { readonly role: string; readonly key: string };
  token_without_entity: Record<never, never>;
}
