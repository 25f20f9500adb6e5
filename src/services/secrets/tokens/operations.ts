import { bearerOf, entityPoliciesOf } from "../access.ts";
import { command, type SecretsDecision, type SecretsReading, view, withOthers } from "../declare.ts";
import { exactSeconds, flag, itemList, natural, pairs, text } from "../fields.ts";
import { listing } from "../listing.ts";
import { refuse } from "../rejections.ts";
import { authenticatedAs, done, enveloped, warned } from "../reply.ts";
import { clusterOf } from "../world.ts";
import {
  type AskedToken,
  createAgainst,
  createChild,
  renewToken,
  revokeAlone,
  revokeAsked,
  type TokenAnswer,
  tokenOf,
  tokenWithAccessor,
} from "./decide.ts";
import { tokenRoleOperations } from "./roles/operations.ts";
import type { TokenId } from "./state.ts";
import { tokenData } from "./views.ts";

/** What a token is created with. */
const NEW_TOKEN = {
  policies: itemList,
  ttl: exactSeconds,
  explicit_max_ttl: exactSeconds,
  period: exactSeconds,
  num_uses: natural(2_147_483_647),
  renewable: flag,
  no_parent: flag,
  no_default_policy: flag,
  display_name: text,
  meta: pairs,
  id: text,
  type: text,
  entity_alias: text,
};

/** Tokens (decisions-secrets-core.md, A.7 and D.7; tokens/README.md). */
export const tokenOperations = {
  roles: tokenRoleOperations,
  create: command({
    route: "POST /v1/auth/token/create",
    evidence: "observed",
    fields: NEW_TOKEN,
    decide: (decision, fields) =>
      shownCreation(
        createChild(decision, bearerOf(decision), "auth/token/create", asked(fields, fields.no_parent ?? false)),
      ),
  }),
  createAgainst: command({
    route: "POST /v1/auth/token/create/:role_name",
    evidence: "observed",
    fields: NEW_TOKEN,
    decide: (decision, { role_name, ...fields }) =>
      shownCreation(createAgainst(decision, bearerOf(decision), role_name, asked(fields, fields.no_parent ?? false))),
  }),
  createOrphan: command({
    route: "POST /v1/auth/token/create-orphan",
    evidence: "observed",
    fields: NEW_TOKEN,
    decide: (decision, fields) =>
      shownCreation(createChild(decision, bearerOf(decision), "auth/token/create-orphan", asked(fields, undefined))),
  }),
  lookup: withOthers(
    view({
      route: "POST /v1/auth/token/lookup",
      evidence: "observed",
      fields: { token: text },
      // Without one it is the caller's own, as the real service has it.
      view: (reading, { token }) => lookedUp(reading, token || undefined),
    }),
    {
      Read: view({
        route: "GET /v1/auth/token/lookup",
        evidence: "observed",
        fields: { token: text },
        view: (reading, { token }) => lookedUp(reading, token || undefined),
      }),
    },
  ),
  lookupSelf: view({
    route: "GET /v1/auth/token/lookup-self",
    evidence: "observed",
    view: (reading) => lookedUp(reading, undefined),
  }),
  lookupAccessor: view({
    route: "POST /v1/auth/token/lookup-accessor",
    evidence: "observed",
    fields: { accessor: text },
    view: (reading, { accessor }) => lookedUp(reading, withAccessor(reading, accessor), { isHidden: true }),
  }),
  renew: command({
    route: "POST /v1/auth/token/renew",
    evidence: "observed",
    fields: { token: text, increment: exactSeconds },
    decide: (decision, { token, increment }) => {
      if (token === undefined || token === "") return refuse("token_missing", {});
      return renewed(decision, token as TokenId, increment);
    },
  }),
  renewSelf: command({
    route: "POST /v1/auth/token/renew-self",
    evidence: "observed",
    fields: { increment: exactSeconds },
    decide: (decision, { increment }) => renewed(decision, bearerOf(decision).id, increment),
  }),
  renewAccessor: command({
    route: "POST /v1/auth/token/renew-accessor",
    evidence: "observed",
    fields: { accessor: text, increment: exactSeconds },
    decide: (decision, { accessor, increment }) =>
      renewed(decision, withAccessor(decision, accessor), increment, { isHidden: true }),
  }),
  revoke: command({
    route: "POST /v1/auth/token/revoke",
    evidence: "observed",
    fields: { token: text },
    decide: (decision, { token }) => {
      if (token === undefined || token === "") return refuse("token_missing", {});
      revokeAsked(decision, token as TokenId);
      return done();
    },
  }),
  revokeSelf: command({
    route: "POST /v1/auth/token/revoke-self",
    evidence: "observed",
    decide: (decision) => {
      revokeAsked(decision, bearerOf(decision).id);
      return done();
    },
  }),
  revokeAccessor: command({
    route: "POST /v1/auth/token/revoke-accessor",
    evidence: "observed",
    fields: { accessor: text },
    decide: (decision, { accessor }) => {
      if (accessor === undefined || accessor === "") return refuse("accessor_missing", {});
      const token = tokenWithAccessor(decision, accessor);
      if (token === undefined) return warned(["No token found with this accessor"]);
      revokeAsked(decision, token);
      return done();
    },
  }),
  revokeOrphan: command({
    route: "POST /v1/auth/token/revoke-orphan",
    evidence: "observed",
    fields: { token: text },
    decide: (decision, { token }) => {
      if (token === undefined || token === "") return refuse("token_missing", {});
      revokeAlone(decision, bearerOf(decision), token as TokenId);
      return done();
    },
  }),
  tidy: view({
    route: "POST /v1/auth/token/tidy",
    evidence: "observed",
    view: () => ({ ...enveloped(null, { warnings: ["the tidying of tokens was started"] }), status: 202 }),
  }),
  accessors: view({
    route: "LIST /v1/auth/token/accessors",
    evidence: "observed",
    sudo: true,
    view: ({ state, caller }) => {
      const prefix = `${caller.namespace ?? ""} `;
      const { tokensByAccessor } = clusterOf(state, caller.cluster).local;
      return listing([...tokensByAccessor.keys({ prefix })].map((key) => key.slice(prefix.length)));
    },
  }),
};

