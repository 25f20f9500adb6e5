import { createSimulator, type Simulator, type SimulatorOptions } from "../../../src/index.ts";

/** A configuration that keeps its snapshots in the cluster's own store; with an interval it is whole. */
export const LOCAL = { path_prefix: "/backups", storage_type: "local", local_max_space: 1_000_000 };
export const CLOUD1 = {
  path_prefix: "backups",
  storage_type: "cloud1-bucket",
  cloud1_bucket: "bucket",
  cloud1_region: "north",
};
export const CLOUD2 = { path_prefix: "backups/", storage_type: "cloud2-bucket", cloud2_bucket: "bucket" };
export const CLOUD3 = { path_prefix: "backups/", storage_type: "cloud3-blob", cloud3_container_name: "container" };

/** The one hour that most tests have between attempts, and where the clock begins. */
export const START_MS = Date.UTC(2026, 0, 1);
export const HOUR_MS = 3_600_000;

/** A cluster with its operator's door, and what tests ask about its snapshots. */
export function snapshotWorld(options: SimulatorOptions = {}) {
  const sim = createSimulator({ seed: 3, ...options });
  const main = sim.secrets.cluster(options.secrets?.clusters?.[0] ?? "main");
  const root = main.as(main.rootToken);
  return {
    sim,
    main,
    root,
    configure: (name: string, fields: object) => root.snapshots.write({ name, interval: "1h", ...LOCAL, ...fields }),
    status: (name: string) => root.snapshots.status({ name }).data,
    urls: () => urlsIn(sim),
    /** When attempts began, in hours since the start. */
    begun: () => hoursOf(sim, "SnapshotStarted"),
  };
}

export const urlsIn = (sim: Simulator): string[] => sim.stores.list("").map(({ url }) => url);

/** When facts of a type happened, with the configuration's name, in hours since the start. */
function hoursOf(sim: Simulator, type: string): (readonly [name: string, hours: number])[] {
  return sim.log
    .events()
    .filter((event) => event.type === type)
    .map(({ atMs, data }) => [(data as { name: string }).name, (atMs - START_MS) / HOUR_MS]);
}

/** The name of an object whose attempt began at an instant. */
export const objectName = (atMs: number, prefix = "secrets-snapshot", more = 0): string =>
  `${prefix}-${BigInt(atMs) * 1_000_000n + BigInt(more)}.snap`;
