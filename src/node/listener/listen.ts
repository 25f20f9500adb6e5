import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Simulator } from "../../simulator/types.ts";
import { Admin } from "../admin/admin.ts";
import { isAdminPath } from "../admin/path.ts";
import { soleWorldScopes } from "../admin/scope.ts";
import { listenToWorlds } from "../worlds/listen.ts";
import type { WorldsListener } from "../worlds/listener.ts";
import { Worlds } from "../worlds/worlds.ts";
import { addressesAt } from "./addresses.ts";
import { Doors, type PortAsked } from "./doors.ts";
import type { Inbound } from "./exchange.ts";
import type { Listener } from "./listener.ts";
import { type ListenOptions, type ListenSettings, readListenOptions, type WorldsListenOptions } from "./options.ts";
import { placesOf } from "./places.ts";
import { portsAsked } from "./ports.ts";
import { ServedWorld } from "./served-world.ts";

/**
 * Answers requests to a simulator's services on real sockets; given worlds, to all of them, each below a path and a name of its own.
 *
 * @throws TypeError for a wrong option; the error of the system when it cannot listen
 * @example
 * const server = await listen(sim, { port: 0 });
 * await fetch(`${server.urls.secrets.main}/v1/sys/health`);
 * await server.close();
 */
export async function listen(sim: Simulator, options?: ListenOptions): Promise<Listener>;
export async function listen(worlds: Worlds, options?: WorldsListenOptions): Promise<WorldsListener>;
export async function listen(
  what: Simulator | Worlds,
  options: ListenOptions | WorldsListenOptions = {},
): Promise<Listener | WorldsListener> {
  if (what instanceof Worlds) return listenToWorlds(what, options as WorldsListenOptions);
  const { hosts } = LiveSimulator.insideOf(what);
  const settings = readListenOptions(options, hosts.services);
  const places = [...placesOf({ services: hosts.services, state: hosts.present().state })];
  const ports = portsAsked(settings, hosts.services, places);
  return listenTo(settings, ports, places, async () => ({ sim: what, log: settings.log }));
}

/** A simulator that is to be served, and its log. */
interface Begun {
  readonly sim: Simulator;
  readonly log?: ListenSettings["log"];
}

/**
 * Serves a simulator that is made when the ports are known: it can have its services there.
 *
 * @param places those whose names a certificate that is made has
 */
export async function listenTo(
  settings: ListenSettings,
  ports: readonly PortAsked[],
  places: Iterable<{ readonly origin: string }>,
  begin: (doors: Doors) => Promise<Begun>,
): Promise<Listener> {
  let listening: Listening | undefined;
  const early: (() => void)[] = [];
  const hostnames = [...places].map(({ origin }) => new URL(origin).hostname);
  const doors = await Doors.open(settings, ports, hostnames, (inbound, door) => {
    if (listening === undefined) early.push(() => listening?.answer(inbound, door));
    else listening.answer(inbound, door);
  });
  try {
    const begun = await begin(doors);
    listening = new Listening(doors, begun, settings);
    // Who reads the log as soon as it listens finds there what it was told of its addresses.
    if (settings.advertise) await begun.log?.flushed();
    for (const answer of early) answer();
    return listening;
  } catch (error) {
    await doors.close();
    throw error;
  }
}

class Listening implements Listener {
  readonly #doors: Doors;
  readonly #world: ServedWorld;
  readonly #admin: Admin | undefined;
  readonly #isInspected: boolean;
  #closing: Promise<void> | undefined;

  constructor(doors: Doors, { sim, log }: Begun, settings: ListenSettings) {
    const { admin, inspect, advertise, host, onError = () => undefined } = settings;
    this.#doors = doors;
    this.#isInspected = inspect;
    const addresses = addressesAt(doors);
    const world = new ServedWorld({ sim, log, addresses, onError });
    this.#world = world;
    if (admin !== false || inspect) {
      const options = typeof admin === "boolean" ? {} : admin;
      const scopes = soleWorldScopes(world, { url: () => this.url, inspect });
      this.#admin = new Admin({ scopes, options, address: host, onError });
    }
    if (advertise) world.advertise();
  }

  get sim(): Simulator {
    return this.#world.sim;
  }

  get port(): number {
    return this.#doors.main.port;
  }

  get url(): string {
    return this.#doors.urlAt(this.port);
  }

  get urls(): Listener["urls"] {
    return this.#world.urls;
  }

  get adminSecret(): string | undefined {
    return this.#admin?.secret;
  }

  get inspectUrl(): string | undefined {
    const { adminSecret } = this;
    if (!this.#isInspected || adminSecret === undefined) return undefined;
    return `${this.url}/hindcast/inspect#secret=${encodeURIComponent(adminSecret)}`;
  }

  get certificate(): string | undefined {
    return this.#doors.certificate?.cert;
  }

  followClock(options?: Parameters<Listener["followClock"]>[0]): void {
    this.#world.followClock(options);
  }

  stopClock(): void {
    this.#world.stopClock();
  }

  reset(sim: Simulator): Promise<void> {
    return this.#world.reset(sim);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#world.stopClock();
    this.#world.endAnswers();
    await this.#doors.close();
  }

  answer(inbound: Inbound, { place }: PortAsked): void {
    if (this.#admin !== undefined && isAdminPath(inbound.target)) this.#admin.answer(inbound);
    else this.#world.answer(inbound, place);
  }
}
