import { requireManagement } from "../access.ts";
import { command, type Reply, type ViewAsked, view } from "../declare.ts";
import { type AccessorId, readAccessor, readAccessorPrefix } from "../ids.ts";
import { refuse } from "../rejections.ts";
import { tokensOf } from "../watches.ts";
import { createToken, deleteToken, updateToken } from "./decide.ts";
import { type AclToken, indexKey } from "./state.ts";
import { type TokenDocument, type TokenStub, tokenDocument, tokenStub } from "./views.ts";

const FIELDS = { AccessorID: "text", Name: "text", Type: "text", Policies: "texts", Global: "flag" } as const;

export interface TokenFields {
  readonly Name?: string | null | undefined;
  readonly Type: "client" | "management";
  readonly Policies?: readonly string[] | null | undefined;
  readonly Global?: boolean | null | undefined;
  readonly region?: string | undefined;
}

/** The operations of ACL tokens (scheduler-acl.md, "Endpoints"). */
export const tokenOperations = {
  list: view<{
    readonly prefix?: string | undefined;
    readonly per_page?: number | undefined;
    readonly next_token?: string | undefined;
    readonly region?: string | undefined;
  }>()({
    route: "GET /v1/acl/tokens",
    evidence: "chosen",
    view: listTokens,
    watch: ({ name, query }) => {
      const read = readAccessorPrefix(query.prefix);
      return tokensOf(name, read.ok ? { prefix: read.prefix } : {});
    },
  }),
  create: command<TokenFields & { readonly AccessorID?: string | undefined }>()({
    route: "POST /v1/acl/token",
    evidence: "chosen",
    fields: FIELDS,
    body: "required",
    decide: createToken,
  }),
  update: command<TokenFields & { readonly accessor_id: string; readonly AccessorID: string }>()({
    route: "POST /v1/acl/token/:accessor_id",
    evidence: "chosen",
    fields: FIELDS,
    body: "required",
    decide: updateToken,
  }),
  read: view<{ readonly accessor_id: string; readonly region?: string | undefined }>()({
    route: "GET /v1/acl/token/:accessor_id",
    evidence: "chosen",
    view: readToken,
    watch: ({ name, captures }) => {
      const read = readAccessor(captures.accessor_id);
      return tokensOf(name, { key: read.ok ? read.accessor : captures.accessor_id });
    },
  }),
  self: view<{ readonly region?: string | undefined }>()({
    route: "GET /v1/acl/token/self",
    evidence: "chosen",
    view: readSelf,
    watch: ({ name, bearer }) => tokensOf(name, bearer.kind === "anonymous" ? {} : { key: bearer.accessor }),
  }),
  delete: command<{ readonly accessor_id: string; readonly region?: string | undefined }>()({
    route: "DELETE /v1/acl/token/:accessor_id",
    evidence: "observed",
    decide: deleteToken,
  }),
} as const;

/** Local tokens and copies of global ones: by `CreateIndex`, or with a prefix by accessor. */
function listTokens({ region, bearer, query }: ViewAsked<string>): Reply<readonly TokenStub[]> {
  requireManagement(bearer);
  const read = readAccessorPrefix(query.prefix);
  if (!read.ok) return refuse("prefix_invalid", { reason: read.reason });
  const { perPage, nextToken } = query;
  const tokens =
    read.prefix === ""
      ? tokensByIndex(region.accessorsByIndex.values({ from: pageKey(nextToken) }), region.tokens)
      : region.tokens.values({ prefix: read.prefix, from: nextToken.toLowerCase() });
  const body: TokenStub[] = [];
  for (const token of tokens) {
    if (perPage > 0 && body.length === perPage) {
      const key = read.prefix === "" ? `${token.createIndex}.${token.accessor}` : token.accessor;
      return { body, index: region.tokenIndex, nextToken: key };
    }
    body.push(tokenStub(token));
  }
  return { body, index: region.tokenIndex };
}

function* tokensByIndex(
  accessors: Iterable<AccessorId>,
  tokens: ViewAsked<string>["region"]["tokens"],
): Generator<AclToken> {
  for (const accessor of accessors) {
    const token = tokens.get(accessor);
    if (token !== undefined) yield token;
  }
}

/** Where a page begins: `<CreateIndex>.<AccessorID>`. Our choice: what is no such text names the first page. */
function pageKey(nextToken: string): string {
  const [, createIndex, accessor = ""] = /^(\d{1,15})\.(.*)$/s.exec(nextToken) ?? [];
  if (createIndex === undefined) return "";
  return indexKey({ createIndex: Number(createIndex), accessor: accessor.toLowerCase() as AccessorId });
}

/** The look-up comes before the question who may: what is no accessor is an error for everybody (section 5). */
function readToken({
  region,
  bearer,
  captures: { accessor_id: named },
}: ViewAsked<":accessor_id">): Reply<TokenDocument> {
  const read = readAccessor(named);
  if (!read.ok) return refuse("accessor_unreadable", { reason: read.reason });
  const token = region.tokens.get(read.accessor);
  const isOwn = bearer.kind !== "anonymous" && token !== undefined && bearer.accessor === token.accessor;
  // Nobody learns whether another's token is there.
  if (bearer.kind !== "management" && !isOwn) refuse("permission_denied", {});
  if (token === undefined) return refuse("token_not_found", { accessor: named, index: region.tokenIndex });
  return { body: tokenDocument(token), index: token.modifyIndex };
}

function readSelf({ region, bearer }: ViewAsked<string>): Reply<TokenDocument> {
  if (bearer.kind === "anonymous") return refuse("permission_denied", {});
  const token = region.tokens.get(bearer.accessor);
  if (token === undefined) return refuse("token_unknown", {});
  return { body: tokenDocument(token), index: token.modifyIndex };
}
