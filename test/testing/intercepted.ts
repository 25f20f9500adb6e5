import { createSimulator, type Simulator } from "../../src/index.ts";

/** A world for clients whose requests a library intercepts: a cluster, a region, and a secret that is still to be written. */
export function interceptedWorld() {
  const sim = createSimulator({ secrets: { clusters: ["east"] }, scheduler: { regions: ["eu"] } });
  const east = sim.secrets.cluster("east");
  return { sim, east, url: east.url, kv: `${east.url}/v1/kv/app/db`, headers: { "X-Secrets-Token": east.rootToken } };
}

/** A URL of each service, and of a cluster that comes later, with what is answered there without a token. */
export function everyOrigin(sim: Simulator): readonly (readonly [url: string, status: number])[] {
  return [
    [`${sim.secrets.cluster("east").url}/v1/sys/health`, 200],
    [`${sim.secrets.addCluster("later").url}/v1/sys/health`, 200],
    [`${sim.scheduler.region("eu").url}/v1/acl/policies`, 200],
    [`${sim.runs.url}/api/v2/policy-checks/polchk-x`, 401],
  ];
}
