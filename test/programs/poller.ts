import type { Place } from "./modes.ts";
import { asked } from "./patient.ts";

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

  async wait(check: string): Promise<void> {
    const controller = new AbortController();
    const limit = this.#place.setTimeout(() => controller.abort(), 120_000);
    let status = "";
    while (!controller.signal.aborted) {
      const response = await asked(this.#place, `${this.#url}/api/v2/policy-checks/${check}`, {
        headers: { Authorization: `Bearer ${this.#token}` },
      });
      if (response?.ok === true) {
        status = (JSON.parse(response.text) as { data: { attributes: { status: string } } }).data.attributes.status;
        if (status !== "pending" && status !== "queued") break;
      }
      await new Promise<void>((resolve) => void this.#place.setTimeout(resolve, 10_000));
    }
    this.#place.clearTimeout(limit as never);
    this.told.push([check, controller.signal.aborted ? "given up" : status, this.#place.now()]);
  }
}
