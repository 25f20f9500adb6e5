import { parsePath, valueAt } from "../../../kernel/state-path.ts";
import { format } from "../../../simulator/format.ts";
import { LiveSimulator } from "../../../simulator/live-simulator.ts";
import { rehearseLog } from "../../../simulator/log.ts";
import type { WorldModel } from "../../../simulator/model.ts";
import { placeInText } from "../../../simulator/place.ts";
import type { Edit } from "../../../simulator/rewrite.ts";
import type { Simulator } from "../../../simulator/types.ts";
import { writesOf } from "../../logs/writes.ts";
import type { AdminAnswer, AdminRequest, AdminRoute, WorldSubject } from "../route.ts";
import { shape, shapeOrNull, shapes } from "../shapes.ts";
import { json, nowOf, PLACE, PLACE_TEXT, placeIn, wholeIn } from "./schemas.ts";

const PATH_TEXT = 'such as secrets.main.replicated.mounts["ldap/"]';

function rangeIn({ from = "1", to }: { readonly [name: string]: string }, sim: Simulator): readonly [number, number] {
  return [wholeIn("from", from), to === undefined ? sim.position : wholeIn("to", to)];
}

function given(name: string, value: string | undefined): string {
  if (value === undefined) throw new TypeError(`the query lacks ${name}`);
  return value;
}

function namesIn(path: string | undefined): readonly string[] {
  return parsePath(given("path", path));
}

function marked({ sim, body }: AdminRequest & WorldSubject): AdminAnswer {
  sim.mark(body["name"] as string);
  return json({ name: body["name"], position: sim.position, ...nowOf(sim) });
}

/** The history of a world, and the present as it can be changed by it. */
export const pastRoutes: readonly AdminRoute<WorldSubject>[] = [
  {
    method: "GET",
    path: "/log",
    id: "getLog",
    summary: "The log as text, one commit a line, as replay reads it",
    type: "application/x-ndjson",
    query: { journal: "true for a log with the journal" },
    answer: ({ sim, query: { journal } }) => ({ lines: sim.log.lines({ journal: journal === "true" }) }),
  },
  {
    method: "GET",
    path: "/log/commits",
    id: "listCommits",
    answers: shapes("Commit"),
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
    id: "listEvents",
    answers: shapes("Event"),
    summary: "Facts, from one position to another",
    query: { from: "the first position, 1 unless told", to: "the last, by default the present one" },
    answer: ({ sim, query }) => {
      const [from, to] = rangeIn(query, sim);
      return json(sim.log.events().filter(({ position }) => position >= from && position <= to));
    },
  },
  {
    method: "GET",
    path: "/state-hash",
    id: "getStateHash",
    answers: shape("StateHash"),
    summary: "The hash of the state, by default of the present one",
    query: { at: PLACE_TEXT },
    answer: ({ sim, query: { at } }) => {
      const moment = at === undefined ? sim : sim.at(placeInText(at));
      return json({ position: moment.position, stateHash: moment.stateHash() });
    },
  },
  {
    method: "POST",
    path: "/mark",
    id: "mark",
    answers: shape("Mark"),
    summary: "Gives the present a name",
    body: { name: { type: "string" } },
    required: ["name"],
    answer: marked,
  },
  {
    method: "POST",
    path: "/marks",
    id: "addMark",
    answers: shape("Mark"),
    summary: "As /mark",
    body: { name: { type: "string" } },
    required: ["name"],
    answer: marked,
  },
  {
    method: "GET",
    path: "/marks",
    id: "listMarks",
    answers: shapes("MarkInList"),
    summary: "The marks, in the order in which they were made",
    answer: ({ sim }) => {
      const { marks } = LiveSimulator.insideOf(sim).timeline;
      return json([...marks].map(([name, { position, atMs }]) => ({ name, position, atMs })));
    },
  },
  {
    method: "GET",
    path: "/diff",
    id: "diff",
    answers: shapes("Difference"),
    summary: "Where two places differ",
    query: { from: PLACE_TEXT, to: `${PLACE_TEXT}; by default the present` },
    answer: ({ sim, query: { from, to } }) => {
      return json(sim.diff(placeInText(given("from", from)), to === undefined ? sim.position : placeInText(to)));
    },
  },
  {
    method: "GET",
    path: "/state",
    id: "getState",
    summary: "What stands at a path of the state",
    query: { path: PATH_TEXT, at: `${PLACE_TEXT}; by default the present` },
    answer: ({ sim, query: { path, at } }) => {
      const { value } = valueAt((at === undefined ? sim : sim.at(placeInText(at))).state, namesIn(path));
      return value === undefined ? { missing: `nothing stands at ${path}` } : json(value);
    },
  },
  {
    method: "GET",
    path: "/blame",
    id: "blame",
    answers: shapeOrNull("Commit"),
    summary: "The commit that last changed what stands at a path of the state",
    query: { path: PATH_TEXT },
    answer: ({ sim, query: { path } }) => {
      return json(sim.blame(given("path", path)) ?? null);
    },
  },
  {
    method: "GET",
    path: "/history",
    id: "getHistory",
    answers: shape("History"),
    summary: "Every commit that wrote what stands at a path of the state, and what it wrote",
    query: { path: PATH_TEXT },
    answer: ({ sim, query: { path } }) => {
      const born = valueAt(sim.at(0).state, namesIn(path)).value;
      return json({ path, born: born ?? null, writes: writesOf(sim, given("path", path)) });
    },
  },
  {
    method: "GET",
    path: "/explain/{position}",
    id: "explain",
    answers: shape("Explanation"),
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
    id: "rewrite",
    answers: shape("Rewritten"),
    summary: "Decides the past again with changes in it; with serve, what came of it is served from now on",
    body: { edits: { type: "array", items: { type: "object" } }, serve: { type: "boolean", default: false } },
    required: ["edits"],
    answer: async ({ world, sim, body: { edits, serve } }) => {
      const { fork, changed } = await sim.rewrite(edits as Edit[]);
      if (serve === true) await world.reset(fork);
      return json({ changed, position: fork.position, served: serve === true });
    },
  },
  {
    method: "POST",
    path: "/reset",
    id: "reset",
    answers: shape("Place"),
    summary: "Goes back to a place, by default the beginning, and forgets what came after it",
    body: { to: PLACE },
    answer: async ({ world, sim, body: { to = 0 } }) => {
      const fork = sim.fork(placeIn(to));
      await world.reset(fork);
      return json({ position: fork.position, ...nowOf(fork) });
    },
  },
  {
    method: "GET",
    path: "/rehearse",
    id: "rehearse",
    answers: shape("Rehearsal"),
    summary: "Decides every command of the log again, and tells the first that today's rules decide otherwise",
    answer: async ({ sim }) =>
      json(await rehearseLog(LiveSimulator.insideOf(sim).timeline.model as WorldModel, sim.log.lines())),
  },
];
