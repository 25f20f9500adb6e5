import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Exploration } from "../../explore/index.ts";
import { readSettings } from "../../explore/options.ts";
import { messageOf } from "../../scenario/message.ts";
import { VERSION } from "../../simulator/version.ts";
import { usageError } from "../exit.ts";
import { loadModule } from "../scenarios/own.ts";

/** What of the library an exploration may name. */
const OURS = {
  hindcast: () => import("../../index.ts"),
  "hindcast/explore": () => import("../../explore/index.ts"),
  "hindcast/conduct": () => import("../../conduct/index.ts"),
};

/**
 * The exploration of a file: what `defineExploration` made, exported by default.
 *
 * @throws CommandError for a file that is not there, that cannot be loaded, or that exports no exploration
 */
export async function explorationOf(file: string): Promise<Exploration> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw usageError(`there is no file ${file}`);
  let exported: object;
  try {
    exported = await loadModule(resolve(file), OURS);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const isMissing = code === "ERR_MODULE_NOT_FOUND" && messageOf(error).includes("fast-check");
    if (isMissing) throw usageError("explore needs the package fast-check", "npm install --save-dev fast-check");
    throw usageError(`${relative("", file)} cannot be loaded: ${messageOf(error)}`);
  }
  const exploration = (exported as { readonly default?: Partial<Exploration> }).default;
  if (typeof exploration?.name !== "string" || typeof exploration.options !== "object") {
    throw usageError(
      `${file} exports no exploration by default`,
      'export default defineExploration("the shop loses no order", { ... })',
    );
  }
  readSettings(file, exploration.options);
  return exploration as Exploration;
}

/**
 * What makes explorations the same: the version of the library, and the bytes of the file and of all files beside it that it imports, one way
 * or the other. Packages count by their names alone.
 */
export function sumOf(file: string): string {
  const sum = createHash("sha256").update(VERSION);
  const seen = new Set<string>();
  const add = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const source = readFileSync(path, "utf8");
    sum.update(`\0${relative(dirname(resolve(file)), path)}\0${source}`);
    for (const [, name = ""] of source.matchAll(IMPORTED)) {
      const target = ENDINGS.map((ending) => join(dirname(path), `${name}${ending}`)).find(isFile);
      if (target !== undefined) add(target);
    }
  };
  add(resolve(file));
  return sum.digest("hex").slice(0, 16);
}

const IMPORTED = /\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;
const ENDINGS = ["", ".ts", ".js", ".mts", ".mjs", "/index.ts", "/index.js"];

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
