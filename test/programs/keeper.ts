import type { Place } from "./modes.ts";
import { asked } from "./patient.ts";

/** Keeps a token alive and a secret fresh, as services that talk to a secrets service do. */
export class Keeper {
  readonly told: (readonly [what: string, atMs: number])[] = [];
  readonly #place: Place;
  readonly #url: string;
  readonly #token: string;
  #failures = 0;

  constructor(place: Place, url: string, token: string) {
    this.#place = place;
    this.#url = url;
    this.#token = token;
  }

  start(): void {
    void this.#renew();
    void this.#read();
  }

  async #renew(): Promise<void> {
    const body = await this.#ask("POST", "auth/token/renew-self");
    if (body === undefined) return this.#later(() => this.#renew(), this.#backoffMs());
    this.told.push(["renewed", this.#place.now()]);
    this.#later(() => this.#renew(), (body.auth.lease_duration * 1_000 * 2) / 3);
  }

  /** A token for others, which ends after half an hour. */
  async #read(): Promise<void> {
    const body = await this.#ask("POST", "auth/token/create", { ttl: "30m", policies: ["default"] });
    if (body === undefined) return this.#later(() => this.#read(), this.#backoffMs());
    this.told.push(["read", this.#place.now()]);
    this.#later(() => this.#read(), body.auth.lease_duration * 1_000 * 0.8);
  }

  #later(work: () => unknown, ms: number): void {
    this.#place.setTimeout(work, ms);
  }

  /** Ten seconds, and twice as much each time; where it is from makes the jitter. */
  #backoffMs(): number {
    this.told.push(["failed", this.#place.now()]);
    const jitterMs = (this.#failures % 3) * 10_000;
    return 10_000 * 2 ** this.#failures++ + jitterMs;
  }

  async #ask(method: string, path: string, body?: object): Promise<{ auth: { lease_duration: number } } | undefined> {
    const response = await asked(this.#place, `${this.#url}/v1/${path}`, {
      method,
      headers: { "X-Secrets-Token": this.#token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response?.ok !== true) return undefined;
    this.#failures = 0;
    return JSON.parse(response.text) as { auth: { lease_duration: number } };
  }
}
