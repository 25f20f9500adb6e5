import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { extname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../scenario/message.ts";
import { usageError } from "../exit.ts";
import { HOUSE } from "../package-files.ts";
import { type Found, foundIn } from "./found.ts";

// Our choice: one's own scenarios are the modules in the folder `scenarios` of the folder in which the command is run, as they are
// in this package.

const FOLDER = "scenarios";
const TYPESCRIPT: ReadonlySet<string> = new Set([".ts", ".mts", ".cts"]);
const EXTENSIONS: ReadonlySet<string> = new Set([...TYPESCRIPT, ".js", ".mjs", ".cjs"]);

/** The files that may hold scenarios of one's own. */
export function ownFiles(): string[] {
  const folder = resolve(FOLDER);
  if (!isFolder(folder) || realpathSync(folder) === realpathSync(join(HOUSE, FOLDER)) || isOurSource(folder)) return [];
  return readdirSync(folder)
    .filter((file) => EXTENSIONS.has(extname(file)) && !/\.(test|spec|d)\.[cm]?[jt]s$/.test(file))
    .sort()
    .map((file) => join(folder, file));
}

/** In this package's own repository the sources of what is built in are nobody's own. */
function isOurSource(folder: string): boolean {
  return existsSync(join(HOUSE, "..", FOLDER)) && realpathSync(folder) === realpathSync(join(HOUSE, "..", FOLDER));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether a word is meant as a file, and not as a name. */
export function looksLikeFile(word: string): boolean {
  return /[/\\]/.test(word) || EXTENSIONS.has(extname(withoutName(word)));
}

function withoutName(word: string): string {
  return word.replace(/#[^#/\\]*$/, "");
}

/**
 * The scenario of a file. A file with several is told which one by `#name`.
 *
 * @throws CommandError for a file that is not there, that cannot be loaded, or that holds no such scenario
 */
export async function scenarioOfFile(word: string): Promise<Found> {
  const file = existsSync(word) ? word : withoutName(word);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw usageError(`there is no file ${file}`, "hindcast list   shows the scenarios that there are");
  }
  const found = await scenariosIn(resolve(file));
  const name = file === word ? undefined : word.slice(file.length + 1);
  const names = found.map(({ scenario }) => scenario.name);
  if (found.length === 0) {
    throw usageError(`${file} exports no scenario`, "export what defineScenario({ ... }) returns, under any name");
  }
  const wanted = name === undefined ? found : found.filter(({ scenario }) => scenario.name === name);
  const [first] = wanted;
  if (first === undefined) throw usageError(`${file} has no scenario ${name}: there is ${names.join(", ")}`);
  if (wanted.length > 1) {
    throw usageError(
      `${file} has several scenarios: ${names.join(", ")}`,
      `hindcast run ${file}#${first.scenario.name}   runs one of them`,
    );
  }
  return first;
}

/** The scenarios that a file exports. @throws CommandError for one that cannot be loaded */
export async function scenariosIn(file: string): Promise<Found[]> {
  let exported: object;
  try {
    exported = await loadModule(file, { hindcast: () => import("../../index.ts") });
  } catch (error) {
    throw usageError(`${relative("", file)} cannot be loaded: ${messageOf(error)}`);
  }
  return foundIn(exported, { origin: "own", file: relative("", file) });
}

/**
 * A module of the user's, which may be written in TypeScript.
 *
 * @param file its whole path
 * @param ours what it finds under our names: the library that loads it
 */
export async function loadModule(
  file: string,
  ours: { readonly [name: string]: () => Promise<object> },
): Promise<object> {
  if (!TYPESCRIPT.has(extname(file))) return (await import(pathToFileURL(file).href)) as object;
  const { createJiti } = await import("jiti");
  const loaded = await Promise.all(Object.entries(ours).map(async ([name, load]) => [name, await load()] as const));
  // On Node 20, which runs no TypeScript, and on later ones, which run some of it, alike.
  const jiti = createJiti(file, {
    fsCache: false,
    interopDefault: false,
    tsconfigPaths: true,
    virtualModules: Object.fromEntries(loaded),
  });
  return await jiti.import<object>(file);
}
