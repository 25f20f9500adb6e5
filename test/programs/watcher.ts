import { readFile, writeFile } from "node:fs/promises";
import type { Place } from "./modes.ts";

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
      const response = await this.#place.fetch(`${this.#url}/v1/acl/policies?index=${index}&wait=5m`, {
        headers: { "X-Scheduler-Token": this.#token },
        signal,
      });
      index = response.headers.get("X-Scheduler-Index") ?? "0";
      this.answers += 1;
      await writeFile(this.#file, await response.text());
      const policies = JSON.parse(await readFile(this.#file, "utf8")) as { readonly Name: string }[];
      const names = policies.map(({ Name }) => Name).join(" ");
      if (names !== before) this.told.push([names, this.#place.now()]);
      before = names;
    }
  }
}
