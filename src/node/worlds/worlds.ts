import { customAlphabet } from "nanoid";

import { isObject } from "../../languages/objects.ts";
import { shown } from "../../languages/shown.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Place } from "../../simulator/place.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { SimulatorOptions } from "../../simulator/world.ts";
import { createSimulator, replay } from "../../simulator.ts";
import { newSecret } from "../admin/secret.ts";
import { addressesAt } from "../listener/addresses.ts";
import type { Doors, PortAsked } from "../listener/doors.ts";
import type { Addresses } from "../listener/exchange.ts";
import { type OwnPorts, readOwnPorts } from "../listener/options.ts";
import { placeInPath, placesOf, prefixOf } from "../listener/places.ts";
import { portsAsked } from "../listener/ports.ts";
import { ServedWorld } from "../listener/served-world.ts";
import type { LivingLog } from "../living-log/living-log.ts";
import { type KeptWorld, WorldsFolder } from "./folder.ts";
import { Heap } from "./heap.ts";
import { readWorldsOptions, type WorldsOptions, type WorldsSettings } from "./options.ts";
import { WorldAmongOthers } from "./world.ts";
import { WorldsError } from "./worlds-error.ts";

/** What a new world is made of: options, a log, or another world; without any of them, the options of all. */
export interface NewWorld {
  /** Options of `createSimulator`; what they leave out is as in the options that all worlds have. */
  readonly options?: SimulatorOptions;
  /** The text of a log. */
  readonly log?: string;
  /** The id of a world. */
  readonly fork?: string;
  /** Of a log or a fork: a place in its history. Default: its present. */
  readonly at?: Place;
  /** What you call it: shown in lists. */
  readonly name?: string;
  /** Ports of its own, besides the port for all: `true` for any that are free. */
  readonly ports?: OwnPorts;
}

/**
 * Makes room for worlds that are served by one process: each test can have its own. With a folder the worlds that were kept there are there
 * again.
 *
 * @throws TypeError for a wrong option; LivingLogError for a folder that cannot be read, and for a log in it that is damaged; LogError for
 *   one that is given
 * @example
 * const worlds = await openWorlds({ options: { vocabulary: "hashicorp" } });
 * const server = await listen(worlds, { port: 0 });
 * const base = await worlds.create();
 * const { urls } = await worlds.create({ fork: base.id });
 */
export async function openWorlds(options: WorldsOptions = {}): Promise<Worlds> {
  const worlds = new Worlds(readWorldsOptions(options));
  try {
    await worlds.load();
  } catch (error) {
    await worlds.close().catch(() => undefined);
    throw error;
  }
  return worlds;
}

const MAX_NAME_LENGTH = 200;

/** Forty million millions of millions: nobody meets another one's. */
const newId = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 12);

/** Worlds that one process holds. None sees another. */
export class Worlds {
  readonly #settings: WorldsSettings;
  readonly #folder: WorldsFolder | undefined;
  readonly #worlds = new Map<string, WorldAmongOthers>();
  readonly #heap = new Heap();
  readonly #sweeping: NodeJS.Timeout;
  #doors: Doors | undefined;
  #onError: (error: unknown) => void = () => undefined;
  /** Those that are being made count, too. */
  #begun = 0;
  #isClosed = false;

  /** @internal `openWorlds` makes them */
  constructor(settings: WorldsSettings) {
    this.#settings = settings;
    const { directory, durability, journal } = settings;
    if (directory !== undefined) this.#folder = new WorldsFolder(directory, { durability, journal });
    this.#sweeping = setInterval(() => this.#sweep(), Math.max(10, Math.min(settings.idleMs / 10, 60_000))).unref();
  }

  get size(): number {
    return this.#worlds.size;
  }

