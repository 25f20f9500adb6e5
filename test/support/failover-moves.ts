import type { Acting } from "./failover-acting.ts";
import { clients } from "./failover-clients.ts";
import { network, time } from "./failover-network.ts";
import { operators } from "./failover-operators.ts";

// What operators, clients, networks and clocks do in a world of clusters. Each move is a function of what is handed to it and of nothing
// else in its file, so that the text of a move can be pasted into a scenario as it stands (./failover-story.ts).

export const MOVES = { ...operators, ...clients, ...network, ...time } satisfies Record<
  string,
  (at: Acting) => unknown
>;

export type MoveName = keyof typeof MOVES;

export const OPERATOR_MOVES = Object.keys(operators) as readonly MoveName[];
export const CLIENT_MOVES = Object.keys(clients) as readonly MoveName[];
export const NETWORK_MOVES = Object.keys(network) as readonly MoveName[];
export const TIME_MOVES = Object.keys(time) as readonly MoveName[];
