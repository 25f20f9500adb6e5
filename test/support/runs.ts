import { env } from "node:process";

/**
 * How a property is run: always over the same cases, so that a red run is red again.
 *
 * `HINDCAST_PROPERTY_SEED=7` takes others, and `HINDCAST_PROPERTY_FACTOR=100` a hundred times as many. A failure prints seed
 * and path: put both here, beside `numRuns`, to run the shrunk case alone.
 *
 * @param count cases in an ordinary run
 */
export function runs(count: number): { readonly seed: number; readonly numRuns: number } {
  const seed = Number(env["HINDCAST_PROPERTY_SEED"] ?? 20_260_101);
  const factor = Number(env["HINDCAST_PROPERTY_FACTOR"] ?? 1);
  return { seed, numRuns: Math.max(1, Math.round(count * factor)) };
}
