import { createSimulator, format, rehearse, replay } from "hindcast";
import { expect, test } from "vitest";

/** What a test leaves when it fails: write it to a file, attach it to the report. */
function logOfAFailure(): string {
  const sim = createSimulator({ seed: 11 });
  const service = sim.secrets.cluster("main");
  const admin = service.as(service.rootToken);
  sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
  admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
  admin.library.write({ set_name: "ops", service_account_names: ["svc-1"], ttl: "1h" });
  sim.mark("job begins");
  admin.library.checkOut({ set_name: "ops", ttl: "5m" });
  sim.clock.advance("30m");
  return sim.log.toNdjson();
}

test("why did the password stop working in the middle of the job?", async () => {
  const sim = replay(logOfAFailure());

  // When did the account become free again, and because of what?
  const account = 'secrets.main.replicated.mounts["ldap/"].library.accounts["svc-1"].status';
  const culprit = sim.blame(account);
  expect(culprit).toMatchObject({ position: 5, command: { name: "timer.leaseRevocation", via: "timer" } });
  expect(new Date(culprit?.atMs ?? 0).toISOString()).toBe("2026-01-01T00:05:00.000Z");

  // The whole story of that commit: chart, facts, changes.
  expect(format(sim.explain(5))).toContain('chart     library-account: takeBack from "checked_out" to "available"');
  expect(sim.diff("job begins", 5).map(({ path }) => path)).not.toContain(account);

  // Where did the log first lack a lease after the job began? In O(log n) looks, however long it is.
  const main = (view: Pick<typeof sim, "state">) => view.state.secrets["main"];
  expect(sim.bisect((view) => view.position > 3 && main(view)?.local.leases.size === 0)).toBe(5);

  // What if the job had asked for an hour?
  const { fork, changed } = await sim.rewrite([{ replace: 4, input: { set_name: "ops", ttl: "1h" } }]);
  expect(changed.map(({ position }) => position)).toEqual([4]);
  expect(main(fork)?.local.leases.size).toBe(1);

  // Keep the log as a regression test: it tells when the rules no longer do what they did.
  expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
});
