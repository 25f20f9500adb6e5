import type { HandlePlace } from "../../kernel/handle.ts";
import { withMember } from "../../kernel/parts.ts";
import { deciderIn, type Origins, type ServiceModule } from "../kit/module.ts";
import { injectRequestFailure, schedulerControls } from "./control.ts";
import type { Reply } from "./declare.ts";
import { requestDecider } from "./door.ts";
import { schedulerFolds } from "./events.ts";
import { regionHandle, schedulerHandle } from "./handle.ts";
import { answerHttp, operationOf, unplaced } from "./http.ts";
import type { RegionName } from "./ids.ts";
import { describedScheduler } from "./openapi.ts";
import { schedulerOptions } from "./options.ts";
import { leaderUpcasters } from "./regions/state.ts";
import { schedulerRegistry } from "./registry.ts";
import { nextArrivalMs } from "./replication/flight.ts";
import { settleReplication } from "./replication/settle.ts";
import type { Region } from "./state.ts";
import { schedulerTimers } from "./timers.ts";
import { settleCollection } from "./tokens/collect.ts";
import { schedulerWhy } from "./why.ts";
import { schedulerWords } from "./words/neutral.ts";
import { renamedPath } from "./words/wire.ts";
import { regionNamed, type SchedulerWorld, schedulerOf, withRegion } from "./world.ts";

/** The workload scheduler. */
export const schedulerModule = {
  name: "scheduler",
  registry: schedulerRegistry,
  state: {
    folds: schedulerFolds,
    upcasters: leaderUpcasters,
    settle: (before, after, meta) => settleReplication(before, settleCollection(before, after, meta), meta),
    nextArrivalMs,
    addCalendars: ({ scheduler }, to) => {
      if (scheduler === undefined) return;
      for (const name in scheduler.regions) to.push((scheduler.regions[name] as Region).calendar);
    },
    calendarPlace: ({ scheduler }, index) => {
      const place = { region: Object.keys(scheduler?.regions ?? {})[index] ?? "" };
      return { owner: place, place };
    },
    withCalendar: (world, { region }, change) =>
      region === undefined
        ? undefined
        : withRegion(world, { region: region as RegionName }, (holder) => withMember(holder, "calendar", change)),
  },
  decides: {
    deciderOf: ({ name, caller }) => {
      const region = caller?.["region"] as RegionName;
      return (
        requestDecider(name) ?? deciderIn(schedulerTimers, name, region) ?? deciderIn(schedulerControls, name, region)
      );
    },
    failNextRequests: {
      isFor: (service) => typeof service === "object" && service !== null && !("cluster" in service),
      decide: injectRequestFailure,
    },
  },
  options: schedulerOptions,
  calls: {
    handles: { scheduler: schedulerHandle },
    doorTo: (host, { region }) =>
      region === undefined ? undefined : regionHandle(host, "call", region as RegionName).as,
  },
  http: {
    base: "/v1",
    places: ["region"],
    origins: (world) => [originsOf(schedulerOf(world).sites)],
    placeAt: (world, origin) => originsOf(schedulerOf(world).sites).get(origin),
    answer: (host, { region }, asked) => answerHttp(host, region as RegionName, asked),
    operationOf: (world, _place, asked) => operationOf(world, asked),
    unplaced: (host, { region }, asked, message) => unplaced(host, region as RegionName, asked, message),
    refuseAbsent: (world, { region = "" }, moment) => {
      if (regionNamed(schedulerOf(world), region) !== undefined) return;
      throw new TypeError(`there was no region ${region} at ${moment}`);
    },
    failure: (_status, message) => ({ type: "text/plain; charset=utf-8", body: message }),
    waits: true,
  },
  openapi: {
    title: "Workload scheduler",
    security: { token: { type: "apiKey", in: "header", name: "X-Scheduler-Token" } },
    described: describedScheduler,
  },
  why: schedulerWhy,
  words: { neutral: schedulerWords, pathOf: (words, path) => renamedPath(words, path, "own") },
  bodyOf: ({ body }: Reply<unknown>) => body,
} as const satisfies ServiceModule<SchedulerWorld>;

/** Remembered: regions are seldom added. */
const known = new WeakMap<object, Origins>();

function originsOf(sites: { readonly [region: string]: string }): Origins {
  let origins = known.get(sites);
  if (origins === undefined) {
    origins = new Map(
      Object.entries(sites).map(([region, url]): [string, HandlePlace] => [new URL(url).origin, { region }]),
    );
    known.set(sites, origins);
  }
  return origins;
}
