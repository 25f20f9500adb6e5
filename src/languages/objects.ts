// Objects as JSON has them, whose members may be named like those that every object has.

/** An object that is no array. */
export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** An own member: what every object inherits is none. */
export function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as { readonly [name: string]: unknown })[name] : undefined;
}

/** Sets an own member whatever its name is: assigning `__proto__` would change the prototype instead. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
