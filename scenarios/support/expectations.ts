import { Rejection } from "../../src/index.ts";

// What the expectations of scenarios are made of: each throws when it does not hold.

export function expectEqual(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`expected ${right}, but it is ${left}`);
}

export function expectDiffer(actual: unknown, other: unknown): void {
  if (actual === undefined || actual === other) throw new Error(`expected something new, but it is ${String(actual)}`);
}

export function expectRefusal(code: string, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (error instanceof Rejection && error.code === code) return;
    throw error;
  }
  throw new Error(`expected a refusal with ${code}, but it was done`);
}

/** As `expectRefusal`, of a call that returns a promise. */
export async function expectRefusalSoon(code: string, call: Promise<unknown>): Promise<void> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  expectRefusal(code, () => {
    if (outcome !== undefined) throw outcome.error;
  });
}
