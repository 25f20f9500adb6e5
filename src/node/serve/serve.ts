import { readFile } from "node:fs/promises";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { SimulatorOptions } from "../../simulator/world.ts";
import { createSimulator } from "../../simulator.ts";
import type { Doors } from "../listener/doors.ts";
import { listen, listenTo } from "../listener/listen.ts";
import type { Listener } from "../listener/listener.ts";
import { type AdminOptions, type ListenOptions, readListenOptions } from "../listener/options.ts";
import { nameOf, placesOf } from "../listener/places.ts";
import { portsAsked } from "../listener/ports.ts";
import { type Durability, keepLog, type LivingLog, resumeLog } from "../living-log/living-log.ts";
import { LivingLogError } from "../living-log/living-log-error.ts";
import { loadLog } from "../living-log/load-log.ts";
import type { WorldsListener } from "../worlds/listener.ts";
import type { WorldsOptions } from "../worlds/options.ts";
import { openWorlds } from "../worlds/worlds.ts";

/** What is served, and where. */
interface Common {
  /** A port for all. */
  readonly port?: number;
  readonly host?: string;
  /** The host in URLs. */
  readonly urlHost?: string;
  readonly tls?: ListenOptions["tls"];
  readonly admin?: AdminOptions;
  /** Whether it is shown in a browser. */
  readonly inspect?: boolean;
  /** The options of a new simulator. A loaded one has its own. */
  readonly world?: SimulatorOptions;
  /** The file of a log that is loaded. */
  readonly load?: string;
  readonly durability?: Durability;
  /** Whether logs hold the journal, too. */
  readonly journal?: boolean;
  readonly limits?: ListenOptions["limits"];
  readonly onError?: (error: unknown) => void;
}

/** What `serve` serves, and where. */
export interface ServeOptions extends Common {
  /** A port for each service; further clusters and regions have the next ones. */
  readonly secrets?: number;
  readonly scheduler?: number;
  readonly runs?: number;
  /** Virtual seconds in a real one; the clock stands still without it. */
  readonly followClock?: number;
  /** The file that the log is written to. With the file of `load` it goes on there. */
  readonly log?: string;
}

/** What `serveWorlds` serves, and where. */
export interface ServeWorldsOptions extends Common {
  readonly worlds: Pick<WorldsOptions, "maxWorlds" | "maxBytes" | "idle" | "directory">;
}

/** A simulator that is served. */
export interface Served {
  readonly listener: Listener;
  readonly log: LivingLog | undefined;
  /** Bytes of a torn last line that were left out. */
  readonly tornBytes: number;
  /** Ends the answering, and writes what is left of the log. */
  close(): Promise<void>;
}

/**
 * Serves a new simulator, or one that is brought back from its log. A new one has its services where they are served, so that the addresses
 * in answers are those that clients call; where they have one port for all, it is told where that is.
 *
 * @throws TypeError for wrong options; LivingLogError, LogError; the error of the system when it cannot listen
 */
export async function serve(options: ServeOptions): Promise<Served> {
  const {
    port,
    secrets,
    scheduler,
    runs,
    host,
    urlHost,
    tls,
    admin = {},
    inspect,
    limits,
    followClock,
    onError,
  } = options;
  const found = await loaded(options);
  let log: LivingLog | undefined = found?.log;
  try {
    // One that nobody asks, to know the places.
    const example = found?.sim ?? createSimulator(options.world);
    const { services } = LiveSimulator.insideOf(example).hosts;
    const places = [...placesOf({ services, state: example.state })];
    const given = { port, secrets, scheduler, runs, host, urlHost, tls, inspect, limits, onError };
    const settings = readListenOptions({ ...present(given), admin, advertise: true }, services);
    const listener = await listenTo(settings, portsAsked(settings, services, places), places, async (doors) => {
      const sim = found?.sim ?? createSimulator(worldAt(options.world ?? {}, doors));
      if (options.log !== undefined) log ??= await keepLog(sim, options.log, logOptions(options));
      return { sim, log };
    });
    try {
      if (followClock !== undefined) listener.followClock({ factor: followClock });
    } catch (error) {
      await listener.close();
      throw error;
    }
    const close = async (): Promise<void> => {
      await listener.close();
      await log?.close();
    };
    return { listener, log, tornBytes: found?.tornBytes ?? 0, close };
  } catch (error) {
    await log?.close();
    throw error;
  }
}

