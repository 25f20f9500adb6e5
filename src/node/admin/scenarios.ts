import type { Cast, Scenario } from "../../scenario/define.ts";

/** The ready-made stories, each opened when it is asked for. */
const SCENARIOS = {
  "library-loan": async () => (await import("../../../scenarios/library-loan.ts")).libraryLoan,
  "lost-management-tokens": async () =>
    (await import("../../../scenarios/lost-management-tokens.ts")).lostManagementTokens,
  "override-soft-failed": async () => (await import("../../../scenarios/override-soft-failed.ts")).overrideSoftFailed,
  "policy-outage": async () => (await import("../../../scenarios/policy-outage.ts")).policyOutage,
  "region-outage": async () => (await import("../../../scenarios/region-outage.ts")).regionOutage,
  "token-expiry-storm": async () => (await import("../../../scenarios/token-expiry-storm.ts")).tokenExpiryStorm,
} as const satisfies { readonly [name: string]: () => Promise<unknown> };

export const SCENARIO_NAMES: readonly string[] = Object.keys(SCENARIOS);

/** The story of a name; undefined when there is none. */
export async function scenarioNamed(name: string): Promise<Scenario<Cast> | undefined> {
  if (!Object.hasOwn(SCENARIOS, name)) return undefined;
  // Whoever runs it hands each step the cast that the story itself has made.
  return (await SCENARIOS[name as keyof typeof SCENARIOS]()) as unknown as Scenario<Cast>;
}
