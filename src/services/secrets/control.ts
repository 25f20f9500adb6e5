import * as v from "valibot";
import { readArgument } from "../../kernel/arguments.ts";
import { setOwn } from "../../kernel/plain.ts";
import { parseContractDuration } from "../../languages/duration.ts";
import { LanguageError } from "../../languages/language-error.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import { sealCluster, setActiveNode, startCluster, stopCluster, unsealCluster } from "./cluster/decide.ts";
import { addCluster } from "./clusters/add.ts";
import { SYSTEM_NAME } from "./declare.ts";
import { NEW_ENTITY, NEW_GROUP, newEntity, newGroup } from "./identity/control.ts";
import { mountEngine } from "./mounts/decide.ts";
import { MOUNT_PATH } from "./mounts/names.ts";
import { DEFAULT_SETTINGS } from "./mounts/state.ts";
import { createNamespace } from "./namespaces/decide.ts";
import {
  type ClusterName,
  type MountPath,
  type NamespacePath,
  type NamespacePlace,
  withoutOuterSlashes,
} from "./place.ts";
import { fileOf } from "./plugins/register.ts";
import { readPolicy } from "./policies/operations.ts";
import type { AclPolicy } from "./policies/state.ts";
import type { SecretsRecorder } from "./recorder.ts";
import { refuse } from "./rejections.ts";
import { clusterAtAddress } from "./replication/addresses.ts";
import { corruptStorage } from "./replication/merkle/corrupt.ts";
import { isDrSecondary, isPerformanceSecondary, reachedPrimary } from "./replication/roles.ts";
import { restoreSnapshot } from "./snapshots/restore.ts";
import { clusterOf, namespaceAt } from "./state.ts";
import { createToken } from "./tokens/create.ts";

// What test authors need and the HTTP endpoints cannot do (control-surface.md, "Secrets service").

/** A TTL of a control call: text with units only, because the contract's fields count seconds and calls milliseconds. */
const ttl = v.pipe(
  v.custom<string>(
    (value) => typeof value === "string" && !/^[+-]?\d*$/.test(value) && parseContractDuration(value).ok,
    'a TTL is a text with units ("90s", "1h30m", "30d"); a bare number could be seconds or milliseconds',
  ),
  v.transform((value) => {
    const duration = parseContractDuration(value);
    return duration.ok ? duration.seconds : 0;
  }),
);

const namespacePath = v.pipe(
  v.string("a namespace is a path such as team or team/dev"),
  v.transform(withoutOuterSlashes),
  v.check(
    (path) => path === "" || path === "root" || path.split("/").every((segment) => SYSTEM_NAME.test(segment)),
    "each segment of a namespace starts and ends with a letter, a digit or _",
  ),
  v.transform((path) => (path === "" || path === "root" ? undefined : (`${path}/` as NamespacePath))),
);

const mountPath = v.pipe(
  v.string("a mount is a path such as ldap or teams/ldap"),
  v.transform(withoutOuterSlashes),
  v.check(
    (path) => MOUNT_PATH.test(path),
    "each segment of a mount's path starts and ends with a letter, a digit or _",
  ),
  v.transform((path) => `${path}/` as MountPath),
);

/** By way of a map, because texts may be named like members that every object has. */
const meta = v.pipe(
  v.custom<Readonly<Record<string, string>>>(
    (given) => typeof given === "object" && given !== null && !Array.isArray(given),
    "meta is an object of texts",
  ),
  v.transform((given) => new Map(Object.entries(given))),
  v.map(v.string(), v.string("meta holds texts")),
  v.transform((texts) => {
    const members: Record<string, string> = {};
    for (const [name, text] of texts) setOwn(members, name, text);
    return members;
  }),
);

