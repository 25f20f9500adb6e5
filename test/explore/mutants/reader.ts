import { createSimulator, Rejection } from "hindcast";
import type { Run } from "hindcast/explore";
import { clustersOf, operationToken, westFollowsEast } from "../../../scenarios/support/replication.ts";
import { type Place, placeOf } from "../../programs/modes.ts";
import { type Answered, asked } from "../../programs/patient.ts";
import { type Subject, subject } from "./subject.ts";

interface Price {
  readonly version: number;
  readonly amount: number;
}

/** Knows a price: it asks for its version twice a minute, and for the price when that is newer; from another cluster, if one fails it. */
class Reader {
  protected price: Price | undefined;
  readonly #place: Place;
  readonly #token: string;
  readonly #urls: readonly [string, string];
  #active = 0;
  #failed = 0;

  constructor(place: Place, token: string, urls: readonly [string, string]) {
    this.#place = place;
    this.#token = token;
    this.#urls = urls;
  }

  get active(): string {
    return this.#urls[this.#active] ?? "";
  }

  get amount(): number | undefined {
    return this.price?.amount;
  }

  async read(): Promise<void> {
    const answer = await this.#ask("metadata");
    if (answer?.ok === true) await this.#newer(answer);
    else if (answer?.status === 404) this.price = undefined;
    this.#failed = answer?.ok === true || answer?.status === 404 ? 0 : this.#failed + 1;
    if (this.#failed >= this.enough) {
      this.#active = 1 - this.#active;
      this.#failed = 0;
      this.drop();
    }
    this.#place.setTimeout(() => void this.read(), 30_000);
  }

  protected get enough(): number {
    return 3;
  }

  /** What is newer on one cluster is not newer on another one: that may have lost versions. */
  protected drop(): void {
    this.price = undefined;
  }

  async #newer({ text }: Answered): Promise<void> {
    const { data } = JSON.parse(text) as { readonly data: { readonly current_version: number } };
    if (data.current_version <= (this.price?.version ?? 0)) return;
    const answer = await this.#ask("data");
    if (answer?.ok !== true) return;
    const read = JSON.parse(answer.text) as {
      readonly data: { readonly data: { readonly amount: number }; readonly metadata: { readonly version: number } };
    };
    this.price = { version: read.data.metadata.version, amount: read.data.data.amount };
  }

  #ask(what: string): Promise<Answered | undefined> {
    return asked(this.#place, `${this.active}/v1/kv/${what}/price`, { headers: { "X-Secrets-Token": this.#token } });
  }
}

class KeepsItsCache extends Reader {
  protected override drop(): void {}
}

class StaysForEver extends Reader {
  protected override get enough(): number {
    return Number.POSITIVE_INFINITY;
  }
}

/** It goes by a cluster that leads, and knows the price that stands there. */
function knowsThePrice({ sim, programs }: Run): boolean {
  const { east, west } = clustersOf(sim, "east", "west");
  const { active, amount } = programs["reader"] as Reader;
  const { kv2 } = (active === east.url ? east : west).as(east.rootToken);
  return kv2.read({ path: "price" }).data.data?.["amount"] === amount;
}

/** Operators try things: what they try may be refused, or nobody may be there. */
async function tried(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isAway = error instanceof TypeError && error.message === "fetch failed";
    if (!(error instanceof Rejection) && !isAway) throw error;
  }
}

export const reader: Subject = subject(
  "reader",
  (Program: typeof Reader) => ({
    world: async () => {
      const sim = createSimulator({ secrets: { clusters: ["east", "west"], kv: 2 } });
      const { east } = await westFollowsEast(sim);
      east.as(east.rootToken).kv2.write({ path: "price", data: { amount: 1 } });
      sim.settle();
      return sim;
    },
    programs: {
      reader: (program, _random, sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const reader = new Program(placeOf(program), east.rootToken, [east.url, west.url]);
        void reader.read();
        return reader;
      },
    },
    actions: {
      write: async (sim, n) => {
        const { east, west } = clustersOf(sim, "east", "west");
        for (const cluster of [east, west]) {
          await tried(() => cluster.as(east.rootToken).kv2.write({ path: "price", data: { amount: n } }));
        }
      },
      // In a hurry: nobody looks what the other one has got.
      failover: async (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        await tried(async () => {
          const dr_operation_token = await operationToken(west, east.keyShares);
          east.as(east.rootToken).replication.dr.primaryDemote();
          west.as().replication.dr.promote({ dr_operation_token });
        });
      },
    },
    faults: { lines: true, stops: true, requests: true, longest: "10m" },
    finally: [knowsThePrice],
    steps: 10,
    calm: "5m",
    settle: "15m",
  }),
  Reader,
  {
    "cache-not-dropped": ["a version that was lost in a failover is taken for the newest", KeepsItsCache],
    "stays-for-ever": ["a cluster that does not lead any more is asked for ever", StaysForEver],
  },
);
