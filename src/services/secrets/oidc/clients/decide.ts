import type { SecretsRecorder } from "../../declare.ts";
import { type NamespacePlace, placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { armKey, oidcAt } from "../keys/decide.ts";
import { sortedItems } from "../lists.ts";
import { DEFAULT_NAME, type OidcClient, type OidcConfiguration } from "../state.ts";

type Settings = Omit<OidcClient, "clientId" | "clientSecret">;

/** What a client is written with; what is absent stays as it is. */
interface Fields {
  readonly key?: string;
  readonly redirect_uris?: readonly string[];
  readonly assignments?: readonly string[];
  readonly client_type?: string;
  readonly id_token_ttl?: number;
  readonly access_token_ttl?: number;
}

const DAY_SECONDS = 86_400;

const NEW_CLIENT: Settings = {
  key: DEFAULT_NAME,
  redirectUris: [],
  assignments: [],
  clientType: "confidential",
  idTokenTtlSeconds: DAY_SECONDS,
  accessTokenTtlSeconds: DAY_SECONDS,
};

/** Writes a client: a new one gets an id, and a secret unless it is public. */
export function writeClient(decision: SecretsRecorder, place: NamespacePlace, name: string, fields: Fields): void {
  const at = placeOfNamespace(place);
  const oidc = oidcAt(decision, at);
  const before = oidc.clients.get(name);
  const settings = settingsOf(oidc, name, before, fields);
  const client = { ...settings, ...(before === undefined ? credentials(decision, settings) : kept(before)) };
  decision.record({ type: "OidcClientWritten", data: { at, name, client } });
  armKey(decision, at, client.key);
}

/** The checks are in the order of decisions-oidc.md, 7. */
function settingsOf(oidc: OidcConfiguration, name: string, before: OidcClient | undefined, fields: Fields): Settings {
  const base = before ?? NEW_CLIENT;
  const assignments = sortedItems(fields.assignments ?? base.assignments);
  const missing = assignments.find((assignment) => !oidc.assignments.has(assignment));
  if (missing !== undefined) refuse("assignment_not_found", { assignment: missing });
  const key = fields.key ?? base.key;
  if (before !== undefined && key !== before.key) refuse("client_key_immutable", { client: name });
  const named = oidc.keys.get(key);
  if (named === undefined) return refuse("key_not_found", { key });
  const idTokenTtlSeconds = fields.id_token_ttl ?? base.idTokenTtlSeconds;
  const longest = named.verificationTtlSeconds;
  if (idTokenTtlSeconds > longest) refuse("id_token_ttl_too_long", { seconds: idTokenTtlSeconds, longest });
  const clientType = fields.client_type ?? base.clientType;
  if (before !== undefined && clientType !== before.clientType) refuse("client_type_immutable", { client: name });
  if (clientType !== "confidential" && clientType !== "public") {
    return refuse("client_type_unknown", { type: clientType });
  }
  return {
    key,
    redirectUris: sortedItems(fields.redirect_uris ?? base.redirectUris),
    assignments,
    clientType,
    idTokenTtlSeconds,
    accessTokenTtlSeconds: fields.access_token_ttl ?? base.accessTokenTtlSeconds,
  };
}

function credentials(
  { draw }: SecretsRecorder,
  { clientType }: Settings,
): Pick<OidcClient, "clientId" | "clientSecret"> {
  const clientId = draw.base62(32);
  return clientType === "public" ? { clientId } : { clientId, clientSecret: `oidc_secret_${draw.base62(64)}` };
}

function kept({ clientId, clientSecret }: OidcClient): Pick<OidcClient, "clientId" | "clientSecret"> {
  return clientSecret === undefined ? { clientId } : { clientId, clientSecret };
}
