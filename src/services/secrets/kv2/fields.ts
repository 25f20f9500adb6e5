import * as v from "valibot";
import type { Plain } from "../../../kernel/plain.ts";
import { parseContractDuration } from "../../../languages/duration.ts";
import { memberTexts } from "../../../languages/json-text.ts";
import { isObject } from "../../../languages/objects.ts";
import { commaList, type Field, flag, integer, natural, objectOf, seconds, texts } from "../fields.ts";
import type { KvData, KvObject } from "../kv/state.ts";
import type { MetadataPatch } from "./decide.ts";

// What requests to a store of versions hold: README.md beside this file, "What each call answers".

const data: Field<KvObject, KvData> = v.custom<KvObject>(
  (value) => isObject(value) || typeof value === "string",
  "expected an object",
);

/**
 * The fields of a request whose `data` is kept. It is text where a body is that doubles would not hold (amendments.md, S30); what a caller
 * sends as a text is no object, and stays none.
 */
export function withKeptData<F extends { readonly [name: string]: Plain }>(fields: F, body?: string): F {
  const given = fields["data"];
  if (typeof given === "string") return { ...fields, data: [given] };
  return body === undefined || !isObject(given) ? fields : { ...fields, data: memberTexts(body).get("data") };
}

export const WRITTEN = { data, options: objectOf({ cas: integer }) };

export const READ = { version: integer };

export const VERSIONS: { readonly versions: Field<readonly number[] | number | string, readonly number[]> } = {
  versions: v.pipe(
    commaList,
    v.check((items) => items.every((item) => /^[+-]?\d{1,15}$/.test(item)), "expected integers"),
    v.transform((items) => items.map(Number)),
  ) as Field<readonly number[] | number | string, readonly number[]>,
};

/** A duration, of which a negative one is as good as another. */
const secondsOrNone: Field<number | string, number> = v.pipe(
  v.custom<number | string>(
    (value) => isNegative(value) || v.is(seconds, value),
    'expected a duration, such as "90s", or a negative one for none',
  ),
  v.transform((value) => (isNegative(value) ? -1 : v.parse(seconds, value))),
);

function isNegative(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value < 0;
  return typeof value === "string" && value.startsWith("-") && parseContractDuration(value.slice(1)).ok;
}

/** As many as the real service counts in 32 bits. */
const maxVersions = natural(2 ** 32 - 1);

export const CONFIG = { max_versions: maxVersions, cas_required: flag, delete_version_after: secondsOrNone };

const SETTINGS = { ...CONFIG, delete_version_after: seconds };

export const METADATA = { ...SETTINGS, custom_metadata: texts };

const metadataPatch: Field<MetadataPatch, MetadataPatch> = v.record(v.string(), v.nullable(v.string()));

export const METADATA_PATCH = { ...SETTINGS, custom_metadata: metadataPatch };
