import type { Plain } from "../../kernel/plain.ts";
import type { Table } from "../../kernel/table.ts";
import { liesWithin } from "../../languages/cidr.ts";
import { isObject } from "../../languages/objects.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import {
  type Asked,
  PREPARED,
  type SecretsCaller,
  type SecretsOperation,
  type SecretsReading,
  type Verb,
} from "./declare.ts";
import { entityIn, type KnownEntity, membershipOf } from "./identity/membership.ts";
import type { ClusterName, MountPath, NamespacePath } from "./place.ts";
import { WRAPPING_POLICY, WRAPPING_RULES } from "./policies/built-in.ts";
import type { Capability } from "./policies/capabilities.ts";
import { limitFault } from "./policies/limits.ts";
import type { Rule } from "./policies/pattern-tree.ts";
import { grantedBy, type PathRule, RuleBook } from "./policies/rules.ts";
import type { AclPolicy } from "./policies/state.ts";
import { filledPath } from "./policies/templates.ts";
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
  asked: Pick<Asked, "verb" | "path" | "operation" | "input">,
  captures: never,
): void {
  const { verb, path, operation } = asked;
  if (entityIsBarred(reading, bearer.token)) refuse("permission_denied", { path });
  const rules = rulesOn(reading, bearer.token, path, verb === "LIST");
  if (rules === "all") return;
  const granted = grantedByAll(rules);
  const needed = neededCapability(reading, verb, operation, captures);
  if (!granted.has(needed) || (operation?.access.sudo && !granted.has("sudo"))) refuse("permission_denied", { path });
  if (limitFaultIn(rules, needed, asked, reading.caller) !== undefined) refuse("permission_denied", { path });
}

/** What the limits of rules say against a request that their capabilities allow; undefined where one of them lets it pass. */
export function limitFaultIn(
  rules: readonly Rule[],
  needed: Capability,
  { verb, operation, input }: Pick<Asked, "verb" | "operation" | "input">,
  { wrapTtlSeconds = 0 }: Pick<SecretsCaller, "wrapTtlSeconds">,
): string | undefined {
  let fault: string | undefined;
  for (const rule of rules) {
    if (!grantedBy(rule).has(needed)) continue;
    if (rule.limits === undefined) return undefined;
    fault = limitFault(rule.limits, { verb, parameters: () => parametersOf(operation, input), wrapTtlSeconds });
    if (fault === undefined) return undefined;
  }
  return fault;
}

/** The parameters of a request: its body or its query, without what stands in its path. */
function parametersOf(
  operation: SecretsOperation | undefined,
  input: Asked["input"],
): { readonly [name: string]: Plain | undefined } {
  if (operation === undefined) return {};
  if (operation.takesBody) {
    const body: unknown = typeof input["data"] === "string" ? JSON.parse(input["data"]) : input["data"];
    return isObject(body) ? (body as { readonly [name: string]: Plain }) : {};
  }
  const inPath: ReadonlySet<string> = new Set([...operation.captures, PREPARED]);
  return Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== undefined && !inPath.has(name)));
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

/** What a token may do on a path of the request's namespace. */
export function capabilitiesOf(
  reading: Met,
  token: Token,
  path: string,
  listing: boolean,
): ReadonlySet<Capability> | "all" {
  const rules = rulesOn(reading, token, path, listing);
  return rules === "all" ? rules : grantedByAll(rules);
}

/** The rules that apply to a path of the request's namespace. Paths of a token's policies are relative to its own namespace. */
export function rulesOn(reading: Met, token: Token, path: string, listing: boolean): readonly Rule[] | "all" {
  const own = token.namespace ?? "";
  const asked = reading.caller.namespace ?? "";
  if (!asked.startsWith(own)) return [];
  if (token.policies.includes("root")) return "all";
  if (token.oidc !== undefined) {
    const pattern = userinfoPath(token.oidc);
    return asked.slice(own.length) + path === pattern ? [{ pattern, granted: USERINFO }] : [];
  }
  return rulesIn(reading, token, (book, below) => ruleIn(reading, book, below, path, listing));
}

