import { parseArgs } from "node:util";
import type { Family, Row } from "./row.ts";

/** What a run of the bench is asked for. */
export interface Wanted {
  /** Ids of rows, in which a `*` stands for any characters. */
  readonly only: readonly string[];
  readonly all: boolean;
  readonly quick: boolean;
  readonly profile: boolean;
}

/** @throws TypeError for an option that is none */
export function readArguments(words: readonly string[]): Wanted {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string", multiple: true, default: [] },
      all: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
    },
  });
  const { only, ...switches } = values;
  return { only: only.flatMap((ids) => ids.split(",")), ...switches };
}

/**
 * The rows that were asked for, and those that they are compared with.
 *
 * @param only ids as in `Wanted`; empty = all rows but those that are measured only by name
 * @throws TypeError for an id that no row has
 */
export function chosenFamilies(families: readonly Family[], only: readonly string[]): Family[] {
  if (only.length === 0) return families.filter(({ onlyByName }) => onlyByName !== true);
  const rows = families.flatMap((family) => family.rows);
  const chosen = new Set<Row>();
  const choose = (row: Row): void => {
    chosen.add(row);
    const other = rows.find(({ id }) => id === row.comparedWith);
    if (other !== undefined && !chosen.has(other)) choose(other);
  };
  for (const asked of only) {
    const pattern = new RegExp(`^${asked.split("*").map(escaped).join(".*")}$`);
    const meant = rows.filter(({ id }) => pattern.test(id));
    if (meant.length === 0) {
      throw new TypeError(
        `--only ${asked}: there is no such row; there are\n  ${rows.map(({ id }) => id).join("\n  ")}`,
      );
    }
    meant.forEach(choose);
  }
  return families
    .map(({ name, rows: all }) => ({ name, rows: all.filter((row) => chosen.has(row)) }))
    .filter((family) => family.rows.length > 0);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|?+()[\]{}]/g, "\\$&");
}
