import { type Row, row } from "../harness/row.ts";
import { type Contest, entryId, type Section } from "./contests.ts";

/** How each contestant of a section does the work of a contest; of one for whom it is out of reach the remark of the section tells why. */
export type Entries = Readonly<Record<string, Entry | "out of reach">>;

export type Entry = Omit<Row, "id" | "unit" | "contest" | "comparedWith">;

/**
 * The rows of a contest, one for each contestant.
 *
 * @throws TypeError when somebody is missing, or belongs to another section
 */
export function rowsOf({ title, contestants }: Section, { id, unit }: Contest, entries: Entries): Row[] {
  const strangers = Object.keys(entries).filter((name) => !contestants.includes(name));
  if (strangers.length > 0) throw new TypeError(`${id}: ${strangers.join(", ")} is no contestant of ${title}`);
  return contestants.flatMap((contestant, index) => {
    const entry = entries[contestant];
    if (entry === undefined) throw new TypeError(`${id}: nothing is said of ${contestant}`);
    if (entry === "out of reach") return [];
    return row({
      ...entry,
      id: entryId(id, contestant),
      unit,
      contest: id,
      ...(index === 0 ? {} : { comparedWith: entryId(id, contestants[0] ?? "") }),
    });
  });
}

/** A contest of a section by its id. */
export function contestOf({ contests, title }: Section, id: string): Contest {
  const contest = contests.find((known) => known.id === id);
  if (contest === undefined) throw new TypeError(`${title} has no contest ${id}`);
  return contest;
}
