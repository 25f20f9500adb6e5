import { createSimulator, type Simulator, type SimulatorOptions } from "../../../src/index.ts";
import type { Fields } from "../driver.ts";

/** Where the accounts of dynamic roles are made. */
export const PEOPLE = "ou=people,dc=example,dc=com";

const CONFIG = { binddn: "cn=admin,dc=example,dc=com", bindpass: "bind-secret", userdn: PEOPLE };

/** Makes an account, and a group that it is a member of. */
export const CREATION = `dn: cn={{.Username}},${PEOPLE}
objectClass: person
cn: {{.Username}}
userPassword: {{.Password}}

dn: cn=staff,${PEOPLE}
changetype: modify
add: member
member: cn={{.Username}},${PEOPLE}
-
`;

export const DELETION = `dn: cn=staff,${PEOPLE}
changetype: modify
delete: member
member: cn={{.Username}},${PEOPLE}
-

dn: cn={{.Username}},${PEOPLE}
changetype: delete
`;

export const ROLLBACK = `dn: cn={{.Username}},${PEOPLE}
changetype: delete
`;

export const DYNAMIC_ROLE = { role_name: "dev", creation_ldif: CREATION, deletion_ldif: DELETION };

/** A directory with a group, and a configured engine with a role. */
export function dynamicWorld(role: Fields = {}, options: SimulatorOptions = {}): Simulator {
  const sim = createSimulator({ seed: 11, ...options });
  const main = sim.secrets.cluster("main");
  sim.directory.addEntry(`cn=staff,${PEOPLE}`, { objectClass: "group", cn: "staff", member: "cn=nobody" });
  const admin = main.as(main.rootToken);
  admin.ldapConfig.write(CONFIG);
  admin.dynamicRoles.write({ ...DYNAMIC_ROLE, ...role });
  return sim;
}

/** The accounts below `PEOPLE`, but for the group. */
export function accountsIn(sim: Simulator): readonly string[] {
  return sim.directory.search(PEOPLE, "(objectClass=person)").map(({ dn }) => dn);
}

export const membersIn = (sim: Simulator) => sim.directory.entry(`cn=staff,${PEOPLE}`)?.attributes["member"] ?? [];
