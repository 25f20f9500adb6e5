import type { Scenario } from "../../scenario/define.ts";

/** Where a scenario comes from. */
export interface Source {
  readonly origin: "built in" | "own";
  readonly file: string;
}

export interface Found extends Source {
  readonly scenario: Scenario;
}

/** The scenarios among what a file exports, each once. */
export function foundIn(exported: object, source: Source): Found[] {
  return [...new Set(Object.values(exported) as unknown[])]
    .filter(isScenario)
    .map((scenario) => ({ ...source, scenario }));
}

/** Whether it is what `defineScenario` makes; that of another copy of the library, too. */
function isScenario(value: unknown): value is Scenario {
  if (typeof value !== "object" || value === null) return false;
  const { name, title, world, cast, steps } = value as { readonly [name in keyof Scenario]: unknown };
  const isNamed = typeof name === "string" && typeof title === "string";
  const isWorld = typeof world === "object" || typeof world === "function";
  return isNamed && isWorld && typeof cast === "function" && Array.isArray(steps) && steps.length > 0;
}
