import { hashOfText } from "../../../kernel/hash.ts";

/** What is there in every namespace, and cannot be mounted, moved or unmounted (decisions-secrets-core.md, D.2; auth/README.md, 1.1). */
export interface SystemMount {
  readonly type: "cubbyhole" | "identity" | "system" | "token";
  readonly accessor: string;
  readonly uuid: string;
  readonly description: string;
  readonly local: boolean;
}

const SYSTEM: Readonly<Record<string, Pick<SystemMount, "type" | "description" | "local">>> = {
  "cubbyhole/": { type: "cubbyhole", description: "per-token private secret storage", local: true },
  "identity/": { type: "identity", description: "identity store", local: false },
  "sys/": { type: "system", description: "system endpoints used for control, policy and debugging", local: false },
};

/** The paths of the system's own mounts. */
export const SYSTEM_PATHS: readonly string[] = Object.keys(SYSTEM);

/** Where the method of tokens is. */
export const TOKEN_METHOD = "auth/token/";

const TOKEN = { type: "token", description: "token based credentials", local: false } as const;

/** The method that gives tokens for tokens. */
export function tokenMethod(namespaceId: string): SystemMount {
  return identified(TOKEN, "auth_token", TOKEN_METHOD, namespaceId);
}

/**
 * The system's own mount at a path.
 *
 * Our choice: its accessor and its UUID follow from the id of its namespace, so that they are the same wherever that
 * namespace is shipped to, and need no place in the state.
 */
export function systemMount(namespaceId: string, path: string): SystemMount | undefined {
  const known = Object.hasOwn(SYSTEM, path) ? SYSTEM[path] : undefined;
  return known === undefined ? undefined : identified(known, known.type, path, namespaceId);
}

function identified(
  known: Pick<SystemMount, "type" | "description" | "local">,
  accessorPrefix: string,
  path: string,
  namespaceId: string,
): SystemMount {
  const { a, b, c, d } = hashOfText(`${path} of ${namespaceId}`);
  const [first, second, third, fourth] = [a, b, c, d].map((word) => (word >>> 0).toString(16).padStart(8, "0")) as [
    string,
    string,
    string,
    string,
  ];
  const uuid = `${first}-${second.slice(0, 4)}-4${second.slice(5)}-a${third.slice(1, 4)}-${third.slice(4)}${fourth}`;
  return { ...known, accessor: `${accessorPrefix}_${fourth}`, uuid };
}
