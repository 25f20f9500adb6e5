import { defineScenario, type Simulator } from "../src/index.ts";
import { expectDiffer, expectEqual } from "./support/expectations.ts";

const GIGABYTE = 1_000_000_000;
const DISK = "file:///var/backups/";
const HOURLY = {
  path_prefix: "/var/backups/",
  storage_type: "local",
  local_max_space: 1_000 * GIGABYTE,
  interval: "1h",
};

/** A cluster keeps two weeks of hourly snapshots on a disk that is not large enough for them. */
export const snapshotDiskFull = defineScenario({
  name: "snapshot-disk-full",
  title: "The disk for snapshots fills up",
  world: { seed: 9, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    const path = "sys/storage/raft/snapshot-auto/*";
    east.writePolicy("watcher", `path "${path}" { capabilities = ["read"] }`);
    return { operator: east.rootToken, watcher: east.createToken({ policies: ["watcher"] }).token };
  },

  steps: [
    {
      title: "The operator asks for two weeks of hourly snapshots; the disk has 200 GB, and each takes one",
      does: (sim, { operator }) => {
        sim.stores.setFreeBytes(DISK, 200 * GIGABYTE);
        sim.stores.setSnapshotBytes(GIGABYTE);
        sim.stores.setSnapshotDuration("2m");
        sim.secrets
          .cluster("east")
          .as(operator)
          .snapshots.write({ name: "hourly", retain: 336, ...HOURLY });
        sim.clock.advance("7d");
      },
      expectation: "for a week all is well, and one attempt has followed two minutes and an hour after the other",
      expect: (sim, { watcher }) => {
        expectEqual(errorOf(sim, watcher), "");
        // 168 hours hold 163 times 62 minutes: what takes time makes the hours drift.
        expectEqual(stored(sim).length, 162);
      },
    },
    {
      title: "After another two days the disk is full",
      does: (sim) => {
        sim.clock.advance("2d");
        sim.mark("full");
      },
      expectation:
        "the last attempts have failed, nothing was deleted for them, and the status tells of the last good one",
      expect: (sim, { watcher }) => {
        const status = statusOf(sim, watcher);
        expectEqual(stored(sim).length, 200);
        expectEqual(status.last_snapshot_error.includes("no space left"), true);
        expectEqual(status.last_snapshot_url, stored(sim).at(-1));
        expectDiffer(status.snapshot_url, status.last_snapshot_url);
      },
    },
    {
      title: "The operator lowers the retention to a week",
      does: (sim, { operator }) => {
        sim.secrets
          .cluster("east")
          .as(operator)
          .snapshots.write({ name: "hourly", retain: 168, ...HOURLY });
        sim.clock.advance("2h");
      },
      expectation: "which does not help: nothing is deleted before a snapshot succeeds, and none does",
      expect: (sim, { watcher }) => {
        expectEqual(stored(sim).length, 200);
        expectEqual(errorOf(sim, watcher).includes("no space left"), true);
      },
    },
    {
      title: "Somebody finds a gigabyte on the disk",
      does: (sim) => {
        sim.stores.setFreeBytes(DISK, GIGABYTE);
        sim.clock.advance("65m");
      },
      expectation: "one snapshot succeeds, the oldest go, and the error is gone",
      expect: (sim, { watcher }) => {
        expectEqual(stored(sim).length, 168);
        expectEqual(errorOf(sim, watcher), "");
      },
    },
    {
      title: "Snapshots go on",
      does: (sim) => {
        sim.clock.advance("30d");
      },
      expectation: "for a month no attempt fails, and a week is there",
      expect: (sim) => {
        expectEqual(stored(sim).length, 168);
        const full = sim.log.events().filter(({ type }) => type === "SnapshotFailed");
        expectEqual(
          full.every(({ atMs }) => atMs < sim.clock.now() - 30 * 86_400_000),
          true,
        );
      },
    },
    {
      title: "What if the configuration had known how much there is?",
      expectation:
        "in a fork from when the disk was full a lower local_max_space fails as well: it makes no room either",
      expect: (sim, { operator, watcher }) => {
        const other = sim.fork("full");
        const limited = { ...HOURLY, local_max_space: 150 * GIGABYTE };
        other.secrets
          .cluster("east")
          .as(operator)
          .snapshots.write({ name: "hourly", retain: 100, ...limited });
        other.clock.advance("65m");
        expectEqual(errorOf(other, watcher).includes("not enough space"), true);
        expectEqual(stored(other).length, 200);
      },
    },
  ],
});

function statusOf(sim: Simulator, watcher: string) {
  return sim.secrets.cluster("east").as(watcher).snapshots.status({ name: "hourly" }).data;
}

const errorOf = (sim: Simulator, watcher: string): string => statusOf(sim, watcher).last_snapshot_error;

const stored = (sim: Simulator): string[] => sim.stores.list(DISK).map(({ url }) => url);
