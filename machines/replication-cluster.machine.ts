import { setup } from "xstate";

/**
 * What a cluster is to a replication set. One chart serves both kinds, disaster recovery and performance: a cluster has one value
 * of each.
 *
 * Source: secrets.md, "Replication modes"; decisions-replication.md, 4.
 */
export const replicationClusterMachine = () =>
  setup({
    types: {
      context: {} as {
        /** As a secondary: what its status shows. */
        readonly state: "idle" | "merkle-diff" | "merkle-sync" | "stream-wals";
        /** Its first sync has ended. */
        readonly bootstrapped: boolean;
        /** Whoever promotes it takes what there is. */
        readonly forced: boolean;
      },
      events: {} as
        | { readonly type: "enablePrimary" }
        | { readonly type: "demote" }
        | { readonly type: "disablePrimary" }
        | { readonly type: "issueToken" }
        | { readonly type: "revokeSecondary" }
        | { readonly type: "filter" }
        | { readonly type: "generatePublicKey" }
        | { readonly type: "enableSecondary" }
        | { readonly type: "promote" }
        | { readonly type: "disableSecondary" }
        | { readonly type: "updatePrimary" },
    },
    guards: {
      /** What it holds is whole: its first sync has ended, and no comparison or sync runs. */
      maySafelyLead: ({ context: { state, bootstrapped, forced } }) =>
        forced || (bootstrapped && state !== "merkle-diff" && state !== "merkle-sync"),
    },
  }).createMachine({
    id: "replication-cluster",
    description: "What a cluster is to a replication set.",
    context: { state: "idle", bootstrapped: true, forced: false },
    initial: "disabled",
    states: {
      disabled: {
        description: "The cluster stands alone.",
        on: {
          enablePrimary: { target: "primary", description: "The cluster founds a set." },
          generatePublicKey: { target: "disabled", description: "The cluster makes a key for an activation token." },
          enableSecondary: {
            target: "secondary",
            description: "The cluster joins a set: all that it holds is cleared.",
          },
        },
      },
      primary: {
        description: "The cluster writes what its set has.",
        on: {
          demote: { target: "secondary", description: "The cluster keeps its set, and knows no primary." },
          disablePrimary: { target: "disabled", description: "The cluster leaves its set; its secondaries stay." },
          issueToken: { target: "primary", description: "The cluster makes an activation token for a secondary." },
          revokeSecondary: { target: "primary", description: "The cluster refuses a secondary from now on." },
          filter: { target: "primary", description: "The cluster is asked what a secondary gets, or told." },
        },
      },
      secondary: {
        description: "The cluster copies what a primary writes.",
        on: {
          generatePublicKey: {
            target: "secondary",
            description:
              "As when disabled. For disaster recovery nobody comes this far: the gate of its kind comes first.",
          },
          promote: { target: "primary", guard: "maySafelyLead", description: "The cluster writes what its set has." },
          disableSecondary: { target: "disabled", description: "The cluster stands alone with what it holds." },
          updatePrimary: { target: "secondary", description: "The cluster gets another primary, or forgets its own." },
        },
      },
    },
  });
