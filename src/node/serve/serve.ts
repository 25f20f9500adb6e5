import type { Simulator } from "../../simulator/types.ts";
import { createSimulator } from "../../simulator.ts";
import { listen } from "../listener/listen.ts";
import type { Listener } from "../listener/listener.ts";
import type { AdminOptions, ListenOptions } from "../listener/options.ts";
import { type Durability, keepLog, type LivingLog, resumeLog } from "../living-log/living-log.ts";
import { LivingLogError } from "../living-log/living-log-error.ts";
import { loadLog } from "../living-log/load-log.ts";

/** What `serve` serves, and where. */
export interface ServeOptions {
  /** Ports: one for all, or one for each service; further clusters and regions have the next ones. */
  readonly port?: number;
  readonly secrets?: number;
  readonly scheduler?: number;
  readonly runs?: number;
  readonly host?: string;
  readonly clusters?: readonly string[];
  readonly regions?: readonly string[];
  readonly seed?: number | string;
  /** Virtual seconds in a real one; the clock stands still without it. */
  readonly followClock?: number;
  /** The file that the log is written to. With the file of `load` it goes on there. */
  readonly log?: string;
  readonly load?: string;
  readonly durability?: Durability;
  /** Whether the log holds the journal, too. */
  readonly journal?: boolean;
  readonly tls?: ListenOptions["tls"];
  readonly admin?: AdminOptions;
  /** Whether it is shown in a browser. */
  readonly inspect?: boolean;
  readonly onError?: (error: unknown) => void;
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
 * in answers are those that clients call.
 *
 * @throws TypeError for wrong options; LivingLogError, LogError; the error of the system when it cannot listen
 */
export async function serve(options: ServeOptions): Promise<Served> {
  const { sim, log, tornBytes } = await begun(options);
  try {
    const { port, secrets, scheduler, runs, host, tls, admin = {}, inspect, followClock, onError } = options;
    const given = { port, secrets, scheduler, runs, host, tls, inspect, log, onError };
    const listener = await listen(sim, { ...(present(given) as ListenOptions), admin });
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
    return { listener, log, tornBytes, close };
  } catch (error) {
    await log?.close();
    throw error;
  }
}

interface Begun {
  readonly sim: Simulator;
  readonly log: LivingLog | undefined;
  readonly tornBytes: number;
}

async function begun(options: ServeOptions): Promise<Begun> {
  const { log: file, load, durability, journal } = options;
  const logOptions = present({ durability, journal });
  if (load === undefined) {
    const sim = createSimulator(worldOptions(options));
    return { sim, log: file === undefined ? undefined : await keepLog(sim, file, logOptions), tornBytes: 0 };
  }
  refuseWorldOptions(options);
  if (file === load) return resumeLog(load, logOptions);
  const { sim, tornBytes } = await loaded(load);
  return { sim, log: file === undefined ? undefined : await keepLog(sim, file, logOptions), tornBytes };
}

async function loaded(file: string): ReturnType<typeof loadLog> {
  try {
    return await loadLog(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const trouble = code === "ENOENT" ? "there is no such file" : "it cannot be read";
    throw new LivingLogError("not_readable", file, `${trouble} (${code})`, { cause: error });
  }
}

/** A log has its own: others would be another world. */
function refuseWorldOptions({ clusters, regions, seed }: ServeOptions): void {
  const [given] = Object.entries({ clusters, regions, seed }).filter(([, value]) => value !== undefined);
  if (given !== undefined) throw new TypeError(`${given[0]} cannot be given with a log that is loaded: it has its own`);
}

function worldOptions(options: ServeOptions): Parameters<typeof createSimulator>[0] {
  const { clusters = ["main"], regions = ["global"], seed, secrets, scheduler, runs } = options;
  return {
    ...(seed === undefined ? {} : { seed }),
    ...(runs === undefined || runs === 0 ? {} : { runs: { url: urlAt(options, runs) } }),
    secrets: { clusters, ...urlsFrom(options, secrets, clusters) },
    scheduler: { regions, ...urlsFrom(options, scheduler, regions) },
  };
}

/** Where each of a service's instances is served, if that is known before anybody listens. */
function urlsFrom(
  options: ServeOptions,
  first: number | undefined,
  names: readonly string[],
): { readonly url?: (name: string) => string } {
  if (first === undefined || first === 0) return {};
  // What is added later gets the next port, where nobody listens yet: it can be reached through the port for all.
  return { url: (name) => urlAt(options, first + (names.includes(name) ? names.indexOf(name) : names.length)) };
}

function urlAt({ host = "127.0.0.1", tls }: ServeOptions, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `${tls === undefined || tls === false ? "http" : "https"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function present(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
