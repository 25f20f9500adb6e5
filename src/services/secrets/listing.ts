import { inByteOrder } from "../../languages/byte-order.ts";
import { refuse } from "./rejections.ts";
import { type Envelope, enveloped, type Reply } from "./reply.ts";

/** A text with surrogates; all others come in the order of their bytes, because tables go by code units. */
const isBeyond = (text: string): boolean => /[\ud800-\udfff]/.test(text);

/** The answer to a LIST: the names in byte order, or 404 when there are none (decisions-secrets-core.md, A.4). */
export function listing(names: Iterable<string>): Reply<Envelope<{ keys: string[] }>> {
  const keys = [...names];
  if (keys.length === 0) return refuse("not_found", {});
  return enveloped({ keys: keys.some(isBeyond) ? inByteOrder(keys) : keys });
}

/** The same, with what the listing says of each. */
export function listingWith<I extends object>(
  rows: readonly (readonly [key: string, info: I])[],
): Reply<Envelope<{ keys: string[]; key_info: { readonly [key: string]: I } }>> {
  if (rows.length === 0) return refuse("not_found", {});
  return enveloped({ keys: rows.map(([key]) => key), key_info: Object.fromEntries(rows) });
}

/**
 * The immediate children of a prefix among names with slashes: a deeper name contributes its first segment and a slash,
 * once. It skips from child to child, so what lies deeper costs nothing.
 *
 * Source: decisions-directory.md, 1 "Hierarchy in LIST".
 */
export function* childrenOf(
  names: { firstFrom(from: string): readonly [string, unknown] | undefined },
  prefix: string,
): Generator<string> {
  for (let next = names.firstFrom(prefix); next?.[0].startsWith(prefix); ) {
    const rest = next[0].slice(prefix.length);
    const slash = rest.indexOf("/");
    const child = slash < 0 ? rest : rest.slice(0, slash + 1);
    yield child;
    next = names.firstFrom(slash < 0 ? `${next[0]}\0` : `${prefix}${child.slice(0, -1)}0`);
  }
}
