import { setup } from "xstate";

/** What can happen to a link whatever it is: facts of the secondary's own role and storage. */
const always = {
  detach: { target: "detached", description: "An operator makes it forget its primary." },
  attach: { target: "cut", description: "An operator gives it another primary, or the same one anew." },
  restore: { target: "restored", description: "A token, a promotion or a snapshot brings it as it is stored." },
  forget: { target: "idle", description: "It is demoted, or what it stood by is gone." },
} as const;

/** What ends a connection. */
const connected = {
  ...always,
  breakOff: { target: "cut", description: "A line, a seal, a stop or a change of role takes the primary away." },
  fallBehind: { target: "merkle-diff", description: "What it holds does not lead to what its primary has." },
} as const;

const connecting = [
  { target: "stream-wals", guard: "canBeStreamed", description: "Its primary still has every entry that it lacks." },
  { target: "merkle-diff", description: "Nobody knows what it lacks." },
] as const;

const unconnected = {
  ...always,
  connect: connecting,
  refuse: { target: "refused", description: "Whoever answers does not know it any more." },
} as const;

/**
 * How a secondary stands to its primary. It follows from commits, so no fact carries it: whatever settles a commit asks this chart.
 * `stream-wals`, `merkle-diff` and `merkle-sync` are connected, and spelled as the status shows them. All others are shown as `idle`;
 * a link that was cut is so 10 seconds later, and until then as it was.
 *
 * Source: decisions-replication.md, 1, 2 and 4.
 */
export const secondaryLinkMachine = () =>
  setup({
    types: {
      context: {} as {
        /** What it holds is a past of its primary's, and the primary has every entry since. */
        readonly isPast: boolean;
        /** The trees have been compared, and are not equal. */
        readonly differs: boolean;
      },
      events: {} as
        | { readonly type: "connect" }
        | { readonly type: "refuse" }
        | { readonly type: "breakOff" }
        | { readonly type: "fallBehind" }
        | { readonly type: "compared" }
        | { readonly type: "synced" }
        | { readonly type: "detach" }
        | { readonly type: "attach" }
        | { readonly type: "restore" }
        | { readonly type: "forget" },
    },
    guards: {
      canBeStreamed: ({ context }) => context.isPast,
      treesDiffer: ({ context }) => context.differs,
    },
  }).createMachine({
    id: "secondary-link",
    description: "How a secondary stands to its primary.",
    context: { isPast: false, differs: false },
    initial: "idle",
    states: {
      idle: {
        description: "It knows no primary.",
        on: {
          connect: connecting,
          detach: { target: "idle", description: "There is no primary to forget." },
          attach: always.attach,
          restore: always.restore,
        },
      },
      restored: { description: "It has not heard of the primary that it is stored with.", on: unconnected },
      cut: { description: "It was connected, or is to be, and nobody answers.", on: unconnected },
      refused: { description: "Somebody answers, and does not know it.", on: unconnected },
      detached: { description: "An operator made it forget its primary.", on: always },
      "stream-wals": { description: "It gets each entry as its primary writes it.", on: connected },
      "merkle-diff": {
        description: "The trees of both are compared.",
        on: {
          ...connected,
          compared: { target: "merkle-sync", guard: "treesDiffer", description: "What differs is fetched." },
          synced: { target: "stream-wals", description: "It has what its primary has." },
        },
      },
      "merkle-sync": {
        description: "The keys that differ are fetched.",
        on: { ...connected, synced: { target: "stream-wals", description: "It has what its primary has." } },
      },
    },
  });
