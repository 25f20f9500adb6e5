import { readFile, writeFile } from "node:fs/promises";
import type { Place } from "./modes.ts";
import { type Answered, asked } from "./patient.ts";

/** Longer than the service waits: five minutes, and up to a sixteenth of that more. */
const PATIENCE_MS = 330_000;

/** What a watcher writes into, and reads back. */
export interface Kept {
  readonly write: (text: string) => Promise<void>;
  readonly read: () => Promise<string>;
}

/** Something kept in a file. */
export function keptIn(file: string): Kept {
  return { write: (text) => writeFile(file, text), read: () => readFile(file, "utf8") };
}

/** Writes what it watches into a file, and reads that back before it asks again. With several places it goes to the next when one is silent. */
export class Watcher {
  readonly told: (readonly [names: string, atMs: number])[] = [];
  answers = 0;
  readonly #place: Place;
  readonly #urls: readonly string[];
  readonly #token: string;
  readonly #kept: Kept;

  constructor(place: Place, url: string | readonly string[], token: string, kept: Kept) {
    this.#place = place;
    this.#urls = typeof url === "string" ? [url] : url;
    this.#token = token;
    this.#kept = kept;
  }

  async watch(signal: AbortSignal): Promise<void> {
    let [index, before] = ["0", ""];
    for (let at = 0, failures = 0; ; ) {
      const url = `${this.#urls[at % this.#urls.length]}/v1/acl/policies?${this.query(index)}`;
      const response = await this.ask(this.#place, url, { headers: { "X-Scheduler-Token": this.#token }, signal });
      signal.throwIfAborted();
      if (!this.isTaken(response)) {
        if (!this.goesOn()) return;
        failures += 1;
        if (failures % 3 === 0 && this.#urls.length > 1) {
          at += 1;
          // Each region counts for itself.
          index = this.indexElsewhere(index);
        }
        await new Promise<void>((resolve) => void this.#place.setTimeout(resolve, 10_000));
        continue;
      }
      failures = 0;
      index = response.headers.get("X-Scheduler-Index") ?? "0";
      this.answers += 1;
      await this.#kept.write(response.text);
      const policies = JSON.parse(await this.#kept.read()) as { readonly Name: string }[];
      const names = policies.map(({ Name }) => Name).join(" ");
      if (names !== before) this.told.push([names, this.#place.now()]);
      before = names;
      await this.rest();
    }
  }

  /** What it waits for: what comes after an index. */
  protected query(index: string): string {
    return `index=${index}&wait=5m`;
  }

  /** Only what was answered well is taken. */
  protected isTaken(response: Answered | undefined): response is Answered {
    return response?.ok === true;
  }

  protected indexElsewhere(_index: string): string {
    return "0";
  }

  protected goesOn(): boolean {
    return true;
  }

  protected rest(): Promise<void> | undefined {
    return undefined;
  }

  protected ask(place: Place, url: string, init: RequestInit): Promise<Answered | undefined> {
    return asked(place, url, init, PATIENCE_MS);
  }
}
