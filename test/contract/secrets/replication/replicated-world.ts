import { logPosition } from "../../../../src/kernel/brand.ts";
import type { ClusterHandle } from "../../../../src/services/secrets/cluster-handle.ts";
import { LiveSimulator } from "../../../../src/simulator/live-simulator.ts";
import type { Simulator } from "../../../../src/simulator/types.ts";
import type { SimulatorOptions } from "../../../../src/simulator/world.ts";
import { beginWorld, readOptions } from "../../../support/world.ts";

// Several clusters, and the steps that most tests begin with.

export interface ReplicatedWorld {
  readonly sim: Simulator;
  readonly cluster: (name: string) => ClusterHandle;
  /** A token that makes up for all others on a disaster-recovery secondary, as its generation would leave it. */
  readonly operationToken: (cluster: ClusterHandle) => string;
}

export type SecretsOptions = NonNullable<SimulatorOptions["secrets"]>;

export function replicatedWorld(clusters: readonly string[], options: SecretsOptions = {}): ReplicatedWorld {
  const settings = readOptions({ seed: "replication", secrets: { ...options, clusters } });
  const timeline = beginWorld(settings);
  const sim = LiveSimulator.over(timeline, settings);
  let made = 0;
  return {
    sim,
    cluster: (name) => sim.secrets.cluster(name),
    operationToken: ({ name }) => {
      made += 1;
      const token = `scs.operation${made.toString().padStart(15, "0")}`;
      timeline.replay({
        position: logPosition(timeline.position + 1),
        atMs: timeline.nowMs,
        command: { name: "control.operationToken", input: {}, caller: { cluster: name }, via: "control" },
        events: [{ type: "DrOperationTokenCreated", v: 1, data: { cluster: name, token } }],
      });
      return token;
    },
  };
}

export const KINDS = ["dr", "performance"] as const;
export type Kind = (typeof KINDS)[number];

/** A root token that works on a cluster now, whatever its own has become. */
export function rootOf(cluster: ClusterHandle): string {
  return cluster.createToken({ policies: ["root"] }).token;
}

/** Makes one cluster a primary and another its secondary. */
export async function joined(kind: Kind, primary: ClusterHandle, secondary: ClusterHandle, id = "b"): Promise<void> {
  const lead = primary.as(rootOf(primary)).replication[kind];
  if (lead.status().data.mode === "disabled") lead.primaryEnable();
  await join(kind, primary, secondary, id);
}

export async function join(kind: Kind, primary: ClusterHandle, secondary: ClusterHandle, id = "b"): Promise<void> {
  const token = await activationToken(kind, primary, id);
  await secondary.as(rootOf(secondary)).replication[kind].secondaryEnable({ token });
}

export async function activationToken(kind: Kind, primary: ClusterHandle, id: string): Promise<string> {
  const { wrap_info } = await primary.as(rootOf(primary)).replication[kind].secondaryToken({ id });
  return wrap_info?.token ?? "";
}

/** A status, as whoever asks for its fields by name reads it. */
export function statusOf(cluster: ClusterHandle, kind: Kind): { readonly [field: string]: unknown } {
  return cluster.as().replication[kind].status().data as unknown as { readonly [field: string]: unknown };
}
