import { defineScenario, type Simulator } from "../src/index.ts";
import { expectDiffer, expectEqual, expectRefusal } from "./support/expectations.ts";

const BASE = "ou=service,dc=example,dc=com";
const dnOf = (account: string): string => `cn=${account},${BASE}`;

/** Two passwords rotate every hour. The directory is down when they should, and then the cluster itself is. */
export const rotationWhileDirectoryDown = defineScenario({
  name: "rotation-while-directory-down",
  title: "Rotation while the directory is down",
  world: { seed: 21, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    east.writePolicy("reader", 'path "ldap/static-cred/*" { capabilities = ["read"] }');
    return { operator: east.rootToken, app: east.createToken({ policies: ["reader"] }).token };
  },

  steps: [
    {
      title: "The operator has two accounts rotated every hour",
      does: (sim, { operator }) => {
        for (const account of ["api", "batch"]) {
          sim.directory.addEntry(dnOf(account), { objectClass: "person", cn: account, userPassword: "as it came" });
        }
        const engine = sim.secrets.cluster("east").as(operator);
        engine.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret", userdn: BASE });
        engine.staticRoles.write({ role_name: "api", username: "api", rotation_period: "1h" });
        sim.clock.advance("20m");
        engine.staticRoles.write({ role_name: "batch", username: "batch", rotation_period: "1h" });
      },
      expectation: "both have new passwords, which the engine hands out",
      expect: (sim, { app }) => {
        for (const account of ["api", "batch"]) {
          expectDiffer(passwordIn(sim, account), "as it came");
          expectEqual(credential(sim, app, account).password, passwordIn(sim, account));
        }
      },
    },
    {
      title: "The directory goes down before the first hour is over",
      does: (sim) => {
        sim.directory.setAvailable(false);
        sim.clock.advance("41m");
      },
      expectation: "the old password is handed out with no time left, and an attempt follows each 10 seconds",
      expect: (sim, { app, operator }) => {
        expectEqual(credential(sim, app, "api").ttl, 0);
        expectEqual(credential(sim, app, "api").password, passwordIn(sim, "api"));
        expectEqual(attempts(sim), 7);
        const engine = sim.secrets.cluster("east").as(operator);
        expectRefusal("static_role_rotation_failed", () => engine.staticRoles.rotate({ role_name: "batch" }));
      },
    },
    {
      title: "The directory comes back",
      does: (sim) => {
        sim.directory.setAvailable(true);
        sim.clock.advance("10s");
      },
      expectation: "the next attempt succeeds, and the hour begins anew",
      expect: (sim, { app }) => {
        const { ttl, password, last_password } = credential(sim, app, "api");
        expectEqual(ttl, 3600);
        expectEqual(password, passwordIn(sim, "api"));
        expectDiffer(password, last_password);
      },
    },
    {
      title: "The cluster is sealed for a day",
      does: (sim) => {
        sim.secrets.cluster("east").seal();
        sim.clock.advance("24h");
        sim.mark("before the unsealing");
        sim.secrets.cluster("east").unseal();
      },
      expectation: "each password has rotated once, at the return, the one that was due first before the other",
      expect: (sim) => {
        const returned = sim.log
          .commits()
          .slice(sim.at("before the unsealing").position)
          .flatMap(({ events }) => events.filter(({ type }) => type === "StaticRoleRotated"));
        expectEqual(
          returned.map(({ data }) => (data as { role: string }).role),
          ["batch", "api"],
        );
      },
    },
  ],
});

function credential(sim: Simulator, token: string, role_name: string) {
  return sim.secrets.cluster("east").as(token).staticRoles.credential({ role_name }).data;
}

function attempts(sim: Simulator): number {
  return sim.log.events().filter(({ type }) => type === "StaticRoleRotationFailed").length;
}

function passwordIn(sim: Simulator, account: string): unknown {
  return sim.directory.entry(dnOf(account))?.attributes["userPassword"]?.[0];
}
