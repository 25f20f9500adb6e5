import * as v from "valibot";
import { duration, objectOf, optionsSchema, readArgument, readBy } from "../../kernel/arguments.ts";
import { type NormalisedDn, normaliseDn } from "../../languages/ldif/dn.ts";
import type { LdifValue } from "../../languages/ldif/record.ts";
import type { DirectoryDecision } from "./session.ts";
import type { DirectoryAttribute } from "./state.ts";

// The calls of `sim.directory` that change it (control-surface.md, "Surroundings").

/** A DN; whatever is no DN is refused with where it stops being one. */
const dn = v.pipe(
  v.string("a DN is a text"),
  v.check((text) => text.trim() !== "", "a DN is not empty"),
  readBy<string, string>(
    () => true,
    (text) => {
      normaliseDn(text);
      return text;
    },
    "",
  ),
);

const attributeName = v.pipe(
  v.string(),
  v.regex(
    /^([A-Za-z][A-Za-z0-9;-]*|\d+(\.\d+)+)$/,
    "an attribute's name is a letter, then letters, digits, - and ;, or a dotted OID",
  ),
);
const value = v.union(
  [v.string(), v.strictObject({ base64: v.pipe(v.string(), v.base64("bytes stand in base64")) })],
  "a value is a text or bytes",
);
/** A map, because attributes may be named like members that every object has. */
const attributes = v.pipe(
  objectOf("attributes are an object of values by their names"),
  v.transform((given) => new Map(Object.entries(given))),
  v.map(attributeName, v.union([value, v.array(value)], "an attribute has a value or several")),
);

const url = v.pipe(
  v.string("a URL is a text"),
  v.nonEmpty("a URL is not empty"),
  v.transform((text) => text.toLowerCase()),
);
const available = v.boolean("it is available or not: true or false");

const addedEntry = v.strictObject({ dn, attributes });
const named = v.strictObject({ dn });
const availability = v.strictObject({ available });
const serverAvailability = v.strictObject({ url, available });
const serverDelay = v.strictObject({ url, delay: duration });
const failure = optionsSchema({
  count: v.pipe(v.number("count is a number"), v.integer("count is whole"), v.minValue(1, "count is 1 or more")),
  dn: v.optional(dn),
  operation: v.optional(
    v.picklist(["bind", "search", "add", "modify", "delete"], "operation is bind, search, add, modify or delete"),
  ),
  resultCode: v.optional(
    v.pipe(
      v.number("resultCode is a number"),
      v.integer("resultCode is whole"),
      v.minValue(1, "resultCode is 1 or more"),
    ),
  ),
});

/** The options of `sim.directory.failNext`. */
export type FailNextOptions = v.InferInput<typeof failure>;

type ControlDecider = (decision: DirectoryDecision, input: unknown) => void;

/** The control calls of the directory, by the names of their commands. */
export const directoryControls = {
  "control.directory.addEntry": (decision, input) => {
    const entry = readArgument(addedEntry, "directory.addEntry", input);
    const data = { entry: normaliseDn(entry.dn), dn: entry.dn, attributes: attributesOf(entry.attributes) };
    decision.record({ type: "DirectoryEntryAdded", data });
  },
  "control.directory.addSuffix": (decision, input) => {
    const entry = keyOf(readArgument(named, "directory.addSuffix", input).dn);
    if (decision.state.directory.containers.has(entry)) return;
    decision.record({ type: "DirectorySuffixAdded", data: { entry } });
  },
  "control.directory.removeEntry": (decision, input) => {
    const entry = keyOf(readArgument(named, "directory.removeEntry", input).dn);
    if (!decision.state.directory.entries.has(entry)) return;
    decision.record({ type: "DirectoryEntryRemoved", data: { entry } });
  },
  "control.directory.setAvailable": (decision, input) => {
    const data = readArgument(availability, "directory.setAvailable", input);
    if (decision.state.directory.available === data.available) return;
    decision.record({ type: "DirectoryAvailabilityChanged", data });
  },
  "control.directory.server.setAvailable": (decision, input) => {
    const data = readArgument(serverAvailability, "directory.server.setAvailable", input);
    if ((decision.state.directory.servers.get(data.url)?.available ?? true) === data.available) return;
    decision.record({ type: "DirectoryServerChanged", data });
  },
  "control.directory.server.setDelay": (decision, input) => {
    const { url: server, delay } = readArgument(serverDelay, "directory.server.setDelay", input);
    if ((decision.state.directory.servers.get(server)?.delayMs ?? 0) === delay) return;
    decision.record({ type: "DirectoryServerChanged", data: { url: server, delayMs: delay } });
  },
  "control.directory.failNext": (decision, input) => {
    const wanted = readArgument(failure, "directory.failNext", input);
    decision.record({
      type: "DirectoryFailureInjected",
      data: {
        count: wanted.count,
        ...(wanted.dn === undefined ? {} : { entry: keyOf(wanted.dn) }),
        ...(wanted.operation === undefined ? {} : { operation: wanted.operation }),
        resultCode: wanted.resultCode ?? UNWILLING_TO_PERFORM,
      },
    });
  },
} satisfies Readonly<Record<string, ControlDecider>>;

const UNWILLING_TO_PERFORM = 53;

function keyOf(text: string): NormalisedDn {
  return normaliseDn(text);
}

/**
 * The DN that a reading call was given.
 *
 * @throws TypeError for what is no DN
 */
export function dnArgument(call: string, given: unknown): NormalisedDn {
  return keyOf(readArgument(named, call, { dn: given }).dn);
}

/** Attributes in the order given; two spellings of one name are one attribute with the values of both. */
function attributesOf(given: ReadonlyMap<string, LdifValue | readonly LdifValue[]>): DirectoryAttribute[] {
  const byName = new Map<string, { name: string; values: LdifValue[] }>();
  for (const [name, values] of given) {
    const attribute = byName.get(name.toLowerCase()) ?? { name, values: [] };
    attribute.values.push(...(isList(values) ? values : [values]));
    byName.set(name.toLowerCase(), attribute);
  }
  return [...byName.values()];
}

function isList(values: LdifValue | readonly LdifValue[]): values is readonly LdifValue[] {
  return Array.isArray(values);
}
