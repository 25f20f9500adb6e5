import { free, identifier, keyed, sorted, type Turn, value } from "../../../languages/vocabulary/shape.ts";
import { secretsRegistry } from "../registry.ts";
import { byMount, byName, byPath, displayName, lease, mountPath, path, recordWith, shownRecord } from "./members.ts";
import { padded } from "./padded.ts";
import type { PathContext } from "./path.ts";

type PathTurn = Turn<PathContext>;

/** What stands in the fields of an operation's request and in the data of its answer. */
export interface Shape {
  readonly fields: PathTurn;
  readonly data: PathTurn;
}

const USUAL: Shape = { fields: shownRecord, data: shownRecord };
/** The caller's own, whatever the names in it. */
const FREE: Shape = { fields: free, data: free };
const NAMES: Shape = {
  ...USUAL,
  data: recordWith({
    keys: sorted(value),
    auth: sorted(value),
    database: sorted(value),
    secret: sorted(value),
    name: value,
  }),
};
/** Values are the caller's own, and what is told of them is not. */
const VERSIONED: Shape = {
  fields: recordWith({ data: free }),
  data: recordWith({ data: free, subkeys: free, metadata: shownRecord }),
};
/** What a client gives along to be given back is its own. */
const LOGIN: Shape = { fields: recordWith({ state: free }), data: recordWith({ state: free }) };
const TOKEN: Shape = {
  fields: recordWith({ id: identifier, policies: free }),
  data: recordWith({ id: identifier, display_name: displayName }),
};

const CAPABILITIES: Shape = { fields: recordWith({ paths: path }), data: byPath };

/** Leases by what their paths begin with: at the top that is a mount. */
const topOfLeases: PathTurn = (content, speech, field) =>
  speech.context.asked === "sys/leases/lookup" ? sorted(mountPath)(content, speech, field) : content;

/** Where words stand elsewhere than in most operations; by name, or by the resource of it. */
const SHAPES: ReadonlyMap<string, Shape> = new Map(
  Object.entries({
    "secrets.kv": FREE,
    "secrets.cubbyhole": FREE,
    "secrets.kv2": VERSIONED,
    "secrets.kv2.metadata.read": { ...USUAL, data: recordWith({ versions: keyed(free, shownRecord) }) },
    "secrets.wrapping.wrap": FREE,
    "secrets.policies.capabilitiesSelf": CAPABILITIES,
    "secrets.policies.capabilities": CAPABILITIES,
    "secrets.policies.capabilitiesAccessor": CAPABILITIES,
    // Their paths are names of callers.
    "secrets.namespaces": {
      ...USUAL,
      data: recordWith({ path: free, key_info: keyed(free, recordWith({ path: free })) }),
    },
    "secrets.mounts.list": { ...USUAL, data: byMount },
    "secrets.auth.list": { ...USUAL, data: byMount },
    "secrets.mounts.ui.list": { ...USUAL, data: recordWith({ secret: byMount, auth: byMount }) },
    "secrets.mounts.ui.read": { ...USUAL, data: recordWith({ path: mountPath }) },
    "secrets.mounts.remount": { ...USUAL, fields: recordWith({ from: mountPath, to: mountPath }) },
    "secrets.mounts.migration": { ...USUAL, data: recordWith({ source_mount: mountPath, target_mount: mountPath }) },
    "secrets.plugins": NAMES,
    "secrets.leases.list": { ...USUAL, data: recordWith({ keys: topOfLeases }) },
    "secrets.leases.lookup": { ...USUAL, data: recordWith({ id: lease }) },
    "secrets.tokens": TOKEN,
    "secrets.tokens.accessors": USUAL,
    "secrets.library.status": { ...USUAL, data: byName },
    "secrets.replication.dr.operationToken.update": { ...USUAL, data: padded },
    "secrets.rootToken.update": { ...USUAL, data: padded },
    // By the fingerprints of keys.
    "secrets.rekey.backup": { ...USUAL, data: recordWith({ keys: free, keys_base64: free }) },
    "secrets.oidc.authorize": LOGIN,
    "secrets.oidc.userinfo": FREE,
    "secrets.oidc.publicKeys": FREE,
    "secrets.oidc.identityTokens.publicKeys": FREE,
  } satisfies Record<string, Shape>),
);

/** The shape of an operation, by its full name. */
export function shapeOf(operation: string | undefined): Shape {
  return OF_OPERATIONS.get(operation ?? "") ?? USUAL;
}

const OF_OPERATIONS: ReadonlyMap<string, Shape> = new Map(
  [...secretsRegistry.byName.keys()].map((name) => [name, shapeNamed(name)]),
);

/** That of the operation, of the call that it is another route of, or of its resource. */
function shapeNamed(operation: string): Shape {
  const call = operation.replace(/(?<!\.)(ByName|ById|Posted|Read)$/, "");
  const resource = operation.slice(0, operation.lastIndexOf("."));
  return SHAPES.get(operation) ?? SHAPES.get(call) ?? SHAPES.get(resource) ?? USUAL;
}
