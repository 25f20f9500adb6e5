import type { Table } from "../../kernel/table.ts";
import { liesWithin } from "../../languages/cidr.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { SecretsOperation, SecretsReading, Verb } from "./declare.ts";
import { entityIn, membershipOf } from "./identity/membership.ts";
import type { ClusterName, MountPath, NamespacePath } from "./place.ts";
import { WRAPPING_POLICY, WRAPPING_RULES } from "./policies/built-in.ts";
import type { Capability } from "./policies/capabilities.ts";
import { type PathRule, RuleBook } from "./policies/rules.ts";
import type { AclPolicy } from "./policies/state.ts";
import { refuse } from "./rejections.ts";
import type { AccessGrant, Token, TokenId } from "./tokens/state.ts";
import { mountPathOf, renamedPath } from "./words/path.ts";
import { clusterOf, namespaceAt } from "./world.ts";

/** Who asks, and of what. */
type Met = Pick<SecretsReading, "state" | "caller">;

/** A token that was sent and is valid. */
export interface Bearer {
  readonly id: TokenId;
  readonly token: Token;
}

/** The bearer of a request: refused without a token, and with one that is unknown, expired or revoked (A.3, 7). */
export function authenticated(reading: SecretsReading, path: string): Bearer {
  const id = reading.caller.token as TokenId | undefined;
  const token = id === undefined ? undefined : clusterOf(reading.state, homeOf(reading)).local.tokens.get(id);
  if (id === undefined || token === undefined) return refuse("permission_denied", { path });
  // Valid while now is before its expiry (A.6): at that very instant its timer may not have fired yet.
  if (token.expiresAtMs !== undefined && reading.nowMs >= token.expiresAtMs)
    return refuse("permission_denied", { path });
  refuseElsewhere(reading, token.boundCidrs, path);
  return { id, token };
}

/** Refuses a request that comes from none of some addresses and blocks (auth/README.md, 4). */
export function refuseElsewhere(
  { caller: { address = LOOPBACK } }: SecretsReading,
  allowed: readonly string[] = [],
  path: string,
): void {
  if (allowed.length > 0 && !liesWithin([address], allowed)) refuse("permission_denied", { path });
}

/** Where a request comes from that does not say so. */
export const LOOPBACK = "127.0.0.1";

/** The cluster that lets the bearer in: of a request that a performance secondary forwards it is the secondary. */
function homeOf({ caller }: Pick<Met, "caller">): ClusterName {
  return caller.behalf ?? caller.cluster;
}

/** The bearer of a request that is under way: whoever sent the request has been let in. */
export function bearerOf(reading: SecretsReading): Bearer {
  return authenticated(reading, "");
}

/** Refuses a request that the token's policies do not allow. */
export function authorize(
  reading: SecretsReading,
  bearer: Bearer,
  asked: { readonly verb: Verb; readonly path: string; readonly operation?: SecretsOperation | undefined },
  input: never,
): void {
  const { verb, path, operation } = asked;
  if (entityIsBarred(reading, bearer.token)) refuse("permission_denied", { path });
  const granted = capabilitiesOf(reading, bearer.token, path, verb === "LIST");
  if (granted === "all") return;
  const needed = neededCapability(reading, verb, operation, input);
  if (!granted.has(needed) || (operation?.access.sudo && !granted.has("sudo"))) refuse("permission_denied", { path });
}

/** The capability that a request needs. */
export function neededCapability(
  reading: SecretsReading,
  verb: Verb,
  operation: SecretsOperation | undefined,
  input: never,
): Capability {
  switch (verb) {
    case "GET":
      return "read";
    case "LIST":
      return "list";
    case "DELETE":
      return "delete";
    case "PATCH":
      return "patch";
    case "POST":
      return operation?.exists === undefined || operation.exists(reading, input) ? "update" : "create";
    default:
      return verb satisfies never;
  }
}

