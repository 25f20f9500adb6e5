import { collectGarbage, yardstickMs } from "./measure.ts";
import type { Answer, Ask } from "./messages.ts";
import { RoundsProfile } from "./profile.ts";
import type { Effort, Round, Row, Sample } from "./row.ts";

/** Measures rows on request of the process that started this one, until that one lets go. */
export function serve(rows: readonly Row[], effort: Effort, profile: boolean): void {
  const worker = new Worker(rows, effort, profile);
  process.on("message", (message) => {
    void worker.answer(message as Ask).then((answer) => process.send?.(answer));
  });
  process.on("disconnect", () => {
    worker.end();
    process.exit();
  });
}

class Worker {
  readonly #rows: readonly Row[];
  readonly #effort: Effort;
  readonly #profile: boolean;
  readonly #rounds = new Map<string, Round>();
  readonly #profiles = new Map<string, RoundsProfile>();

  constructor(rows: readonly Row[], effort: Effort, profile: boolean) {
    this.#rows = rows;
    this.#effort = effort;
    this.#profile = profile;
    // The yardstick itself has to be warm before it says anything.
    for (let warmUp = 0; warmUp < 5; warmUp++) yardstickMs();
  }

  async answer({ ask, id }: Ask): Promise<Answer> {
    try {
      return ask === "prepare" ? await this.#prepare(id) : await this.#measure(id);
    } catch (error) {
      return { answer: "failed", why: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }

  /** Tells where the time went, if that was asked for. */
  end(): void {
    for (const profile of this.#profiles.values()) console.error(profile.toString());
  }

  async #prepare(id: string): Promise<Answer> {
    const row = this.#rowOf(id);
    const prepared = await row.prepare(this.#effort);
    const { round, answers } = typeof prepared === "function" ? { round: prepared, answers: undefined } : prepared;
    this.#rounds.set(id, round);
    for (let warmUp = 0; warmUp < (row.warmUps ?? 1); warmUp++) await round();
    return { answer: "prepared", ...(answers === undefined ? {} : { answers }) };
  }

  async #measure(id: string): Promise<Answer> {
    const round = this.#rounds.get(id);
    if (round === undefined) throw new TypeError(`${id} was not prepared`);
    if (this.#rowOf(id).collects ?? true) collectGarbage();
    const yardstick = yardstickMs();
    const sample = this.#profile ? await this.#profiled(id, round) : await round();
    const { value, detail } = typeof sample === "number" ? { value: sample, detail: undefined } : sample;
    return { answer: "measured", value, yardstickMs: yardstick, ...(detail === undefined ? {} : { detail }) };
  }

  #rowOf(id: string): Row {
    const row = this.#rows.find((known) => known.id === id);
    if (row === undefined) throw new TypeError(`no row is called ${id}`);
    return row;
  }

  async #profiled(id: string, round: Round): Promise<Sample> {
    const profile = this.#profiles.get(id) ?? new RoundsProfile(id);
    this.#profiles.set(id, profile);
    return profile.record(round);
  }
}
