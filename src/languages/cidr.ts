/** A block of addresses: those whose first bits are the same. */
interface Block {
  readonly bits: 32 | 128;
  readonly value: bigint;
  /** How many of the first bits count. */
  readonly length: number;
}

/** Whether a text is an address, or a block of them such as `10.0.0.0/8` or `fd00::/8` (RFC 4632, 3.1; RFC 4291, 2.3). */
export function isBlock(text: string): boolean {
  return blockOf(text) !== undefined;
}

/** Whether a text is an address of a single machine. */
export function isAddress(text: unknown): text is string {
  return typeof text === "string" && !text.includes("/") && isBlock(text);
}

/** Whether each block or address lies in one of others. */
export function liesWithin(texts: readonly string[], others: readonly string[]): boolean {
  const outer = others.map(blockOf);
  return texts.map(blockOf).every((inner) => outer.some((block) => isIn(inner, block)));
}

function isIn(inner: Block | undefined, outer: Block | undefined): boolean {
  if (inner === undefined || outer === undefined || inner.bits !== outer.bits || inner.length < outer.length)
    return false;
  const rest = BigInt(outer.bits - outer.length);
  return inner.value >> rest === outer.value >> rest;
}

function blockOf(text: string): Block | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? text : text.slice(0, slash);
  const bits = address.includes(":") ? 128 : 32;
  const value = bits === 32 ? version4(address) : version6(address);
  const length = slash < 0 ? `${bits}` : text.slice(slash + 1);
  if (value === undefined || !/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined;
  return { bits, value, length: Number(length) };
}

function version4(address: string): bigint | undefined {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function version6(address: string): bigint | undefined {
  const [head = "", tail, ...more] = address.split("::");
  if (more.length > 0) return undefined;
  const groups = (side: string): string[] => (side === "" ? [] : side.split(":"));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const missing = 8 - first.length - last.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...first, ...Array.from({ length: missing }, () => "0"), ...last];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
