import type { FlatEvolvers, Part } from "../../kernel/evolvers.ts";
import type { HandlePlace } from "../../kernel/handle.ts";
import { Table } from "../../kernel/table.ts";

/** The network between places. The part appears with its first fact. */
export interface NetworkWorld {
  readonly network?: Network;
}

/** What is not as it is everywhere else. The test author's own network is none of it: it is never cut. */
export interface Network {
  /** Pairs of places that do not reach each other. */
  readonly cuts: Table<true>;
  /** Lags in milliseconds, by direction. */
  readonly lags: Table<number>;
  /** Where addresses lead that do not lead to whoever has them: names of clusters. */
  readonly addresses: Table<string>;
}

/** The facts of the network. */
export interface NetworkEvents {
  LinkCut: { readonly a: HandlePlace; readonly b: HandlePlace };
  LinkHealed: { readonly a: HandlePlace; readonly b: HandlePlace };
  NetworkHealed: Record<never, never>;
  LinkLagSet: { readonly from: HandlePlace; readonly to: HandlePlace; readonly lagMs: number };
  AddressPointed: { readonly address: string; readonly cluster: string };
}

const UNTOUCHED: Network = Object.freeze({
  cuts: Table.of<true>(),
  lags: Table.of<number>(),
  addresses: Table.of<string>(),
});

export const networkEvolvers: FlatEvolvers<Network, NetworkEvents> = {
  LinkCut: (network, { a, b }) => {
    network.cuts = network.cuts.set(pairKey(a, b), true);
  },
  LinkHealed: (network, { a, b }) => {
    network.cuts = network.cuts.delete(pairKey(a, b));
  },
  NetworkHealed: (network) => {
    network.cuts = Table.of<true>();
  },
  LinkLagSet: (network, { from, to, lagMs }) => {
    network.lags = network.lags.set(directionKey(from, to), lagMs);
  },
  AddressPointed: (network, { address, cluster }) => {
    network.addresses = network.addresses.set(address, cluster);
  },
};

/** The part that facts change. */
export const withNetwork: Part<NetworkWorld, Network, unknown> = (world, _, change) => {
  const before = world.network ?? UNTOUCHED;
  const after = change(before);
  return after === before ? world : { ...world, network: after };
};

/** Whether two places do not reach each other. */
export function isCut({ network }: NetworkWorld, a: HandlePlace, b: HandlePlace): boolean {
  return network?.cuts.has(pairKey(a, b)) === true;
}

/** Whether any pair of places is cut. */
export function hasCuts({ network }: NetworkWorld): boolean {
  return network !== undefined && network.cuts.size > 0;
}

/** What was set as the lag from one place to another; undefined for the default. */
export function lagMsBetween({ network }: NetworkWorld, from: HandlePlace, to: HandlePlace): number | undefined {
  return network?.lags.get(directionKey(from, to));
}

function nodeKey(place: HandlePlace): string {
  const [[kind, name] = ["", ""]] = Object.entries(place);
  return `${kind}/${name}`;
}

function directionKey(from: HandlePlace, to: HandlePlace): string {
  return `${nodeKey(from)} ${nodeKey(to)}`;
}

function pairKey(a: HandlePlace, b: HandlePlace): string {
  return nodeKey(a) < nodeKey(b) ? directionKey(a, b) : directionKey(b, a);
}
