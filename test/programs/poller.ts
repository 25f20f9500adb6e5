import type { Place } from "./modes.ts";
import { type Answered, asked } from "./patient.ts";

/** Looks at a policy check until it has come to something, and gives up after a while. */
export class Poller {
  readonly told: (readonly [check: string, status: string, atMs: number])[] = [];
  readonly #place: Place;
  readonly #url: string;
  readonly #token: string;

  constructor(place: Place, url: string, token: string) {
    this.#place = place;
    this.#url = url;
    this.#token = token;
  }

  /** How long it waits for one answer. */
  protected get patienceMs(): number | undefined {
    return undefined;
  }

  /** How long it waits between two looks. */
  protected get restMs(): number {
    return 10_000;
  }

  /** How long it looks. */
  protected get limitMs(): number {
    return 120_000;
  }

  /** The status in an answer; undefined where it has none. */
  protected statusIn({ ok, text }: Answered): string | undefined {
    if (!ok) return undefined;
    return (JSON.parse(text) as { data: { attributes: { status: string } } }).data.attributes.status;
  }

  async wait(check: string): Promise<void> {
    const controller = new AbortController();
    const limit = this.#place.setTimeout(() => controller.abort(), this.limitMs);
    let status = "";
    while (!controller.signal.aborted) {
      const init = { headers: { Authorization: `Bearer ${this.#token}` } };
      const url = `${this.#url}/api/v2/policy-checks/${check}`;
      const response = await asked(this.#place, url, init, this.patienceMs);
      status = (response === undefined ? undefined : this.statusIn(response)) ?? status;
      if (status !== "" && status !== "pending" && status !== "queued") break;
      await new Promise<void>((resolve) => void this.#place.setTimeout(resolve, this.restMs));
    }
    this.#place.clearTimeout(limit as never);
    this.told.push([check, controller.signal.aborted ? "given up" : status, this.#place.now()]);
  }
}
