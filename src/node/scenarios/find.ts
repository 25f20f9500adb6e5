import { basename, extname } from "node:path";
import { nearestNames } from "../../languages/nearest.ts";
import { CommandError, usageError } from "../exit.ts";
import { builtIn, builtInNames } from "./built-in.ts";
import type { Found } from "./found.ts";
import { looksLikeFile, ownFiles, scenarioOfFile, scenariosIn } from "./own.ts";

/** A file of one's own that no scenario could be read from. */
export interface Unreadable {
  readonly file: string;
  readonly why: string;
}

export interface Everything {
  readonly found: readonly Found[];
  readonly unreadable: readonly Unreadable[];
}

/** All scenarios, one's own first. A file of one's own that cannot be loaded does not hide the others. */
export async function allScenarios(): Promise<Everything> {
  const own = await Promise.all(ownFiles().map(whatIsIn));
  const ofPackage = await Promise.all(builtInNames().map(builtIn));
  return {
    found: [...own.flatMap(({ found }) => found), ...ofPackage],
    unreadable: own.flatMap(({ unreadable }) => unreadable),
  };
}

async function whatIsIn(file: string): Promise<Everything> {
  try {
    return { found: await scenariosIn(file), unreadable: [] };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { found: [], unreadable: [{ file, why: error.message }] };
  }
}

/**
 * The scenario that a word means: a file, or a name. One's own scenario comes before one that is built in.
 *
 * @throws CommandError with the nearest names
 */
export async function findScenario(word: string): Promise<Found> {
  if (looksLikeFile(word)) return scenarioOfFile(word);
  const files = ownFiles();
  // Most files bear the name of their scenario, so most often no other is opened.
  const likely = files.filter((file) => basename(file, extname(file)) === word);
  const others = builtInNames().includes(word) ? [] : files.filter((file) => !likely.includes(file));
  for (const file of likely) {
    const own = (await scenariosIn(file)).find(({ scenario }) => scenario.name === word);
    if (own !== undefined) return own;
  }
  for (const file of others) {
    const own = (await whatIsIn(file)).found.find(({ scenario }) => scenario.name === word);
    if (own !== undefined) return own;
  }
  if (builtInNames().includes(word)) return builtIn(word);
  const { found } = await allScenarios();
  const near = nearestNames(word, new Set(found.map(({ scenario }) => scenario.name)));
  throw usageError(
    `no scenario is named ${word}`,
    ...near.map((name) => `hindcast run ${name}`),
    "hindcast list   shows them all; a file of your own is given with its path",
  );
}
