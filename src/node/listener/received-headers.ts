import type { IncomingHttpHeaders } from "node:http";

/** Headers of a request as services read them. Making `Headers` of them takes longer than finding out who asks. */
export class ReceivedHeaders {
  readonly #received: IncomingHttpHeaders;

  constructor(received: IncomingHttpHeaders) {
    this.#received = received;
  }

  get(name: string): string | null {
    const lower = NAMES[name] ?? name.toLowerCase();
    const value = Object.hasOwn(this.#received, lower) ? this.#received[lower] : undefined;
    if (value === undefined) return null;
    return typeof value === "string" ? value.trim() : value.join(", ");
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const name in this.#received) {
      const value = this.get(name);
      if (value !== null) yield [name, value];
    }
  }
}

/** Spelled as they are asked for. */
const NAMES: { readonly [name: string]: string } = {
  "X-Hindcast-At": "x-hindcast-at",
  "X-Hindcast-Test": "x-hindcast-test",
  "X-Scheduler-Token": "x-scheduler-token",
  Authorization: "authorization",
};
