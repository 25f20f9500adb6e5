import type { Commit, RecordedEvent } from "../kernel/commit.ts";
import type { Difference } from "../kernel/diff.ts";
import { differenceLine } from "../kernel/difference-text.ts";
import { rfc3339 } from "../languages/instant.ts";
import type { Cast, Scenario } from "../scenario/define.ts";
import type { StepReport } from "../scenario/run.ts";
import type { Simulator } from "../simulator/types.ts";
import { fitted, fittedPath, wrapped } from "./columns.ts";

/** How text is marked: by colours on a terminal, not at all elsewhere. */
export interface Style {
  readonly strong: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

const same = (text: string): string => text;

/** No marks: for pipes and files. */
export const PLAIN_STYLE: Style = { strong: same, quiet: same, good: same, bad: same };

/** A story fits a terminal of this many columns. */
const COLUMNS = 80;
const ACTOR_COLUMNS = 10;
const MARGIN = "    ";
/** What is left for what an actor did. */
const ROOM = COLUMNS - MARGIN.length - ACTOR_COLUMNS;

/** Tells a scenario step by step: virtual time, who did what, what was recorded, what was asserted. */
export class Story<C extends Cast> {
  readonly #scenario: Scenario<C>;
  readonly #style: Style;
  #told = 0;

  constructor(scenario: Scenario<C>, style: Style) {
    this.#scenario = scenario;
    this.#style = style;
  }

  /** The head of the story. */
  title(): string[] {
    const { title, name } = this.#scenario;
    return [this.#style.strong(title), this.#style.quiet(name), ""];
  }

  /** What happened in a step. */
  step(report: StepReport, sim: Simulator, cast: C): string[] {
    const lines = [`${this.#style.quiet(clockFace(report.atMs))}  ${this.#style.strong(report.title)}`];
    for (const commit of sim.log.commits().slice(this.#told)) lines.push(...this.#commit(commit, cast));
    const changes = sim.diff(this.#told, report.position);
    this.#told = report.position;
    if (report.ok) {
      lines.push(...changeLines(changes).map(this.#style.quiet));
      if (report.expectation !== undefined) lines.push(...headed("  ok      ", report.expectation, this.#style.good));
    } else {
      lines.push(...headed("  FAILED  ", messageOf(report.error), this.#style.bad));
      lines.push(...whyLines(report.why ?? "").map(this.#style.quiet));
    }
    return [...lines, ""];
  }

  /** The end: how many steps held, and how to play it again. */
  end(steps: readonly StepReport[], seed: number | string): string[] {
    const held = steps.filter(({ ok }) => ok).length;
    const all = this.#scenario.steps.length;
    const verdict = `${held} of ${all} steps as expected, seed ${seed}`;
    return [held === all ? this.#style.good(verdict) : this.#style.bad(verdict)];
  }

  #commit({ command, events, failed, atMs, position }: Commit, cast: C): string[] {
    const actor = actorOf(command, cast).padEnd(ACTOR_COLUMNS);
    const outcome = failed === undefined ? "" : ` (failed: ${failed})`;
    const what = `${command.name.replace(/^(secrets|runs|scheduler|control|timer)\./, "")}${outcome}`;
    const when = `${clockFace(atMs).slice(11)} #${position}`;
    const room = ROOM - when.length - 1;
    const head = `${MARGIN}${actor}${fitted(what, room).padEnd(room)} ${this.#style.quiet(when)}`;
    return [head, ...events.map((event) => this.#style.quiet(eventLine(event)))];
  }
}

function clockFace(ms: number): string {
  return rfc3339(ms).slice(0, 19).replace("T", " ");
}

/** Who did it: an actor of the cast by its token, the clock, or the author of the test. */
function actorOf({ caller, via }: Commit["command"], cast: Cast): string {
  if (via === "timer") return "clock";
  const token = caller?.["token"];
  const actor = Object.entries(cast).find(([, value]) => value === token && token !== undefined);
  return actor?.[0] ?? (via === "control" ? "(author)" : "somebody");
}

/** Members of facts that say nothing new in a story. */
const UNTOLD: ReadonlySet<string> = new Set(["cluster", "password", "status", "dn", "uuid"]);

/** `ServiceAccountCheckedOut` with its short members, as one line. */
function eventLine({ type, data }: RecordedEvent): string {
  const words = type.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  const details = Object.entries(data as object)
    .filter(([name, value]: [string, unknown]) => typeof value === "string" && !UNTOLD.has(name))
    .map(([name, value]: [string, unknown]) => `${name} ${fitted(String(value), 36)}`);
  const line = `${" ".repeat(COLUMNS - ROOM)}- ${words}${details.length === 0 ? "" : `: ${details.join(", ")}`}`;
  return fitted(line, COLUMNS);
}

/** So many changes of a step are told: it is a story, and no list. */
const CHANGES_TOLD = 4;

/** What became of what was there: a status, a name, a switch. What is new or gone the facts tell. */
function changeLines(changes: readonly Difference[]): string[] {
  const told = changes.filter(({ path, before, after }) => isWord(before) && isWord(after) && !/password/i.test(path));
  const lines = told.slice(0, CHANGES_TOLD).map((change) => fittedPath(differenceLine(change), ROOM));
  if (told.length > CHANGES_TOLD) lines.push(`and ${told.length - CHANGES_TOLD} more`);
  return lines.map((line, index) => MARGIN + (index === 0 ? "now" : "").padEnd(ACTOR_COLUMNS) + line);
}

/** Short enough that both sides fit on a line with the path. */
function isWord(value: unknown): boolean {
  return typeof value === "boolean" || (typeof value === "string" && value.length <= 20);
}

/** What changed in a step that failed, and what explains it; each line within the terminal's width. */
function whyLines(why: string): string[] {
  const room = COLUMNS - MARGIN.length;
  return why
    .split("\n")
    .map((line) => MARGIN + (isPath(line) ? `  ${fittedPath(line.trim(), room - 2)}` : fitted(line, room)));
}

function isPath(line: string): boolean {
  return /^ *\w+[.[]/.test(line);
}

function headed(head: string, text: string, mark: (text: string) => string): string[] {
  const [first = "", ...rest] = wrapped(text, head, COLUMNS);
  return [mark(head) + first.slice(head.length), ...rest];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
