import { renamedIdentifier } from "../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { Simulator } from "../../simulator/types.ts";

/** What opens the clusters of a simulator, by their names. */
export interface Keys {
  readonly rootTokens: { readonly [cluster: string]: string };
  readonly keyShares: { readonly [cluster: string]: readonly string[] };
}

/** What opens the clusters of a simulator, in the words that its clients show. */
export function keysOf(sim: Simulator): Keys {
  const words = wordsOf(sim.state)?.secrets;
  const clusters = Object.keys(sim.state.secrets).map((name) => sim.secrets.cluster(name));
  const shown = (token: string): string => (words === undefined ? token : renamedIdentifier(words, token, "own"));
  return {
    rootTokens: Object.fromEntries(clusters.map(({ name, rootToken }) => [name, shown(rootToken)])),
    keyShares: Object.fromEntries(clusters.map(({ name, keyShares }) => [name, keyShares])),
  };
}
