import { type Difference, differences, fits } from "./compare.ts";
import { decisionOn, type Reason } from "./decisions.ts";
import type { Played } from "./play.ts";
import type { Explained, RecordedRequest } from "./recording.ts";

/** How an answer stands to a real server's: the gravest of what differs. */
export type Grade = "same" | "wording" | "decided" | "version";

export interface Graded {
  readonly played: Played;
  readonly grade: Grade;
  /** What decides, where something differs. */
  readonly because: readonly string[];
  /** What nothing explains. */
  readonly ungraded: readonly Difference[];
}

/** Grades what was played: what nothing explains is left over, and no recording may have any. */
export function graded(played: Played, explained: readonly Explained[]): Graded {
  const { recorded, ours, variables } = played;
  const found = differences(recorded.real, ours, variables).filter(
    ({ place }) => !(recorded.grade === "wording" && place === "body.errors"),
  );
  const grades: Grade[] = [hasWording(recorded) ? "wording" : "same"];
  const because = new Set<string>();
  const ungraded: Difference[] = [];
  for (const difference of found) {
    const reason = reasonFor(difference, played, explained);
    if (reason === undefined) ungraded.push(difference);
    else {
      grades.push(reason.grade);
      because.add(reason.ref);
    }
  }
  const grade = GRADES.findLast((known) => grades.includes(known)) ?? "same";
  return { played, grade, because: [...because], ungraded };
}

export const GRADES: readonly Grade[] = ["same", "wording", "decided", "version"];

/**
 * Texts of errors and warnings were not recorded, only whether they were the same. Where the answer was another one then, they count as
 * other words.
 */
function hasWording({ grade, real: { body } }: RecordedRequest): boolean {
  if (grade === "equal" || grade === "wording") return grade === "wording";
  const { errors, warnings } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  return [errors, warnings].some((count) => typeof count === "number" && count > 0);
}

function reasonFor(difference: Difference, played: Played, explained: readonly Explained[]): Reason | undefined {
  const { recorded, variables } = played;
  const { ref = "", differs = {}, instead = {} } = recorded;
  for (const [place, value] of Object.entries(instead)) {
    if (place === difference.place && fits(value ?? undefined, difference.ours, variables))
      return { grade: "decided", ref };
  }
  for (const [place, grade] of Object.entries(differs)) {
    if ((grade === "decided" || grade === "version") && covers(place, difference.place)) return { grade, ref };
  }
  const decision = decisionOn(recorded, difference);
  if (decision !== undefined || recorded.grade === "equal" || recorded.grade === "wording") return decision;
  return explained.find((known) => explains(known, difference, played));
}

function covers(place: string, found: string): boolean {
  return found === place || found.startsWith(`${place}.`) || found.startsWith(`${place}[]`);
}

function explains(known: Explained, { place, real, ours }: Difference, { recorded, variables }: Played): boolean {
  if (!new RegExp(known.at).test(place)) return false;
  if (known.path !== undefined && !new RegExp(known.path).test(recorded.path.replace(/\?.*/, ""))) return false;
  if (known.method !== undefined && known.method !== recorded.method) return false;
  if (known.only === "real" && ours !== undefined) return false;
  if (known.only === "ours" && real !== undefined) return false;
  if ("real" in known && JSON.stringify(known.real) !== JSON.stringify(real)) return false;
  return !("ours" in known) || fits(known.ours, ours, variables);
}