const newToken = v.pipe(
  v.strictObject(
    {
      policies: v.array(v.string("a policy is a name"), "policies are an array of names"),
      ttl: v.optional(ttl),
      period: v.optional(ttl),
      explicitMaxTtl: v.optional(ttl),
      numUses: v.optional(
        v.pipe(v.number("numUses is a number"), v.integer("numUses is whole"), v.minValue(0, "numUses is 0 or more")),
      ),
      renewable: v.optional(v.boolean("renewable is true or false")),
      orphan: v.optional(v.boolean("orphan is true or false")),
      noDefaultPolicy: v.optional(v.boolean("noDefaultPolicy is true or false")),
      entityId: v.optional(v.string("entityId is a text")),
      namespace: v.optional(namespacePath),
      displayName: v.optional(v.string("displayName is a text")),
      meta: v.optional(meta),
      id: v.optional(v.pipe(v.string("id is a text"), v.nonEmpty("id is not empty"))),
      type: v.optional(v.picklist(["service", "batch"], 'type is "service" or "batch"')),
    },
    "no such option",
  ),
  v.check(
    (wanted) =>
      wanted.type !== "batch" ||
      (wanted.period === undefined &&
        wanted.explicitMaxTtl === undefined &&
        wanted.numUses === undefined &&
        wanted.id === undefined &&
        !wanted.policies.some((name) => name.toLowerCase() === "root")),
    "a batch token has no period, explicitMaxTtl, numUses or id, and not the policy root",
  ),
  v.check(
    ({ policies }) => !policies.some((name) => name.toLowerCase() === "response-wrapping"),
    "policies name response-wrapping, which is that of wrapping tokens",
  ),
);

/** The options of `cluster.createToken`. */
export type CreateTokenOptions = v.InferInput<typeof newToken>;

const newPolicy = v.strictObject({
  name: v.pipe(
    v.string("a policy's name is a text"),
    v.regex(SYSTEM_NAME, "a policy's name starts and ends with a letter, a digit or _"),
  ),
  document: v.string("a policy's document is a text"),
  namespace: v.optional(namespacePath),
});

const newMount = v.strictObject(
  {
    path: mountPath,
    type: v.pipe(v.string("type is a text"), v.nonEmpty("type names an engine")),
    local: v.optional(v.boolean("local is true or false")),
    namespace: v.optional(namespacePath),
  },
  "no such option",
);

const newNamespace = v.strictObject({ path: namespacePath });

const pluginFile = v.strictObject({
  command: v.pipe(
    v.string("a command is a text"),
    v.check(
      (command) => !command.includes("..") && fileOf(command) !== undefined,
      "a command names a file in the plugin directory",
    ),
    v.transform((command) => fileOf(command) ?? ""),
  ),
  sha256: v.optional(
    v.pipe(
      v.string("a sum is a text, or undefined where there is no file"),
      v.regex(/^[0-9a-f]+$/i, "a sum is hexadecimal"),
      v.transform((sum) => sum.toLowerCase()),
    ),
  ),
});
const snapshotUrl = v.strictObject({ url: v.string("a snapshot's URL is a text, as sim.stores.list gives it") });
const entity = v.strictObject({ ...NEW_ENTITY, namespace: v.optional(namespacePath) }, "no such option");
const group = v.strictObject({ ...NEW_GROUP, namespace: v.optional(namespacePath) }, "no such option");

/** The options of `cluster.createEntity`. */
export type CreateEntityOptions = v.InferInput<typeof entity>;
/** The options of `cluster.createGroup`. */
export type CreateGroupOptions = v.InferInput<typeof group>;

const nothing = v.strictObject({}, "there is no option");
const activeNode = v.strictObject({
  node: v.pipe(
    v.number("a node is a number"),
    v.integer("a node is a whole number"),
    v.minValue(0, "nodes begin at 0"),
  ),
});
const podEnvironment = v.strictObject(
  {
    host: v.optional(v.pipe(v.string("host is a text"), v.nonEmpty("host is not empty"))),
    port: v.optional(
      v.pipe(
        v.union([v.string(), v.number()], "port is a number or its digits"),
        v.transform(String),
        v.regex(/^\d{1,5}$/, "port is a number of at most five digits"),
      ),
    ),
    caFile: v.optional(v.string("caFile is the text of the file")),
    tokenFile: v.optional(v.string("tokenFile is the text of the file")),
  },
  "no such option",
);

