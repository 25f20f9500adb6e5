import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { RegionName } from "../ids.ts";
import type { LogSlice } from "../regions/state.ts";
import { putToken, raiseTokenIndex, type TokenContent, type TokenSlice } from "../tokens/state.ts";

/**
 * How far a region's ACL system is: a mark of its own, which is not replicated (decisions-scheduler-acl.md, section 3). `index` is
 * that of the last bootstrap.
 */
export type Bootstrap =
  | { readonly status: "not_bootstrapped" }
  | { readonly status: "bootstrapped"; readonly index: number };

export interface BootstrapSlice {
  readonly bootstrap: Bootstrap;
  /** What an operator placed in the data directory of the leader. */
  readonly bootstrapResetIndex?: number;
}

/** The facts of bootstrapping. */
export interface BootstrapEvents {
  AclBootstrapped: {
    readonly region: RegionName;
    readonly status: "bootstrapped";
    readonly index: number;
    readonly token: TokenContent;
  };
  /** An operator placed a reset index beside a region's data, or took it away. */
  AclBootstrapResetPlaced: { readonly region: RegionName; readonly resetIndex: number | null };
}

export const bootstrapEvolvers: FlatEvolvers<BootstrapSlice & TokenSlice & LogSlice, BootstrapEvents> = {
  AclBootstrapped: (region, { status, index, token }) => {
    raiseTokenIndex(region, index);
    putToken(region, token, index);
    region.bootstrap = { status, index };
  },
  AclBootstrapResetPlaced: (region, { resetIndex }) => {
    if (resetIndex === null) delete region.bootstrapResetIndex;
    else region.bootstrapResetIndex = resetIndex;
  },
};
