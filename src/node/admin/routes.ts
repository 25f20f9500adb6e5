import { serviceDocument } from "../../http/openapi/services.ts";
import type { Instant } from "../../languages/instant.ts";
import { shown } from "../../languages/shown.ts";
import { messageOf } from "../../scenario/message.ts";
import { runScenario } from "../../scenario/run.ts";
import type { JsonSchema } from "../../services/kit/openapi.ts";
import { format } from "../../simulator/format.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { WorldService } from "../../simulator/model.ts";
import { type Place, placeInText } from "../../simulator/place.ts";
import type { Edit } from "../../simulator/rewrite.ts";
import type { Simulator } from "../../simulator/types.ts";
import { VERSION } from "../../simulator/version.ts";
import { builtIn, builtInNames } from "../scenarios/built-in.ts";
import { adminDocument } from "./document.ts";
import type { AdminAnswer, AdminRoute } from "./route.ts";

const DURATION: JsonSchema = { type: ["string", "number"], description: "90s, 1h30m, or milliseconds" };
const INSTANT: JsonSchema = {
  type: ["string", "integer"],
  description: "a date-time (RFC 3339), or milliseconds since 1970",
};
const PLACE: JsonSchema = { type: ["string", "integer"], description: "a position, an instant or a mark" };
const PLACE_TEXT = "a position, an instant or a mark";

const now = (sim: Simulator): object => ({ now: new Date(sim.clock.now()).toISOString(), nowMs: sim.clock.now() });
const json = (data: unknown): AdminAnswer => ({ json: data });

/** A place as a body has it: a number is a position, and so are digits. */
function placeIn(value: unknown): Place {
  if (typeof value === "number") return value;
  if (typeof value !== "string") throw new TypeError(`${shown(value)} is no place: ${PLACE_TEXT}`);
  return placeInText(value);
}

function rangeIn({ from = "1", to }: { readonly [name: string]: string }, sim: Simulator): readonly [number, number] {
  return [wholeIn("from", from), to === undefined ? sim.position : wholeIn("to", to)];
}

function wholeIn(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new TypeError(`${name} is ${shown(text)}, and has to be a position`);
  return Number(text);
}

const servicesIn = (sim: Simulator): readonly WorldService[] => LiveSimulator.insideOf(sim).hosts.services;

