import type { Table } from "../../kernel/table.ts";
import type { DirectoryMount, Ignored, KvMount, Local, Replicated } from "./state.ts";

/** The names of an object's tables. */
type TablesOf<T> = { [N in keyof T & string]: T[N] extends Table<infer _V> ? N : never }[keyof T & string];

/**
 * The class of every table of a cluster. It follows from the part in which the table lies; it is told here once more, for every
 * table by name, so that a new one that is in the wrong part does not compile.
 */
export const REPLICATION_CLASSES: {
  readonly replicated: { readonly [N in TablesOf<Replicated>]: "replicated" };
  readonly local: { readonly [N in TablesOf<Local>]: "local" };
  readonly ignored: { readonly [N in TablesOf<Ignored>]: "ignored" };
  /** Of engines: replicated, or local where their mount is. */
  readonly mounts: {
    readonly [N in TablesOf<Omit<DirectoryMount, "type"> & Omit<KvMount, "type">> | "library"]: "as its mount";
  };
} = {
  replicated: {
    namespaces: "replicated",
    mounts: "replicated",
    policies: "replicated",
    passwordPolicies: "replicated",
    calendar: "replicated",
  },
  local: {
    tokens: "local",
    tokensByParent: "local",
    tokensByAccessor: "local",
    tokensByNamespace: "local",
    wrapped: "local",
    cubbyholes: "local",
    mounts: "local",
    leases: "local",
    leasesByToken: "local",
    calendar: "local",
  },
  ignored: { drOperationTokens: "ignored", calendar: "ignored" },
  mounts: { entries: "as its mount", library: "as its mount" },
};
