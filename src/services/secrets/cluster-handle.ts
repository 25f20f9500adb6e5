import { optionsAt } from "../../kernel/arguments.ts";
import type { Via } from "../../kernel/commit.ts";
import { asHandle } from "../../kernel/handle.ts";
import type { Host } from "../../kernel/host.ts";
import { isAddress } from "../../languages/cidr.ts";
import { shown } from "../../languages/shown.ts";
import { renamedIdentifier } from "../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import { objectAt, storedAt, storesOf } from "../../surroundings/stores/state.ts";
import { neutralSnapshotUrl } from "../../surroundings/stores/words.ts";
import { tokenAt } from "../kit/arguments.ts";
import { controlsOver } from "../kit/control.ts";
import { type SecretsClient, secretsClient } from "./client.ts";
import { nodeUrl, refuseNoNode } from "./cluster/nodes.ts";
import type { secretsControls } from "./control.ts";
import type {
  CreateEntityOptions,
  CreateGroupOptions,
  CreateTokenOptions,
  PodEnvironmentOptions,
} from "./control-options.ts";
import type { SecretsCaller } from "./declare.ts";
import { type ClusterName, type NamespacePath, withoutOuterSlashes } from "./place.ts";
import { secretsForms } from "./responses.ts";
import { clusterOf, type SecretsWorld } from "./world.ts";

/**
 * A cluster of the secrets service, for test authors: what its HTTP endpoints cannot do, and the typed door.
 *
 * Calls that need its storage throw a Rejection `sealed` while it is sealed, and `cluster_stopped` while it is stopped.
 *
 * A handle stands for its name: one of a parent, a fork or a view means the cluster of that name wherever it is given.
 */
export interface ClusterHandle {
  readonly name: string;
  /** Where the cluster answers, without `/v1`. */
  readonly url: string;
  /** The address at which other clusters reach it. */
  readonly clusterAddress: string;
  /** The root token that the cluster was born with, also when it no longer works. */
  readonly rootToken: string;
  /** The key shares, in base64: any `keyThreshold` of them unseal the cluster over HTTP. */
  readonly keyShares: readonly string[];
  /**
   * Where a node answers for itself: with one node where the cluster does.
   *
   * @throws TypeError for a number that no node has
   * @example
   * cluster.nodeUrl(1); // "https://secrets-main-1.test"
   */
  nodeUrl(node: number): string;

  /**
   * Creates a token without a parent.
   *
   * TTLs are texts with units. Defaults: `ttl` 768 h (none for policy `root`), `renewable` true, `orphan` true, `type`
   * `"service"`, `numUses` 0 for as many as one likes. `entityId` is any text: two tokens of one entity are one borrower.
   *
   * @throws TypeError for a wrong option; Rejection `token_exists`, `namespace_not_found`
   * @example
   * const { token } = cluster.createToken({ policies: ["lender"], ttl: "1h", entityId: "ann" });
   */
  createToken(options: CreateTokenOptions): { readonly token: string; readonly accessor: string };

  /**
   * Writes an access policy, from block syntax or JSON.
   *
   * @throws TypeError with line and column when the document does not parse; Rejection `namespace_not_found`
   * @example
   * cluster.writePolicy("lender", 'path "ldap/library/*" { capabilities = ["create", "read", "update", "list"] }');
   */
  writePolicy(name: string, document: string, options?: { readonly namespace?: string }): void;

  /**
   * Creates a namespace below an existing one; one that is there keeps its id.
   *
   * @throws TypeError for a path that is none; Rejection `namespace_reserved`, `namespace_conflicts`, `namespace_not_found`,
   * `unsupported_path` without the enterprise licence
   */
  createNamespace(path: string): { readonly id: string; readonly path: string };

  /**
   * Mounts an engine: `kv`, `ldap` or `orchestrator`, which are mounted under these names from the start, `kv-v2`, or a registered
   * secret plugin, which behaves like kv or like the engine whose name it has. A `local` mount is not shared with other clusters;
   * default false.
   *
   * @throws TypeError for a path that is none; Rejection `plugin_not_found`, `mount_path_reserved`, `mount_in_use`,
   * `plugin_checksum_differs`, `namespace_not_found`
   */
  mount(path: string, options: { readonly type: string; readonly local?: boolean; readonly namespace?: string }): void;

