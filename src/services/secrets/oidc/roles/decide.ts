import type { SecretsRecorder } from "../../declare.ts";
import { type NamespacePlace, placeOfNamespace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { armKey, oidcAt } from "../keys/decide.ts";
import { writtenTemplate } from "../scopes/written.ts";
import type { IdentityRole } from "../state.ts";

/** What a role is written with; what is absent stays as it is. */
interface Fields {
  readonly key?: string;
  readonly template?: string;
  readonly client_id?: string;
  readonly ttl?: number;
}

const DAY_SECONDS = 86_400;
const CLIENT_ID_LENGTH = 26;

/** Writes a role of identity tokens (oidc/README.md, 1). */
export function writeRole(decision: SecretsRecorder, place: NamespacePlace, name: string, fields: Fields): void {
  const at = placeOfNamespace(place);
  const role = writtenRole(decision, at, name, fields);
  decision.record({ type: "IdentityRoleWritten", data: { at, name, role } });
  armKey(decision, at, role.key);
}

function writtenRole(decision: SecretsRecorder, at: NamespacePlace, name: string, fields: Fields): IdentityRole {
  const { identityRoles, keys } = oidcAt(decision, at);
  const before = identityRoles.get(name);
  const key = fields.key ?? before?.key ?? "";
  if (key === "") refuse("role_key_not_given", {});
  const template =
    fields.template === undefined ? (before?.template ?? "") : writtenTemplate(fields.template, decision.nowMs);
  const named = keys.get(key);
  if (named === undefined) return refuse("key_not_found", { key });
  const ttlSeconds = fields.ttl ?? before?.ttlSeconds ?? DAY_SECONDS;
  const longest = named.verificationTtlSeconds;
  if (ttlSeconds > longest) refuse("role_ttl_too_long", { seconds: ttlSeconds, longest });
  const clientId = (fields.client_id ?? before?.clientId) || decision.draw.base62(CLIENT_ID_LENGTH);
  return { clientId, key, template, ttlSeconds };
}
