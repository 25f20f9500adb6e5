import * as v from "valibot";
import type { Plain } from "../../kernel/plain.ts";
import { parseContractDuration } from "../../languages/duration.ts";
import { isObject, setOwn } from "../../languages/objects.ts";
import type { FieldInput, FieldValues } from "../kit/operation.ts";
import { refuse } from "./rejections.ts";

/**
 * A field of a request body. Every field may be absent, and `null` means absent; what must be there is the handler's to
 * check, because absence has an answer of its own.
 */
export type Field<I = unknown, O = unknown> = v.GenericSchema<I, O>;
export type Fields = { readonly [name: string]: Field };

type Scalar = string | number | boolean;

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

function field<I, O>(accepts: (value: unknown) => boolean, expected: string, read: (value: I) => O): Field<I, O> {
  return v.pipe(v.custom<I>(accepts, expected), v.transform(read));
}

/** Text; numbers and booleans are turned into it. */
export const text: Field<Scalar, string> = field(isScalar, "expected a string", String);

/** A whole number, or its digits. */
export const integer: Field<number | string, number> = field(
  (value) => Number.isSafeInteger(value) || (typeof value === "string" && /^[+-]?\d{1,15}$/.test(value.trim())),
  "expected an integer",
  Number,
);

/** A whole number of 64 bits, as far as a double holds it, or its digits. */
export const longInteger: Field<number | string, number> = field(
  (value) =>
    (typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= 2 ** 63) ||
    (typeof value === "string" && /^[+-]?\d{1,19}$/.test(value.trim()) && Math.abs(Number(value)) <= 2 ** 63),
  "expected an integer",
  Number,
);

/** A whole number from 0 up to a bound, or its digits. */
export function natural(most: number): Field<number | string, number> {
  return v.pipe(
    integer,
    v.check((value) => value >= 0 && value <= most, `expected an integer from 0 to ${most}`),
  ) as Field<number | string, number>;
}

/** A whole number up to a bound, or its digits; one below 0 is as good as none. */
export function upTo(most: number): Field<number | string, number> {
  return v.pipe(
    integer,
    v.check((value) => value <= most, `expected an integer up to ${most}`),
    v.transform((value) => Math.max(0, value)),
  ) as Field<number | string, number>;
}

/** A status that an HTTP answer with a body can have. Our choice: 200 to 599, what every Fetch implementation takes. */
export const statusCode: Field<number | string, number> = v.pipe(
  integer,
  v.check((value) => value >= 200 && value <= 599, "expected a status from 200 to 599"),
) as Field<number | string, number>;

const TRUE_WORDS: readonly unknown[] = [true, 1, "1", "t", "T", "true", "TRUE", "True"];
const FALSE_WORDS: readonly unknown[] = [false, 0, "0", "f", "F", "false", "FALSE", "False"];

/** A boolean, or a word for one; undefined for anything else. */
export function booleanOf(value: unknown): boolean | undefined {
  if (TRUE_WORDS.includes(value)) return true;
  return FALSE_WORDS.includes(value) ? false : undefined;
}

/** Yes or no. */
export const flag: Field<boolean | string | number, boolean> = field(
  (value) => booleanOf(value) !== undefined,
  "expected a boolean",
  (value) => booleanOf(value) === true,
);

/** A duration in whole seconds (decisions-secrets-core.md, A.5); fractions are cut off. */
export const seconds: Field<number | string, number> = v.pipe(
  v.custom<number | string>(
    (value) => parseContractDuration(value).ok,
    (issue) => durationFault(issue.input),
  ),
  v.transform((value) => {
    const duration = parseContractDuration(value);
    return duration.ok ? duration.seconds : 0;
  }),
);

/** A duration in seconds, of which fractions count too (amendments.md, S29). */
export const exactSeconds: Field<number | string, number> = v.pipe(
  v.custom<number | string>(
    (value) => parseContractDuration(value).ok,
    (issue) => durationFault(issue.input),
  ),
  v.transform((value) => {
    const duration = parseContractDuration(value);
    return duration.ok ? duration.ms / 1000 : 0;
  }),
);

/** A duration in whole seconds, or `system` for 0, which leaves it to the system. */
export const systemSeconds: Field<number | string, number> = v.pipe(
  v.custom<number | string>(
    (value) => value === "system" || parseContractDuration(value).ok,
    (issue) => durationFault(issue.input),
  ),
  v.transform((value) => {
    const duration = parseContractDuration(value);
    return duration.ok ? duration.seconds : 0;
  }),
);

function durationFault(value: unknown): string {
  const duration = parseContractDuration(value);
  return duration.ok ? "" : duration.message;
}

