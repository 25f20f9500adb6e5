import { setup } from "xstate";

const begun = { target: "running", description: "The next attempt is due." } as const;

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
    description: "The schedule of one snapshot configuration.",
    context: { undisturbed: true, allowed: true, taken: true },
    initial: "waiting",
    states: {
      waiting: {
        description: "No attempt was made so far.",
        on: { attempt: begun },
      },
      running: {
        description: "An attempt is under way.",
        on: {
          attempt: {
            target: "running",
            description:
              "An attempt that is due meanwhile is missed: the next comes one interval after the end of this one.",
          },
          end: [
            { target: "succeeded", guard: "succeeds", description: "The store has the snapshot." },
            { target: "failed", description: "There was no room, the store refused it, or the cluster was disturbed." },
          ],
        },
      },
      succeeded: {
        description: "The last attempt made a snapshot.",
        on: { attempt: begun },
      },
      failed: {
        description: "The last attempt made none.",
        on: { attempt: begun },
      },
    },
  });
