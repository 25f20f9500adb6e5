/** An object that is no array, as JSON has them. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** An own member: what every object inherits is none. */
export function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as { readonly [name: string]: unknown })[name] : undefined;
}
