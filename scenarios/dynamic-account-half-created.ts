import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";

const PEOPLE = "ou=people,dc=example,dc=com";

const CREATION = `dn: cn={{.Username}},${PEOPLE}
objectClass: person
cn: {{.Username}}
userPassword: {{.Password}}

dn: cn=staff,${PEOPLE}
changetype: modify
add: member
member: cn={{.Username}},${PEOPLE}
-
`;

const DELETION = `dn: cn={{.Username}},${PEOPLE}
changetype: delete
`;

/** An account is made and its group is not there: what a rollback is for. */
export const dynamicAccountHalfCreated = defineScenario({
  name: "dynamic-account-half-created",
  title: "A dynamic account, half created",
  world: { seed: 22, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    east.writePolicy("app", 'path "ldap/creds/*" { capabilities = ["read"] }');
    return {
      operator: east.rootToken,
      app: east.createToken({ policies: ["app"], displayName: "app" }).token,
    };
  },

  steps: [
    {
      title: "The operator writes a role whose accounts join a group that nobody has made",
      does: (sim, { operator }) => {
        sim.directory.addSuffix(PEOPLE);
        const engine = sim.secrets.cluster("east").as(operator);
        engine.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
        engine.dynamicRoles.write({ role_name: "dev", creation_ldif: CREATION, deletion_ldif: DELETION });
      },
      expectation: "the role is stored: LDIF is rendered and read when it is written, but not carried out",
      expect: (sim, { operator }) => {
        const role = sim.secrets.cluster("east").as(operator).dynamicRoles.read({ role_name: "dev" });
        expectEqual(role.data.rollback_ldif, "");
      },
    },
    {
      title: "The app asks for credentials",
      does: (sim, { app }) => {
        expectRefusal("user_not_created", () => credentials(sim, app));
      },
      expectation: "it gets none and there is no lease, but an account is left that nobody will delete",
      expect: (sim) => {
        expectEqual(accounts(sim).length, 1);
        expectEqual(sim.state.secrets["east"]?.local.leases.size, 0);
      },
    },
    {
      title: "The operator adds a rollback, and the app asks again",
      does: (sim, { operator, app }) => {
        sim.secrets.cluster("east").as(operator).dynamicRoles.write({ role_name: "dev", rollback_ldif: DELETION });
        expectRefusal("user_not_created", () => credentials(sim, app));
      },
      expectation: "what was made this time is gone again",
      expect: (sim) => {
        expectEqual(accounts(sim).length, 1);
      },
    },
    {
      title: "Somebody makes the group, and the app asks a third time",
      does: (sim, { app }) => {
        sim.directory.addEntry(`cn=staff,${PEOPLE}`, { objectClass: "group", cn: "staff" });
        credentials(sim, app);
      },
      expectation: "the account is a member, and its lease takes it away in time",
      expect: (sim) => {
        expectEqual(accounts(sim).length, 2);
        expectEqual(sim.directory.entry(`cn=staff,${PEOPLE}`)?.attributes["member"]?.length, 1);
        sim.clock.advance("768h");
        expectEqual(accounts(sim).length, 1);
      },
    },
  ],
});

function credentials(sim: Simulator, token: string) {
  return sim.secrets.cluster("east").as(token).dynamicRoles.credentials({ role_name: "dev" });
}

function accounts(sim: Simulator): readonly string[] {
  return sim.directory.search(PEOPLE, "(objectClass=person)").map(({ dn }) => dn);
}
