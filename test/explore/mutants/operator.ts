import { createSimulator } from "hindcast";
import { backsOff } from "hindcast/conduct";
import type { Run } from "hindcast/explore";
import {
  clustersOf,
  decoded,
  kept,
  primaryStatus,
  secondaryStatus,
  westFollowsEast,
} from "../../../scenarios/support/replication.ts";
import { type Place, placeOf } from "../../programs/modes.ts";
import { type Answered, asked } from "../../programs/patient.ts";
import { type Subject, subject } from "./subject.ts";

const DR = "/v1/sys/replication/dr";
const ATTEMPT = `${DR}/secondary/generate-operation-token`;

interface Status {
  readonly mode: string;
  readonly state?: string;
  readonly last_wal?: number;
  readonly last_remote_wal?: number;
}

/** Who writes, until it is told to stop. */
class Shop {
  readonly acknowledged: string[] = [];
  readonly #ask: Ask;
  readonly #place: Place;
  #isOpen = true;
  #writing: Promise<void> = Promise.resolve();

  constructor(place: Place, ask: Ask) {
    this.#place = place;
    this.#ask = ask;
  }

  write(n = 0): void {
    if (!this.#isOpen) return;
    this.#writing = this.#ask(`/v1/kv/order-${n}`, { n }).then((answer) => {
      if (answer?.ok === true) this.acknowledged.push(`order-${n}`);
      this.#place.setTimeout(() => this.write(n + 1), 20_000);
    });
  }

  /** When this is done, nothing is under way. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#writing;
  }
}

type Ask = (path: string, body?: object, method?: string) => Promise<Answered | undefined>;

/** Hands over from one cluster of a pair to the other, as the contract has it in 6.2: before each step it looks where both are. */
class Operator {
  readonly shop: Shop;
  readonly #from: Ask;
  readonly #to: Ask;
  readonly #place: Place;
  readonly #shares: readonly string[];
  #ids = 0;