  /** The worlds, in the order of their making. */
  list(): WorldAmongOthers[] {
    return [...this.#worlds.values()];
  }

  /** A world by its id; undefined where there is none. */
  get(id: string): WorldAmongOthers | undefined {
    return this.#worlds.get(id);
  }

  /**
   * Makes a world.
   *
   * @throws WorldsError `unknown_world` for the fork of none, `too_many_worlds`, `too_many_bytes`; TypeError for wrong options; LogError for
   *   a log that is not whole; Rejection `unknown_place`
   * @example
   * const world = await worlds.create({ fork: base.id, at: "prepared", name: "test_login" });
   */
  async create(asked: NewWorld = {}): Promise<WorldAmongOthers> {
    if (this.#isClosed) throw new TypeError("worlds.create: the worlds were closed");
    refuseUnknown(asked);
    const { name } = asked;
    if (name !== undefined && (typeof name !== "string" || name === "" || name.length > MAX_NAME_LENGTH)) {
      throw new TypeError(
        `worlds.create: name must be a string of 1 to ${MAX_NAME_LENGTH} characters; got ${shown(name)}`,
      );
    }
    this.#refuseFull();
    this.#begun += 1;
    try {
      return await this.#made(asked, this.#simulatorOf(asked));
    } finally {
      this.#begun -= 1;
    }
  }

  /**
   * Ends a world: who waits in it is told so, and its log is removed.
   *
   * @returns whether there was such a world
   */
  async delete(id: string): Promise<boolean> {
    const world = this.#worlds.get(id);
    if (world === undefined) return false;
    this.#worlds.delete(id);
    await this.#ended(world, "the world was deleted");
    return true;
  }

  /** Writes what is left of the logs, and ends the worlds; those of a folder are there again next time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeping);
    const worlds = this.list();
    this.#worlds.clear();
    for (const { served } of worlds) served.end("the worlds were closed");
    await Promise.all(worlds.map(async ({ served }) => served.log?.close()));
  }

  // --- for the listener --------------------------------------------------------------------------------------------

  /** What refuses a world that is not there, in words. @internal */
  missing(id: string): string {
    const { idleMs } = this.#settings;
    return `there is no world ${id}: it was never made, was deleted, or nobody asked it for ${idleMs / 1000} s`;
  }

  /** Options that a world has which says nothing else. @internal */
  get options(): SimulatorOptions {
    return this.#settings.options;
  }

  /** From now on worlds answer at these ports. @internal */
  async attach(doors: Doors, onError: (error: unknown) => void): Promise<void> {
    if (this.#doors !== undefined) throw new TypeError("listen: somebody listens for these worlds already");
    this.#doors = doors;
    this.#onError = onError;
    for (const { kept, served } of this.list()) {
      await doors.add(portsKept(kept, served.sim));
      served.advertise();
    }
  }

  /** They are not served any more. @internal */
  detach(): void {
    this.#doors = undefined;
    for (const { served } of this.list()) served.end("the listener was closed");
  }

  /** Brings back those that a folder keeps. @internal */
  async load(): Promise<void> {
    for await (const { sim, log, tornBytes: _, ...kept } of this.#folder?.load() ?? []) {
      this.#add(kept, sim, log);
    }
  }

  // --- making and ending -------------------------------------------------------------------------------------------

  #refuseFull(): void {
    const { maxWorlds, maxBytes } = this.#settings;
    if (this.size + this.#begun >= maxWorlds) {
      throw new WorldsError("too_many_worlds", `there are ${maxWorlds} worlds, and no more may be: delete some`);
    }
    const held = this.#heap.beyond(maxBytes);
    if (held === undefined) return;
    throw new WorldsError(
      "too_many_bytes",
      `this process holds ${held} bytes with ${this.size} worlds, and no world may be made beyond ${maxBytes}: delete some`,
    );
  }

  #simulatorOf({ options, log, fork, at }: NewWorld): Simulator {
    const given = Object.entries({ options, log, fork }).filter(([, value]) => value !== undefined);
    if (given.length > 1) {
      throw new TypeError(`worlds.create: a world must have one origin; got ${given.map(([name]) => name).join(", ")}`);
    }
    if (fork !== undefined) {
      const world = this.#worlds.get(fork);
      if (world === undefined) throw new WorldsError("unknown_world", this.missing(String(fork)));
      world.asked();
      return world.sim.fork(at);
    }
    const own = log ?? (options === undefined ? this.#settings.log : undefined);
    if (own !== undefined) {
      if (typeof own !== "string") throw new TypeError(`worlds.create: log must be a string; got ${shown(own)}`);
      const sim = replay(own);
      return at === undefined ? sim : sim.fork(at);
    }
    if (at !== undefined) throw new TypeError("worlds.create: at belongs to a log or a fork");
    return createSimulator(withDefaults(options, this.#settings.options));
  }

  async #made({ name, ports }: NewWorld, sim: Simulator): Promise<WorldAmongOthers> {
    const id = newId();
    const log = await this.#folder?.keep(id, sim);
    const doors = this.#doors;
    try {
      const own = await openedPorts(doors, id, sim, ports);
      const kept: KeptWorld = { id, name, secret: newSecret(), createdAt: new Date().toISOString(), ports: own };
      const world = this.#add(kept, sim, log);
      try {
        if (doors !== undefined) world.served.advertise();
        await log?.flushed({ instant: true });
        await this.#folder?.tell(kept);
        return world;
      } catch (error) {
        this.#worlds.delete(id);
        throw error;
      }
    } catch (error) {
      await doors?.remove(doors.all.filter(({ world }) => world === id));
      await log?.close().catch(() => undefined);
      await this.#folder?.remove(id);
      throw error;
    }
  }

  #add(kept: KeptWorld, sim: Simulator, log: LivingLog | undefined): WorldAmongOthers {
    const served = new ServedWorld({
      sim,
      log,
      addresses: this.#addressesOf(kept.id),
      onError: (error) => this.#onError(error),
    });
    const world = new WorldAmongOthers(kept, served);
    this.#worlds.set(kept.id, world);
    return world;
  }

  /** Those at the ports of who listens, if somebody does. */
  #addressesOf(id: string): Addresses {
    const at = (): Addresses | undefined => this.#doors && addressesAt(this.#doors, id);
    return {
      ownUrl: (place, host) => at()?.ownUrl(place, host),
      sharedUrl: (host) => at()?.sharedUrl(host),
      namedUrl: (label, host) => at()?.namedUrl(label, host),
    };
  }

  async #ended({ id, served }: WorldAmongOthers, why: string): Promise<void> {
    const { sim } = served;
    served.end(why);
    const doors = this.#doors;
    await doors?.remove(doors.all.filter(({ world }) => world === id));
    // What was decided was acknowledged, or is by now.
    await served.log?.close().catch(this.#onError);
    await this.#folder?.remove(id);
    sim.dispose();
  }

  /** Worlds that nobody asks go. */
  #sweep(): void {
    for (const world of this.list()) {
      if (world.idleMs < this.#settings.idleMs) continue;
      this.#worlds.delete(world.id);
      this.#ended(world, "nobody had asked the world for too long").catch(this.#onError);
    }
  }
}

const MEMBERS: readonly string[] = ["options", "log", "fork", "at", "name", "ports"] satisfies (keyof NewWorld)[];

function refuseUnknown(asked: NewWorld): void {
  if (!isObject(asked)) throw new TypeError(`worlds.create: the world must be an object; got ${shown(asked)}`);
  const other = Object.keys(asked).find((name) => !MEMBERS.includes(name));
  if (other !== undefined)
    throw new TypeError(`worlds.create: a world has no ${other}: there is ${MEMBERS.join(", ")}`);
}

/** Options of a world over those of all: of each service, what it does not say itself. */
function withDefaults(own: SimulatorOptions | undefined, all: SimulatorOptions): SimulatorOptions {
  if (own === undefined) return all;
  if (!isObject(own)) throw new TypeError(`worlds.create: options must be an object; got ${shown(own)}`);
  const before: { readonly [name: string]: unknown } = { ...all };
  const over = ([name, value]: readonly [string, unknown]): readonly [string, unknown] => {
    const inherited = Object.hasOwn(before, name) ? before[name] : undefined;
    const isOfService = isObject(inherited) && isObject(value) && name !== "vocabulary";
    return [name, isOfService ? { ...inherited, ...value } : value];
  };
  // Own members, whatever they are called.
  return Object.fromEntries([...Object.entries(all), ...Object.entries(own).map(over)]);
}

async function openedPorts(
  doors: Doors | undefined,
  id: string,
  sim: Simulator,
  given: OwnPorts | undefined,
): Promise<KeptWorld["ports"]> {
  const { hosts } = LiveSimulator.insideOf(sim);
  const read = readOwnPorts("worlds.create: ports", given, hosts.services);
  if (read === undefined) return undefined;
  if (doors === undefined) throw new TypeError("worlds.create: ports need a listener: call listen(worlds) first");
  const places = [...placesOf({ services: hosts.services, state: sim.state })];
  const asked = portsAsked(read, hosts.services, places).filter(({ place }) => place !== undefined);
  const opened = await doors.add(asked.map((port) => ({ ...port, world: id })));
  return Object.fromEntries(
    opened.flatMap(({ place, port }) => (place === undefined ? [] : [[prefixOf(place), port]])),
  );
}

/** The ports that a world had when it was kept. */
function portsKept({ id, ports = {} }: KeptWorld, sim: Simulator): PortAsked[] {
  const { services } = LiveSimulator.insideOf(sim).hosts;
  return Object.entries(ports).flatMap(([prefix, port]) => {
    const place = placeInPath(services, prefix);
    return place === undefined ? [] : [{ place, world: id, port }];
  });
}
