import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

test("every moment stays where it was", () => {
  const sim = createSimulator();
  const service = sim.secrets.cluster("main");
  const admin = service.as(service.rootToken);
  sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
  admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
  admin.library.write({ set_name: "ops", service_account_names: ["svc-1"], ttl: "1h" });
  sim.mark("before the loan");
  admin.library.checkOut({ set_name: "ops" });
  sim.clock.advance("2h");

  // A view answers reads as of then: at a mark, at a position of the log, or at an instant.
  const statusAt = (place: string | number | Date) =>
    sim.at(place).secrets.cluster("main").as(service.rootToken).library.status({ set_name: "ops" }).data;
  expect(statusAt("before the loan")["svc-1"]?.available).toBe(true);
  expect(statusAt("2026-01-01T00:30:00Z")["svc-1"]?.available).toBe(false);
  expect(statusAt(sim.position)["svc-1"]?.available).toBe(true);

  // The log tells what happened, and because of what.
  const last = sim.log.commits().at(-1);
  expect(last?.command).toMatchObject({ name: "timer.leaseRevocation", via: "timer" });
  expect(last?.events.map(({ type }) => type)).toEqual([
    "DirectoryPasswordChanged",
    "ServiceAccountCheckedIn",
    "LeaseEnded",
  ]);
});
