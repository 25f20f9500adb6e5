import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

// The code under test: it fetches a password that the service rotates, and keeps it as long as the service says.
function passwordSource(options: { url: string; token: string; fetch: typeof fetch; now: () => number }) {
  const { url, token, fetch, now } = options;
  let kept: { password: string; until: number } | undefined;
  return async (): Promise<string> => {
    if (kept === undefined || now() >= kept.until) {
      const response = await fetch(`${url}/v1/ldap/static-cred/db`, { headers: { "X-Secrets-Token": token } });
      const { data } = (await response.json()) as { data: { password: string; ttl: number } };
      // With no time left a rotation is overdue: the password may be another one at any moment.
      kept = { password: data.password, until: now() + Math.max(data.ttl, 5) * 1000 };
    }
    return kept.password;
  };
}

test("a consumer of a rotated password logs in all through a month", async () => {
  const sim = createSimulator();
  const service = sim.secrets.cluster("main");
  const admin = service.as(service.rootToken);
  const dn = "cn=db,ou=service,dc=example,dc=com";
  sim.directory.addEntry(dn, { objectClass: "person", cn: "db", userPassword: "as it came" });
  admin.ldapConfig.write({
    binddn: "cn=engine,dc=example,dc=com",
    bindpass: "secret",
    userdn: "ou=service,dc=example,dc=com",
  });
  admin.staticRoles.write({ role_name: "db", username: "db", rotation_period: "24h" });
  admin.policies.write({ name: "app", policy: 'path "ldap/static-cred/db" { capabilities = ["read"] }' });
  const { token } = service.createToken({ policies: ["app"], period: "24h" });
  const password = passwordSource({ url: service.url, token, fetch: sim.fetch, now: () => sim.clock.now() });
  const opens = async () => (await password()) === sim.directory.entry(dn)?.attributes["userPassword"]?.[0];

  // Every hour of thirty days it logs in; the days pass in no time, and each at its own instant brings a new password.
  for (let hour = 0; hour < 30 * 24; hour++) {
    expect(await opens()).toBe(true);
    if (hour % 6 === 0) service.as(token).tokens.renewSelf();
    // Two outages when a rotation is due: of the directory for ten hours, and of the service itself for twelve.
    if (hour === 115 || hour === 125) sim.directory.setAvailable(hour === 125);
    if (hour === 310) {
      service.seal();
      sim.clock.advance("12h");
      service.unseal();
    }
    sim.clock.advance("1h");
  }
  const rotations = sim.log.commits().filter(({ events }) => events.some(({ type }) => type === "StaticRoleRotated"));
  expect(rotations).toHaveLength(30);

  // What if somebody had rotated by hand in between? In a fork the kept password is stale until its time is over.
  const other = sim.fork();
  const admins = other.secrets.cluster("main").as(service.rootToken);
  const { data: before } = admins.staticRoles.credential({ role_name: "db" });
  admins.staticRoles.rotate({ role_name: "db" });
  expect(admins.staticRoles.credential({ role_name: "db" }).data.last_password).toBe(before.password);
  expect(await opens()).toBe(true);
});
