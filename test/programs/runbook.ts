import type { Place } from "./modes.ts";
import { asked } from "./patient.ts";

/** Sends everybody to another cluster when one does not answer three times, and back when it does again. */
export class Runbook {
  readonly told: (readonly [to: string, atMs: number])[] = [];
  readonly #place: Place;
  readonly #urls: readonly [string, string];
  #active = 0;
  #inRow = 0;

  constructor(place: Place, urls: readonly [string, string]) {
    this.#place = place;
    this.#urls = urls;
  }

  async watch(): Promise<void> {
    // While the second one is active, the first is looked at for coming back.
    const isUp = await this.#isUp(this.#urls[0]);
    const isNews = isUp === (this.#active === 1);
    this.#inRow = isNews ? this.#inRow + 1 : 0;
    if (this.#inRow === 3) {
      this.#active = 1 - this.#active;
      this.#inRow = 0;
      this.told.push([this.#urls[this.#active] ?? "", this.#place.now()]);
    }
    this.#place.setTimeout(() => void this.watch(), 20_000);
  }

  async #isUp(url: string): Promise<boolean> {
    return (await asked(this.#place, `${url}/v1/sys/health`))?.status === 200;
  }
}
