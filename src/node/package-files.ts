import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(import.meta.url);

/** TypeScript in the sources, JavaScript in what is published: what stands where is the same in both. */
const EXTENSION = extname(here);

/** The folder that holds `src`, `scenarios` and `machines`. */
export const HOUSE: string = join(dirname(here), "..", "..");

/** The files of a folder of the house that hold one thing each, such as a scenario. */
export function fileIn(folder: "scenarios" | "src/node", name: string): string {
  return join(HOUSE, folder, `${name}${EXTENSION}`);
}

/** The name of a module's file without its extension; undefined for other files, such as declarations. */
export function moduleName(file: string): string | undefined {
  return file.endsWith(EXTENSION) && !file.endsWith(`.d${EXTENSION}`) ? file.slice(0, -EXTENSION.length) : undefined;
}