  /**
   * Creates an entity: who is behind the tokens that `createToken({ entityId })` makes for it.
   *
   * Its policies and those of its groups join those of its tokens at each use. Defaults: a drawn id and name, nothing else.
   *
   * @throws TypeError for a wrong option; Rejection `entity_exists`, `entity_name_taken`, `alias_on_accessor_exists`,
   * `namespace_not_found`
   * @example
   * const { id } = cluster.createEntity({ name: "ann", metadata: { team: "ops" }, policies: ["lender"] });
   * const { token } = cluster.createToken({ policies: [], entityId: id });
   */
  createEntity(options?: CreateEntityOptions): { readonly id: string };

  /**
   * Creates a group of entities and of groups, by default an internal one.
   *
   * @throws TypeError for a wrong option; Rejection `group_exists`, `group_name_taken`, `member_unknown`, `group_cycle`,
   * `external_group_members`, `namespace_not_found`
   * @example
   * cluster.createGroup({ name: "ops", memberEntityIds: [ann.id], policies: ["operator"] });
   */
  createGroup(options?: CreateGroupOptions): { readonly id: string };

  /** Seals the cluster: it answers 503, and nothing fires until it is unsealed. One that is sealed stays so. */
  seal(): void;
  /** Unseals it without shares. What has become due meanwhile happens now, in order. */
  unseal(): void;
  /**
   * Moves the active role to a node, at once.
   *
   * @throws TypeError for what is no number of a node; Rejection `node_unknown`
   */
  setActiveNode(node: number): void;

  /**
   * Says what lies in the cluster's plugin directory: the SHA-256 sum of the file that a command names, or `undefined` for no file.
   * From the first call on nothing is there that was not said; before, every command exists, with the sum it was registered with.
   *
   * @throws TypeError for a command that names no file of the directory, and for a sum that is not hexadecimal
   * @example
   * cluster.setPlugin("my-plugin", "31c0...");
   */
  setPlugin(command: string, sha256: string | undefined): void;
  /**
   * Puts the storage that a snapshot holds in the place of the cluster's: all that is replicated or local, tokens and leases among it.
   * What is overdue by now happens right after; snapshot configurations start anew. Only the simulated services go back: what lies
   * in a directory stays as it is.
   *
   * @param url as `sim.stores.list` shows it: of a cloud store, or of the cluster's own
   * @throws TypeError for what is no text; Rejection `snapshot_not_found`
   * @example
   * cluster.restoreSnapshot("file:///backups/secrets-snapshot-1767225600000000000.snap");
   */
  restoreSnapshot(url: string): void;
  /**
   * Says where clients outside reach the cluster, as a real one is configured: OIDC issuers that nobody set begin with it. Without a URL
   * it is where the cluster answers in the simulator, as at the start. `listen(sim, { advertise: true })` says it by itself.
   *
   * @throws TypeError for what is no URL
   * @example
   * cluster.advertise(server.urls.secrets["main"]);
   */
  advertise(url?: string): void;
  /**
   * Sets what the cluster finds where it runs: the variables and the files of a pod of the orchestrator. What is not given is not
   * there; nothing is at the start.
   *
   * @param environment `host` and `port`: the variables; `caFile` and `tokenFile`: what stands in the files
   * @throws TypeError for a wrong option
   * @example
   * east.setPodEnvironment({ host: "10.0.0.1", port: "443", tokenFile: jwt });
   */
  setPodEnvironment(environment: PodEnvironmentOptions): void;

  /**
   * The typed door for whoever sends this token. Without a token it is a caller without one.
   *
   * @param options `namespace`: default the root one; `address`: where the caller is, default `"127.0.0.1"`
   * @throws TypeError for what is no namespace or no address
   *
   * @example
   * cluster.as(token).library.status({ set_name: "ops" });
   */
  as(token?: string, options?: { readonly namespace?: string; readonly address?: string }): SecretsClient;
}

