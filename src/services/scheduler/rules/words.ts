// Source of all words in this file: decisions-scheduler-acl.md, section 8.

/** A namespace's short-hand words and what they grant. `deny` is a capability of its own. */
const NAMESPACE_READ = [
  "list-jobs",
  "parse-job",
  "read-job",
  "csi-list-volume",
  "csi-read-volume",
  "read-job-scaling",
  "list-scaling-policies",
  "read-scaling-policy",
  "host-volume-read",
] as const;

const NAMESPACE_WRITE = [
  ...NAMESPACE_READ,
  "scale-job",
  "submit-job",
  "dispatch-job",
  "read-logs",
  "read-fs",
  "alloc-exec",
  "alloc-lifecycle",
  "csi-mount-volume",
  "csi-write-volume",
  "submit-recommendation",
  "host-volume-create",
] as const;

const NAMESPACE_SCALE = [
  "list-scaling-policies",
  "read-scaling-policy",
  "read-job-scaling",
  "scale-job",
  "read-job",
  "submit-recommendation",
] as const;

const OPERATOR_CAPABILITIES = [
  "snapshot-save",
  "license-read",
  "keyring-rotate",
  "keyring-read",
  "keyring-delete",
] as const;

/** What a kind of block knows: its `policy` words with what they grant, and what may stand in `capabilities`. */
export interface Words {
  readonly policies: ReadonlyMap<string, readonly string[]>;
  /** Without `deny`, which may stand there, too. */
  readonly capabilities: readonly string[];
}

const DENY = ["deny"] as const;

/** Blocks with a label. */
export const LABELLED: ReadonlyMap<string, Words & { readonly label: RegExp }> = new Map([
  [
    "namespace",
    {
      label: /^[a-zA-Z0-9\-*]{1,128}$/,
      policies: new Map<string, readonly string[]>([
        ["read", NAMESPACE_READ],
        ["write", NAMESPACE_WRITE],
        ["scale", NAMESPACE_SCALE],
        ["deny", DENY],
      ]),
      capabilities: [
        ...NAMESPACE_WRITE,
        "alloc-node-exec",
        "csi-register-plugin",
        "kind-a-override",
        "host-volume-register",
        "host-volume-write",
        "host-volume-delete",
      ],
    },
  ],
  [
    "node_pool",
    {
      label: /^[a-zA-Z0-9\-_*]{1,128}$/,
      policies: new Map<string, readonly string[]>([
        ["read", ["read"]],
        ["write", ["read", "write", "delete"]],
        ["scale", []],
        ["deny", DENY],
      ]),
      capabilities: ["read", "write", "delete"],
    },
  ],
  [
    "host_volume",
    {
      label: /^[a-zA-Z0-9\-*]{1,128}$/,
      policies: new Map<string, readonly string[]>([
        ["read", ["mount-readonly"]],
        ["write", ["mount-readonly", "mount-readwrite"]],
        ["scale", []],
        ["deny", DENY],
      ]),
      capabilities: ["mount-readonly", "mount-readwrite"],
    },
  ],
]);

/** The capabilities of the operator block beside its policy. */
export const OPERATOR: Words = {
  policies: new Map<string, readonly string[]>([
    ["read", ["license-read", "keyring-read"]],
    ["write", OPERATOR_CAPABILITIES],
    ["scale", []],
    ["deny", DENY],
  ]),
  capabilities: OPERATOR_CAPABILITIES,
};

/** What may be done with a path of variables. */
export const VARIABLES = ["list", "read", "write", "destroy"] as const;

/** The `policy` of a block without a label. */
export type Level = "read" | "list" | "write" | "deny" | "scale";

/** Blocks without a label, and what their `policy` may be. */
export const SINGLE: ReadonlyMap<string, readonly Level[]> = new Map<string, readonly Level[]>([
  ["agent", ["read", "write", "deny", "scale"]],
  ["node", ["read", "write", "deny", "scale"]],
  ["quota", ["read", "write", "deny", "scale"]],
  ["operator", ["read", "write", "deny", "scale"]],
  ["plugin", ["read", "list", "write", "deny"]],
]);

/** What capabilities of host volumes bring along (amendments.md, N4). */
export const IMPLIED: ReadonlyMap<string, readonly string[]> = new Map([
  ["host-volume-write", ["host-volume-register", "host-volume-create", "host-volume-delete", "host-volume-read"]],
  ["host-volume-register", ["host-volume-create", "host-volume-read"]],
  ["host-volume-create", ["host-volume-read"]],
]);

/** Every word that stands for something in rules. */
export const ALL_WORDS: ReadonlySet<string> = new Set([
  "deny",
  ...[...LABELLED.values(), OPERATOR].flatMap(({ policies, capabilities }) => [...policies.keys(), ...capabilities]),
  ...VARIABLES,
  ...[...SINGLE.values()].flat(),
]);