/** The options of `cluster.setPodEnvironment`. */
export type PodEnvironmentOptions = v.InferInput<typeof podEnvironment>;

const ofNetwork = v.strictObject({ cluster: v.strictObject({ cluster: v.string() }) });
const pointedAddress = v.strictObject({
  address: v.pipe(v.string("an address is a text"), v.nonEmpty("an address is not empty")),
  cluster: v.strictObject({ cluster: v.string() }),
});

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
      displayName: wanted.displayName ?? "",
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
    const at = existing(decision, homeOfShared(decision, cluster, `sys/policies/acl/${lower}`), namespace);
    decision.record({ type: "PolicyWritten", data: { at, name: lower, policy } });
  },
  "control.createNamespace": (decision, input, cluster): { readonly id: string; readonly path: string } => {
    const { path } = readArgument(newNamespace, "createNamespace", input);
    if (path === undefined) throw new TypeError("createNamespace: path is empty: the root namespace is always there");
    const home = homeOfShared(decision, cluster, `sys/namespaces/${path}`);
    if (clusterOf(decision.state, home).ignored.license !== "enterprise") {
      refuse("unsupported_path", { path: `sys/namespaces/${path}` });
    }
    return { id: createNamespace(decision, home, path), path };
  },
  "control.mount": (decision, input, cluster): void => {
    const { path, type, local = false, namespace } = readArgument(newMount, "mount", input);
    const home = local ? cluster : homeOfShared(decision, cluster, `sys/mounts/${path}`);
    mountEngine(decision, existing(decision, home, namespace), path, { type, local, settings: DEFAULT_SETTINGS });
  },
  "control.createEntity": (decision, input, cluster): { readonly id: string } => {
    const { namespace, ...wanted } = readArgument(entity, "createEntity", input);
    const home = homeOfShared(decision, cluster, "identity/entity");
    return newEntity(decision, existing(decision, home, namespace), wanted);
  },
  "control.createGroup": (decision, input, cluster): { readonly id: string } => {
    const { namespace, ...wanted } = readArgument(group, "createGroup", input);
    const home = homeOfShared(decision, cluster, "identity/group");
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
  "control.secrets.addCluster": (decision, input): void => addCluster(decision, input),
  "control.network.pointAddress": (decision, input, cluster): void => {
    const { address } = readArgument(pointedAddress, "network.pointAddress", input);
    if (clusterAtAddress(decision.state, address) === cluster) return;
    decision.record({ type: "AddressPointed", data: { address, cluster } });
  },
} satisfies Readonly<Record<string, ControlDecider>>;

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
  if (!clusterOf(decision.state, cluster).ignored.running) refuse("cluster_stopped", { cluster });
}

/** What lies in storage is out of reach while a cluster is stopped or sealed, and a disaster-recovery secondary's is its primary's. */
function refuseAsleep(decision: SecretsRecorder, cluster: ClusterName): void {
  refuseStopped(decision, cluster);
  if (clusterOf(decision.state, cluster).ignored.seal.status === "sealed") refuse("sealed", {});
  if (isDrSecondary(clusterOf(decision.state, cluster))) refuse("dr_secondary", {});
}

/** The cluster on which something shared is made: a performance secondary has it made by its primary. */
function homeOfShared(decision: SecretsRecorder, cluster: ClusterName, path: string): ClusterName {
  refuseAsleep(decision, cluster);
  if (!isPerformanceSecondary(clusterOf(decision.state, cluster))) return cluster;
  return reachedPrimary(decision.state, cluster) ?? refuse("forwarding_failed", { path });
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
