import type { Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain, type Plain } from "../../kernel/plain.ts";
import type { Duration } from "../../languages/duration.ts";
import type { LdifValue } from "../../languages/ldif/record.ts";
import { shown as text } from "../../languages/shown.ts";
import { type directoryControls, dnArgument, type FailNextOptions } from "./control.ts";
import { parseFilter } from "./filter.ts";
import { type DirectoryEntry, type DirectoryWorld, treeKey } from "./state.ts";

/** An entry as the directory shows it to test authors: attributes by the names under which they were first given. */
export interface ShownEntry {
  dn: string;
  attributes: Record<string, (string | Uint8Array)[]>;
}

/** A value of an attribute: text or bytes. */
export type GivenValue = string | Uint8Array;

/**
 * The directory server that engines act on. There is one per simulator, outside every cluster, and every URL reaches it until
 * it is switched off.
 */
export interface DirectoryHandle {
  /**
   * Adds an entry, or replaces the one of the same DN. No parent has to be there.
   *
   * @throws TypeError for a DN or an attribute name that is none
   * @example
   * sim.directory.addEntry("cn=svc-1,ou=service,dc=example,dc=com", { objectClass: "person", cn: "svc-1" });
   */
  addEntry(dn: string, attributes: Readonly<Record<string, GivenValue | readonly GivenValue[]>>): void;
  /** Makes a name usable as a base of searches and as a parent, for good. No search finds it. */
  addSuffix(dn: string): void;
  /** Removes an entry; one that is not there is removed already. */
  removeEntry(dn: string): void;
  /** The entry of a DN, whatever its spelling; undefined when there is none. */
  entry(dn: string): ShownEntry | undefined;
  /**
   * The entries at or below a base that a filter means, by DN; without a filter all of them. An empty base is the whole directory.
   *
   * @throws TypeError for a filter that does not parse
   * @example
   * sim.directory.search("dc=example,dc=com", "(cn=svc-*)");
   */
  search(base: string, filter?: string): ShownEntry[];
  /** Switches the whole directory off or on. */
  setAvailable(available: boolean): void;
  /** One server, as a configuration's `url` names it. */
  server(url: string): {
    setAvailable(available: boolean): void;
    /** A server at least as slow as the smaller timeout of a configuration counts as down; no time passes. */
    setDelay(delay: Duration): void;
  };
  /**
   * Lets the next operations fail, with result code 53 unless told otherwise. Without `operation` it counts one per password
   * change or LDIF entry, with it one per such operation; `dn` limits it to one entry.
   */
  failNext(options: FailNextOptions): void;
}

/** Makes the handle of a world's directory; `via` is the door whose calls it makes. */
export function directoryHandle(host: Host<DirectoryWorld>, via: Via): DirectoryHandle {
  const control = (call: keyof typeof directoryControls, input: unknown): void => {
    const command = { name: call, input: copyPlain(input, call.slice("control.".length)), caller: null, via };
    host.execute(command, () => undefined);
  };
  return Object.freeze({
    addEntry: (dn, attributes) => {
      control("control.directory.addEntry", { dn, attributes: plainAttributes(attributes) });
    },
    addSuffix: (dn) => control("control.directory.addSuffix", { dn }),
    removeEntry: (dn) => control("control.directory.removeEntry", { dn }),
    entry: (dn) => {
      const entry = host.state.directory.entries.get(dnArgument("directory.entry", dn));
      return entry === undefined ? undefined : shown(entry);
    },
    search: (base, filter) => {
      if (filter !== undefined && typeof filter !== "string") {
        throw new TypeError(`directory.search: the filter is ${text(filter)}, and has to be a string`);
      }
      const meant = filter === undefined ? () => true : parseFilter(filter);
      const found: [string, DirectoryEntry][] = [];
      const prefix = base === "" ? "" : treeKey(dnArgument("directory.search", base));
      for (const dn of host.state.directory.tree.values({ prefix })) {
        const entry = host.state.directory.entries.get(dn);
        if (entry !== undefined && meant(entry)) found.push([dn, entry]);
      }
      found.sort(([left], [right]) => (left < right ? -1 : 1));
      return found.map(([, entry]) => shown(entry));
    },
    setAvailable: (available) => control("control.directory.setAvailable", { available }),
    server: (url) => ({
      setAvailable: (available) => control("control.directory.server.setAvailable", { url, available }),
      setDelay: (delay) => control("control.directory.server.setDelay", { url, delay }),
    }),
    failNext: (options) => control("control.directory.failNext", options),
  } satisfies DirectoryHandle);
}

/** Attributes as the log can carry them: bytes in base64. */
function plainAttributes(attributes: unknown): Plain {
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes)) {
    throw new TypeError(`directory.addEntry: attributes is ${text(attributes)}, and has to be an object`);
  }
  const plain = (value: unknown): unknown => (value instanceof Uint8Array ? { base64: base64Of(value) } : value);
  return Object.fromEntries(
    Object.entries(attributes).map(([name, values]: [string, unknown]) => [
      name,
      Array.isArray(values) ? values.map(plain) : plain(values),
    ]),
  ) as Plain;
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function shown(entry: DirectoryEntry): ShownEntry {
  const attributes: Record<string, (string | Uint8Array)[]> = {};
  for (const { name, values } of Object.values(entry.attributes)) {
    attributes[name] = values.map((value) => shownValue(name, value));
  }
  return { dn: entry.dn, attributes };
}

/** Bytes that are no text stay bytes, and a `unicodePwd` always does: its text would be half zeroes. */
function shownValue(name: string, value: LdifValue): string | Uint8Array {
  if (typeof value === "string") return name.toLowerCase() === "unicodepwd" ? new TextEncoder().encode(value) : value;
  const bytes = Uint8Array.from(atob(value.base64), (character) => character.charCodeAt(0));
  if (name.toLowerCase() === "unicodepwd") return bytes;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes;
  }
}
