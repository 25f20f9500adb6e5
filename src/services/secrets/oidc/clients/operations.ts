import { setOwn } from "../../../../kernel/plain.ts";
import { command, type SecretsDecision, view } from "../../declare.ts";
import { commaList, seconds, text } from "../../fields.ts";
import { placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { armKey, oidcAt } from "../keys/decide.ts";
import { sortedItems } from "../lists.ts";
import { type ClientType, DEFAULT_NAME, type OidcClient } from "../state.ts";

/** What reading a client shows; a public one has no secret. */
export interface ClientShown extends ClientInfo {
  readonly client_secret?: string;
}

export interface ClientInfo {
  readonly access_token_ttl: number;
  readonly assignments: readonly string[];
  readonly client_id: string;
  readonly client_type: ClientType;
  readonly id_token_ttl: number;
  readonly key: string;
  readonly redirect_uris: readonly string[];
}

/** Clients (decisions-oidc.md, 7). */
export const clientOperations = {
  list: view({
    route: "LIST /v1/identity/oidc/client",
    evidence: "chosen",
    view: (reading) => {
      const { clients } = oidcAt(reading, reading.caller);
      if (clients.size === 0) return refuse("not_found", {});
      const key_info: Record<string, ClientInfo> = {};
      for (const [name, client] of clients) setOwn(key_info, name, infoOf(client));
      return enveloped({ keys: [...clients.keys()], key_info });
    },
  }),
  read: view({
    route: "GET /v1/identity/oidc/client/:name",
    evidence: "chosen",
    view: (reading, { name }) => {
      const client = oidcAt(reading, reading.caller).clients.get(name);
      if (client === undefined) return refuse("not_found", {});
      const { clientSecret } = client;
      const shown: ClientShown = infoOf(client);
      return enveloped(clientSecret === undefined ? shown : { ...shown, client_secret: clientSecret });
    },
  }),
  write: command({
    route: "POST /v1/identity/oidc/client/:name",
    evidence: "chosen",
    onSecondary: "forwarded",
    fields: {
      key: text,
      redirect_uris: commaList,
      assignments: commaList,
      client_type: text,
      id_token_ttl: seconds,
      access_token_ttl: seconds,
    },
    exists: (reading, { name }) => oidcAt(reading, reading.caller).clients.has(name),
    decide: (decision, { name, ...fields }) => {
      const before = oidcAt(decision, decision.caller).clients.get(name);
      const settings = settingsOf(decision, name, before, fields);
      const at = placeOfNamespace(decision.caller);
      const client = { ...settings, ...(before === undefined ? credentials(decision, settings) : kept(before)) };
      decision.record({ type: "OidcClientWritten", data: { at, name, client } });
      armKey(decision, at, client.key);
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/identity/oidc/client/:name",
    evidence: "observed",
    onSecondary: "forwarded",
    decide: (decision, { name }) => {
      if (oidcAt(decision, decision.caller).clients.has(name)) {
        decision.record({ type: "OidcClientDeleted", data: { at: placeOfNamespace(decision.caller), name } });
      }
      return done();
    },
  }),
};

function infoOf(client: OidcClient): ClientInfo {
  return {
    access_token_ttl: client.accessTokenTtlSeconds,
    assignments: [...client.assignments],
    client_id: client.clientId,
    client_type: client.clientType,
    id_token_ttl: client.idTokenTtlSeconds,
    key: client.key,
    redirect_uris: [...client.redirectUris],
  };
}

type Settings = Omit<OidcClient, "clientId" | "clientSecret">;

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

/** The checks are in the order of decisions-oidc.md, 7. */
function settingsOf(decision: SecretsDecision, name: string, before: OidcClient | undefined, fields: Fields): Settings {
  const oidc = oidcAt(decision, decision.caller);
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
  { draw }: SecretsDecision,
  { clientType }: Settings,
): Pick<OidcClient, "clientId" | "clientSecret"> {
  const clientId = draw.base62(32);
  return clientType === "public" ? { clientId } : { clientId, clientSecret: `oidc_secret_${draw.base62(64)}` };
}

function kept({ clientId, clientSecret }: OidcClient): Pick<OidcClient, "clientId" | "clientSecret"> {
  return clientSecret === undefined ? { clientId } : { clientId, clientSecret };
}
