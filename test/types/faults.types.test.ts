import { describe, expectTypeOf, test } from "vitest";
import type { ClusterHandle, Fault, RegionHandle, Simulator } from "../../src/index.ts";

declare const sim: Simulator;
declare const cluster: ClusterHandle;
declare const region: RegionHandle;

describe("a fault that is scheduled", () => {
  test("is any call that changes the surroundings", () => {
    sim.faults.schedule("1m", { type: "network.cut", args: [cluster, cluster] });
    sim.faults.schedule("1m", { type: "network.cut", args: [region, region] });
    sim.faults.schedule("1m", { type: "network.pointAddress", args: [cluster.clusterAddress, cluster] });
    sim.faults.schedule("1m", { type: "directory.setAvailable", args: [false] });
    sim.faults.schedule("1m", { type: "directory.server.setDelay", args: ["ldap://127.0.0.1", "2s"] });
    sim.faults.schedule("1m", { type: "orchestrator.setAvailable", args: [false] });
    sim.faults.schedule("1m", { type: "orchestrator.failNext", args: [{ count: 1 }] });
    sim.faults.schedule("1m", { type: "orchestrator.setMaxTokenTtl", args: [] });
    sim.faults.schedule("1m", { type: "stores.setAvailable", args: ["cloud1-bucket", false] });
    sim.faults.schedule("1m", { type: "stores.setFreeBytes", args: ["file:///backups/", undefined] });
    sim.faults.schedule("1m", { type: "faults.corruptStorage", args: [cluster, { page: 3 }] });
    sim.faults.schedule("1m", { type: "faults.failNextRequests", args: [{ service: cluster, count: 1 }] });
  });

  test("has the arguments of the call", () => {
    // @ts-expect-error a store is called by its type or its URL
    sim.faults.schedule("1m", { type: "stores.setAvailable", args: [false] });
    // @ts-expect-error it answers or does not
    sim.faults.schedule("1m", { type: "orchestrator.setAvailable", args: ["no"] });
    // @ts-expect-error a cut has two ends
    sim.faults.schedule("1m", { type: "network.cut", args: [cluster] });
  });

  test("is no look, and no fault of a fault", () => {
    expectTypeOf<Extract<Fault, { type: "stores.list" | "orchestrator.objects" | "directory.entry" }>>().toBeNever();
    expectTypeOf<Extract<Fault, { type: "faults.schedule" }>>().toBeNever();
    // @ts-expect-error what gives something back changes nothing
    sim.faults.schedule("1m", { type: "stores.list", args: [""] });
    // @ts-expect-error there is no such call
    sim.faults.schedule("1m", { type: "orchestrator.explode", args: [] });
  });
});
