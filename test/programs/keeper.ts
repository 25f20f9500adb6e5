import type { Place } from "./modes.ts";
import { asked } from "./patient.ts";

/** How a keeper gets a token of its own where the one that it has has ended. */
export interface SignIn {
  readonly path: string;
  readonly body: object;
}

/** Keeps a token alive and a secret fresh, as services that talk to a secrets service do. */
export class Keeper {
  readonly told: (readonly [what: string, atMs: number])[] = [];
  readonly #place: Place;
  readonly #url: string;
  readonly #signIn: SignIn | undefined;
  #token: string;
  /** When the token ends, as far as it is known: it is kept until then at least. */
  #endMs = Number.POSITIVE_INFINITY;
  #failures = 0;

  constructor(place: Place, url: string, token: string, signIn?: SignIn) {
    this.#place = place;
    this.#url = url;
    this.#token = token;
    this.#signIn = signIn;
    // Who has none begins with signing in.
    if (token === "") this.#endMs = Number.NEGATIVE_INFINITY;
  }

  get token(): string {
    return this.#token;
  }

  start(): void {
    void this.#renew();
    void this.#read();
  }

  async #renew(): Promise<void> {
    const askedMs = this.#place.now();
    const auth = this.hasEnded(askedMs) ? await this.#signedIn() : await this.#ask("auth/token/renew-self", {});
    if (auth === undefined) return this.afterFailure(() => this.#renew());
    this.#token = auth.client_token;
    this.told.push(["renewed", this.#place.now()]);
    // From when it was asked for: on which part of the way it was renewed, nobody knows.
    this.#endMs = askedMs + auth.lease_duration * 1_000;
    this.#later(() => this.#renew(), this.nextRenewalMs(askedMs, auth.lease_duration * 1_000) - this.#place.now());
  }

  /** A token for others, which ends after half an hour. */
  async #read(): Promise<void> {
    const askedMs = this.#place.now();
    if (this.hasEnded(askedMs)) return this.#later(() => this.#read(), 10_000);
    const auth = await this.#ask("auth/token/create", { ttl: "30m", policies: ["default"] });
    if (auth === undefined) return this.afterFailure(() => this.#read());
    this.told.push(["read", this.#place.now()]);
    this.#later(() => this.#read(), auth.lease_duration * 1_000 * 0.8);
  }

  /** When it renews the next time. */
  protected nextRenewalMs(askedMs: number, leaseMs: number): number {
    return askedMs + (leaseMs * 2) / 3;
  }

  protected hasEnded(nowMs: number): boolean {
    return this.#signIn !== undefined && nowMs >= this.#endMs;
  }

  protected afterFailure(again: () => unknown): void {
    this.told.push(["failed", this.#place.now()]);
    this.#later(again, this.backoffMs(this.#failures++));
  }

  /** Ten seconds, and twice as much each time, up to a minute or so; where it is from makes the jitter. */
  protected backoffMs(failures: number): number {
    return Math.min(10_000 * 2 ** failures, 60_000) + (failures % 3) * 10_000;
  }

  /** How long it waits for an answer. */
  protected get patienceMs(): number | undefined {
    return undefined;
  }

  #later(work: () => unknown, ms: number): void {
    this.#place.setTimeout(work, ms);
  }

  async #signedIn(): Promise<Auth | undefined> {
    const { path, body } = this.#signIn as SignIn;
    return this.#ask(path, body, false);
  }

  async #ask(path: string, body: object, isKnown = true): Promise<Auth | undefined> {
    const init = {
      method: "POST",
      headers: isKnown ? { "X-Secrets-Token": this.#token } : {},
      body: JSON.stringify(body),
    };
    const response = await asked(this.#place, `${this.#url}/v1/${path}`, init, this.patienceMs);
    if (response?.ok !== true) return undefined;
    this.#failures = 0;
    return (JSON.parse(response.text) as { auth: Auth }).auth;
  }
}

interface Auth {
  readonly client_token: string;
  readonly lease_duration: number;
}
