import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";

const PEOPLE = "ou=people,dc=example,dc=com";

const CREATION = `dn: cn={{.Username}},${PEOPLE}
objectClass: person
cn: {{.Username}}
userPassword: {{.Password}}
`;

const DELETION = `dn: cn={{.Username}},${PEOPLE}
changetype: delete
`;

/** The directory refuses to delete an account for longer than anybody tries. */
export const revocationGivesUp = defineScenario({
  name: "revocation-gives-up",
  title: "A revocation that gives up",
  world: { seed: 23, secrets: { clusters: ["east"] } },

  cast: (sim) => ({ operator: sim.secrets.cluster("east").rootToken }),

  steps: [
    {
      title: "Somebody gets credentials for an hour",
      does: (sim, { operator }) => {
        sim.directory.addSuffix(PEOPLE);
        const engine = sim.secrets.cluster("east").as(operator);
        engine.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
        engine.dynamicRoles.write({
          role_name: "dev",
          creation_ldif: CREATION,
          deletion_ldif: DELETION,
          default_ttl: "1h",
        });
        engine.dynamicRoles.credentials({ role_name: "dev" });
      },
      expectation: "there is an account, and its lease",
      expect: (sim) => {
        expectEqual(accounts(sim), 1);
        expectEqual(statuses(sim), ["live"]);
      },
    },
    {
      title: "The hour ends while the directory refuses",
      does: (sim) => {
        sim.directory.failNext({ count: 5, operation: "delete", resultCode: 50 });
        sim.clock.advance("1h");
      },
      expectation: "the lease stays and is tried again, later and later",
      expect: (sim, { operator }) => {
        expectEqual(statuses(sim), ["retrying"]);
        expectEqual(attemptSeconds(sim), [3600]);
        const [lease] = leases(sim);
        const door = sim.secrets.cluster("east").as(operator);
        expectRefusal("lease_not_found", () => door.leases.renew({ lease_id: lease?.[0] ?? "" }));
        // With one failure fewer than there are attempts, the last one succeeds.
        sim.clock.advance("1h");
        expectEqual(statuses(sim), []);
      },
    },
    {
      title: "It refuses once more than there are attempts",
      does: (sim) => {
        sim.directory.failNext({ count: 1, operation: "delete", resultCode: 50 });
        sim.clock.advance("1d");
      },
      expectation: "after the sixth failure the lease is irrevocable: nothing tries any more, and the account is there",
      expect: (sim) => {
        expectEqual(attemptSeconds(sim), [3600, 3620, 3660, 3740, 3900, 4220]);
        expectEqual(statuses(sim), ["irrevocable"]);
        expectEqual(sim.clock.pending(), []);
        expectEqual(accounts(sim), 1);
      },
    },
    {
      title: "The operator revokes it by hand",
      does: (sim, { operator }) => {
        const [lease] = leases(sim);
        sim.secrets
          .cluster("east")
          .as(operator)
          .leases.revoke({ lease_id: lease?.[0] ?? "" });
      },
      expectation: "account and lease are gone",
      expect: (sim) => {
        expectEqual(accounts(sim), 0);
        expectEqual(statuses(sim), []);
      },
    },
  ],
});

function leases(sim: Simulator) {
  return [...(sim.state.secrets["east"]?.local.leases ?? [])];
}

function statuses(sim: Simulator): readonly string[] {
  return leases(sim).map(([, { status }]) => status);
}

/** When its revocation has failed, in seconds from the start. */
function attemptSeconds(sim: Simulator): readonly number[] {
  const start = Date.UTC(2026, 0, 1);
  const failed = sim.log.commits().filter(({ events }) => events.some(({ type }) => type === "LeaseRevocationFailed"));
  return failed.map(({ atMs }) => (atMs - start) / 1000);
}

function accounts(sim: Simulator): number {
  return sim.directory.search(PEOPLE, "(objectClass=person)").length;
}