/** Whether the entity behind a token is deleted or disabled. An id that never was an entity counts as an enabled one (A.3, 7). */
export function entityIsBarred({ state, caller }: Met, token: Pick<Token, "entityId" | "namespace">): boolean {
  if (token.entityId === "") return false;
  const known = entityIn(state, { cluster: caller.cluster, ...namespaceOf(token) }, token.entityId);
  return known === "deleted" || known?.entity.disabled === true;
}

/** Whether a token has `sudo` on a path, as root has on every one. */
export function mayDoAsSudo(reading: SecretsReading, token: Token, path: string): boolean {
  const granted = capabilitiesOf(reading, token, path, false);
  return granted === "all" || granted.has("sudo");
}

/** What a token may do on a path of the request's namespace. Its policies' paths are relative to its own namespace. */
export function capabilitiesOf(
  reading: Met,
  token: Token,
  path: string,
  listing: boolean,
): ReadonlySet<Capability> | "all" {
  const own = token.namespace ?? "";
  const asked = reading.caller.namespace ?? "";
  if (!asked.startsWith(own)) return new Set();
  if (token.policies.includes("root")) return "all";
  const full = asked.slice(own.length) + path;
  if (token.oidc !== undefined) return full === userinfoPath(token.oidc) ? USERINFO : NONE;
  const { policies, elsewhere } = policiesOf(reading, token);
  const granted = grantedBy(
    reading,
    ruleBookOf(reading, token.namespace, policies),
    asked.slice(own.length),
    path,
    listing,
  );
  if (elsewhere === undefined) return granted;
  const { namespace } = elsewhere;
  const book = ruleBookOf(reading, namespace, elsewhere.policies);
  const below = asked.slice((namespace ?? "").length);
  return new Set([...granted, ...grantedBy(reading, book, below, path, listing)]);
}

/** Whether a token may do anything in a mount of the request's namespace, be it with a path below it alone. */
export function mayReach(reading: SecretsReading, token: Token, mount: MountPath): boolean {
  const granted = capabilitiesOf(reading, token, mount, true);
  if (granted === "all" || granted.size > 0) return true;
  const asked = reading.caller.namespace ?? "";
  const { policies, elsewhere } = policiesOf(reading, token);
  if (token.oidc !== undefined || !asked.startsWith(token.namespace ?? "")) return false;
  return [{ namespace: token.namespace, policies }, ...(elsewhere === undefined ? [] : [elsewhere])].some((own) => {
    const book = ruleBookOf(reading, own.namespace, own.policies);
    const below = asked.slice((own.namespace ?? "").length);
    return book.reachesBelow(below + mount) || book.reachesBelow(below + mountPathOf(reading.state, mount, "own"));
  });
}

/** The only right of an access token of the OIDC provider (decisions-oidc.md, 11). */
const USERINFO: ReadonlySet<Capability> = new Set<Capability>(["read", "update"]);
const NONE: ReadonlySet<Capability> = new Set<Capability>();

function userinfoPath({ provider }: AccessGrant): string {
  return `identity/oidc/provider/${provider}/userinfo`;
}

/** What is granted on a path below a namespace. Whoever wrote a policy may know the path by the words of a vocabulary. */
function grantedBy(
  { state, caller }: Met,
  book: RuleBook,
  below: string,
  path: string,
  listing: boolean,
): ReadonlySet<Capability> {
  const full = below + path;
  const words = wordsOf(state)?.secrets;
  if (words !== undefined && book.callsOtherwise(path, words.pathWords)) {
    const spoken = renamedPath(words, { world: state, at: caller }, path, "own");
    if (spoken !== path) return book.capabilitiesOnEither(full, below + spoken, listing);
  }
  return listing ? book.capabilitiesOnListing(full) : book.capabilitiesOn(full);
}

/** The policies of a token: its own, and those of its entity and the entity's groups. */
export interface Policies {
  readonly policies: readonly string[];
  /** Our choice: policies of an entity of a namespace above are those of that namespace, and come on top of the token's own. */
  readonly elsewhere?: { readonly namespace: NamespacePath | undefined; readonly policies: readonly string[] };
}