  constructor(place: Place, token: string, shares: readonly string[], urls: readonly [from: string, to: string]) {
    const headers = { "X-Secrets-Token": token };
    const [from, to] = urls.map(
      (url): Ask =>
        (path, body, method = body === undefined ? "GET" : "POST") =>
          asked(place, url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
    ) as [Ask, Ask];
    [this.#from, this.#to] = [from, to];
    this.#place = place;
    this.#shares = shares;
    this.shop = new Shop(place, from);
  }

  begin(): void {
    this.shop.write();
    this.#place.setTimeout(() => void this.handOver(), 300_000);
  }

  async handOver(): Promise<void> {
    if (this.closesShop) await this.shop.close();
    while (!(await this.step())) await this.rest();
  }

  /** Does what comes next, if anything does. */
  protected async step(): Promise<boolean> {
    const [from, to] = [await status(this.#from), await status(this.#to)];
    if (from === undefined || to === undefined) return false;
    if (from.mode === "primary") {
      if (this.isCaughtUp(from, to)) await this.#from(`${DR}/primary/demote`, {});
      return false;
    }
    if (to.mode === "primary") {
      if (from.state === "stream-wals") return true;
      await this.follow();
      return false;
    }
    await this.lead();
    return false;
  }

  protected get closesShop(): boolean {
    return true;
  }

  protected isCaughtUp(from: Status, to: Status): boolean {
    return from.last_wal === to.last_remote_wal;
  }

  /** What leads once neither does. */
  protected async lead(): Promise<void> {
    const dr_operation_token = await this.operationToken(this.#to);
    if (dr_operation_token !== undefined) await this.promote(dr_operation_token);
  }

  protected async promote(dr_operation_token: string): Promise<Answered | undefined> {
    return this.#to(`${DR}/secondary/promote`, { dr_operation_token });
  }

  protected async follow(): Promise<void> {
    const answer = await this.#to(`${DR}/primary/secondary-token`, { id: `again-${++this.#ids}` });
    if (answer?.ok !== true) return;
    const { token } = (JSON.parse(answer.text) as { readonly wrap_info: { readonly token: string } }).wrap_info;
    const dr_operation_token = await this.operationToken(this.#from);
    if (dr_operation_token === undefined) return;
    await this.#from(`${DR}/secondary/update-primary`, { token, dr_operation_token });
    await this.#from(`${DR}/secondary/operation-token/delete`, { dr_operation_token });
  }

  protected async operationToken(ask: Ask): Promise<string | undefined> {
    await this.cancel(ask);
    const begun = await ask(`${ATTEMPT}/attempt`, {});
    if (begun?.ok !== true) return undefined;
    const { nonce, otp } = JSON.parse(begun.text) as { readonly nonce: string; readonly otp: string };
    for (const key of this.#shares) {
      const answer = await ask(`${ATTEMPT}/update`, { key, nonce });
      if (answer?.ok !== true) return undefined;
      const { encoded_token } = JSON.parse(answer.text) as { readonly encoded_token: string };
      if (encoded_token !== "") return decoded(encoded_token, otp);
    }
    return undefined;
  }

  /** An attempt whose answer was lost is still under way, and nobody has its one-time password. */
  protected async cancel(ask: Ask): Promise<void> {
    await ask(`${ATTEMPT}/attempt`, undefined, "DELETE");
  }

  protected rest(): Promise<void> {
    return new Promise((resolve) => void this.#place.setTimeout(resolve, 20_000));
  }
}

async function status(ask: Ask): Promise<Status | undefined> {
  const answer = await ask(`${DR}/status`);
  return answer?.ok === true ? (JSON.parse(answer.text) as { readonly data: Status }).data : undefined;
}

class DoesNotWait extends Operator {
  protected override isCaughtUp(): boolean {
    return true;
  }
}

class LeavesTheShopOpen extends Operator {
  protected override get closesShop(): boolean {
    return false;
  }
}

class RepeatsAPromotion extends Operator {
  protected override async promote(token: string): Promise<Answered | undefined> {
    for (;;) {
      const answer = await super.promote(token);
      if (answer?.ok === true) return answer;
      await this.rest();
    }
  }
}

class FollowsFirst extends Operator {
  #hasFollowed = false;

  protected override async lead(): Promise<void> {
    if (!this.#hasFollowed) await this.follow();
    await super.lead();
    this.#hasFollowed = true;
  }

  protected override async follow(): Promise<void> {
    if (!this.#hasFollowed) await super.follow();
  }
}

class NeverCancels extends Operator {
  protected override cancel(): Promise<void> {
    return Promise.resolve();
  }
}

/** West leads, and east follows it with all that it has. */
function handedOver({ sim }: Run): boolean {
  const { east, west } = clustersOf(sim, "east", "west");
  const { state, merkle_root } = secondaryStatus(east, "dr");
  return state === "stream-wals" && merkle_root === primaryStatus(west, "dr").merkle_root;
}

function losesNoOrder({ sim, programs }: Run): void {
  const { east, west } = clustersOf(sim, "east", "west");
  for (const order of (programs["operator"] as Operator).shop.acknowledged) kept(west, east.rootToken, order);
}

export const operator: Subject = subject(
  "operator",
  (Program: typeof Operator) => ({
    world: async () => {
      const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
      await westFollowsEast(sim);
      sim.settle();
      return sim;
    },
    programs: {
      operator: (program, _random, sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const operator = new Program(placeOf(program), east.rootToken, east.keyShares, [east.url, west.url]);
        operator.begin();
        return operator;
      },
    },
    faults: { lines: true, stops: true, seals: true, requests: true, longest: "10m" },
    conduct: [backsOff()],
    finally: [handedOver, losesNoOrder],
    steps: 10,
    calm: "5m",
    settle: "15m",
  }),
  Operator,
  {
    "does-not-wait": ["what the other has not got yet is lost", DoesNotWait],
    "shop-left-open": ["what is written while roles change is lost", LeavesTheShopOpen],
    "repeats-a-promotion": ["an operation token that is spent is sent again and again", RepeatsAPromotion],
    "update-primary-first": ["it follows a cluster that does not lead yet, and never again", FollowsFirst],
    "attempt-left": ["an attempt that was begun is in the way of all later ones", NeverCancels],
  },
);
