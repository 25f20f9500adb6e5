import type { FetchHosts } from "../../http/hosts.ts";
import { DNS_LABEL } from "../../services/kit/options.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { World } from "../../simulator/world.ts";
import type { LivingLog } from "../living-log/living-log.ts";
import { type Addresses, type Exchanges, exchange, HttpDates, type Inbound, WorldEnded } from "./exchange.ts";
import { type Follow, type FollowClockOptions, followRealTime } from "./follow-clock.ts";
import { nameOf, placesOf, prefixOf, type Served, type ServicePlace } from "./places.ts";
import type { ServedUrls } from "./urls.ts";

export interface WorldSources {
  readonly sim: Simulator;
  readonly addresses: Addresses;
  /** Answers are sent when this log has what they tell of. */
  readonly log: LivingLog | undefined;
  readonly onError: (error: unknown) => void;
}

/** A world that answers at the ports of a listener. Which simulator it is may change: it is reset. */
export class ServedWorld {
  readonly log: LivingLog | undefined;
  readonly #addresses: Addresses;
  readonly #onError: (error: unknown) => void;
  readonly #exchanges: Exchanges;
  readonly #ends = new Set<AbortController>();
  #sim: Simulator;
  #hosts: FetchHosts<World>;
  #follow: Follow | undefined;
  #stopClock: (() => void) | undefined;

  constructor({ sim, addresses, log, onError }: WorldSources) {
    this.#sim = sim;
    this.#hosts = LiveSimulator.insideOf(sim).hosts;
    this.#addresses = addresses;
    this.#onError = onError;
    this.log = log;
    this.#exchanges = {
      hosts: {
        services: this.#hosts.services,
        present: () => this.#hosts.present(),
        past: (place) => this.#hosts.past(place),
      },
      hostsFor: (program) => (DNS_LABEL.test(program) ? LiveSimulator.hostsOf(this.#sim.program(program)) : undefined),
      log,
      before: () => this.comeUp(),
      addresses,
      dates: new HttpDates(),
      onError,
      waiting: new Set(),
    };
  }

  get sim(): Simulator {
    return this.#sim;
  }

  /** Where each place answers. */
  get urls(): ServedUrls {
    const urls: Record<string, Record<string, string> | string> = {};
    for (const { name, http } of this.#hosts.services) if (http.places.length > 0) urls[name] = {};
    for (const place of placesOf(this.#served)) {
      const url = this.urlOf(place);
      if (url === undefined) continue;
      const listed = urls[place.service.name];
      if (typeof listed === "object") listed[nameOf(place)] = url;
      else urls[place.service.name] = url;
    }
    return urls as unknown as ServedUrls;
  }

  /** Where a place answers: at a port of its own, else below the port for all. */
  urlOf(place: ServicePlace): string | undefined {
    const shared = this.#addresses.sharedUrl("");
    return this.#addresses.ownUrl(place, "") ?? (shared === undefined ? undefined : shared + prefixOf(place));
  }

  /** Whether a request or an answer of the admin path goes on as long as this world. */
  get isWaitedFor(): boolean {
    return this.#exchanges.waiting.size > 0 || this.#ends.size > 0;
  }

  get #served(): Served {
    return { services: this.#hosts.services, state: this.#hosts.present().state };
  }

  /** Answers a request. `place` is given where it came by a port of that place. */
  answer(inbound: Inbound, place: ServicePlace | undefined): void {
    exchange(this.#exchanges, inbound, place);
  }

  /** The clock may be late. */
  comeUp(): void {
    this.#hosts.present().comeUp();
  }

  /** Tells each cluster where it is served, so that OIDC issuers that nobody set are there. */
  advertise(): void {
    const { secrets = {} } = this.urls;
    for (const name of Object.keys(this.#sim.state.secrets)) {
      const cluster = this.#sim.secrets.cluster(name);
      if (secrets[name] !== undefined && secrets[name] !== cluster.url) cluster.advertise(secrets[name]);
    }
  }

  followClock(options: FollowClockOptions = {}): void {
    const isHeld = (): boolean => this.log?.failure !== undefined;
    const follow = followRealTime(options, { isHeld, onError: this.#onError });
    this.stopClock();
    this.#follow = follow;
    this.#stopClock = follow(this.#sim);
  }

  stopClock(): void {
    this.#stopClock?.();
    this.#stopClock = undefined;
    this.#follow = undefined;
  }

  async reset(sim: Simulator): Promise<void> {
    const { hosts } = LiveSimulator.insideOf(sim);
    const before = { sim: this.#sim, hosts: this.#hosts, waiting: [...this.#exchanges.waiting] };
    // At once, so that nobody is answered from the old one whose commit the new log does not have.
    this.#sim = sim;
    this.#hosts = hosts;
    try {
      await this.log?.restart(sim);
    } catch (error) {
      this.#sim = before.sim;
      this.#hosts = before.hosts;
      throw error;
    }
    this.#stopClock?.();
    this.#stopClock = this.#follow?.(sim);
    // Nothing will change any more in the world that they watch.
    for (const request of before.waiting)
      request.abort(new WorldEnded("the simulator was reset while this request waited: ask again"));
    this.endAnswers();
  }

  /** An answer that goes on as long as the simulator does: the signal ends it. @returns the signal, and what forgets it */
  goesOn(): { readonly gone: AbortSignal; readonly ended: () => void } {
    const gone = new AbortController();
    this.#ends.add(gone);
    const ended = (): void => {
      this.#ends.delete(gone);
      gone.abort();
    };
    return { gone: gone.signal, ended };
  }

  /** Ends the answers that go on as long as the simulator does. */
  endAnswers(): void {
    for (const end of this.#ends) end.abort();
  }

  /** Ends all that waits in it, and its clock. @param why what those are told who wait */
  end(why: string): void {
    this.stopClock();
    for (const request of this.#exchanges.waiting) request.abort(new WorldEnded(why));
    this.endAnswers();
  }
}
