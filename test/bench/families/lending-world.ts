import { createSimulator, type SecretsClient, type Simulator } from "../../../src/index.ts";
import { Dice, perSecond } from "../harness/measure.ts";
import type { Effort } from "../harness/row.ts";

const BASE = "ou=service,dc=example,dc=com";
const CLUSTER = "main";

export interface LendingOptions {
  readonly accounts: number;
  readonly accountsPerSet: number;
}

/** What a turn returns: the account that it borrowed, or any of the set that is lent. */
export type Returned = "the-same" | "any";

/**
 * The world of the first row: library sets of which half the accounts are lent, and a borrower whose token has a policy.
 * A turn borrows the first free account of a set picked at random and returns one; with `any` it is another that has been
 * lent for long, so that nothing of a check-in lies where its check-out has just been.
 */
export class LendingWorld {
  readonly sim: Simulator;
  readonly token: string;
  /** Names of the accounts that are lent, set by set. */
  readonly #loans: string[][];
  readonly #dice = new Dice(1);

  constructor({ accounts, accountsPerSet }: LendingOptions) {
    this.sim = createSimulator({ seed: 7 });
    const cluster = this.sim.secrets.cluster(CLUSTER);
    const owner = cluster.as(cluster.rootToken);
    owner.ldapConfig.write({ binddn: `cn=engine,${BASE}`, bindpass: "bind", userdn: BASE, userattr: "cn" });
    this.sim.directory.addSuffix(BASE);
    cluster.writePolicy("lender", 'path "ldap/library/*" { capabilities = ["create", "read", "update", "list"] }');
    this.token = cluster.createToken({ policies: ["lender"], ttl: "700h" }).token;
    for (let index = 0; index < accounts; index++) {
      this.sim.directory.addEntry(`cn=${accountName(index)},${BASE}`, { cn: accountName(index) });
    }
    for (let set = 0; set < accounts / accountsPerSet; set++) {
      const names = Array.from({ length: accountsPerSet }, (_, place) => accountName(set * accountsPerSet + place));
      owner.library.write({ set_name: setName(set), service_account_names: names });
    }
    this.#loans = lendHalf(this.library(), accounts / accountsPerSet, accountsPerSet);
  }

  /** The borrower's typed door, here or in a fork. */
  library(sim: Simulator = this.sim): SecretsClient["library"] {
    return sim.secrets.cluster(CLUSTER).as(this.token).library;
  }

  /** Where a set of the given number of this world is read. */
  urlOf(set: number): string {
    return `${this.sim.secrets.cluster(CLUSTER).url}/v1/ldap/library/${setName(set)}`;
  }

  /** So many turns of a check-out and a check-in: as many accounts are lent after as before. */
  turns(count: number, returned: Returned = "the-same"): void {
    turns(count, this.library(), this.#loans, this.#dice, returned);
  }

  /** As `turns`, on a fork that the returned function makes use of: the next one starts where this one did. */
  turnsOnFork(returned: Returned = "the-same"): (count: number) => void {
    const library = this.library(this.sim.fork());
    const loans = this.#loans.map((names) => [...names]);
    // The world's own dice, so that no fork does the same as another.
    return (count) => turns(count, library, loans, this.#dice, returned);
  }
}

/** Measures check-outs and check-ins, so many that each round pays its share of garbage collections. */
export function commandRate(world: LendingWorld, effort: Effort, returned?: Returned): () => number {
  const count = effort.count(15_000);
  return () => {
    const lend = world.turnsOnFork(returned);
    return perSecond(2 * count, () => lend(count));
  };
}

function turns(
  count: number,
  library: SecretsClient["library"],
  loansBySet: string[][],
  dice: Dice,
  returned: Returned,
): void {
  for (let turn = 0; turn < count; turn++) {
    const set = dice.below(loansBySet.length);
    const loans = loansBySet[set] as string[];
    const { data } = library.checkOut({ set_name: setName(set) });
    let account = data.service_account_name;
    if (returned === "any") {
      const other = dice.below(loans.length);
      [account, loans[other]] = [loans[other] as string, account];
    }
    library.checkIn({ set_name: setName(set), service_account_names: [account] });
  }
}

function lendHalf(library: SecretsClient["library"], sets: number, accountsPerSet: number): string[][] {
  return Array.from({ length: sets }, (_, set) =>
    Array.from(
      { length: accountsPerSet / 2 },
      () => library.checkOut({ set_name: setName(set) }).data.service_account_name,
    ),
  );
}

const accountName = (index: number): string => `svc-${index}`;
const setName = (set: number): string => `team-${set}`;
