import { optionsAt } from "../../kernel/arguments.ts";
import { AUTHOR, type Via } from "../../kernel/commit.ts";
import { type HandlePlace, placeOfHandle } from "../../kernel/handle.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain } from "../../kernel/plain.ts";
import type { Duration } from "../../languages/duration.ts";
import { shown } from "../../languages/shown.ts";
import type { networkControls } from "./control.ts";
import type { NetworkWorld } from "./state.ts";

/**
 * The network between regions, that between clusters, and the line of each program to what it asks. The test author's own network is none
 * of it: its requests reach everybody who runs, at any time.
 *
 * `H` is what may be connected: handles, as `sim.scheduler.region(name)` and `sim.secrets.cluster(name)` give them; `sim.program(name)`,
 * and `sim.runs`.
 */
export interface NetworkHandle<H extends object> {
  /**
   * Cuts the link between two places, in both directions, until it is healed. Requests of a program that is cut off fail at once, as where
   * no route leads; one that is on its way breaks as it arrives, and so does an answer.
   *
   * @throws TypeError for what is no handle, for one that this simulator lacks, for twice the same, for a region and a cluster, and for the author
   * @example
   * sim.network.cut(sim.scheduler.region("eu"), sim.scheduler.region("us"));
   */
  cut(a: H, b: H): void;
  /** Heals a link; without arguments all of them. */
  heal(a?: H, b?: H): void;
  /**
   * Sets how long what is sent from one place takes to the other, in both directions unless told otherwise. By default it
   * is none between clusters, and 100 ms of virtual time between regions (`scheduler.replicationLag`).
   *
   * A request of a program is decided when it arrives, and answered when the answer arrives: its promise settles when the clock gets
   * there.
   *
   * Between clusters and regions what is on its way arrives by the new lag. Our choice: a region asks for what is new, so nothing has left yet.
   *
   * @throws TypeError for what is no duration
   */
  setLag(a: H, b: H, lag: Duration, options?: { readonly oneWay?: boolean }): void;
}

/** Makes the handle of a world's network; `knows` tells which places it has. */
export function networkHandle<S extends NetworkWorld, H extends object>(
  host: Host<S>,
  via: Via,
  knows: (state: S, place: HandlePlace) => boolean,
): NetworkHandle<H> {
  const control = (call: keyof typeof networkControls, input: unknown): void => {
    const name = call.slice("control.network.".length);
    host.execute({ name: call, input: copyPlain(input, name), caller: null, via }, () => undefined);
  };
  const placeAt = (call: string, handle: unknown): HandlePlace => {
    const place = placeOfHandle(handle);
    if (place === undefined) {
      throw new TypeError(
        `network.${call}: ${shown(handle)} is no handle: take what sim.scheduler.region, sim.secrets.cluster or sim.program gives`,
      );
    }
    if (place["program"] === AUTHOR) throw new TypeError(`network.${call}: the author's own line is always there`);
    if (!knows(host.state, place)) {
      throw new TypeError(`network.${call}: this simulator has no ${Object.entries(place).flat().join(" ")}`);
    }
    return place;
  };
  return Object.freeze({
    cut: (a, b) => control("control.network.cut", { a: placeAt("cut", a), b: placeAt("cut", b) }),
    heal: (...ends) => {
      const [a, b] = ends.map((end) => placeAt("heal", end));
      control("control.network.heal", { a, b });
    },
    setLag: (a, b, lag, options = {}) => {
      const own = optionsAt("network.setLag", options, ["oneWay"]);
      control("control.network.setLag", { ...own, a: placeAt("setLag", a), b: placeAt("setLag", b), lag });
    },
  } satisfies NetworkHandle<H>);
}
