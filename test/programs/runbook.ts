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
    this.#inRow = this.isNews(isUp) ? this.#inRow + 1 : this.afterNoNews(this.#inRow);
    if (this.#inRow >= this.enough) {
      this.#active = 1 - this.#active;
      this.#inRow = 0;
      this.told.push([this.#urls[this.#active] ?? "", this.#place.now()]);
    }
    this.#place.setTimeout(() => void this.watch(), 20_000);
  }

  get active(): string {
    return this.#urls[this.#active] ?? "";
  }

  /** So many times in a row something has to be seen to be believed. */
  protected get enough(): number {
    return 3;
  }

  /** Whether that is another thing than what it goes by. */
  protected isNews(isUp: boolean): boolean {
    return isUp === (this.#active === 1);
  }

  protected afterNoNews(_inRow: number): number {
    return 0;
  }

  protected get patienceMs(): number | undefined {
    return undefined;
  }

  async #isUp(url: string): Promise<boolean> {
    return (await asked(this.#place, `${url}/v1/sys/health`, {}, this.patienceMs))?.status === 200;
  }
}
