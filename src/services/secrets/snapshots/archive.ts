import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { gzipSync } from "fflate";
import { createTar } from "nanotar";
import { hexOf } from "../../../kernel/hash.ts";
import { storedAt, storesOf, urlOf } from "../../../surroundings/stores/state.ts";
import { sameBytes } from "../bytes.ts";
import type { SecretsWorld } from "../world.ts";
import { downloadAt } from "./destination.ts";

// Source of all rules in this file: README.md.

/** The file of a snapshot that a client took; undefined where no snapshot has this URL. */
export function archiveOf(world: SecretsWorld, url: string): Uint8Array<ArrayBuffer> | undefined {
  const place = downloadAt(url);
  const stored = place === undefined ? undefined : storedAt(storesOf(world), place);
  if (place === undefined || stored === undefined) return undefined;
  const meta = { Version: 1, ID: "bolt-snapshot", Index: 0, Term: 1, Size: stored.bytes };
  const files = { "meta.json": JSON.stringify(meta), "state.bin": hexOf(stored.content.contentHash()) };
  const sums = Object.entries(files).map(([name, text]) => `${digestOf(text)}  ${name}\n`);
  const named = { ...files, SHA256SUMS: sums.join(""), "SHA256SUMS.sealed": digestOf(sums.join("")) };
  const tar = createTar(
    Object.entries(named).map(([name, data]) => ({ name, data })),
    { attrs: { mtime: stored.storedAtMs, mode: "600" } },
  );
  return gzipSync(tar, { mtime: stored.storedAtMs, filename: encodeURIComponent(urlOf(place)) });
}

/** The URL of the snapshot that a file holds; empty for a file that is no snapshot, or a damaged one. */
export function urlInArchive(world: SecretsWorld, file: Uint8Array): string {
  const url = nameIn(file);
  const known = archiveOf(world, url);
  return known === undefined || sameBytes(known, file) ? url : "";
}

/** The name that the head of a compressed file tells (RFC 1952, 2.3.1). */
function nameIn(file: Uint8Array): string {
  const [first, second, method, flags] = file;
  if (first !== 0x1f || second !== 0x8b || method !== 8 || flags !== 8) return "";
  const end = file.indexOf(0, HEAD_BYTES);
  if (end < 0 || end > MAX_NAME_BYTES) return "";
  try {
    return decodeURIComponent(String.fromCharCode(...file.subarray(HEAD_BYTES, end)));
  } catch {
    return "";
  }
}

const HEAD_BYTES = 10;
const MAX_NAME_BYTES = 10_000;

function digestOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
