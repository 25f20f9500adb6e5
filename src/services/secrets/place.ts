import type { Brand } from "../../kernel/brand.ts";

/** The name of a cluster: a DNS label. */
export type ClusterName = Brand<string, "ClusterName">;

/** Where a cluster answers unless told otherwise. */
export function defaultClusterUrl(name: string): string {
  return `https://secrets-${name}.test`;
}

/** The full path of a child namespace with its trailing slash, such as `team/`. The root namespace has none: undefined. */
export type NamespacePath = Brand<string, "NamespacePath">;

/** The path of a mount with its trailing slash, such as `ldap/`. */
export type MountPath = Brand<string, "MountPath">;

/** A fact about a cluster. */
export interface InCluster {
  readonly cluster: ClusterName;
}

/** Where an object of a namespace lives. Facts carry it as `at`, so that folding finds the part that they change. */
export interface NamespacePlace extends InCluster {
  readonly namespace?: NamespacePath;
}

/** Where an object of a mount lives. */
export interface MountPlace extends NamespacePlace {
  readonly mount: MountPath;
}

/** A fact about an object of a namespace. */
export interface InNamespace {
  readonly at: NamespacePlace;
}

/** A fact about an object of a mount. */
export interface InMount {
  readonly at: MountPlace;
}

/** The place of a mount in the namespace of a request; a root namespace is left out of facts. */
export function mountPlace(at: NamespacePlace, mount: MountPath): MountPlace {
  return at.namespace === undefined
    ? { cluster: at.cluster, mount }
    : { cluster: at.cluster, namespace: at.namespace, mount };
}

/** The namespace of a request, as facts carry it. */
export function placeOfNamespace(at: NamespacePlace): NamespacePlace {
  return at.namespace === undefined ? { cluster: at.cluster } : { cluster: at.cluster, namespace: at.namespace };
}

/** The key of a local mount. No path holds a space. */
export function localMountKey({ namespace, mount }: Pick<MountPlace, "namespace" | "mount">): string {
  return `${namespace ?? ""} ${mount}`;
}

/** A path without the slashes at its ends. It takes one pass: a regular expression retries long runs from each place. */
export function withoutOuterSlashes(path: string): string {
  let start = 0;
  while (path[start] === "/") start += 1;
  return withoutTrailingSlashes(path.slice(start));
}

/** A path without the slashes at its end. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}
