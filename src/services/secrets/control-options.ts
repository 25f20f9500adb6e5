import * as v from "valibot";
import { optionsSchema, textsByName } from "../../kernel/arguments.ts";
import { parseContractDuration } from "../../languages/duration.ts";
import { SYSTEM_NAME } from "./declare.ts";
import { NEW_ENTITY, NEW_GROUP } from "./identity/control.ts";
import { MOUNT_PATH } from "./mounts/names.ts";
import { type MountPath, type NamespacePath, withoutOuterSlashes } from "./place.ts";
import { fileOf } from "./plugins/register.ts";

// What control calls of this service take, as control-surface.md has it, and what a wrong argument is told.

/** A TTL of a control call: text with units only, because the contract's fields count seconds and calls milliseconds. */
const ttl = v.pipe(
  v.custom<string>(
    (value) => typeof value === "string" && !/^[+-]?\d*$/.test(value) && parseContractDuration(value).ok,
    'a TTL is a text with units ("90s", "1h30m", "30d"); a bare number could be seconds or milliseconds',
  ),
  v.transform((value) => {
    const duration = parseContractDuration(value);
    return duration.ok ? duration.ms / 1000 : 0;
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

export const newToken = v.pipe(
  optionsSchema({
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
    meta: v.optional(textsByName),
    id: v.optional(v.pipe(v.string("id is a text"), v.nonEmpty("id is not empty"))),
    type: v.optional(v.picklist(["service", "batch"], 'type is "service" or "batch"')),
  }),
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

export const newPolicy = v.strictObject({
  name: v.pipe(
    v.string("a policy's name is a text"),
    v.regex(SYSTEM_NAME, "a policy's name starts and ends with a letter, a digit or _"),
  ),
  document: v.string("a policy's document is a text"),
  namespace: v.optional(namespacePath),
});

export const newMount = optionsSchema({
  path: mountPath,
  type: v.pipe(v.string("type is a text"), v.nonEmpty("type names an engine")),
  local: v.optional(v.boolean("local is true or false")),
  namespace: v.optional(namespacePath),
});

export const newNamespace = v.strictObject({ path: namespacePath });

export const pluginFile = v.strictObject({
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
export const snapshotUrl = v.strictObject({ url: v.string("a snapshot's URL is a text, as sim.stores.list gives it") });
export const entity = optionsSchema({ ...NEW_ENTITY, namespace: v.optional(namespacePath) });
export const group = optionsSchema({ ...NEW_GROUP, namespace: v.optional(namespacePath) });

/** The options of `cluster.createEntity`. */
export type CreateEntityOptions = v.InferInput<typeof entity>;
/** The options of `cluster.createGroup`. */
export type CreateGroupOptions = v.InferInput<typeof group>;

export const nothing = v.strictObject({}, "there is no option");

const nodeNumber = v.pipe(
  v.number("a node is a number"),
  v.integer("a node is a whole number"),
  v.minValue(0, "nodes begin at 0"),
);

export const activeNode = v.strictObject({ node: nodeNumber });
/** Below a path as well: one port may serve more than one cluster. */
export const advertised = v.strictObject({
  url: v.optional(
    v.pipe(
      v.string("url is a string"),
      v.check(
        (url) => /^https?:\/\//.test(url) && URL.canParse(url) && !/[?#\s]/.test(url) && new URL(url).username === "",
        "url is http or https with a host, and has no user, query or fragment",
      ),
      v.transform((url) => url.replace(/\/+$/, "")),
    ),
  ),
});

export const podEnvironment = optionsSchema({
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
});

/** The options of `cluster.setPodEnvironment`. */
export type PodEnvironmentOptions = v.InferInput<typeof podEnvironment>;

export const ofNetwork = v.strictObject({ cluster: v.strictObject({ cluster: v.string() }) });
export const nodeOfNetwork = v.strictObject({ ...ofNetwork.entries, node: nodeNumber });
export const pointedAddress = v.strictObject({
  address: v.pipe(v.string("an address is a text"), v.nonEmpty("an address is not empty")),
  cluster: v.strictObject({ cluster: v.string() }),
});
