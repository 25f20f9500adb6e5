import { setup } from "xstate";

/**
 * A cluster as machines that run, sealed or not. A stopped one answers nobody and fires nothing; its storage stays. One whose active
 * node was stopped has none until another is elected.
 *
 * Source: control-surface.md, `sim.network.stop`, `start`, `stopNode` and `startNode`; decisions-replication.md, 1.
 */
export const clusterMachine = () =>
  setup({
    types: {
      context: {} as {
        /** The node is the active one. */
        readonly isActive: boolean;
        /** No other node runs. */
        readonly isLast: boolean;
      },
      events: {} as
        | { readonly type: "stop" }
        | { readonly type: "start" }
        | { readonly type: "stopNode" }
        | { readonly type: "startNode" }
        | { readonly type: "elect" },
    },
    guards: {
      isActive: ({ context }) => context.isActive,
      isLast: ({ context }) => context.isLast,
    },
  }).createMachine({
    id: "cluster",
    description: "A cluster as machines that run.",
    context: { isActive: false, isLast: false },
    initial: "running",
    states: {
      running: {
        description: "Its active node answers, if it is not sealed.",
        on: {
          stop: { target: "stopped", description: "Its processes end; what is in storage stays." },
          start: { target: "running", description: "It runs already." },
          stopNode: [
            { target: "stopped", guard: "isLast", description: "The last node that ran is stopped." },
            { target: "electing", guard: "isActive", description: "The active node is stopped, and others run." },
            { target: "running", description: "A standby node is stopped." },
          ],
          startNode: { target: "running", description: "The node stands by." },
          elect: { target: "running", description: "Another node becomes active at once." },
        },
      },
      electing: {
        description:
          "No node is active: each that runs answers as a standby, and no deadline but the election's fires.",
        on: {
          stop: { target: "stopped", description: "The others end, too." },
          start: { target: "electing", description: "It runs already." },
          stopNode: [
            { target: "stopped", guard: "isLast", description: "The last node that ran is stopped." },
            { target: "electing", description: "One less can be elected." },
          ],
          startNode: { target: "electing", description: "One more can be elected." },
          elect: { target: "running", description: "A node becomes active; deadlines that have passed fire." },
        },
      },
      stopped: {
        description: "Nobody listens, and no deadline fires.",
        on: {
          stop: { target: "stopped", description: "It is stopped already." },
          start: {
            target: "running",
            description: "All nodes run, and the one that was active is; deadlines that have passed fire.",
          },
          stopNode: { target: "stopped", description: "The node is stopped already." },
          startNode: { target: "running", description: "The node runs alone, and is active." },
          elect: { target: "stopped", description: "The node will be active when the cluster is started." },
        },
      },
    },
  });
