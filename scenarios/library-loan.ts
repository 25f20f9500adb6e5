import { defineScenario, type Simulator } from "../src/index.ts";
import { expectDiffer, expectEqual, expectRefusal } from "./support/expectations.ts";

const BASE = "ou=service,dc=example,dc=com";
const dnOf = (account: string): string => `cn=${account},${BASE}`;

/** Two people share two accounts. One forgets hers; the clock takes it back. */
export const libraryLoan = defineScenario({
  name: "library-loan",
  title: "A forgotten check-in",
  world: { seed: 7, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    east.writePolicy("lender", 'path "ldap/library/*" { capabilities = ["read", "update", "list"] }');
    return {
      operator: east.rootToken,
      ann: east.createToken({ policies: ["lender"], displayName: "ann", entityId: "ann" }).token,
      bob: east.createToken({ policies: ["lender"], displayName: "bob", entityId: "bob" }).token,
    };
  },

  steps: [
    {
      title: "The operator puts two accounts into the library",
      does: (sim, { operator }) => {
        for (const account of ["svc-1", "svc-2"]) {
          sim.directory.addEntry(dnOf(account), { objectClass: "person", cn: account, userPassword: "as it came" });
        }
        const engine = sim.secrets.cluster("east").as(operator);
        engine.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret", userdn: BASE });
        engine.library.write({ set_name: "ops", service_account_names: ["svc-1", "svc-2"], ttl: "1h" });
        sim.mark("before the loan");
      },
      expectation: "both accounts can be lent, and their passwords are new",
      expect: (sim, { ann }) => {
        expectEqual(available(sim, ann), ["svc-1", "svc-2"]);
        for (const account of ["svc-1", "svc-2"]) expectDiffer(passwordIn(sim, account), "as it came");
      },
    },
    {
      title: "Ann borrows one for an hour, Bob the other for ten minutes",
      does: (sim, { ann, bob }) => {
        sim.secrets.cluster("east").as(ann).library.checkOut({ set_name: "ops" });
        sim.secrets.cluster("east").as(bob).library.checkOut({ set_name: "ops", ttl: "10m" });
      },
      expectation: "nothing is left to lend, and neither can return the other's",
      expect: (sim, { ann, bob }) => {
        const [annsDoor, bobsDoor] = [ann, bob].map((token) => sim.secrets.cluster("east").as(token));
        expectRefusal("no_account_available", () => bobsDoor?.library.checkOut({ set_name: "ops" }));
        const forAnn = { set_name: "ops", service_account_names: ["svc-2"] };
        expectRefusal("account_not_yours", () => annsDoor?.library.checkIn(forAnn));
      },
    },
    {
      title: "Bob returns his in time; Ann goes home",
      does: (sim, { bob }) => {
        sim.clock.advance("9m");
        sim.secrets.cluster("east").as(bob).library.checkIn({ set_name: "ops" });
      },
      expectation: "Bob's account is free, and its password is not the one that he knows",
      expect: (sim, { ann }) => {
        expectEqual(available(sim, ann), ["svc-2"]);
        expectDiffer(passwordIn(sim, "svc-2"), passwordIn(sim.fork("before the loan"), "svc-2"));
      },
    },
    {
      title: "The hour is over",
      does: (sim) => {
        sim.clock.advance("51m");
      },
      expectation: "the clock took Ann's account back, with a new password, and no lease is left",
      expect: (sim, { ann }) => {
        expectEqual(available(sim, ann), ["svc-1", "svc-2"]);
        expectDiffer(passwordIn(sim, "svc-1"), passwordIn(sim.fork("before the loan"), "svc-1"));
        expectEqual(sim.log.commits().at(-1)?.command.via, "timer");
        expectEqual(sim.state.secrets["east"]?.local.leases.size, 0);
      },
    },
    {
      title: "What if Ann had returned hers in time?",
      expectation: "in a fork from before the loan she does, and no timer takes anything back",
      expect: (sim, { ann }) => {
        const other = sim.fork("before the loan");
        const annsDoor = other.secrets.cluster("east").as(ann);
        annsDoor.library.checkOut({ set_name: "ops" });
        other.clock.advance("30m");
        expectEqual(annsDoor.library.checkIn({ set_name: "ops" }).data.check_ins, ["svc-1"]);
        expectEqual(other.clock.advance("1h"), []);
      },
    },
  ],
});

function available(sim: Simulator, token: string): string[] {
  const { data } = sim.secrets.cluster("east").as(token).library.status({ set_name: "ops" });
  return Object.keys(data).filter((account) => data[account]?.available);
}

function passwordIn(sim: Simulator, account: string): unknown {
  return sim.directory.entry(dnOf(account))?.attributes["userPassword"]?.[0];
}
