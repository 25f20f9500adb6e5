import { withMember } from "../../kernel/parts.ts";
import { deciderIn, type Origins, type ServiceModule } from "../kit/module.ts";
import { injectRunsFailure, runsControls } from "./control.ts";
import type { Reply } from "./declare.ts";
import { requestDecider } from "./door.ts";
import { runsFolds } from "./events.ts";
import { runsHandle } from "./handle.ts";
import { answerHttp, failureForm, operationOf, unplaced } from "./http.ts";
import { describedRuns } from "./openapi.ts";
import { runsOptions } from "./options.ts";
import { runsRegistry } from "./registry.ts";
import { DEFAULT_RUNS_URL } from "./state.ts";
import { runsTimers } from "./timers.ts";
import { runsWhy } from "./why.ts";
import { runsWords } from "./words/neutral.ts";
import { renamedParameter, renamedSegments } from "./words/wire.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

/** The run service. */
export const runsModule = {
  name: "runs",
  registry: runsRegistry,
  state: {
    folds: runsFolds,
    addCalendars: ({ runs }, to) => {
      if (runs !== undefined) to.push(runs.calendar);
    },
    // The deadlines of all runs lie in one calendar; each names its run.
    calendarPlace: (_world, _index, { input }) => {
      const { run } = input as { readonly run: string };
      return { owner: { run }, place: { run } };
    },
    withCalendar: (world, { run }, change) =>
      run === undefined ? undefined : withMember(world, "runs", (runs) => withMember(runs, "calendar", change)),
  },
  decides: {
    deciderOf: ({ name }) =>
      requestDecider(name) ?? deciderIn(runsTimers, name, undefined) ?? deciderIn(runsControls, name, undefined),
    failNextRequests: { isFor: (service) => typeof service !== "object", decide: injectRunsFailure },
  },
  options: runsOptions,
  calls: {
    handles: { runs: runsHandle },
    doorTo: (host, { service }) => (service === "runs" ? runsHandle(host, "call").as : undefined),
  },
  http: {
    base: "/api/v2",
    places: [],
    origins: (world) => [originsOf(world)],
    placeAt: (world, origin) => originsOf(world).get(origin),
    answer: (host, _place, asked) => answerHttp(host, asked),
    operationOf: (world, _place, asked) => operationOf(world, asked),
    unplaced: (host, _place, asked, message) => unplaced(host, asked, message),
    failure: failureForm,
  },
  openapi: {
    title: "Run service",
    security: { token: { type: "http", scheme: "bearer" } },
    described: describedRuns,
  },
  why: runsWhy,
  words: {
    neutral: runsWords,
    pathOf: (words, path) => renamedSegments(words, path.split("/"), "own").join("/"),
    parameterOf: (words, name) => renamedParameter(words, name, "own"),
  },
  bodyOf: ({ body }: Reply<unknown>) => body,
} as const satisfies ServiceModule<RunsWorld>;

const at = (url: string): Origins => new Map([[new URL(url).origin, {}]]);
const DEFAULT_ORIGIN = at(DEFAULT_RUNS_URL);

function originsOf(world: RunsWorld): Origins {
  const { url } = runServiceOf(world);
  return url === DEFAULT_RUNS_URL ? DEFAULT_ORIGIN : at(url);
}
