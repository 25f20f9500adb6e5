import type { Acting } from "./failover-acting.ts";

/** What happens to clusters, between them, and to what is around them. */
export const network = {
  cut: ({ sim, on, other }: Acting) => sim.network.cut(on, other),
  heal: ({ sim, on, other }: Acting) => sim.network.heal(on, other),
  healAll: ({ sim }: Acting) => sim.network.heal(),
  lag: ({ sim, on, other, n }: Acting) => sim.network.setLag(on, other, n * 700, { oneWay: n > 7 }),
  prompt: ({ sim, on, other }: Acting) => sim.network.setLag(on, other, 0),
  stop: ({ sim, on }: Acting) => sim.network.stop(on),
  start: ({ sim, on }: Acting) => sim.network.start(on),
  stopNode: ({ sim, on, n }: Acting) =>
    sim.network.stopNode(on, n % (sim.state.secrets[on.name]?.ignored.nodes.count ?? 1)),
  startNode: ({ sim, on, n }: Acting) =>
    sim.network.startNode(on, n % (sim.state.secrets[on.name]?.ignored.nodes.count ?? 1)),
  seal: ({ on }: Acting) => on.seal(),
  unseal: ({ on }: Acting) => on.unseal(),
  point: ({ sim, on, other }: Acting) => sim.network.pointAddress(on.clusterAddress, other),
  pointBack: ({ sim, on }: Acting) => sim.network.pointAddress(on.clusterAddress, on),
  cutLater: ({ sim, on, other, n }: Acting) => sim.faults.schedule(n * 500, { type: "network.cut", args: [on, other] }),
  healLater: ({ sim, on, other, n }: Acting) =>
    sim.faults.schedule(n * 900, { type: "network.heal", args: [on, other] }),
  stopLater: ({ sim, on, n }: Acting) => sim.faults.schedule(n * 700, { type: "network.stop", args: [on] }),
  corrupt: ({ sim, on, n }: Acting) =>
    sim.faults.corruptStorage(on, n < 5 ? { page: n } : { tree: "local", page: n, subpages: [n, n + 1] }),
  failRequests: ({ sim, on, n }: Acting) =>
    sim.faults.failNextRequests({ service: on, count: 1 + (n % 2), status: n < 5 ? 500 : 503 }),
  directory: ({ sim, n }: Acting) => sim.directory.setAvailable(n > 2),
  directoryFails: ({ sim, n }: Acting) => sim.directory.failNext({ count: 1 + (n % 2) }),
  orchestrator: ({ sim, n }: Acting) => sim.orchestrator.setAvailable(n > 2),
  stores: ({ sim, n }: Acting) => sim.stores.setAvailable("cloud1-bucket", n > 2),
};

export const time = {
  seconds: ({ sim, n }: Acting) => sim.clock.advance(n * 900),
  minutes: ({ sim, n }: Acting) => sim.clock.advance((n + 1) * 61_000),
  halfHour: ({ sim }: Acting) => sim.clock.advance("31m"),
  next: ({ sim }: Acting) => sim.clock.next(),
  settle: ({ sim }: Acting) => sim.settle(),
};
