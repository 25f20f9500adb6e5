import { type Fetch, simulatedFetch } from "../http/fetch.ts";
import type { FetchHosts } from "../http/hosts.ts";
import { AUTHOR } from "../kernel/commit.ts";
import { asHandle, placeOfHandle } from "../kernel/handle.ts";
import type { Host } from "../kernel/host.ts";
import { copyPlain } from "../kernel/plain.ts";
import { shown } from "../languages/shown.ts";
import { ProgramHost } from "../programs/host.ts";
import { type ProgramsTime, ProgramTime } from "../programs/program-time.ts";
import { type ProgramTimers, programTimers } from "../programs/timers.ts";
import { DNS_LABEL } from "../services/kit/options.ts";
import type { RunsClient } from "../services/runs/client.ts";
import type { RunsHandle } from "../services/runs/handle.ts";
import type { SchedulerClient } from "../services/scheduler/client.ts";
import type { RegionHandle } from "../services/scheduler/handle.ts";
import type { SecretsClient } from "../services/secrets/client.ts";
import type { ClusterHandle } from "../services/secrets/cluster-handle.ts";
import { isPlace, type WorldService } from "./model.ts";
import type { World } from "./world.ts";

/** A program under test: a caller with a door and a time of its own. Its name stands in the log with what it commits. */
export interface Program {
  readonly name: string;
  /** The simulator's `fetch`, as this program. */
  readonly fetch: Fetch;
  /** Its timers and its clock: what it is given, or what is installed for it. @throws TypeError on a view of the past */
  readonly timers: ProgramTimers;
  /**
   * The typed door to a service, as this program.
   *
   * @throws TypeError for what is no handle of a place of this simulator
   * @example
   * sim.program("shop").as(sim.secrets.cluster("east"), token).tokens.renewSelf();
   */
  as(cluster: ClusterHandle, token?: string, options?: { readonly namespace?: string }): SecretsClient;
  as(region: RegionHandle, token?: string): SchedulerClient;
  as(runs: RunsHandle, token?: string): RunsClient;
  /**
   * What it believes at this moment, for whoever reads the journal: plain data. It is no fact.
   *
   * @throws TypeError for what JSON cannot carry, and on a view of the past
   * @example
   * sim.program("shop").note({ leader: "east" });
   */
  note(data: unknown): void;
}

/** What programs ask. */
export interface Asked {
  readonly host: Host<World>;
  readonly services: readonly WorldService[];
  readonly past: (place: string) => Host<World>;
  /** @throws TypeError where time does not go on */
  readonly time: () => ProgramsTime;
}

/** The programs of a simulator or of a view. */
export class Programs {
  readonly #asked: Asked;
  readonly #handles = new Map<string, Program>();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** A program by its name: it is made when it is first asked for. */
  of(name: string): Program {
    if (typeof name !== "string" || !DNS_LABEL.test(name)) {
      throw new TypeError(`program: ${shown(name)} is no name of a program: it is a DNS label`);
    }
    let program = this.#handles.get(name);
    if (program === undefined) {
      program = programHandle(this.#asked, name);
      this.#handles.set(name, program);
    }
    if (name !== AUTHOR) this.#asked.host.programs.add(name);
    return program;
  }

  get author(): Program {
    return this.of(AUTHOR);
  }

  /** The author, and the others in the order of their making. */
  all(): Program[] {
    return [AUTHOR, ...this.#asked.host.programs].map((name) => this.of(name));
  }
}

/** Whom programs ask. */
const hostsOf = new WeakMap<Program, FetchHosts<World>>();

/** Whom a program asks, as doors of other kinds do it for the program; undefined for what is none. */
export function hostsOfProgram(program: Program): FetchHosts<World> | undefined {
  return hostsOf.get(program);
}

function programHandle({ host, services, past, time }: Asked, name: string): Program {
  const own = name === AUTHOR ? host : new ProgramHost(host, name);
  const hosts: FetchHosts<World> = { services, present: () => own, past };
  let timers: ProgramTimers | undefined;
  const program = {
    name,
    fetch: simulatedFetch(hosts),
    get timers() {
      timers ??= programTimers(new ProgramTime(name, time()));
      return timers;
    },
    as: (handle: object, ...asking: readonly unknown[]) => {
      const place = placeOfHandle(handle);
      const isKnown = place?.["service"] !== undefined || (place && isPlace(services, own.state, place));
      const door = isKnown && place ? services.map(({ calls }) => calls.doorTo?.(own, place)).find(Boolean) : undefined;
      if (door === undefined) {
        throw new TypeError(
          `as: ${shown(handle)} is no handle of this simulator: take sim.runs, or what sim.scheduler.region or sim.secrets.cluster gives`,
        );
      }
      return door(...(asking as never));
    },
    note: (data: unknown) => {
      const { journal } = host;
      if (journal === undefined)
        throw new TypeError("note: a view of the past keeps no journal: fork it to go on from there");
      journal.add({ kind: "note", program: name, data: copyPlain(data, "note") });
    },
  };
  // Overloads: which door it is follows from the handle.
  const handle = asHandle(Object.freeze(program), { program: name }) as unknown as Program;
  hostsOf.set(handle, hosts);
  return handle;
}
