import type { Caller, Via } from "../../kernel/commit.ts";
import { asHandle, placeOfHandle } from "../../kernel/handle.ts";
import type { Host } from "../../kernel/host.ts";
import { shown } from "../../languages/shown.ts";
import { tokenAt } from "../kit/arguments.ts";
import { controlsOver } from "../kit/control.ts";
import type { Site, SiteFor } from "../kit/module.ts";
import { type SchedulerClient, schedulerClient } from "./client.ts";
import type { schedulerControls } from "./control.ts";
import type { RegionName } from "./ids.ts";
import { schedulerForms } from "./responses.ts";
import { regionNamed, type SchedulerWorld, schedulerOf } from "./world.ts";

/**
 * A region of the scheduler, for test authors: what its HTTP endpoints cannot do, and the typed door.
 *
 * A handle stands for its name: one of a parent, a fork or a view means the region of that name wherever it is given.
 */
export interface RegionHandle {
  readonly name: string;
  /** Where the region answers, without `/v1`. */
  readonly url: string;
  /** Whether policies and global tokens are written here, whatever region is asked. */
  readonly authoritative: boolean;

  /**
   * Places the index of the last bootstrap where the leader of this region looks for it, so that the next bootstrap succeeds; 0 and
   * `undefined` are as none. It stays there: after that bootstrap it is an old one. Only the authoritative region looks.
   *
   * @throws TypeError for what is no index
   * @example
   * // The index stands in the refusal: "ACL bootstrap already done (reset index: 2)".
   * sim.scheduler.region("eu").setBootstrapResetIndex(2);
   */
  setBootstrapResetIndex(index: number | undefined): void;

  /**
   * Takes the region its leader, or elects one. Without a leader nothing is committed there; only stale reads are answered.
   *
   * @throws TypeError for what is neither true nor false
   */
  setLeader(up: boolean): void;

  /**
   * The typed door for whoever sends this token, its `SecretID`. Without a token it is a caller without one.
   *
   * @example
   * sim.scheduler.region("eu").as(token).policies.list({ prefix: "team-" });
   */
  as(token?: string): SchedulerClient;
}

/** The scheduler, for test authors. */
export interface SchedulerHandle {
  /** @throws TypeError for a name that no region has */
  region(name: string): RegionHandle;
  /**
   * Adds a region that copies from the authoritative one.
   *
   * @returns its handle
   * @throws TypeError for a name that is no DNS label, or a URL that is taken; Rejection `region_exists`
   */
  addRegion(name: string): RegionHandle;
  /**
   * Makes a region the authoritative one: it stops copying, and all others compare with it from now on, and drop the policies and
   * global tokens that it lacks.
   *
   * @throws TypeError for what is no handle of a region of this simulator
   */
  setAuthoritative(region: RegionHandle): void;
}

/** The options of `sim.faults.failNextRequests` for a region. */
export interface FailRegionRequestsOptions {
  readonly service: RegionHandle;
  readonly count: number;
  /** That of the answers. Default 500. */
  readonly status?: number | undefined;
}

/** What is known where a region is added. */
export interface RegionSettings {
  /** Where a region answers that is added. */
  readonly regionUrlOf: (region: string) => string;
}

const controlsFor = (host: Host<SchedulerWorld>, via: Via, caller: Caller) =>
  controlsOver<typeof schedulerControls>(host, via, caller, schedulerForms);

/** Makes the handle of a world's scheduler; `via` is the door whose calls it makes. */
export function schedulerHandle(host: Host<SchedulerWorld>, via: Via, site: SiteFor<RegionSettings>): SchedulerHandle {
  const control = controlsFor(host, via, null);
  const region = (name: string): RegionHandle => {
    const scheduler = schedulerOf(host.state);
    if (typeof name !== "string" || regionNamed(scheduler, name) === undefined) {
      const there = Object.keys(scheduler.regions).join(", ");
      throw new TypeError(`scheduler.region: no region is named ${String(name)}; there are ${there}`);
    }
    return regionHandle(host, via, name as RegionName);
  };
  return Object.freeze({
    region,
    addRegion: (name) => {
      const isName = typeof name === "string" && regionNamed(schedulerOf(host.state), name) === undefined;
      control("control.scheduler.addRegion", { name, url: isName ? freeUrl(site("addRegion"), name) : "" });
      return region(name);
    },
    setAuthoritative: (handle) => {
      control("control.scheduler.setAuthoritative", { region: regionOfHandle("setAuthoritative", handle) });
    },
  } satisfies SchedulerHandle);
}

function freeUrl({ settings, refuseTaken }: Site<RegionSettings>, name: string): string {
  const url = settings.regionUrlOf(name);
  refuseTaken(name, [url]);
  return url;
}

/** The name that a handle of a region stands for. */
function regionOfHandle(call: string, handle: unknown): string {
  const name = placeOfHandle(handle)?.["region"];
  if (name !== undefined) return name;
  throw new TypeError(`${call}: ${shown(handle)} is no handle of a region: take what sim.scheduler.region(name) gives`);
}

export function regionHandle(host: Host<SchedulerWorld>, via: Via, name: RegionName): RegionHandle {
  const control = controlsFor(host, via, { region: name });
  const handle = Object.freeze({
    name,
    get url() {
      return schedulerOf(host.state).sites[name] ?? "";
    },
    get authoritative() {
      return schedulerOf(host.state).authoritative === name;
    },
    setBootstrapResetIndex: (index) => {
      if (index === null) throw new TypeError("setBootstrapResetIndex: null is no index: undefined takes it away");
      const resetIndex = index ?? null;
      control("control.scheduler.setBootstrapResetIndex", { resetIndex });
    },
    setLeader: (up) => control("control.scheduler.setLeader", { up }),
    as: (given) => {
      const token = tokenAt(given);
      const caller = token === undefined || token === "" ? { region: name } : { region: name, token };
      return schedulerClient({ host, caller: Object.freeze(caller) });
    },
  } satisfies RegionHandle);
  return asHandle(handle, { region: name });
}
