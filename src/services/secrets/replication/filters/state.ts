/** What of a performance primary's mounts and namespaces a secondary gets (decisions-replication.md, 7). */
export interface Filter {
  /** `allow` ships nothing but what is listed, `deny` everything else. */
  readonly mode: "allow" | "deny";
  /** Full paths of mounts and namespaces, each with a slash at its end, in the order in which they were given. */
  readonly paths: readonly string[];
}
