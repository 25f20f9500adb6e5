// Keys of tables that are looked through by what their keys begin with.

/** What the keys of all pairs with a first begin with. Ids may be a caller's own: slashes are written so that none is a prefix of another. */
export function pairPrefix(first: string): string {
  return first.includes("/") || first.includes("~")
    ? `${first.replaceAll("~", "~0").replaceAll("/", "~1")}/`
    : `${first}/`;
}

export function pairKey(first: string, second: string): string {
  return pairPrefix(first) + second;
}
