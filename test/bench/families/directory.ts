import { createSimulator, type Simulator } from "../../../src/index.ts";
import { Draw } from "../../../src/kernel/randomness.ts";
import { parseTemplate } from "../../../src/languages/template/parse.ts";
import { renderTemplate } from "../../../src/languages/template/render.ts";
import { perSecond, seconds } from "../harness/measure.ts";
import { atLeast, atMost, type Family, row } from "../harness/row.ts";

const BASE = "ou=service,dc=example,dc=com";

/** The directory engine over long times: rotations, and accounts that come and go. */
export const directory: Family = {
  name: "directory",
  rows: [
    row({
      id: "year-of-rotations-s",
      unit: "s",
      goal: atMost(9),
      rounds: 1,
      warmUps: 0,
      note: "1,000 static roles that rotate daily for a virtual year, with hourly snapshots: some 374,000 firings",
      prepare: (effort) => {
        const days = effort.size(365);
        return () => {
          const sim = rotatingWorld(1_000);
          return seconds(() => void sim.clock.advance(`${days * 24}h`));
        };
      },
    }),
    row({
      id: "dynamic-credentials-s",
      unit: "s",
      rounds: 2,
      warmUps: 1,
      note: "10,000 dynamic accounts made and leased, then deleted as their leases expire",
      prepare: (effort) => {
        const count = effort.size(10_000);
        return () => {
          const sim = dynamicWorld();
          return seconds(() => issueAndExpire(sim, count));
        };
      },
    }),
    row({
      id: "templates-per-second",
      unit: "1/s",
      goal: atLeast(20_000),
      note: "an LDIF template of an account, parsed once, rendered again and again",
      prepare: (effort) => {
        const count = effort.count(20_000);
        const template = parseTemplate(CREATION);
        const scope = { nowMs: 0, draw: new Draw("bench") };
        return () =>
          perSecond(count, () => {
            for (let index = 0; index < count; index++) renderTemplate(template, FIELDS, scope);
          });
      },
    }),
  ],
};

const CREATION = `dn: cn={{.Username}},${BASE}
objectClass: person
cn: {{.Username | lowercase | truncate 20}}
userPassword: {{.Password}}
{{if .RoleName}}description: {{printf "%s of %s" .RoleName .DisplayName}}{{end}}
`;

const DELETION = `dn: cn={{.Username}},${BASE}
changetype: delete
`;

const FIELDS = { Username: "v_token_dev_0123456789", Password: "secret", RoleName: "dev", DisplayName: "token" };

const CONFIG = { binddn: `cn=engine,${BASE}`, bindpass: "bind", userdn: BASE, userattr: "cn" };

/** Roles that rotate daily, and a snapshot every hour of which 24 are kept. */
export function rotatingWorld(roles: number): Simulator {
  const sim = createSimulator({ seed: 7 });
  const cluster = sim.secrets.cluster("main");
  const owner = cluster.as(cluster.rootToken);
  owner.ldapConfig.write(CONFIG);
  for (let index = 0; index < roles; index++) {
    const username = `svc-${index}`;
    sim.directory.addEntry(`cn=${username},${BASE}`, { cn: username });
    owner.staticRoles.write({ role_name: username, username, rotation_period: "24h" });
    // Roles of a day do not all begin at one instant.
    if (index % 10 === 9) sim.clock.advance("1m");
  }
  const disk = { storage_type: "local", path_prefix: "/backups", local_max_space: 1_000_000_000 };
  owner.snapshots.write({ name: "hourly", interval: "1h", retain: 24, ...disk });
  return sim;
}

function dynamicWorld(): Simulator {
  const sim = createSimulator({ seed: 7 });
  const cluster = sim.secrets.cluster("main");
  const owner = cluster.as(cluster.rootToken);
  owner.ldapConfig.write(CONFIG);
  owner.dynamicRoles.write({ role_name: "dev", creation_ldif: CREATION, deletion_ldif: DELETION, default_ttl: "1h" });
  return sim;
}

function issueAndExpire(sim: Simulator, count: number): void {
  const cluster = sim.secrets.cluster("main");
  const { dynamicRoles } = cluster.as(cluster.rootToken);
  for (let index = 0; index < count; index++) dynamicRoles.credentials({ role_name: "dev" });
  sim.clock.advance("1h");
}
