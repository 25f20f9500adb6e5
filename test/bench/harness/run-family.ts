import type { Answer } from "./messages.ts";
import type { Measured } from "./report.ts";
import type { Family, Row } from "./row.ts";
import type { Subject } from "./subject.ts";

/** How rows are measured: in which processes, and who hears of it. */
export interface Run {
  readonly startSubject: () => Pick<Subject, "ask" | "end">;
  readonly quick: boolean;
  readonly progress: (text: string) => void;
}

interface Outcome {
  readonly values: number[];
  answers?: string;
  detail?: string;
  failure?: string;
}

const ROUNDS = 5;
const QUICK_ROUNDS = 2;

/** Measures the rows of a family: all are prepared, then their rounds alternate. */
export async function runFamily(
  { name, rows }: Family,
  run: Run,
): Promise<{ readonly measured: ReadonlyMap<string, Measured>; readonly yardstickMs: readonly number[] }> {
  const subjects = new Map<string, Pick<Subject, "ask" | "end">>();
  const outcomes = new Map<Row, Outcome>(rows.map((row) => [row, { values: [] }]));
  const yardstickMs: number[] = [];
  const ask = async (row: Row, question: "prepare" | "round"): Promise<void> => {
    const subject = subjects.get(processOf(row));
    const outcome = outcomes.get(row);
    if (subject === undefined || outcome === undefined || outcome.failure !== undefined) return;
    note(outcome, yardstickMs, await subject.ask({ ask: question, id: row.id }));
  };
  const prepare = async (group: readonly Row[]): Promise<void> => {
    for (const row of group) {
      run.progress(`${name}: preparing ${row.id}`);
      if (!subjects.has(processOf(row))) subjects.set(processOf(row), run.startSubject());
      await ask(row, "prepare");
    }
  };
  try {
    await inParallel(groupsOf(rows), PREPARED_AT_ONCE, prepare);
    for (const contest of contestsOf(rows)) failWhoDisagrees(contest, outcomes);
    run.progress(`${name}: measuring`);
    for (const row of roundsInTurn(rows, run.quick)) await ask(row, "round");
  } finally {
    await Promise.all([...subjects.values()].map((subject) => subject.end()));
  }
  return { measured: new Map([...outcomes].map(([{ id }, outcome]) => [id, measuredOf(outcome)])), yardstickMs };
}

/** Processes that prepare at one time. Rounds never overlap. */
const PREPARED_AT_ONCE = 2;

/** Rows by their processes: those of one are prepared one after another. */
function groupsOf(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(processOf(row), [...(groups.get(processOf(row)) ?? []), row]);
  return [...groups.values()];
}

async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const processOf = ({ id, process }: Row): string => process ?? id;

const measuredOf = ({ answers: _, ...measured }: Outcome): Measured => measured;

// --- the same answers -----------------------------------------------------------------------------------------------

function contestsOf(rows: readonly Row[]): Row[][] {
  const contests = new Map<string, Row[]>();
  for (const row of rows) {
    if (row.contest !== undefined) contests.set(row.contest, [...(contests.get(row.contest) ?? []), row]);
  }
  return [...contests.values()];
}

/** What does other work than the first of its contest is no comparison. */
function failWhoDisagrees(contest: readonly Row[], outcomes: ReadonlyMap<Row, Outcome>): void {
  const [first, ...others] = contest.flatMap((row) => {
    const outcome = outcomes.get(row);
    return outcome === undefined || outcome.failure !== undefined ? [] : [{ id: row.id, outcome }];
  });
  if (first === undefined) return;
  const told = first.outcome.answers;
  if (told === undefined || told === "") first.outcome.failure = "it told no answers to compare";
  for (const { outcome } of others) {
    if (told === undefined || told === "" || outcome.answers === undefined) {
      outcome.failure = `there are no answers of both to compare with ${first.id}`;
    } else if (outcome.answers !== told) {
      outcome.failure = `it does not answer as ${first.id} does: ${firstDifference(told, outcome.answers)}`;
    }
  }
}

/** Where two texts part, with a little of what stands there. */
function firstDifference(expected: string, actual: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
  return `expected ${around(expected)}, got ${around(actual)}`;
}

/** The order of the rounds: forward and backward in turn, so that no row always follows the same one. */
export function roundsInTurn(rows: readonly Row[], quick: boolean): Row[] {
  const roundsOf = ({ rounds = ROUNDS }: Row): number => (quick ? Math.min(rounds, QUICK_ROUNDS) : rounds);
  const most = Math.max(0, ...rows.map(roundsOf));
  return Array.from({ length: most }, (_, round) => {
    const still = rows.filter((row) => round < roundsOf(row));
    return round % 2 === 0 ? still : still.reverse();
  }).flat();
}

function note(outcome: Outcome, yardstickMs: number[], answer: Answer): void {
  switch (answer.answer) {
    case "prepared":
      if (answer.answers !== undefined) outcome.answers = answer.answers;
      return;
    case "measured":
      outcome.values.push(answer.value);
      yardstickMs.push(answer.yardstickMs);
      if (answer.detail !== undefined) outcome.detail = answer.detail;
      return;
    case "failed":
      outcome.failure = answer.why;
      return;
    default:
      answer satisfies never;
  }
}
