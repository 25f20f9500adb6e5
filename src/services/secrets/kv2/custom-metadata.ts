import { refuse } from "../rejections.ts";
import type { CustomMetadata } from "./state.ts";

// Source of all rules in this file: README.md beside it, "What each call answers".

const MOST_NAMES = 64;
const LONGEST_NAME = 128;
const LONGEST_VALUE = 512;

export function refuseBadMetadata(metadata: CustomMetadata): void {
  const entries = Object.entries(metadata);
  if (entries.length > MOST_NAMES) refuseFor(`${entries.length} keys, and at most ${MOST_NAMES} are taken`);
  for (const [name, value] of entries) {
    const shown = JSON.stringify(name);
    if (!hasLength(name, LONGEST_NAME)) refuseFor(`length of key ${shown} has to be 1 to ${LONGEST_NAME}`);
    if (!hasLength(value, LONGEST_VALUE)) refuseFor(`length of value for key ${shown} has to be 1 to ${LONGEST_VALUE}`);
    if (UNPRINTABLE.test(name)) refuseFor(`key ${shown} contains unprintable characters`);
    if (UNPRINTABLE.test(value)) refuseFor(`value for key ${shown} contains unprintable characters`);
  }
}

function refuseFor(reason: string): never {
  return refuse("custom_metadata_invalid", { reason });
}

/** In bytes. */
function hasLength(text: string, most: number): boolean {
  const { length } = new TextEncoder().encode(text);
  return length > 0 && length <= most;
}

/** Go's `IsPrint`: of all spaces the usual one alone. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
