import type { Via } from "../../kernel/commit.ts";
import { type Folds, withinFlat } from "../../kernel/evolvers.ts";
import type { Host } from "../../kernel/host.ts";
import { withMember } from "../../kernel/parts.ts";
import { directoryControls } from "../../surroundings/directory/control.ts";
import { directoryHandle } from "../../surroundings/directory/handle.ts";
import {
  copyOfDirectory,
  type Directory,
  type DirectoryEvents,
  directoryEvolvers,
} from "../../surroundings/directory/state.ts";
import { orchestratorControls } from "../../surroundings/orchestrator/control.ts";
import { orchestratorHandle } from "../../surroundings/orchestrator/handle.ts";
import {
  type Orchestrator,
  type OrchestratorEvents,
  orchestratorEvolvers,
} from "../../surroundings/orchestrator/state.ts";
import { storeControls } from "../../surroundings/stores/control.ts";
import { storesHandle } from "../../surroundings/stores/handle.ts";
import { type StoreEvents, type Stores, storeEvolvers, withStores } from "../../surroundings/stores/state.ts";
import { clusterNamed, type SecretsWorld } from "./world.ts";

// What engines act on, and what snapshots are written to: it is there where this service is.

/** The facts of the surroundings that are this service's. */
export interface SurroundingEvents extends DirectoryEvents, OrchestratorEvents, StoreEvents {}

export const surroundingFolds: Folds<SecretsWorld, SurroundingEvents> = {
  ...withinFlat<SecretsWorld, Directory, DirectoryEvents>(
    (world, _, change) => withMember(world, "directory", change),
    directoryEvolvers,
    copyOfDirectory,
  ),
  ...withinFlat<SecretsWorld, Orchestrator, OrchestratorEvents>(
    (world, _, change) => withMember(world, "orchestrator", change),
    orchestratorEvolvers,
  ),
  ...withinFlat<SecretsWorld, Stores, StoreEvents>(withStores as never, storeEvolvers),
};

/** The calls that change them, by the names of their commands. */
export const surroundingControls = { ...directoryControls, ...orchestratorControls, ...storeControls };

/** Their handles, by the names that these have on a simulator. */
export const surroundingHandles = {
  directory: directoryHandle,
  stores: (host: Host<SecretsWorld>, via: Via) =>
    storesHandle(host, via, (world, cluster) => clusterNamed(world, cluster) !== undefined),
  orchestrator: orchestratorHandle,
};
