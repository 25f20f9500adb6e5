import fc from "fast-check";
import { type TestOptions, test } from "vitest";

type Arbitraries<Given> = { [K in keyof Given]: fc.Arbitrary<Given[K]> };
type Declare<Given extends unknown[]> = (
  title: string,
  body: (...given: Given) => unknown,
  options?: TestOptions | number,
) => void;

/**
 * A test that holds for all that the arbitraries give. (@fast-check/vitest 0.5.0 has the same as `test.prop`, and builds every chain of
 * the modifiers of `test` when it is imported: two seconds in each worker.)
 *
 * @example property([fc.nat(), fc.nat()], runs(50))("addition commutes", (a, b) => { expect(a + b).toBe(b + a); });
 */
export function property<Given extends [unknown, ...unknown[]]>(
  arbitraries: [...Arbitraries<Given>],
  parameters?: fc.Parameters<Given>,
): Declare<Given> {
  return (title, body, options) => {
    const holds = fc.asyncProperty<Given>(...arbitraries, async (...given) => {
      const answer = await body(...given);
      return answer !== false;
    });
    test(title, typeof options === "number" ? { timeout: options } : (options ?? {}), () =>
      fc.assert(holds, parameters),
    );
  };
}
