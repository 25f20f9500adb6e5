import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fileIn, HOUSE, moduleName } from "../package-files.ts";
import { type Found, foundIn } from "./found.ts";

const FOLDER = join(HOUSE, "scenarios");

/** The names of the scenarios that come with the package. Each stands in a file of its name. */
export function builtInNames(): string[] {
  return readdirSync(FOLDER)
    .flatMap((file) => moduleName(file) ?? [])
    .sort();
}

/** A scenario of the package. Only its own file is opened: a story that is run does not wait for the others. */
export async function builtIn(name: string): Promise<Found> {
  const file = fileIn("scenarios", name);
  const exported = (await import(pathToFileURL(file).href)) as object;
  const [found] = foundIn(exported, { origin: "built in", file });
  if (found === undefined) throw new Error(`${file} holds no scenario`);
  return found;
}
