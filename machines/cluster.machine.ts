import { setup } from "xstate";

/**
 * A cluster as a machine that runs, sealed or not. A stopped one answers nobody and fires nothing; its storage stays.
 *
 * Source: control-surface.md, `sim.network.stop` and `start`; decisions-replication.md, 1.
 */
export const clusterMachine = () =>
  setup({
    types: {
      context: {} as Record<never, never>,
      events: {} as { readonly type: "stop" } | { readonly type: "start" },
    },
  }).createMachine({
    id: "cluster",
    description: "A cluster as a machine that runs.",
    context: {},
    initial: "running",
    states: {
      running: {
        description: "It answers, if it is not sealed.",
        on: {
          stop: { target: "stopped", description: "Its processes end; what is in storage stays." },
          start: { target: "running", description: "It runs already." },
        },
      },
      stopped: {
        description: "Nobody listens, and no deadline fires.",
        on: {
          stop: { target: "stopped", description: "It is stopped already." },
          start: { target: "running", description: "Its first node becomes active; deadlines that have passed fire." },
        },
      },
    },
  });
