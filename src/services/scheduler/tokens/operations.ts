import { requireManagement } from "../access.ts";
import { command, type Reply, type ViewAsked, view } from "../declare.ts";
import { choice, count, duration, flag, instant, links, needed, text, texts } from "../fields.ts";
import { type AccessorId, readAccessor, readAccessorPrefix } from "../ids.ts";
import { refuse } from "../rejections.ts";
import { tokensOf } from "../watches.ts";
import { createToken, deleteToken, updateToken } from "./decide.ts";
import type { AclToken } from "./state.ts";
import { type TokenDocument, type TokenStub, tokenDocument, tokenStub } from "./views.ts";

const FIELDS = {
  AccessorID: text,
  Name: text,
  Type: needed(choice<"client" | "management">()),
  Policies: texts,
  Roles: links,
  Global: flag,
  ExpirationTTL: duration,
  ExpirationTime: instant,
};

const MADE = { SecretID: text, Hash: text, CreateTime: text, CreateIndex: count, ModifyIndex: count };

/** The operations of ACL tokens (scheduler-acl.md, "Endpoints"). */
export const tokenOperations = {
  list: view({
    route: "GET /v1/acl/tokens",
    evidence: "chosen",
    parameters: ["prefix", "per_page", "next_token"],
    view: listTokens,
    watch: (_, { name, query }) => {
      const read = readAccessorPrefix(query.prefix);
      return tokensOf(name, read.ok ? { prefix: read.prefix } : {});
    },
  }),
  create: command({
    route: "POST /v1/acl/token",
    evidence: "chosen",
    fields: FIELDS,
    made: MADE,
    body: "required",
    decide: createToken,
  }),
  update: command({
    route: "POST /v1/acl/token/:accessor_id",
    evidence: "chosen",
    fields: { ...FIELDS, AccessorID: needed(text) },
    made: MADE,
    body: "required",
    decide: updateToken,
  }),
  read: view({
    route: "GET /v1/acl/token/:accessor_id",
    evidence: "chosen",
    view: readToken,
    watch: ({ accessor_id }, { name }) => {
      const read = readAccessor(accessor_id);
      return tokensOf(name, { key: read.ok ? read.accessor : accessor_id });
    },
  }),
  self: view({
    route: "GET /v1/acl/token/self",
    evidence: "chosen",
    view: readSelf,
    watch: (_, { name, bearer }) => tokensOf(name, bearer.kind === "anonymous" ? {} : { key: bearer.accessor }),
  }),
  delete: command({
    route: "DELETE /v1/acl/token/:accessor_id",
    evidence: "observed",
    decide: deleteToken,
  }),
} as const;

/** Local tokens and copies of global ones: by `CreateIndex`, or with a prefix by accessor. */
function listTokens(_: unknown, { region, bearer, query }: ViewAsked): Reply<readonly TokenStub[]> {
  requireManagement(bearer);
  const read = readAccessorPrefix(query.prefix);
  if (!read.ok) return refuse("prefix_invalid", { reason: read.reason });
  const { perPage, nextToken } = query;
  const byIndex = read.prefix === "";
  const tokens = byIndex
    ? tokensByIndex(region.accessorsByIndex.values(), region.tokens)
    : region.tokens.values({ prefix: read.prefix, from: nextToken });
  const body: TokenStub[] = [];
  let isOnPage = false;
  for (const token of tokens) {
    const key = byIndex ? `${token.createIndex}.${token.accessor}` : token.accessor;
    // A page begins at the first whose name is no less as text, whatever numbers are in it (amendments.md, N11).
    isOnPage ||= key >= nextToken;
    if (!isOnPage) continue;
    if (perPage !== 0 && body.length >= perPage) return { body, index: region.tokenIndex, nextToken: key };
    body.push(tokenStub(token, region));
  }
  return { body, index: region.tokenIndex };
}

function* tokensByIndex(accessors: Iterable<AccessorId>, tokens: ViewAsked["region"]["tokens"]): Generator<AclToken> {
  for (const accessor of accessors) {
    const token = tokens.get(accessor);
    if (token !== undefined) yield token;
  }
}

/** The look-up comes before the question who may: what is no accessor is an error for everybody (section 5). */
function readToken(
  { accessor_id: named }: { readonly accessor_id: string },
  { region, bearer }: ViewAsked,
): Reply<TokenDocument> {
  const read = readAccessor(named);
  if (!read.ok) return refuse("accessor_unreadable", { reason: read.reason });
  const token = region.tokens.get(read.accessor);
  const isOwn = bearer.kind !== "anonymous" && token !== undefined && bearer.accessor === token.accessor;
  // Nobody learns whether another's token is there.
  if (bearer.kind !== "management" && !isOwn) refuse("permission_denied", {});
  if (token === undefined) return refuse("token_not_found", { accessor: named, index: region.tokenIndex });
  return { body: tokenDocument(token, region), index: token.modifyIndex };
}

function readSelf(_: unknown, { region, bearer }: ViewAsked): Reply<TokenDocument> {
  if (bearer.kind === "anonymous") return refuse("permission_denied", {});
  const token = region.tokens.get(bearer.accessor);
  if (token === undefined) return refuse("token_unknown", {});
  return { body: tokenDocument(token, region), index: token.modifyIndex };
}
