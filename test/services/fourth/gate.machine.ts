import { setup } from "xstate";

/** A gate of a feature: closed, open for a while, or open for good. */
export const gateMachine = setup({
  types: { events: {} as { type: "open" } | { type: "keepOpen" } | { type: "close" } },
}).createMachine({
  id: "gate",
  initial: "closed",
  states: {
    closed: { on: { open: "open", keepOpen: "kept" } },
    open: { on: { keepOpen: "kept", close: "closed" } },
    kept: { on: { close: "closed" } },
  },
});
