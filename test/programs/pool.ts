import type { Place } from "./modes.ts";
import { type Answered, asked } from "./patient.ts";

type Told = readonly [worker: number, what: string, account: string, atMs: number];

/** How often each worker borrowed. @throws Error for an account that was lent twice at a time */
export function loansOf(told: readonly Told[]): number[] {
  const lent = new Set<string>();
  const loans: number[] = [];
  for (const [worker, what, account] of told) {
    const isReturn = what === "returned";
    if (lent.has(account) !== isReturn) throw new Error(`${account} is ${what} by ${worker} out of turn`);
    if (isReturn) lent.delete(account);
    else lent.add(account);
    loans[worker] = (loans[worker] ?? 0) + (isReturn ? 0 : 1);
  }
  return loans;
}

/** Workers that share a few accounts: each borrows one, works, gives it back, rests, and waits its turn when all are lent. */
export class Pool {
  readonly told: Told[] = [];
  refused = 0;
  readonly #place: Place;
  readonly #url: string;
  readonly #tokens: readonly string[];

  /** @param tokens each worker's own: who has none takes the last. What one borrowed, another one cannot give back by mistake. */
  constructor(place: Place, url: string, ...tokens: readonly string[]) {
    this.#place = place;
    this.#url = url;
    this.#tokens = tokens;
  }

  start(workers: number): void {
    for (let worker = 0; worker < workers; worker++) void this.#work(worker);
  }

  async #work(worker: number): Promise<void> {
    for (;;) {
      const account = await this.#borrow(worker);
      this.told.push([worker, "borrowed", account, this.#place.now()]);
      await this.#sleep(this.workMs);
      const body = { service_account_names: [this.given(worker, account)] };
      for (let left = this.returns; left > 0; left--) {
        // One that is back already is no error, so it is given back until somebody says so.
        while (!this.isBack(await this.#ask(worker, "check-in", body))) await this.#sleep(this.restMs);
      }
      this.told.push([worker, "returned", account, this.#place.now()]);
      // As long as that takes: with a minute of rest, the same six workers had the accounts all day.
      await this.#sleep(3_600_000);
    }
  }

  /** How long an account is worked with. */
  protected get workMs(): number {
    return 600_000;
  }

  /** How long it waits before it asks again. */
  protected get restMs(): number {
    return 30_000;
  }

  /** Whether an account is back: somebody says so, or that it is another's by now. */
  protected isBack(response: Answered | undefined): boolean {
    return response !== undefined && (response.ok || response.status === 400 || response.status === 403);
  }

  /** What a worker gives back of what it borrowed. */
  protected given(_worker: number, account: string): string {
    return account;
  }

  /** How often it gives back. */
  protected get returns(): number {
    return 1;
  }

  async #borrow(worker: number): Promise<string> {
    for (;;) {
      const response = await this.#ask(worker, "check-out", {});
      if (response?.ok === true)
        return (JSON.parse(response.text) as { data: { service_account_name: string } }).data.service_account_name;
      this.refused += 1;
      await this.#sleep(this.restMs);
    }
  }

  #ask(worker: number, what: string, body: object): Promise<Answered | undefined> {
    const headers = { "X-Secrets-Token": this.#tokens[worker] ?? this.#tokens.at(-1) ?? "" };
    return asked(this.#place, `${this.#url}/v1/ldap/library/ops/${what}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#place.setTimeout(resolve, ms));
  }
}
