import { setup } from "xstate";

const failed = {
  target: "failed",
  guard: "isCut",
  description: "A round finds nobody: it is tried again at multiples of 30 s.",
} as const;

/**
 * How a region reaches the authoritative one, from which it copies policies and global tokens. It follows from commits, so no fact
 * carries it: whatever settles a commit lets each region look.
 *
 * Source: decisions-scheduler-acl.md, 6 "Replication".
 */
export const regionLinkMachine = () =>
  setup({
    types: {
      context: {} as {
        /** No line is cut between the two. */
        readonly reachable: boolean;
        /** The retry was due, and brought all that was left over. */
        readonly caughtUp: boolean;
      },
      events: {} as { readonly type: "look" },
    },
    guards: {
      isCut: ({ context }) => !context.reachable,
      isReachable: ({ context }) => context.reachable,
      isCaughtUp: ({ context }) => context.caughtUp,
    },
  }).createMachine({
    id: "region-link",
    description: "How a region reaches the authoritative one.",
    context: { reachable: true, caughtUp: false },
    initial: "connected",
    states: {
      connected: {
        description: "What changes there comes after the lag.",
        on: { look: [failed, { target: "connected", description: "All is as it was." }] },
      },
      failed: {
        description: "A line is cut: nothing comes.",
        on: {
          look: [
            {
              target: "resuming",
              guard: "isReachable",
              description: "The line is healed: the next retry will find it.",
            },
            { target: "failed", description: "The line is still cut." },
          ],
        },
      },
      resuming: {
        description: "The line is healed, and the retry is to come.",
        on: {
          look: [
            failed,
            { target: "connected", guard: "isCaughtUp", description: "The retry has brought what was left." },
            { target: "resuming", description: "The retry is to come, or a new leader makes it at once." },
          ],
        },
      },
    },
  });
