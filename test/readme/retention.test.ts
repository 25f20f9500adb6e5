import { createSimulator, type View } from "hindcast";
import { expect, test } from "vitest";

/** What a policy has kept, and how many hours back that reaches. */
function reach(view: Pick<View, "stores" | "clock">, kind: string): { kept: number; hours: number } {
  const kept = view.stores.list(`file:///backups/${kind}/`);
  const oldestMs = kept[0]?.storedAtMs ?? view.clock.now();
  return { kept: kept.length, hours: Math.round((view.clock.now() - oldestMs) / 3_600_000) };
}

test("a retention policy, watched over a year", () => {
  const sim = createSimulator();
  const service = sim.secrets.cluster("main");
  const admin = service.as(service.rootToken);

  // A day of hours and a month of days; each snapshot takes ten minutes and a gigabyte.
  const disk = { storage_type: "local", local_max_space: 31_000_000_000 };
  admin.snapshots.write({ name: "hourly", interval: "1h", retain: 24, path_prefix: "/backups/hourly", ...disk });
  admin.snapshots.write({ name: "daily", interval: "1d", retain: 30, path_prefix: "/backups/daily", ...disk });
  sim.stores.setSnapshotDuration("10m");
  sim.stores.setSnapshotBytes(1_000_000_000);

  // A year: something is written each day, and for three days in April the disk is away.
  for (let day = 1; day <= 365; day++) {
    admin.kv.write({ path: "config", day });
    sim.stores.setAvailable("local", day < 100 || day >= 103);
    sim.clock.advance("1d");
  }

  // The interval runs from end to end, so that 24 "hours" are 28. In April nothing new came, and nothing old went.
  expect(reach(sim, "hourly")).toEqual({ kept: 24, hours: 28 });
  expect(reach(sim.at("2026-04-13T00:00:00Z"), "hourly")).toEqual({ kept: 24, hours: 100 });
  expect(reach(sim, "daily")).toEqual({ kept: 30, hours: 713 });

  // Not 8,760 attempts: at ten minutes each the year has room for 7,508. Those of three days failed.
  const ended = (type: string) =>
    sim.log.events().filter((event) => event.type === type && JSON.stringify(event.data).includes('"hourly"')).length;
  expect([ended("SnapshotStored"), ended("SnapshotFailed")]).toEqual([7_446, 62]);

  // And it does what it is for: the oldest of the month is a state that can be had back.
  const [oldest] = sim.stores.list("file:///backups/daily/");
  service.restoreSnapshot(oldest?.url ?? "");
  expect(admin.kv.read({ path: "config" }).data).toEqual({ day: 336 });
});