/** All that the admin path answers, but for the calls of the control surface. */
export const adminRoutes: readonly AdminRoute[] = [
  {
    method: "GET",
    path: "/",
    summary: "What is served, where, and where it stands",
    answer: ({ listener, sim }) =>
      json({
        version: VERSION,
        position: sim.position,
        ...now(sim),
        services: listener.urls,
        documents: ["admin", ...servicesIn(sim).map(({ name }) => name)].map(
          (name) => `/hindcast/openapi/${name}.json`,
        ),
      }),
  },
  {
    method: "GET",
    path: "/openapi/{document}",
    summary: "An OpenAPI 3.1 document: admin.json, runs.json, scheduler.json or secrets.json",
    answer: ({ listener, sim, routes, captures: { document = "" } }) => {
      const name = document.replace(/\.json$/, "");
      if (name === "admin") return json(adminDocument(sim, listener.url, routes));
      const service = servicesIn(sim).find((one) => one.name === name);
      if (service === undefined) return { missing: `there is no document ${document}` };
      const own = (listener.urls as { readonly [service: string]: string | { readonly [name: string]: string } })[name];
      const [url = listener.url] = typeof own === "string" ? [own] : Object.values(own ?? {});
      return json(serviceDocument(service, url, VERSION));
    },
  },
  {
    method: "GET",
    path: "/operations",
    summary: "Every operation that the services answer",
    answer: ({ sim }) => json(sim.operations()),
  },
  {
    method: "GET",
    path: "/clock",
    summary: "The virtual instant, the deadlines that wait, and who waits for what",
    answer: ({ sim }) => json({ ...now(sim), pending: sim.clock.pending(), waiting: sim.clock.waiting() }),
  },
  {
    method: "POST",
    path: "/clock/advance",
    summary: "Moves the clock on by a duration",
    body: { duration: DURATION },
    required: ["duration"],
    answer: ({ sim, body }) => {
      const fired = sim.clock.advance(body["duration"] as string);
      return json({ ...now(sim), fired });
    },
  },
  {
    method: "POST",
    path: "/clock/advanceTo",
    summary: "Moves the clock on to an instant",
    body: { instant: INSTANT },
    required: ["instant"],
    answer: ({ sim, body }) => {
      const fired = sim.clock.advanceTo(body["instant"] as Instant);
      return json({ ...now(sim), fired });
    },
  },
  {
    method: "POST",
    path: "/clock/next",
    summary: "Jumps to the next deadline",
    answer: ({ sim }) => {
      const fired = sim.clock.next();
      return json({ ...now(sim), fired });
    },
  },
  {
    method: "POST",
    path: "/clock/run",
    summary: "Moves the clock on by a duration, and lets those who wait go on between deadlines",
    body: { duration: DURATION, quietTurns: { type: "integer", minimum: 1 } },
    required: ["duration"],
    answer: async ({ sim, body: { duration, quietTurns } }) => {
      const options = quietTurns === undefined ? {} : { quietTurns: quietTurns as number };
      const fired = await sim.clock.run(duration as string, options);
      return json({ ...now(sim), fired });
    },
  },
  {
    method: "POST",
    path: "/clock/follow",
    summary: "Lets the clock follow the real one, so many times as fast",
    body: { factor: { type: "number", exclusiveMinimum: 0, default: 1 } },
    answer: ({ listener, sim, body: { factor } }) => {
      listener.followClock(factor === undefined ? {} : { factor: factor as number });
      return json(now(sim));
    },
  },
  {
    method: "POST",
    path: "/clock/stop",
    summary: "Lets the clock stand still",
    answer: ({ listener, sim }) => {
      listener.stopClock();
      return json(now(sim));
    },
  },
  {
    method: "POST",
    path: "/settle",
    summary: "Lets what is in flight between clusters and regions arrive",
    answer: ({ sim }) => {
      sim.settle();
      return json({ ...now(sim), position: sim.position });
    },
  },
  {
    method: "GET",
    path: "/log",
    summary: "The log as text, one commit a line, as replay reads it",
    type: "application/x-ndjson",
    answer: ({ sim }) => ({ lines: sim.log.lines() }),
  },
  {
    method: "GET",
    path: "/log/commits",
    summary: "Commits, from one position to another",
    query: { from: "the first position, 1 unless told", to: "the last, by default the present one" },
    answer: ({ sim, query }) => {
      const [from, to] = rangeIn(query, sim);
      return json(sim.log.commits().filter(({ position }) => position >= from && position <= to));
    },
  },
  {
    method: "GET",
    path: "/log/events",
    summary: "Facts, from one position to another",
    query: { from: "the first position, 1 unless told", to: "the last, by default the present one" },
    answer: ({ sim, query }) => {
      const [from, to] = rangeIn(query, sim);
      return json(sim.log.events().filter(({ position }) => position >= from && position <= to));
    },
  },
  {
    method: "GET",
    path: "/journal",
    summary: "The last requests and what they were answered",
    answer: ({ sim }) => json(sim.journal),
  },
  {
    method: "GET",
    path: "/state-hash",
    summary: "The hash of the state, by default of the present one",
    query: { at: PLACE_TEXT },
    answer: ({ sim, query: { at } }) => {
      const moment = at === undefined ? sim : sim.at(placeInText(at));
      return json({ position: moment.position, stateHash: moment.stateHash() });
    },
  },
  {
    method: "POST",
    path: "/marks",
    summary: "Gives the present a name",
    body: { name: { type: "string" } },
    required: ["name"],
    answer: ({ sim, body }) => {
      sim.mark(body["name"] as string);
      return json({ name: body["name"], position: sim.position, ...now(sim) });
    },
  },
  {
    method: "GET",
    path: "/diff",
    summary: "Where two places differ",
    query: { from: PLACE_TEXT, to: `${PLACE_TEXT}; by default the present` },
    answer: ({ sim, query: { from, to } }) => {
      if (from === undefined) throw new TypeError("from is missing: a position, an instant or a mark");
      return json(sim.diff(placeInText(from), to === undefined ? sim.position : placeInText(to)));
    },
  },
  {
    method: "GET",
    path: "/blame",
    summary: "The commit that last changed what stands at a path of the state",
    query: { path: 'such as secrets.main.replicated.mounts["ldap/"]' },
    answer: ({ sim, query: { path } }) => {
      if (path === undefined) throw new TypeError("path is missing: that of a value in the state");
      return json(sim.blame(path) ?? null);
    },
  },
  {
    method: "GET",
    path: "/explain/{position}",
    summary: "How a commit came about",
    query: { as: "json unless it is text" },
    answer: ({ sim, captures: { position = "" }, query: { as } }) => {
      const explanation = sim.explain(wholeIn("the position", position));
      return as === "text" ? { text: format(explanation) } : json(explanation);
    },
  },
  {
    method: "POST",
    path: "/rewrite",
    summary: "Decides the past again with changes in it; with serve, what came of it is served from now on",
    body: { edits: { type: "array", items: { type: "object" } }, serve: { type: "boolean", default: false } },
    required: ["edits"],
    answer: async ({ listener, sim, body: { edits, serve } }) => {
      const { fork, changed } = await sim.rewrite(edits as Edit[]);
      if (serve === true) await listener.reset(fork);
      return json({ changed, position: fork.position, served: serve === true });
    },
  },
  {
    method: "POST",
    path: "/reset",
    summary: "Goes back to a place, by default the beginning, and forgets what came after it",
    body: { to: PLACE },
    answer: async ({ listener, sim, body: { to = 0 } }) => {
      const fork = sim.fork(placeIn(to));
      await listener.reset(fork);
      return json({ position: fork.position, ...now(fork) });
    },
  },
  {
    method: "GET",
    path: "/scenarios",
    summary: "The ready-made stories",
    answer: async () => {
      const found = await Promise.all(builtInNames().map(builtIn));
      return json(found.map(({ scenario: { name, title } }) => ({ name, title })));
    },
  },
  {
    method: "POST",
    path: "/scenarios/{name}",
    summary: "Tells a story, in a world of its own; with serve, that world is served from now on",
    body: { seed: { type: ["string", "number"] }, serve: { type: "boolean", default: false } },
    answer: async ({ listener, captures: { name = "" }, body: { seed, serve } }) => {
      const names = builtInNames();
      if (!names.includes(name)) return { missing: `no scenario is named ${name}; there are ${names.join(", ")}` };
      const { scenario } = await builtIn(name);
      const report = await runScenario(scenario, seed === undefined ? {} : { seed: seed as string });
      if (serve === true) await listener.reset(report.sim);
      const steps = report.steps.map(({ error, ...step }) => ({
        ...step,
        ...(error === undefined ? {} : { error: messageOf(error) }),
      }));
      return json({ ok: report.ok, steps, cast: report.cast, position: report.sim.position, served: serve === true });
    },
  },
];
