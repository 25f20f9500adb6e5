import { setup } from "xstate";

/**
 * Whether a region of the scheduler has a leader. Without one nothing is written there, and what needs a leader waits for the election.
 *
 * Source: decisions-scheduler-acl.md, 6 "Leader and consistency modes".
 */
export const regionLeadershipMachine = () =>
  setup({
    types: {
      context: {} as Record<never, never>,
      events: {} as { readonly type: "lose" } | { readonly type: "elect" },
    },
  }).createMachine({
    id: "region-leadership",
    description: "Whether a region of the scheduler has a leader.",
    context: {},
    initial: "led",
    states: {
      led: {
        description: "Writes are taken.",
        on: {
          lose: { target: "leaderless", description: "The leader is gone, and no election has ended." },
          elect: { target: "led", description: "There is a leader already." },
        },
      },
      leaderless: {
        description: "Writes and consistent reads wait for a leader.",
        on: {
          lose: { target: "leaderless", description: "There is no leader to lose." },
          elect: { target: "led", description: "An election has ended." },
        },
      },
    },
  });