export function policiesOf(reading: Met, token: Token): Policies {
  const { policies } = token;
  const added = addedByEntity(reading, token);
  if (added === undefined) return { policies };
  if (added.namespace !== token.namespace) return { policies, elsewhere: added };
  return { policies: [...new Set([...policies, ...added.policies])].sort() };
}

/** The policies of a token's entity and of its groups, and the namespace whose policies they are; undefined where there are none. */
function addedByEntity(
  reading: Met,
  { entityId, namespace }: Pick<Token, "entityId" | "namespace">,
): Policies["elsewhere"] {
  if (entityId === "") return undefined;
  const at = { cluster: homeOf(reading), ...(namespace === undefined ? {} : { namespace }) };
  const known = entityIn(reading.state, at, entityId);
  if (known === undefined || known === "deleted") return undefined;
  const groups = membershipOf(known.identity, known.id).policies;
  if (groups.length === 0 && known.entity.policies.length === 0) return undefined;
  const policies = new Set([...known.entity.policies, ...groups].map((name) => name.toLowerCase()));
  return { namespace: known.namespace, policies: [...policies].sort() };
}

/** What the entity of a token adds to its policies, as answers show it (amendments.md, S28). */
export interface EntityPolicies {
  readonly own: readonly string[];
  /** By the namespaces whose policies they are, where that is not the token's own. */
  readonly elsewhere: { readonly [namespace: string]: readonly string[] };
}

export function entityPoliciesOf(
  reading: SecretsReading,
  token: Pick<Token, "entityId" | "namespace">,
): EntityPolicies {
  const added = addedByEntity(reading, token);
  if (added === undefined) return { own: [], elsewhere: {} };
  const { namespace, policies } = added;
  return namespace === token.namespace
    ? { own: policies, elsewhere: {} }
    : { own: [], elsewhere: { [namespace ?? ""]: policies } };
}

/** Rule books by the policies that they were made of. */
const ruleBooks = new WeakMap<Table<AclPolicy>, RuleBooks>();

interface RuleBooks {
  /** A token keeps its list of names, and its text takes longer to make than a rule to find. */
  readonly byList: WeakMap<readonly string[], RuleBook>;
  readonly byNames: Map<string, RuleBook>;
}

export function ruleBookOf(reading: Met, namespace: NamespacePath | undefined, names: readonly string[]): RuleBook {
  const at = { cluster: homeOf(reading), ...(namespace === undefined ? {} : { namespace }) };
  const policies = namespaceAt(reading.state, at)?.policies;
  if (policies === undefined) return new RuleBook([]);
  let books = ruleBooks.get(policies);
  if (books === undefined) {
    books = { byList: new WeakMap(), byNames: new Map() };
    ruleBooks.set(policies, books);
  }
  const known = books.byList.get(names);
  if (known !== undefined) return known;
  const key = JSON.stringify(names);
  let book = books.byNames.get(key);
  if (book === undefined) {
    // A name without a document grants nothing (A.7).
    book = new RuleBook(names.map((name) => rulesNamed(policies, name) ?? []));
    books.byNames.set(key, book);
  }
  books.byList.set(names, book);
  return book;
}

/** The rules of a policy; undefined where there is none of that name. */
export function rulesNamed(policies: Table<AclPolicy>, name: string): readonly PathRule[] | undefined {
  return policies.get(name)?.rules ?? BUILT_IN.get(name);
}

/** What the service's own policies grant that nobody can write. */
const BUILT_IN: ReadonlyMap<string, readonly PathRule[]> = new Map([[WRAPPING_POLICY, WRAPPING_RULES]]);

function namespaceOf(token: Pick<Token, "namespace">): { readonly namespace?: NamespacePath } {
  return token.namespace === undefined ? {} : { namespace: token.namespace };
}
