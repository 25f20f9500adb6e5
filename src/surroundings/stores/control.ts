import * as v from "valibot";
import { duration, readArgument } from "../../kernel/arguments.ts";
import type { EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import { LOCAL_SCHEME, type StoreEvents, type StoresWorld, storesOf } from "./state.ts";

// The calls of `sim.stores` that change it (control-surface.md, "Surroundings").

/** Where the objects of a storage type lie. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ["local", LOCAL_SCHEME],
  ["cloud1-bucket", "cloud1://"],
  ["cloud2-bucket", "cloud2://"],
  ["cloud3-blob", "cloud3://"],
]);
const TYPES = [...SCHEMES.keys()].join(", ");

const isPrefix = (text: string): boolean => [...SCHEMES.values()].some((scheme) => text.startsWith(scheme));
const EXPECTED = `a URL prefix starts with ${[...SCHEMES.values()].join(", ")}`;

const urlPrefix = v.pipe(v.string("a URL prefix is a text"), v.check(isPrefix, EXPECTED));

/** A storage type stands for all that lies in stores of that type. */
const storesNamed = v.pipe(
  v.string("stores are named by a text"),
  v.transform((text) => SCHEMES.get(text) ?? text),
  v.check(isPrefix, `it is a storage type, one of ${TYPES}, or a URL prefix; ${EXPECTED}`),
);

const bytes = v.pipe(
  v.number("bytes are a number"),
  v.safeInteger("bytes are a whole number"),
  v.minValue(0, "bytes are 0 or more"),
);

const availability = v.strictObject({
  stores: storesNamed,
  available: v.boolean("they are available or not: true or false"),
});
const freeBytes = v.strictObject({ prefix: urlPrefix, bytes: v.optional(bytes) });
const snapshotBytes = v.strictObject({ bytes });
const snapshotDuration = v.strictObject({ duration });

type StoresDecision = Decision<StoresWorld, EventOf<StoreEvents>>;

/** The control calls of the stores, by the names of their commands. */
export const storeControls = {
  "control.stores.setAvailable": (decision, input) => {
    const { stores: prefix, available } = readArgument(availability, "stores.setAvailable", input);
    const before = storesOf(decision.state).availability;
    const below = [...before.keys({ prefix })];
    // Said once more, or of what was never switched off.
    if (before.get(prefix) === available && below.length === 1) return;
    if (before.size === 0 && available) return;
    decision.record({ type: "StoreAvailabilityChanged", data: { prefix, available } });
  },
  "control.stores.setFreeBytes": (decision, input) => {
    const { prefix, bytes: free } = readArgument(freeBytes, "stores.setFreeBytes", input);
    if (storesOf(decision.state).freeBytes.get(prefix) === free) return;
    decision.record({ type: "StoreFreeBytesSet", data: { prefix, ...(free === undefined ? {} : { bytes: free }) } });
  },
  "control.stores.setSnapshotBytes": (decision, input) => {
    const data = readArgument(snapshotBytes, "stores.setSnapshotBytes", input);
    if (storesOf(decision.state).snapshotBytes === data.bytes) return;
    decision.record({ type: "SnapshotBytesSet", data });
  },
  "control.stores.setSnapshotDuration": (decision, input) => {
    const { duration: wanted } = readArgument(snapshotDuration, "stores.setSnapshotDuration", input);
    if (storesOf(decision.state).snapshotDurationMs === wanted) return;
    decision.record({ type: "SnapshotDurationSet", data: { durationMs: wanted } });
  },
} satisfies Readonly<Record<string, (decision: StoresDecision, input: unknown) => void>>;