/** What is sought in the policies of a token, each with what the request's namespace is below theirs. */
function rulesIn<T>(reading: Met, token: Token, sought: (book: RuleBook, below: string) => T | undefined): T[] {
  const { policies, elsewhere } = policiesOf(reading, token);
  const asked = reading.caller.namespace ?? "";
  const found: T[] = [];
  for (const own of [{ namespace: token.namespace, policies }, ...(elsewhere === undefined ? [] : [elsewhere])]) {
    const one = sought(ruleBookFor(reading, token, own), asked.slice((own.namespace ?? "").length));
    if (one !== undefined) found.push(one);
  }
  return found;
}

function grantedByAll(rules: readonly Rule[]): ReadonlySet<Capability> {
  return rules.length === 1 ? grantedBy(rules[0]) : new Set(rules.flatMap((rule) => [...grantedBy(rule)]));
}

/** Whether a token may do anything in a mount of the request's namespace, be it with a path below it alone. */
export function mayReach(reading: SecretsReading, token: Token, mount: MountPath): boolean {
  const granted = capabilitiesOf(reading, token, mount, true);
  if (granted === "all" || granted.size > 0) return true;
  if (token.oidc !== undefined || !(reading.caller.namespace ?? "").startsWith(token.namespace ?? "")) return false;
  const spoken = mountPathOf(reading.state, mount, "own");
  const reaching = rulesIn(
    reading,
    token,
    (book, below) => book.reachesBelow(below + mount) || book.reachesBelow(below + spoken) || undefined,
  );
  return reaching.length > 0;
}

/** The only right of an access token of the OIDC provider (decisions-oidc.md, 11). */
const USERINFO: ReadonlySet<Capability> = new Set<Capability>(["read", "update"]);

function userinfoPath({ provider }: AccessGrant): string {
  return `identity/oidc/provider/${provider}/userinfo`;
}

/** The rule that applies to a path below a namespace. Whoever wrote a policy may know the path by the words of a vocabulary. */
function ruleIn(
  { state, caller }: Met,
  book: RuleBook,
  below: string,
  path: string,
  listing: boolean,
): Rule | undefined {
  const full = below + path;
  const words = wordsOf(state)?.secrets;
  if (words !== undefined && book.callsOtherwise(path, words.pathWords)) {
    const spoken = renamedPath(words, { world: state, at: caller }, path, "own");
    if (spoken !== path) return book.ruleOnEither(full, below + spoken, listing);
  }
  return book.ruleOn(full, listing);
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
function addedByEntity(reading: Met, token: Pick<Token, "entityId" | "namespace">): Policies["elsewhere"] {
  const known = entityOf(reading, token);
  if (known === undefined) return undefined;
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

/** The rules of policies as they count for a token: templates are filled in by its entity. */
export function ruleBookFor(
  reading: Met,
  token: Token,
  { namespace, policies }: NonNullable<Policies["elsewhere"]>,
): RuleBook {
  const book = ruleBookOf(reading, namespace, policies);
  const known = book.isTemplated ? entityOf(reading, token) : undefined;
  if (known === undefined) return book;
  return book.filledFor(known.identity, known.id, (path) => filledPath(path, known, namespace));
}

/** The entity of a token, as the cluster knows it that lets the token in. */
export function entityOf(reading: Met, token: Pick<Token, "entityId" | "namespace">): KnownEntity | undefined {
  if (token.entityId === "") return undefined;
  const known = entityIn(reading.state, { cluster: homeOf(reading), ...namespaceOf(token) }, token.entityId);
  return known === "deleted" ? undefined : known;
}

function ruleBookOf(reading: Met, namespace: NamespacePath | undefined, names: readonly string[]): RuleBook {
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
