import { setup } from "xstate";

/**
 * The schedule of one snapshot configuration: attempts follow each other, and each ends well or badly.
 *
 * When the next attempt is due is the calendar's to know; whether the cluster takes snapshots at all decides what is armed there.
 *
 * Source: decisions-secrets-core.md, B.2 to B.4.
 */
export const snapshotScheduleMachine = () =>
  setup({
    types: {
      context: {} as {
        /** The cluster took snapshots all the time: it was neither sealed nor stopped, nor a disaster-recovery secondary. */
        readonly undisturbed: boolean;
        /** There was room in what the configuration allows when the attempt began. */
        readonly allowed: boolean;
        /** The store takes the object now: it is there, and not full. */
        readonly taken: boolean;
      },
      events: {} as { readonly type: "attempt" } | { readonly type: "end" },
    },
    guards: {
      succeeds: ({ context }) => context.undisturbed && context.allowed && context.taken,
    },
  }).createMachine({
    id: "snapshot-schedule",
    context: { undisturbed: true, allowed: true, taken: true },
    initial: "waiting",
    states: {
      /** No attempt was made so far. */
      waiting: {
        on: { attempt: { target: "running" } },
      },
      running: {
        on: {
          // One that is due while another runs is missed: the next comes one interval after the end of the one that runs.
          attempt: { target: "running" },
          end: [{ target: "succeeded", guard: "succeeds" }, { target: "failed" }],
        },
      },
      succeeded: {
        on: { attempt: { target: "running" } },
      },
      failed: {
        on: { attempt: { target: "running" } },
      },
    },
  });