interface Fields {
  readonly policies?: readonly string[];
  readonly ttl?: number;
  readonly explicit_max_ttl?: number;
  readonly period?: number;
  readonly num_uses?: number;
  readonly renewable?: boolean;
  readonly no_default_policy?: boolean;
  readonly display_name?: string;
  readonly meta?: { readonly [name: string]: string };
  readonly id?: string;
  readonly type?: string;
  readonly entity_alias?: string;
}

function asked(fields: Fields, noParent: boolean | undefined): AskedToken {
  return {
    policies: fields.policies ?? [],
    ttlSeconds: fields.ttl ?? 0,
    explicitMaxTtlSeconds: fields.explicit_max_ttl ?? 0,
    periodSeconds: fields.period ?? 0,
    uses: fields.num_uses ?? 0,
    renewable: fields.renewable ?? true,
    ...(noParent === undefined ? {} : { noParent }),
    noDefaultPolicy: fields.no_default_policy ?? false,
    displayName: fields.display_name ?? "",
    meta: fields.meta ?? null,
    id: fields.id ?? "",
    type: fields.type ?? "",
    entityAlias: fields.entity_alias ?? "",
  };
}

function shownCreation({ auth, warnings }: TokenAnswer) {
  return authenticatedAs(auth, warnings);
}

/** The valid token that an accessor names. */
function withAccessor(reading: SecretsReading, accessor: string | undefined): TokenId {
  if (accessor === undefined || accessor === "") return refuse("accessor_missing", {});
  const token = tokenWithAccessor(reading, accessor);
  if (token === undefined || tokenOf(reading, token) === undefined) return refuse("accessor_unknown", {});
  return token;
}

/** Whoever knows an accessor is not told the token. */
interface Shown {
  readonly isHidden?: boolean;
}

function renewed(decision: SecretsDecision, token: TokenId, increment = 0, { isHidden = false }: Shown = {}) {
  const answer = renewToken(decision, token, increment);
  if (answer === undefined) return done();
  return authenticatedAs(isHidden ? { ...answer.auth, client_token: "" } : answer.auth, answer.warnings);
}

function lookedUp(reading: SecretsReading, token: string | undefined, { isHidden = false }: Shown = {}) {
  const id = (token ?? bearerOf(reading).id) as TokenId;
  const record = tokenOf(reading, id);
  if (record === undefined) return refuse("bad_token", {});
  return enveloped(tokenData(isHidden ? "" : id, record, reading.nowMs, entityPoliciesOf(reading, record)));
}
