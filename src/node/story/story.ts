import type { Difference } from "../../kernel/diff.ts";
import { differenceLine } from "../../kernel/difference-text.ts";
import { clockFace } from "../../scenario/clock-face.ts";
import type { Cast, Scenario } from "../../scenario/define.ts";
import { messageOf } from "../../scenario/message.ts";
import { type PlaceStatus, placesOf } from "../../scenario/places.ts";
import type { StepReport } from "../../scenario/run.ts";
import type { Simulator } from "../../simulator/types.ts";
import { fitted, fittedPath, wrapped, wrappedLines } from "../terminal/columns.ts";
import type { Style } from "../terminal/style.ts";
import { indentOf, type Layout, layoutFor, panelLines } from "./panel.ts";
import { commitLines } from "./words.ts";

/** Where a story stands: what it has told already. */
export interface Told {
  readonly position: number;
  readonly places: readonly PlaceStatus[];
}

/** A part of a story, and where the story stands after it. */
export interface Telling {
  readonly lines: readonly string[];
  readonly told: Told;
}

/** What happened that is no step of the scenario. */
export type Deed = Omit<StepReport, "position" | "atMs">;

/**
 * Tells a scenario step by step: virtual time, who did what, what was recorded, what was asserted, and how clusters and regions
 * stand. What is told depends on where the story stood and on the simulator, and on nothing else, so that it can be told again.
 */
export class Story {
  readonly #scenario: Scenario;
  readonly #style: Style;
  readonly #layout: Layout;

  constructor(scenario: Scenario, style: Style, columns: number) {
    this.#scenario = scenario;
    this.#style = style;
    this.#layout = layoutFor(columns);
  }

  /** The head of the story, before its first step. */
  title(sim: Simulator, cast: Cast): Telling {
    const { title, name } = this.#scenario;
    const commits = commitLines(sim.log.commits(), cast, this.#layout, this.#style);
    const head = [
      ...wrapped(title, "", this.#columns).map(this.#style.strong),
      this.#style.quiet(fitted(name, this.#columns)),
      "",
    ];
    const told = { position: sim.position, places: placesOf(sim) };
    const panel = panelLines(told.places, [], this.#layout, this.#style);
    if (commits.length === 0 && panel.length === 0) return { lines: head, told };
    return { lines: [...head, ...this.#headLines(sim.clock.now(), "Before"), ...commits, ...panel, ""], told };
  }

  /** What happened in a step, or in place of one. */
  step(report: Deed, sim: Simulator, cast: Cast, before: Told): Telling {
    const lines = this.#headLines(sim.clock.now(), report.title);
    lines.push(...commitLines(sim.log.commits().slice(before.position), cast, this.#layout, this.#style));
    if (report.ok) lines.push(...this.#changes(sim.diff(before.position, sim.position)).map(this.#style.quiet));
    const told = { position: sim.position, places: placesOf(sim) };
    if (JSON.stringify(told.places) !== JSON.stringify(before.places)) {
      lines.push(...panelLines(told.places, before.places, this.#layout, this.#style));
    }
    if (!report.ok) {
      lines.push(...this.#headed("  FAILED  ", messageOf(report.error), this.#style.bad, wrappedLines));
      lines.push(...this.#why(report.why ?? "").map(this.#style.quiet));
    } else if (report.expectation !== undefined) {
      lines.push(...this.#headed("  ok      ", report.expectation, this.#style.good, wrapped));
    }
    return { lines: [...lines, ""], told };
  }

  /** The end: how many steps held, and which line replays it when one did not. */
  end(steps: readonly Deed[], seed: number | string, again: readonly string[]): string[] {
    const held = steps.filter(({ ok }) => ok).length;
    const all = this.#scenario.steps.length;
    const verdict = `${held} of ${all} steps as expected, seed ${seed}`;
    if (held === all) return [this.#style.good(fitted(verdict, this.#columns))];
    // A line to be copied is never cut or wrapped.
    return [this.#style.bad(fitted(verdict, this.#columns)), ...again];
  }

  get #columns(): number {
    return this.#layout.columns;
  }

  #headLines(atMs: number, title: string): string[] {
    const face = clockFace(atMs);
    const [first = "", ...rest] = wrapped(title, " ".repeat(face.length + 2), this.#columns);
    return [this.#style.quiet(face) + this.#style.strong(first.slice(face.length)), ...rest.map(this.#style.strong)];
  }

  /** What became of what was there: a status, a name, a switch. What is new or gone the facts tell. */
  #changes(changes: readonly Difference[]): string[] {
    const told = changes.filter(
      ({ path, before, after }) => isWord(before) && isWord(after) && !/password/i.test(path),
    );
    const room = this.#columns - indentOf(this.#layout);
    const lines = told.slice(0, CHANGES_TOLD).map((change) => fittedPath(differenceLine(change), room));
    if (told.length > CHANGES_TOLD) lines.push(`and ${told.length - CHANGES_TOLD} more`);
    const { margin, headColumns } = this.#layout;
    return lines.map((line, index) => margin + (index === 0 ? "now" : "").padEnd(headColumns) + line);
  }

  /** What changed in a step that failed, and what explains it; each line within the width. */
  #why(why: string): string[] {
    const { margin } = this.#layout;
    const room = this.#columns - margin.length;
    return why
      .split("\n")
      .map((line) => margin + (isPath(line) ? `  ${fittedPath(line.trim(), room - 2)}` : fitted(line, room)));
  }

  #headed(head: string, text: string, mark: (text: string) => string, inLines: typeof wrapped): string[] {
    const [first = "", ...rest] = inLines(text, head, this.#columns);
    return [mark(head) + first.slice(head.length), ...rest];
  }
}

/** So many changes are told, and the others are counted. */
const CHANGES_TOLD = 4;

/** Short enough that both sides fit on a line with the path. */
function isWord(value: unknown): boolean {
  return typeof value === "boolean" || (typeof value === "string" && value.length <= 20);
}

function isPath(line: string): boolean {
  return /^ *\w+[.[]/.test(line);
}
