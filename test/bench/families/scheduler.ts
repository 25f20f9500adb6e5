import { createSimulator, type SchedulerClient, type Simulator } from "../../../src/index.ts";
import { Dice, microsecondsEach, perSecond } from "../harness/measure.ts";
import { type Effort, type Family, type Row, row } from "../harness/row.ts";

/** The scheduler's ACL with many policies and tokens, and with many blocked readers. */
export const scheduler: Family = {
  name: "scheduler",
  rows: [
    policyWrites("@100", 100),
    policyWrites("", 100_000, {
      comparedWith: "acl-policy-writes-per-second@100",
      note: "so many policies and as many tokens present",
    }),
    policyWrites("@replicated", 100_000, {
      regions: ["eu", "us"],
      comparedWith: "acl-policy-writes-per-second",
      note: "each write arrives in a second region before the next one",
    }),
    listing("@100", 100),
    listing("", 100_000, {
      comparedWith: "acl-list-with-prefix-us@100",
      note: "ten policies with the prefix, of so many",
    }),
    waking("@1", 1),
    waking("", 10_000, {
      comparedWith: "acl-wake-one-us@1",
      note: "a write that wakes one of so many blocked readers, each of a policy of its own",
    }),
  ],
};

interface AclWorld {
  readonly sim: Simulator;
  readonly root: string;
  readonly names: readonly string[];
}

/** Policies in tens of one prefix, and as many tokens. */
function aclWorld(count: number, regions: readonly string[] = ["eu"]): AclWorld {
  const sim = createSimulator({ scheduler: { regions } });
  const eu = sim.scheduler.region("eu");
  const root = eu.as().acl.bootstrap().SecretID;
  const door = eu.as(root);
  const names = Array.from({ length: count }, (_, index) => `team-${Math.floor(index / 10)}-${index % 10}`);
  for (const Name of names) {
    door.policies.write({ Name, Rules: RULES });
    door.tokens.create({ Type: "client", Policies: [Name], Global: true });
  }
  sim.settle();
  return { sim, root, names };
}

const RULES = 'namespace "default" { policy = "read" }';

function doorOf({ root }: AclWorld, sim: Simulator): SchedulerClient {
  return sim.scheduler.region("eu").as(root);
}

function policyWrites(
  suffix: string,
  policies: number,
  { regions, ...declared }: Partial<Row> & { readonly regions?: readonly string[] } = {},
): Row {
  return row({
    id: `acl-policy-writes-per-second${suffix}`,
    unit: "commands/s",
    ...declared,
    prepare: (effort: Effort) => {
      const world = aclWorld(effort.size(policies), regions);
      const dice = new Dice(1);
      const count = effort.count(10_000);
      return () => {
        const fork = world.sim.fork();
        const door = doorOf(world, fork);
        return perSecond(count, () => {
          for (let write = 0; write < count; write++) {
            door.policies.write({ Name: dice.pick(world.names), Description: `write ${write}`, Rules: RULES });
            if (regions !== undefined) fork.settle();
          }
        });
      };
    },
  });
}

function listing(suffix: string, policies: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `acl-list-with-prefix-us${suffix}`,
    unit: "us",
    ...declared,
    prepare: (effort: Effort) => {
      const world = aclWorld(effort.size(policies));
      const door = doorOf(world, world.sim.fork());
      const dice = new Dice(1);
      const count = effort.count(20_000);
      return () =>
        microsecondsEach(count, () => {
          for (let list = 0; list < count; list++) {
            door.policies.list({ prefix: dice.pick(world.names).slice(0, -1) });
          }
        });
    },
  });
}

function waking(suffix: string, readers: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `acl-wake-one-us${suffix}`,
    unit: "us",
    ...declared,
    prepare: (effort: Effort) => {
      const count = effort.size(readers);
      const world = aclWorld(Math.max(count, 100));
      const dice = new Dice(1);
      const wakes = effort.count(5_000);
      return async () => {
        const fork = world.sim.fork();
        const door = doorOf(world, fork);
        let woken = 0;
        const block = (policy_name: string): void => {
          const index = door.policies.read({ policy_name }).ModifyIndex;
          void door.policies.read({ policy_name }, { index }).then(
            () => {
              woken += 1;
            },
            () => undefined,
          );
        };
        const watched = world.names.slice(0, count);
        for (const name of watched) block(name);
        const each = microsecondsEach(wakes, () => {
          for (let wake = 0; wake < wakes; wake++) {
            const Name = dice.pick(watched);
            door.policies.write({ Name, Rules: RULES });
            block(Name);
          }
        });
        await Promise.resolve();
        if (fork.clock.waiting().length !== count) throw new Error("a reader was lost");
        fork.dispose();
        for (let turn = 0; turn < 10; turn++) await Promise.resolve();
        return { value: each, detail: `${woken} woken` };
      };
    },
  });
}
