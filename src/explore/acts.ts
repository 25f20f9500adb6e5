import type { Program, Simulator } from "../index.ts";
import { AUTHOR } from "../kernel/commit.ts";
import { Rejection } from "../kernel/rejection.ts";
import type { RunsHandle } from "../services/runs/handle.ts";
import type { RegionHandle } from "../services/scheduler/handle.ts";
import type { ClusterHandle } from "../services/secrets/cluster-handle.ts";
import { roleOf } from "../services/secrets/replication/roles.ts";
import { type Act, type End, effectOf } from "./schedule.ts";

/** What takes an act back. */
export type Undo = () => void;

/**
 * Lets an act happen, and gives what takes it back. What the world refuses does not happen.
 *
 * @param asking the program whose request it happens to; without it, what happens to requests happens to the next one of each program
 */
export function done(sim: Simulator, act: Exclude<Act, { readonly kind: "do" }>, asking?: string): Undo | undefined {
  const { network } = sim;
  switch (act.kind) {
    case "calm":
      return undefined;
    case "cut": {
      const ends = [endOf(sim, act.a), endOf(sim, act.b)] as const;
      network.cut(...ends);
      return () => network.heal(...ends);
    }
    case "lag": {
      const ends = [endOf(sim, act.a), endOf(sim, act.b)] as const;
      network.setLag(...ends, act.ms);
      return () => network.setLag(...ends, 0);
    }
    case "stop": {
      const cluster = sim.secrets.cluster(act.cluster);
      network.stop(cluster);
      return () => network.start(cluster);
    }
    case "stop-node": {
      const cluster = sim.secrets.cluster(act.cluster);
      network.stopNode(cluster, act.node);
      return () => network.startNode(cluster, act.node);
    }
    case "seal": {
      const cluster = sim.secrets.cluster(act.cluster);
      return tried(() => cluster.seal()) ? () => cluster.unseal() : undefined;
    }
    case "outage":
      setAvailable(sim, act.of, false);
      return () => setAvailable(sim, act.of, true);
    case "slow-directory": {
      const server = sim.directory.server(act.url);
      server.setDelay("1h");
      return () => server.setDelay(0);
    }
    default: {
      const effect = effectOf(act) satisfies object | undefined;
      if (effect === undefined) return undefined;
      // What the test itself asks goes by no line.
      const times = act.kind === "status" ? act.times : 1;
      const programs =
        asking === undefined
          ? sim
              .programs()
              .map(({ name }) => name)
              .filter((name) => name !== AUTHOR)
          : [asking];
      const rules = programs.map((program) => sim.faults.requests({ effect, times, program }));
      return () => {
        for (const rule of rules) rule.remove();
      };
    }
  }
}

/** Does something that the world may refuse. */
export function tried(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}

function setAvailable({ directory, orchestrator, stores }: Simulator, of: string, available: boolean): void {
  if (of === "directory") directory.setAvailable(available);
  else if (of === "orchestrator") orchestrator.setAvailable(available);
  else stores.setAvailable(of, available);
}

/** @throws TypeError for what is no end of a line of this world */
function endOf(sim: Simulator, end: End): ClusterHandle | RegionHandle | RunsHandle | Program {
  if (end === "runs") return sim.runs;
  const [, kind, name = ""] = /^(program|cluster|region):(.+)$/.exec(end) ?? [];
  switch (kind) {
    case "program":
      return sim.program(name);
    case "cluster":
      return sim.secrets.cluster(name);
    case "region":
      return sim.scheduler.region(name);
    default:
      throw new TypeError(`schedule: ${end} is no end of a line: it is program:shop, cluster:east, region:eu or runs`);
  }
}

/** In which state something is that an act is about, in words: faults are told with what they met. */
export function stateMet(sim: Simulator, act: Act): string {
  switch (act.kind) {
    case "cut":
    case "lag":
      return [act.a, act.b]
        .map((end) => (end.startsWith("cluster:") ? clusterState(sim, end.slice(8)) : kindOf(end)))
        .join(", ");
    case "stop":
    case "seal":
    case "stop-node":
      return clusterState(sim, act.cluster);
    default:
      return "";
  }
}

const kindOf = (end: End): string => end.replace(/:.*/, "");

function clusterState(sim: Simulator, name: string): string {
  const cluster = sim.state.secrets[name];
  if (cluster === undefined) return "none";
  const { running, seal } = cluster.ignored;
  const roles = (["dr", "performance"] as const).flatMap((kind) => {
    const { mode } = roleOf(cluster, kind);
    return mode === "disabled" ? [] : [`${kind} ${mode}`];
  });
  const how = running ? seal.status : "stopped";
  return [...roles, how].join(" ");
}
