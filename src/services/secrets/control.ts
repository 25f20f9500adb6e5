import { readArgument } from "../../kernel/arguments.ts";
import { LanguageError } from "../../languages/language-error.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import {
  sealCluster,
  setActiveNode,
  startCluster,
  startNode,
  stopCluster,
  stopNode,
  unsealCluster,
} from "./cluster/decide.ts";
import { refuseNoNode } from "./cluster/nodes.ts";
import { stoppedAt } from "./cluster/state.ts";
import { addCluster } from "./clusters/add.ts";
import {
  activeNode,
  advertised,
  entity,
  group,
  newMount,
  newNamespace,
  newPolicy,
  newToken,
  nodeOfNetwork,
  nothing,
  ofNetwork,
  pluginFile,
  podEnvironment,
  pointedAddress,
  snapshotUrl,
} from "./control-options.ts";
import type { SecretsRecorder } from "./declare.ts";
import { newEntity, newGroup } from "./identity/control.ts";
import { mountEngine } from "./mounts/decide.ts";
import { DEFAULT_SETTINGS } from "./mounts/state.ts";
import { createNamespace } from "./namespaces/decide.ts";
import type { ClusterName, NamespacePath, NamespacePlace } from "./place.ts";
import { readPolicy } from "./policies/operations.ts";
import type { AclPolicy } from "./policies/state.ts";
import { refuse } from "./rejections.ts";
import { clusterAtAddress } from "./replication/addresses.ts";
import { homeOfShared } from "./replication/forwarding/home.ts";
import { corruptStorage } from "./replication/merkle/corrupt.ts";
import { isDrSecondary } from "./replication/roles.ts";
import { restoreSnapshot } from "./snapshots/restore.ts";
import { createToken, shownName } from "./tokens/create.ts";
import { clusterOf, namespaceAt } from "./world.ts";

// What test authors need and the HTTP endpoints cannot do (control-surface.md, "Secrets service").

/** Decides a control call of a cluster. */
type ControlDecider = (decision: SecretsRecorder, input: unknown, cluster: ClusterName) => unknown;

