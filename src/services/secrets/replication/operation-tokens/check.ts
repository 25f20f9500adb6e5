import type { DrOperationTokenSlice } from "./state.ts";

/** Whether a text is an operation token of this cluster: no other token is, whatever it may do (decisions-replication.md, 8.3). */
export function isDrOperationToken({ drOperationTokens }: DrOperationTokenSlice, token: string): boolean {
  return drOperationTokens.has(token);
}
