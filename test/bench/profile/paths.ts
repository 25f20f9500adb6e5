import { createSimulator } from "../../../src/index.ts";
import { foldCommit } from "../../../src/kernel/fold.ts";
import { worldModel } from "../../../src/simulator/services.ts";
import { LendingWorld } from "../families/lending-world.ts";
import { Dice } from "../harness/measure.ts";
import type { Effort } from "../harness/row.ts";

/** What users wait for. */
export interface HotPath {
  readonly name: string;
  readonly what: string;
  /** Builds the world; what it returns does the work so many times. */
  readonly prepare: (effort: Effort) => (times: number) => void | Promise<void>;
}

const BORROWED_FROM = { accounts: 10_000, accountsPerSet: 100 };

export const hotPaths: readonly HotPath[] = [
  {
    name: "commands",
    what: "check-out and check-in in turn, 10,000 accounts",
    prepare: (effort) => {
      const world = new LendingWorld({ ...BORROWED_FROM, accounts: effort.size(BORROWED_FROM.accounts) });
      return (times) => world.turnsOnFork("any")(Math.ceil(times / 2));
    },
  },
  {
    name: "kv-writes",
    what: "kv writes through the typed door, 10,000 keys",
    prepare: (effort) => {
      const { sim, rootToken, paths } = secretsWorld(effort.size(10_000));
      return (times) => {
        const { kv } = sim.fork().secrets.cluster("main").as(rootToken);
        const dice = new Dice(1);
        for (let write = 0; write < times; write++) kv.write({ path: dice.pick(paths), password: `password ${write}` });
      };
    },
  },
  {
    name: "fetch-reads",
    what: "sim.fetch of a kv secret, policies checked, its JSON read",
    prepare: (effort) => {
      const { sim, token, url, paths } = secretsWorld(effort.size(10_000));
      const init = { headers: { "X-Secrets-Token": token } };
      const dice = new Dice(1);
      return async (times) => {
        for (let read = 0; read < times; read++) {
          const response = await sim.fetch(`${url}/v1/kv/${dice.pick(paths)}`, init);
          await response.json();
        }
      };
    },
  },
  {
    name: "replay",
    what: "the log of the first path, folded commit by commit",
    prepare: (effort) => {
      const { sim } = lentFrom(effort);
      const commits = sim.log.commits();
      const begin = sim.at(0).state;
      return (times) => {
        let state = begin;
        for (let done = 0; done < times; done++) {
          const commit = commits[done % commits.length];
          if (done % commits.length === 0) state = begin;
          if (commit !== undefined) state = foldCommit(worldModel, state, commit);
        }
      };
    },
  },
  {
    name: "seeks",
    what: "the state at a position picked at random, in that history",
    prepare: (effort) => {
      const { sim } = lentFrom(effort);
      const dice = new Dice(1);
      return (times) => {
        for (let seek = 0; seek < times; seek++) void sim.at(dice.below(sim.position + 1)).state;
      };
    },
  },
];

function lentFrom(effort: Effort): LendingWorld {
  const world = new LendingWorld({ ...BORROWED_FROM, accounts: effort.size(BORROWED_FROM.accounts) });
  world.turns(effort.size(20_000), "any");
  return world;
}

function secretsWorld(count: number) {
  const sim = createSimulator();
  const { rootToken, url, as, writePolicy, createToken } = sim.secrets.cluster("main");
  const paths = Array.from({ length: count }, (_, index) => `app/${index % 100}/key-${index}`);
  const { kv } = as(rootToken);
  for (const path of paths) kv.write({ path, password: "first" });
  writePolicy("app", 'path "kv/app/*" { capabilities = ["read"] }');
  const { token } = createToken({ policies: ["app"], ttl: "700h" });
  return { sim, rootToken, url, token, paths };
}
