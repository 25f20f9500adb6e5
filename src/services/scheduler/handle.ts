import type { Via } from "../../kernel/commit.ts";
import { asHandle, placeOfHandle } from "../../kernel/handle.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain } from "../../kernel/plain.ts";
import { Rejection } from "../../kernel/rejection.ts";
import { shown } from "../../languages/shown.ts";
import { type SchedulerClient, schedulerClient } from "./client.ts";
import type { schedulerControls } from "./control.ts";
import type { RegionName } from "./ids.ts";
import { errorForm, rejectionMessage } from "./responses.ts";
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

/** Lets the next requests to a region fail. */
export function failRegionRequests(host: Host<SchedulerWorld>, via: Via, options: FailRegionRequestsOptions): void {
  const region = regionOfHandle("failNextRequests", options.service);
  const input = copyPlain({ ...options, service: { region } }, "failNextRequests");
  host.execute({ name: "control.faults.failNextRequests", input, caller: null, via }, () => undefined);
}

/** Where a region answers that is added, and which origins are taken. */
export interface RegionUrls {
  readonly urlOf: (region: string) => string;
}

type Controls = typeof schedulerControls;

function control(
  host: Host<SchedulerWorld>,
  via: Via,
  call: keyof Controls,
  input: unknown,
  region?: RegionName,
): void {
  const name = call.slice(call.lastIndexOf(".") + 1);
  const caller = region === undefined ? null : { region };
  host.execute({ name: call, input: copyPlain(input, name), caller, via }, (outcome) => {
    if (outcome.kind === "accepted") return;
    const { code, data } = outcome.refusal;
    const form = errorForm(code, data);
    throw new Rejection({ code, status: form.status, data, message: rejectionMessage(name, code, form) });
  });
}

/** Makes the handle of a world's scheduler; `via` is the door whose calls it makes. */
export function schedulerHandle(host: Host<SchedulerWorld>, via: Via, urls: RegionUrls): SchedulerHandle {
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
      control(host, via, "control.scheduler.addRegion", { name, url: isName ? urls.urlOf(name) : "" });
      return region(name);
    },
    setAuthoritative: (handle) => {
      control(host, via, "control.scheduler.setAuthoritative", { region: regionOfHandle("setAuthoritative", handle) });
    },
  } satisfies SchedulerHandle);
}

/** The name that a handle of a region stands for. */
export function regionOfHandle(call: string, handle: unknown): string {
  const name = placeOfHandle(handle)?.["region"];
  if (name !== undefined) return name;
  throw new TypeError(`${call}: ${shown(handle)} is no handle of a region: take what sim.scheduler.region(name) gives`);
}

function regionHandle(host: Host<SchedulerWorld>, via: Via, name: RegionName): RegionHandle {
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
      control(host, via, "control.scheduler.setBootstrapResetIndex", { resetIndex }, name);
    },
    setLeader: (up) => control(host, via, "control.scheduler.setLeader", { up }, name),
    as: (token) => {
      if (token !== undefined && typeof token !== "string") throw new TypeError(`as: ${shown(token)} is no token`);
      return schedulerClient(
        host,
        Object.freeze(token === undefined || token === "" ? { region: name } : { region: name, token }),
      );
    },
  } satisfies RegionHandle);
  return asHandle(handle, { region: name });
}