/** An object without members reads as a list without items, as the recorded server answers (test/fidelity, oidc-074). */
const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** Strings, or one string with commas between them; each is trimmed, empty ones stay, and `""` is the empty list. */
export const commaList: Field<readonly Scalar[] | Scalar, readonly string[]> = field(
  (value) => isScalar(value) || isEmptyObject(value) || (Array.isArray(value) && value.every(isScalar)),
  "expected strings, in an array or separated by commas",
  (value: readonly Scalar[] | Scalar) => {
    if (Array.isArray(value)) return value.map(String);
    return value === "" || !isScalar(value)
      ? []
      : String(value)
          .split(",")
          .map((item) => item.trim());
  },
);

/** Strings; one string is a list of one, and null is an empty one among others, as real servers have it. */
export const itemList: Field<readonly (Scalar | null)[] | Scalar, readonly string[]> = field(
  (value) =>
    isScalar(value) ||
    isEmptyObject(value) ||
    (Array.isArray(value) && value.every((item) => item === null || isScalar(item))),
  "expected strings",
  (value: readonly (Scalar | null)[] | Scalar) => {
    if (Array.isArray(value)) return value.map((item: Scalar | null) => String(item ?? ""));
    return value === "" || !isScalar(value) ? [] : [String(value)];
  },
);

/** Texts by names. */
export const texts: Field<{ readonly [name: string]: Scalar }, { readonly [name: string]: string }> = field(
  (value) => isObject(value) && Object.values(value).every(isScalar),
  "expected an object of strings",
  (value: { readonly [name: string]: Scalar }) => {
    const read: Record<string, string> = {};
    for (const name of Object.keys(value)) setOwn(read, name, String(value[name]));
    return read;
  },
);

type Pairs = { readonly [name: string]: Scalar } | readonly string[] | string;

/** Texts by names, or a list of `name=text`. */
export const pairs: Field<Pairs, { readonly [name: string]: string }> = field(
  (value) =>
    isObject(value)
      ? Object.values(value).every(isScalar)
      : pairList(value as Pairs)?.every((item) => typeof item === "string" && item.includes("=")) === true,
  "expected an object of strings, or a list of key=value",
  (value: Pairs) => {
    const read: Record<string, string> = {};
    const list = pairList(value);
    if (list === undefined) for (const [name, given] of Object.entries(value)) setOwn(read, name, String(given));
    for (const item of list ?? []) {
      const equals = item.indexOf("=");
      setOwn(read, item.slice(0, equals).trim(), item.slice(equals + 1).trim());
    }
    return read;
  },
);

/** The items of a list, also of one that is a text with commas; undefined for what is none. */
function pairList(value: Pairs): readonly string[] | undefined {
  if (typeof value === "string") return value === "" ? [] : value.split(",");
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
}

/** An object of fields. Members that nobody knows are left out. */
export function objectOf<F extends Fields>(fields: F): Field<FieldInput<F>, FieldValues<F>> {
  return v.pipe(
    v.custom<FieldInput<F>>(
      (value) => isObject(value) && faultIn(fields, value) === undefined,
      (issue) => (isObject(issue.input) ? (faultIn(fields, issue.input) ?? "") : "expected an object"),
    ),
    v.transform((value) => {
      const members: { readonly [name: string]: unknown } = value;
      const read: Record<string, unknown> = {};
      for (const name of Object.keys(fields)) {
        const given = members[name];
        if (given !== undefined && given !== null) read[name] = v.parse(fields[name] ?? v.unknown(), given);
      }
      return read;
    }),
  ) as Field<FieldInput<F>, FieldValues<F>>;
}

function faultIn(fields: Fields, value: object): string | undefined {
  for (const [name, schema] of Object.entries(fields)) {
    const given = Object.hasOwn(value, name) ? (value as { readonly [name: string]: unknown })[name] : undefined;
    if (given === undefined || given === null) continue;
    const read = v.safeParse(schema, given);
    if (!read.success) return `${name}: ${read.issues[0].message}`;
  }
  return undefined;
}

/**
 * Reads the fields of a request; a field of the wrong type ends it.
 *
 * @returns the values of the known fields, and the sorted names of those that nobody asked for
 */
export function readFields<F extends Fields>(
  fields: F,
  input: { readonly [name: string]: Plain | undefined },
  captures: readonly string[],
): { readonly values: FieldValues<F>; readonly ignored: readonly string[] } {
  const values: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const name of Object.keys(input)) {
    const given = input[name];
    const schema = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (schema === undefined) {
      if (!captures.includes(name)) ignored.push(name);
    } else if (given !== null && given !== undefined) {
      const read = v.safeParse(schema, given);
      if (!read.success) refuse("field_validation_failed", { field: name, reason: read.issues[0].message });
      else setOwn(values, name, read.output);
    }
  }
  return { values: values, ignored: ignored.length === 0 ? ignored : ignored.sort() };
}
