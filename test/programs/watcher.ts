import { readFile, writeFile } from "node:fs/promises";
import type { Place } from "./modes.ts";
import { asked } from "./patient.ts";

/** Longer than the service waits: five minutes, and up to a sixteenth of that more. */
const PATIENCE_MS = 330_000;

/** Writes what it watches into a file, and reads that back before it asks again. */
export class Watcher {
  readonly told: (readonly [names: string, atMs: number])[] = [];
  answers = 0;
  readonly #place: Place;
  readonly #url: string;
  readonly #token: string;
  readonly #file: string;

  constructor(place: Place, url: string, token: string, file: string) {
    this.#place = place;
    this.#url = url;
    this.#token = token;
    this.#file = file;
  }

  async watch(signal: AbortSignal): Promise<void> {
    let index = "0";
    let before = "";
    for (;;) {
      const headers = { "X-Scheduler-Token": this.#token };
      const url = `${this.#url}/v1/acl/policies?index=${index}&wait=5m`;
      const response = await asked(this.#place, url, { headers, signal }, PATIENCE_MS);
      signal.throwIfAborted();
      if (response?.ok !== true) {
        await new Promise<void>((resolve) => void this.#place.setTimeout(resolve, 10_000));
        continue;
      }
      index = response.headers.get("X-Scheduler-Index") ?? "0";
      this.answers += 1;
      await writeFile(this.#file, response.text);
      const policies = JSON.parse(await readFile(this.#file, "utf8")) as { readonly Name: string }[];
      const names = policies.map(({ Name }) => Name).join(" ");
      if (names !== before) this.told.push([names, this.#place.now()]);
      before = names;
    }
  }
}
