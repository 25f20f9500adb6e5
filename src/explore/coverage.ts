/** What was reached, how often, and when it was first reached. */
export interface Coverage {
  /** By what was reached, in how many schedules: moves of charts, refusals, and faults with what they met. */
  readonly reached: { readonly [what: string]: number };
  /** The moves that charts have, of which some were reached, and that were not. */
  readonly never: readonly string[];
  /** After so many schedules, how many of these things were known: where it no longer grows, more of the same finds little. */
  readonly growth: readonly { readonly schedules: number; readonly reached: number }[];
}

/** What is reached, counted schedule by schedule. */
export class Counting {
  readonly #counts = new Map<string, number>();
  readonly #growth: { readonly schedules: number; readonly reached: number }[] = [];

  /** Counts what a schedule reached, and tells whether some of it is new. */
  add(reached: Iterable<string>): boolean {
    const before = this.#counts.size;
    for (const what of reached) this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    return this.#counts.size > before;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Notes how much is known after so many schedules. */
  note(schedules: number): void {
    this.#growth.push({ schedules, reached: this.#counts.size });
  }

  async coverage(): Promise<Coverage> {
    const { allCharts } = await import("../simulator/charts.ts");
    const reached = [...this.#counts].sort(([left], [right]) => (left < right ? -1 : 1));
    const machines = new Set(reached.flatMap(([what]) => /^([\w-]+): .+ -.+> /.exec(what)?.[1] ?? []));
    const never = allCharts()
      .filter(({ id }) => machines.has(id))
      .flatMap(({ id, moves }) => moves.map(({ from, event, to }) => moveText(id, from, event, to)))
      .filter((move) => !this.#counts.has(move));
    return { reached: Object.fromEntries(reached), never: [...new Set(never)].sort(), growth: [...this.#growth] };
  }
}

/** What a move of a chart is called. */
export function moveText(machine: string, from: unknown, event: string, to: unknown): string {
  return `${machine}: ${from} -${event}> ${to}`;
}
