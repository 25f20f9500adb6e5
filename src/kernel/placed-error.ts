/** Says in an error's own message where it arose: its class, its code and what an assertion compares stay as they are. */
export function placed(error: unknown, place: string): unknown {
  const { message, stack } = (error ?? {}) as { readonly message?: unknown; readonly stack?: unknown };
  if (typeof error !== "object" || error === null || typeof message !== "string") {
    return new Error(`${place}: ${String(error)}`, { cause: error });
  }
  const told = `${place}: ${message}`;
  if (!Reflect.set(error, "message", told)) return new Error(told, { cause: error });
  // The stack begins with the message as it was, and some reporters show nothing else.
  const retold = typeof stack === "string" && message !== "" ? stack.replace(message, () => told) : stack;
  Reflect.set(error, "stack", retold);
  return error;
}