/** Makes the handle of a cluster; `via` is the door whose calls it makes. */
export function clusterHandle(host: Host<SecretsWorld>, name: ClusterName, via: Via): ClusterHandle {
  const control = controlsOver<typeof secretsControls>(host, via, { cluster: name }, secretsForms);
  const isStored = (url: string): boolean => {
    const place = objectAt(url, name);
    return place !== undefined && storedAt(storesOf(host.state), place) !== undefined;
  };
  const storedUrl = (url: string): string =>
    typeof url === "string" ? neutralSnapshotUrl(wordsOf(host.state)?.secrets, url, isStored) : url;
  const handle = Object.freeze({
    name,
    get url() {
      return clusterOf(host.state, name).ignored.url;
    },
    get clusterAddress() {
      return clusterOf(host.state, name).ignored.clusterAddress;
    },
    get rootToken() {
      return clusterOf(host.state, name).ignored.rootToken;
    },
    get keyShares() {
      return clusterOf(host.state, name).ignored.seal.shares;
    },
    nodeUrl: (node) => {
      const { ignored } = clusterOf(host.state, name);
      refuseNoNode("nodeUrl", ignored, name, node);
      return nodeUrl(ignored, node);
    },
    seal: () => control("control.seal", {}),
    unseal: () => control("control.unseal", {}),
    advertise: (url) => control("control.advertise", url === undefined ? {} : { url }),
    setPodEnvironment: (environment) => control("control.setPodEnvironment", environment),
    setActiveNode: (node) => control("control.setActiveNode", { node }),
    createToken: (options) => control("control.createToken", options),
    writePolicy: (policy, document, options = {}) =>
      control("control.writePolicy", { name: policy, document, ...optionsAt("writePolicy", options, ["namespace"]) }),
    createNamespace: (path) => control("control.createNamespace", { path }),
    mount: (path, options) =>
      control("control.mount", { path, ...optionsAt("mount", options, ["type", "local", "namespace"]) }),
    setPlugin: (command, sha256) => control("control.setPlugin", { command, sha256 }),
    restoreSnapshot: (url) => control("control.restoreSnapshot", { url: storedUrl(url) }),
    createEntity: (options = {}) => control("control.createEntity", options),
    createGroup: (options = {}) => control("control.createGroup", options),
    as: (token, options = {}) =>
      secretsClient({
        host,
        caller: callerOf(name, neutralToken(host, token), optionsAt("as", options, ["namespace", "address"])),
      }),
  } satisfies ClusterHandle);
  return asHandle(handle, { cluster: name });
}

/** How many requests to a cluster fail, and with what status. */
export interface FailClusterRequestsOptions {
  readonly service: ClusterHandle;
  readonly count: number;
  /** 400 to 599; default 500. */
  readonly status?: number;
}

/** A token as the state has it: one that came over the wire may be in the words of a vocabulary. */
function neutralToken(host: Host<SecretsWorld>, token: string | undefined): string | undefined {
  const words = wordsOf(host.state)?.secrets;
  return words === undefined || typeof token !== "string" ? token : renamedIdentifier(words, token, "neutral");
}

function callerOf(
  cluster: ClusterName,
  token: string | undefined,
  { namespace, address }: { readonly namespace?: string; readonly address?: string },
): SecretsCaller {
  tokenAt(token);
  if (namespace !== undefined && typeof namespace !== "string") {
    throw new TypeError(`as: namespace is ${shown(namespace)}, and has to be a path`);
  }
  if (address !== undefined && !isAddress(address)) {
    throw new TypeError(`as: address is ${shown(address)}, and has to be one such as "10.0.0.1"`);
  }
  const path = withoutOuterSlashes(namespace ?? "");
  return Object.freeze({
    cluster,
    ...(path === "" || path === "root" ? {} : { namespace: `${path}/` as NamespacePath }),
    ...(token === undefined ? {} : { token }),
    ...(address === undefined ? {} : { address }),
  });
}
