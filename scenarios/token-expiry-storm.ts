import { defineScenario, type Simulator } from "../src/index.ts";

const CHILDREN = 5_000;
/** Whose accounts are stuck in the directory when the storm comes. */
const STUCK = 3;
const BASE = "ou=service,dc=example,dc=com";
const dnOf = (child: number): string => `cn=svc-${child},${BASE}`;

/** A batch system makes a token for each of its 5,000 jobs from one of its own, and forgets to renew that one. */
export const tokenExpiryStorm = defineScenario({
  name: "token-expiry-storm",
  title: "One token expires, and 5,000 with it",
  world: { seed: 11, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    east.writePolicy(
      "scheduler",
      'path "auth/token/create" { capabilities = ["update"] } path "ldap/library/*" { capabilities = ["update"] }',
    );
    const { token: scheduler } = east.createToken({ policies: ["scheduler"], ttl: "1h", displayName: "scheduler" });
    const { token: bystander } = east.createToken({ policies: ["scheduler"], ttl: "8h", displayName: "bystander" });
    return { operator: east.rootToken, scheduler, bystander };
  },

  steps: [
    {
      title: "The operator puts an account for each job, and one more, into a library",
      does: (sim, { operator }) => {
        const accounts = Array.from({ length: CHILDREN + 1 }, (_, index) => `svc-${index}`);
        accounts.forEach((account, index) => {
          sim.directory.addEntry(dnOf(index), { cn: account, userPassword: "as it came" });
        });
        const engine = sim.secrets.cluster("east").as(operator);
        engine.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret", userdn: BASE });
        engine.library.write({ set_name: "jobs", service_account_names: accounts, ttl: "12h", max_ttl: "24h" });
      },
    },
    {
      title: "Each job gets a token of its own and borrows an account; so does a bystander",
      does: (sim, { scheduler, bystander }) => {
        const east = sim.secrets.cluster("east");
        const parent = east.as(scheduler);
        for (let job = 0; job < CHILDREN; job++) {
          const { auth } = parent.tokens.create({ ttl: "10h", display_name: `job-${job}` });
          east.as(auth.client_token).library.checkOut({ set_name: "jobs" });
        }
        east.as(bystander).library.checkOut({ set_name: "jobs" });
        sim.mark("all at work");
      },
      expectation: "every job has an account for twelve hours, and none is left",
      expect: (sim) => {
        expectEqual(localOf(sim).leases.size, CHILDREN + 1);
        expectEqual(localOf(sim).tokens.size, CHILDREN + 3);
      },
    },
    {
      title: "Nobody renews the scheduler's token, and three accounts cannot be changed just then",
      does: (sim) => {
        for (let child = 0; child < STUCK; child++) {
          sim.directory.failNext({ count: 1, operation: "modify", dn: dnOf(child) });
        }
        sim.clock.advance("1h");
      },
      expectation: "in one instant all jobs are without token and account, but for what could not be taken back",
      expect: (sim, { scheduler, bystander }) => {
        const { tokens, leases } = localOf(sim);
        expectEqual(tokens.size, 2);
        expectEqual(tokens.has(scheduler), false);
        expectEqual(tokens.has(bystander), true);
        expectEqual(leases.size, STUCK + 1);
        expectEqual([...leases.values()].filter(({ status }) => status === "retrying").length, STUCK);
        const last = sim.log.commits().at(-1);
        expectEqual(last?.command.name, "timer.tokenExpiry");
        expectEqual(last?.events.filter(({ type }) => type === "TokenRevoked").length, CHILDREN + 1);
      },
    },
    {
      title: "Twenty seconds later the rest is tried again",
      does: (sim) => {
        sim.clock.advance("20s");
      },
      expectation: "only the bystander still has an account",
      expect: (sim, { operator }) => {
        expectEqual(localOf(sim).leases.size, 1);
        const { data } = sim.secrets.cluster("east").as(operator).library.status({ set_name: "jobs" });
        expectEqual(Object.values(data).filter(({ available }) => !available).length, 1);
      },
    },
    {
      title: "What if the scheduler had renewed its token?",
      expectation: "in a fork from before the storm it does, and nothing happens for ten hours",
      expect: (sim, { scheduler }) => {
        const other = sim.fork("all at work");
        other.secrets.cluster("east").as(scheduler).tokens.renewSelf({ increment: "11h" });
        expectEqual(other.clock.advance("1h"), []);
        expectEqual(localOf(other).tokens.size, CHILDREN + 3);
      },
    },
  ],
});

function localOf(sim: Simulator) {
  const cluster = sim.state.secrets["east"];
  if (cluster === undefined) throw new Error("there is no cluster east");
  return cluster.local;
}

function expectEqual(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`expected ${right}, but it is ${left}`);
}
