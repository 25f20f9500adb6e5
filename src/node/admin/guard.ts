import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** Whom the admin path answers. */
export interface GuardRules {
  /** The address that is listened at. */
  readonly address: string;
  /** Whether others than this machine may be answered. */
  readonly isPublic: boolean;
  /** Names that the Host header may have, besides addresses and those of this machine. */
  readonly hosts: readonly string[];
  /** Origins whose pages may call it. */
  readonly origins: readonly string[];
}

/** Why a request is not answered; `preflight` is a browser's question that may be answered without a secret. */
export type Verdict =
  | { readonly kind: "let in"; readonly origin?: string }
  | { readonly kind: "preflight"; readonly origin: string }
  | { readonly kind: "refused"; readonly status: 401 | 403; readonly code: string; readonly message: string };

/**
 * Decides whether a request may use the admin path. In this order:
 *
 * 1. An interface that others reach serves it only if somebody said so.
 * 2. The Host header has to be an address or a name of ours: a page whose name was made to lead here has another.
 * 3. A page of another origin may not call, unless it is on the list.
 * 4. A secret has to be sent, as a header that no page can send by itself; but not for what tells nothing of the simulator.
 *
 * @param secrets those of which each will do; undefined where none is needed
 */
export function judged(
  { headers, method }: IncomingMessage,
  rules: GuardRules,
  secrets: readonly string[] | undefined,
): Verdict {
  if (!rules.isPublic && !isLoopback(rules.address)) {
    return refused(
      403,
      "not_public",
      `the listener can be reached at ${rules.address}: allow a public admin path to use it`,
    );
  }
  const { host = "", origin } = headers;
  if (!isOwnName(host, rules))
    return refused(403, "host_refused", `the Host header names ${host || "nobody"}, which is no name of ours`);
  if (origin !== undefined && !rules.origins.includes(origin)) {
    return refused(403, "origin_refused", `pages of ${origin} may not call this`);
  }
  const allowed = origin === undefined ? {} : { origin };
  if (origin !== undefined && method === "OPTIONS") return { kind: "preflight", origin };
  if (secrets !== undefined && !secrets.some((secret) => isSecret(headers.authorization, secret))) {
    return refused(
      401,
      "secret_wrong",
      "send the secret that was printed at the start, or that of the world: Authorization: Bearer <secret>",
    );
  }
  return { kind: "let in", ...allowed };
}

function refused(status: 401 | 403, code: string, message: string): Verdict {
  return { kind: "refused", status, code, message };
}

/** Whether only this machine reaches an address. */
function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

function isOwnName(host: string, { address, hosts }: GuardRules): boolean {
  const name = nameIn(host);
  if (name === undefined) return false;
  // Nobody can make an address lead elsewhere.
  if (isIP(name) !== 0) return true;
  return name === "localhost" || name.endsWith(".localhost") || name === address || hosts.includes(name);
}

function nameIn(host: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(host) ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}

/** Compared by digests, so that neither length nor beginning of the secret shows in the time it takes. */
function isSecret(authorization: string | undefined, secret: string): boolean {
  const [, given] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
