import type { ExploreFailure, ExploreReport } from "../../explore/explore.ts";
import type { SearchProgress } from "../../explore/search.ts";
import { fitted } from "../terminal/columns.ts";
import { counted } from "../terminal/counted.ts";

/** What came of an exploration, in lines. */
export function reportLines(
  name: string,
  { ok, schedules, failures, coverage, virtualMs, seed }: ExploreReport,
): string[] {
  const { reached, never, growth } = coverage;
  const kinds = Object.keys(reached).map((what) => KINDS.find(([, pattern]) => pattern.test(what))?.[0] ?? FAULTS);
  const counts = [...KINDS.map(([kind]) => kind), FAULTS]
    .map((kind) => [kind, kinds.filter((one) => one === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kind} ${count}`);
  return [
    `${name}: ${ok ? "nothing found" : counted(failures.length, "failure")}`,
    `${counted(schedules, "schedule")}, seed ${seed}, ${virtual(virtualMs)}`,
    ...(counts.length === 0 ? [] : [`reached: ${counts.join(", ")}; never: moves ${never.length}`]),
    ...(growth.length < 2 ? [] : [`new per 1,000 schedules: ${newPerThousand(growth).join(", ")}`]),
    ...failures.flatMap((failure) => ["", ...failureLines(failure)]),
  ];
}

const FAULTS = "faults in states";

/** What is reached, by how it is written. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["moves", /^[\w-]+: .+ -.+> /],
  ["refusals", / refused: /],
];

function failureLines({ judge, message, schedule, steps, faults, found, files, repeat }: ExploreFailure): string[] {
  return [
    `${judge}: ${message}`,
    `  found with schedule ${found}, shrunk to ${counted(steps, "step")} with ${counted(faults, "fault")}:`,
    `  ${schedule}`,
    ...Object.entries(files).map(([what, file]) => `  ${what}: ${String(file)}`),
    `  again: ${repeat}`,
  ];
}

/** How many things that nobody had met before were met, at each noted place since the one before. */
function newPerThousand(growth: ExploreReport["coverage"]["growth"]): string[] {
  return growth.map(({ schedules, reached }, index) => {
    const before = growth[index - 1] ?? { schedules: 0, reached: 0 };
    return Math.round((1_000 * (reached - before.reached)) / (schedules - before.schedules)).toLocaleString("en-US");
  });
}

function virtual(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, least]) => ms >= least) ?? HOURS;
  const count = ms / unitMs;
  return `${count.toLocaleString("en-US", { maximumFractionDigits: count < 10 ? 1 : 0 })} virtual ${unit}`;
}

const HOURS = ["hours", 3_600_000] as const;
const UNITS = [["years", 31_557_600_000] as const, ["days", 86_400_000] as const, HOURS];

/** Shows how far an exploration is: on a terminal at one place, else a line now and then, for those who read what a build said. */
export class ProgressLine {
  readonly #beganMs = performance.now();
  #shownAtMs = performance.now();
  #isShown = false;

  readonly show = ({ schedules, of, virtualMs, reached, failures }: SearchProgress): void => {
    const { stderr } = process;
    const nowMs = performance.now();
    if (nowMs - this.#shownAtMs < (stderr.isTTY ? TERMINAL_EVERY_MS : LINE_EVERY_MS)) return;
    this.#shownAtMs = nowMs;
    const rate = Math.round((1_000 * schedules) / (nowMs - this.#beganMs));
    const all = of === Number.MAX_SAFE_INTEGER ? "" : ` of ${of.toLocaleString("en-US")}`;
    const text = [
      `${schedules.toLocaleString("en-US")}${all} schedules`,
      `${rate.toLocaleString("en-US")}/s`,
      virtual(virtualMs),
      `${reached} reached`,
      counted(failures, "failure"),
    ].join(", ");
    stderr.write(stderr.isTTY ? `${CLEAR}${fitted(text, (stderr.columns || 80) - 1)}` : `${text}\n`);
    this.#isShown = stderr.isTTY;
  };

  end(): void {
    if (this.#isShown) process.stderr.write(CLEAR);
    this.#isShown = false;
  }
}

const CLEAR = "\r\u001b[K";
const TERMINAL_EVERY_MS = 250;
const LINE_EVERY_MS = 30_000;