/** Worlds that are served. */
export interface ServedWorlds {
  readonly listener: WorldsListener;
  /** Ends the answering, and writes what is left of the logs. */
  close(): Promise<void>;
}

/**
 * Serves worlds, which clients make.
 *
 * @throws as `serve`
 */
export async function serveWorlds(options: ServeWorldsOptions): Promise<ServedWorlds> {
  const { port, host, urlHost, tls, admin = {}, inspect, limits, onError, load, world, worlds: given } = options;
  const worlds = await openWorlds({
    ...given,
    ...logOptions(options),
    ...(world === undefined ? {} : { options: world }),
    ...(load === undefined ? {} : { log: await readable(load, () => readFile(load, "utf8")) }),
  });
  const close = async (): Promise<void> => {
    await worlds.close();
  };
  try {
    const listener = await listen(worlds, {
      ...present({ port, host, urlHost, tls, inspect, limits, onError }),
      admin,
    });
    return {
      listener,
      close: async () => {
        await listener.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Found {
  readonly sim: Simulator;
  readonly log: LivingLog | undefined;
  readonly tornBytes: number;
}

/** The simulator of the log that is loaded, if one is. */
async function loaded({ load, log: file, ...options }: ServeOptions): Promise<Found | undefined> {
  if (load === undefined) return undefined;
  refuseWorldOptions(options.world);
  if (file === load) return resumeLog(load, logOptions(options));
  return { ...(await readable(load, () => loadLog(load))), log: undefined };
}

function logOptions({ durability, journal }: Common): { durability?: Durability; journal?: boolean } {
  return present({ durability, journal });
}

async function readable<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const trouble = code === "ENOENT" ? "there is no such file" : "it cannot be read";
    throw new LivingLogError("not_readable", file, `${trouble} (${code})`, { cause: error });
  }
}

/** A log has its own: others would be another world. */
function refuseWorldOptions(world: SimulatorOptions = {}): void {
  const [given] = Object.entries(world).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null ? Object.keys(value) : [name],
  );
  if (given !== undefined) throw new TypeError(`${given} cannot be given with a log that is loaded: it has its own`);
}

/** Options of a simulator whose services have their addresses where they are served. */
function worldAt(world: SimulatorOptions, doors: Doors): SimulatorOptions {
  const own = doors.all.flatMap(({ place, port }) => (place === undefined ? [] : [{ ...place, port }]));
  const urlsOf = (service: string): { readonly url?: (name: string) => string } => {
    const doorsOf = own.filter((door) => door.service.name === service);
    const ports = new Map(doorsOf.map((door) => [nameOf(door), door.port]));
    // The addresses of nodes are names that follow from that of their cluster, which a number cannot be.
    const hasNodes = doorsOf.some(({ place }) => Object.keys(place).length > 1);
    if (ports.size === 0 || hasNodes) return {};
    const next = Math.max(...ports.values()) + 1;
    // What is added later has an address where nobody listens yet: it can be reached through the port for all.
    return { url: (name) => doors.urlAt(ports.get(name) ?? next) };
  };
  const [runs] = own.filter(({ service }) => service.name === "runs");
  return {
    ...world,
    ...(runs === undefined ? {} : { runs: { ...world.runs, url: doors.urlAt(runs.port) } }),
    secrets: { ...world.secrets, ...urlsOf("secrets") },
    scheduler: { ...world.scheduler, ...urlsOf("scheduler") },
  };
}

function present<T extends object>(given: T): { [N in keyof T]?: Exclude<T[N], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [N in keyof T]?: Exclude<T[N], undefined>;
  };
}
