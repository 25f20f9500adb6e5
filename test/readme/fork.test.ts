import { createSimulator, Rejection } from "hindcast";
import { expect, test } from "vitest";

test("two futures of one past", () => {
  const sim = createSimulator();
  const service = sim.secrets.cluster("main");
  const admin = service.as(service.rootToken);
  sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
  admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
  admin.library.write({ set_name: "ops", service_account_names: ["svc-1"], ttl: "1h" });
  const { lease_id } = admin.library.checkOut({ set_name: "ops" });

  // In one of them the directory is down when the loan ends, and the revocation is tried again.
  const outage = sim.fork();
  outage.directory.setAvailable(false);
  outage.clock.advance("1h");
  expect(outage.clock.pending()).toMatchObject([{ command: "timer.leaseRevocation" }]);
  outage.directory.setAvailable(true);
  outage.clock.advance("20s");

  // In the other nobody noticed anything: a fork never changes its parent.
  expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1));
  expect(admin.leases.lookup({ lease_id }).data.ttl).toBe(3600);

  // Calls that the service refuses throw, with a code for programs and the status of the wire.
  const refused = (() => {
    try {
      return admin.library.checkOut({ set_name: "ops" });
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toBeInstanceOf(Rejection);
  expect(refused).toMatchObject({ code: "no_account_available", status: 400 });
});
