import { wordsOf } from "../../../languages/vocabulary/worded.ts";
import { type Reply, type ViewAsked, view } from "../declare.ts";
import { refuse } from "../rejections.ts";
import { type CapabilityKind, capabilitiesOf } from "../rules/resolve.ts";
import { NOTHING } from "../watches.ts";
import { schedulerOf } from "../world.ts";
import { type AgentDocument, agentDocument, type NamespaceDocument, namespaceDocument, serverOf } from "./views.ts";

// Source of all rules in this file: status/README.md.

const watch = () => NOTHING;

/** Who leads, and who is there. */
export const statusOperations = {
  leader: view({
    route: "GET /v1/status/leader",
    evidence: "chosen",
    asks: "region",
    view: (_, asked) => bare(asked.region.leaderLostAtMs === undefined ? serverOf(asked) : ""),
    watch,
  }),
  peers: view({
    route: "GET /v1/status/peers",
    evidence: "chosen",
    asks: "region",
    view: (_, asked) => bare<readonly string[]>([serverOf(asked)]),
    watch,
  }),
} as const;

/** The regions that know of each other. */
export const regionOperations = {
  list: view({
    route: "GET /v1/regions",
    evidence: "observed",
    asks: "server",
    view: (_, { world }) => bare<readonly string[]>(Object.keys(schedulerOf(world).regions).sort()),
    watch,
  }),
} as const;

/** The one server of a region. */
export const agentOperations = {
  self: view({ route: "GET /v1/agent/self", evidence: "chosen", asks: "token", view: readAgent, watch }),
  health: view({
    route: "GET /v1/agent/health",
    evidence: "observed",
    asks: "server",
    view: () => bare({ server: { message: "ok", ok: true } }),
    watch,
  }),
} as const;

/** Namespaces, of which there is the one that is always there. */
export const namespaceOperations = {
  list: view({
    route: "GET /v1/namespaces",
    evidence: "chosen",
    parameters: ["prefix"],
    asks: "token",
    view: listNamespaces,
    watch,
  }),
  read: view({
    route: "GET /v1/namespace/:namespace_name",
    evidence: "chosen",
    asks: "token",
    view: readNamespace,
    watch,
  }),
} as const;

const DEFAULT_NAMESPACE = "default";
/** Nothing ever changes in the table. */
const NAMESPACE_INDEX = 1;

function bare<B>(body: B): Reply<B> {
  return { body, index: 0, bare: true };
}

function readAgent(_: unknown, asked: ViewAsked): Reply<AgentDocument> {
  if (!can(asked, "agent").includes("read")) refuse("permission_denied", {});
  return bare(agentDocument(asked));
}

function listNamespaces(_: unknown, asked: ViewAsked): Reply<readonly NamespaceDocument[]> {
  const isSeen =
    DEFAULT_NAMESPACE.startsWith(asked.query.prefix) && can(asked, "namespace", DEFAULT_NAMESPACE).length > 0;
  return { body: isSeen ? [namespaceDocument(DEFAULT_NAMESPACE, NAMESPACE_INDEX)] : [], index: NAMESPACE_INDEX };
}

function readNamespace(
  { namespace_name: name }: { readonly namespace_name: string },
  asked: ViewAsked,
): Reply<NamespaceDocument> {
  if (can(asked, "namespace", name).length === 0) refuse("permission_denied", {});
  if (name !== DEFAULT_NAMESPACE) return refuse("namespace_not_found", { name, index: NAMESPACE_INDEX });
  return { body: namespaceDocument(name, NAMESPACE_INDEX), index: NAMESPACE_INDEX };
}

/** What whoever asks may do; without the ACL system everything. */
function can({ region, bearer, world }: ViewAsked, kind: CapabilityKind, name?: string): readonly string[] {
  if (!schedulerOf(world).aclEnabled) return ["read"];
  return capabilitiesOf(region, bearer, kind, name, wordsOf(world)?.scheduler);
}
