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
      // What it holds is whole: its first sync has ended, and no comparison or sync runs.
      maySafelyLead: ({ context: { state, bootstrapped, forced } }) =>
        forced || (bootstrapped && state !== "merkle-diff" && state !== "merkle-sync"),
    },
  }).createMachine({
    id: "replication-cluster",
    context: { state: "idle", bootstrapped: true, forced: false },
    initial: "disabled",
    states: {
      disabled: {
        on: {
          enablePrimary: { target: "primary" },
          generatePublicKey: { target: "disabled" },
          // All that it holds is cleared.
          enableSecondary: { target: "secondary" },
        },
      },
      primary: {
        on: {
          // It keeps its set, and knows no primary.
          demote: { target: "secondary" },
          disablePrimary: { target: "disabled" },
          issueToken: { target: "primary" },
          revokeSecondary: { target: "primary" },
          filter: { target: "primary" },
        },
      },
      secondary: {
        on: {
          // A disaster-recovery secondary is not asked: its gate comes first.
          generatePublicKey: { target: "secondary" },
          promote: { target: "primary", guard: "maySafelyLead" },
          disableSecondary: { target: "disabled" },
          updatePrimary: { target: "secondary" },
        },
      },
    },
  });