/** The control calls of this service, by the names of their commands. */
export const secretsControls = {
  "control.createToken": (decision, input, cluster): { readonly token: string; readonly accessor: string } => {
    const wanted = readArgument(newToken, "createToken", input);
    const { token, record } = createToken(decision, existing(decision, cluster, wanted.namespace), {
      policies: wanted.policies,
      ttlSeconds: wanted.ttl ?? 0,
      periodSeconds: wanted.period ?? 0,
      explicitMaxTtlSeconds: wanted.explicitMaxTtl ?? 0,
      uses: wanted.numUses ?? 0,
      renewable: wanted.renewable ?? true,
      orphan: wanted.orphan ?? true,
      noDefaultPolicy: wanted.noDefaultPolicy ?? false,
      entityId: wanted.entityId ?? "",
      displayName: shownName(wanted.displayName ?? ""),
      meta: wanted.meta ?? null,
      id: wanted.id,
      type: wanted.type ?? "service",
    });
    return { token, accessor: record.accessor };
  },
  "control.writePolicy": (decision, input, cluster): void => {
    const { name, document, namespace } = readArgument(newPolicy, "writePolicy", input);
    const lower = name.toLowerCase();
    if (lower === "root" || lower === "response-wrapping") {
      throw new TypeError(`writePolicy: name is "${name}": the service's own policy cannot be written`);
    }
    const policy = writtenPolicy(decision, document);
    const at = existing(decision, awakeHome(decision, cluster, `sys/policies/acl/${lower}`), namespace);
    decision.record({ type: "PolicyWritten", data: { at, name: lower, policy } });
  },
  "control.createNamespace": (decision, input, cluster): { readonly id: string; readonly path: string } => {
    const { path } = readArgument(newNamespace, "createNamespace", input);
    if (path === undefined) throw new TypeError("createNamespace: path is empty: the root namespace is always there");
    const home = awakeHome(decision, cluster, `sys/namespaces/${path}`);
    if (clusterOf(decision.state, home).ignored.license !== "enterprise") {
      refuse("unsupported_path", { path: `sys/namespaces/${path}` });
    }
    return { id: createNamespace(decision, home, path), path };
  },
  "control.mount": (decision, input, cluster): void => {
    const { path, type, local = false, namespace } = readArgument(newMount, "mount", input);
    const home = local ? cluster : awakeHome(decision, cluster, `sys/mounts/${path}`);
    mountEngine(decision, existing(decision, home, namespace), path, { type, local, settings: DEFAULT_SETTINGS });
  },
  "control.createEntity": (decision, input, cluster): { readonly id: string } => {
    const { namespace, ...wanted } = readArgument(entity, "createEntity", input);
    const home = awakeHome(decision, cluster, "identity/entity");
    return newEntity(decision, existing(decision, home, namespace), wanted);
  },
  "control.createGroup": (decision, input, cluster): { readonly id: string } => {
    const { namespace, ...wanted } = readArgument(group, "createGroup", input);
    const home = awakeHome(decision, cluster, "identity/group");
    return newGroup(decision, existing(decision, home, namespace), wanted);
  },
  "control.seal": (decision, input, cluster): void => {
    readArgument(nothing, "seal", input);
    refuseStopped(decision, cluster);
    sealCluster(decision, cluster);
  },
  "control.unseal": (decision, input, cluster): void => {
    readArgument(nothing, "unseal", input);
    refuseStopped(decision, cluster);
    unsealCluster(decision, cluster);
  },
  "control.setActiveNode": (decision, input, cluster): void => {
    const { node } = readArgument(activeNode, "setActiveNode", input);
    setActiveNode(decision, cluster, node);
  },
  "control.setPlugin": (decision, input, cluster): void => {
    const { command, sha256 } = readArgument(pluginFile, "setPlugin", input);
    const { pluginFiles, pluginFilesKnown } = clusterOf(decision.state, cluster).ignored;
    if (pluginFilesKnown && pluginFiles.get(command) === sha256) return;
    const data = { cluster, command, ...(sha256 === undefined ? {} : { sha256 }) };
    decision.record({ type: "PluginFileChanged", data });
  },
  "control.restoreSnapshot": (decision, input, cluster): void => {
    const { url } = readArgument(snapshotUrl, "restoreSnapshot", input);
    refuseAsleep(decision, cluster);
    restoreSnapshot(decision, cluster, url);
  },
  "control.advertise": (decision, input, cluster): void => {
    const { url } = readArgument(advertised, "advertise", input);
    if (clusterOf(decision.state, cluster).ignored.advertisedUrl === url) return;
    decision.record({ type: "ClusterAdvertised", data: url === undefined ? { cluster } : { cluster, url } });
  },
  "control.setPodEnvironment": (decision, input, cluster): void => {
    const { host, port, caFile, tokenFile } = readArgument(podEnvironment, "setPodEnvironment", input);
    const environment = {
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
      ...(caFile === undefined ? {} : { caFile }),
      ...(tokenFile === undefined ? {} : { tokenFile }),
    };
    decision.record({ type: "PodEnvironmentSet", data: { cluster, environment } });
  },
  "control.faults.corruptStorage": corruptStorage,
  "control.network.stop": (decision, input, cluster): void => {
    readArgument(ofNetwork, "network.stop", input);
    stopCluster(decision, cluster);
  },
  "control.network.start": (decision, input, cluster): void => {
    readArgument(ofNetwork, "network.start", input);
    startCluster(decision, cluster);
  },
  "control.network.stopNode": (decision, input, cluster): void => {
    stopNode(decision, cluster, nodeOf(decision, "network.stopNode", input, cluster));
  },
  "control.network.startNode": (decision, input, cluster): void => {
    startNode(decision, cluster, nodeOf(decision, "network.startNode", input, cluster));
  },
  "control.secrets.addCluster": (decision, input): void => addCluster(decision, input),
  "control.network.pointAddress": (decision, input, cluster): void => {
    const { address } = readArgument(pointedAddress, "network.pointAddress", input);
    if (clusterAtAddress(decision.state, address) === cluster) return;
    decision.record({ type: "AddressPointed", data: { address, cluster } });
  },
} satisfies Readonly<Record<string, ControlDecider>>;

function nodeOf({ state }: SecretsRecorder, call: string, input: unknown, cluster: ClusterName): number {
  const { node } = readArgument(nodeOfNetwork, call, input);
  refuseNoNode(call, clusterOf(state, cluster).ignored, cluster, node);
  return node;
}

function writtenPolicy({ state }: { readonly state: object }, document: string): AclPolicy {
  try {
    return readPolicy(document, wordsOf(state)?.secrets);
  } catch (error) {
    if (error instanceof LanguageError)
      throw new TypeError(`writePolicy: document: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A cluster that does not run answers nobody, and the test author neither. */
function refuseStopped(decision: SecretsRecorder, cluster: ClusterName): void {
  if (stoppedAt(clusterOf(decision.state, cluster).ignored) !== undefined) refuse("cluster_stopped", { cluster });
}

/** What lies in storage is out of reach while a cluster is stopped or sealed or has no active node, and a disaster-recovery secondary's is its primary's. */
function refuseAsleep(decision: SecretsRecorder, cluster: ClusterName): void {
  refuseStopped(decision, cluster);
  const { seal, election } = clusterOf(decision.state, cluster).ignored;
  if (seal.status === "sealed") refuse("sealed", {});
  if (election !== undefined) refuse("no_active_node", {});
  if (isDrSecondary(clusterOf(decision.state, cluster))) refuse("dr_secondary", {});
}

/** The cluster on which something shared is made, if the one that is asked to can be asked. */
function awakeHome(decision: SecretsRecorder, cluster: ClusterName, path: string): ClusterName {
  refuseAsleep(decision, cluster);
  return homeOfShared(decision, cluster, path);
}

function existing(
  decision: SecretsRecorder,
  cluster: ClusterName,
  namespace: NamespacePath | undefined,
): NamespacePlace {
  refuseAsleep(decision, cluster);
  const place = namespace === undefined ? { cluster } : { cluster, namespace };
  return namespaceAt(decision.state, place) === undefined
    ? refuse("namespace_not_found", { namespace: namespace ?? "" })
    : place;
}
