import { setOwn } from "../../../../languages/objects.ts";
import { command, view } from "../../declare.ts";
import { commaList, seconds, text } from "../../fields.ts";
import { placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped } from "../../reply.ts";
import { oidcAt } from "../keys/decide.ts";
import type { ClientType, OidcClient } from "../state.ts";
import { writeClient } from "./decide.ts";

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
      writeClient(decision, decision.caller, name, fields);
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
