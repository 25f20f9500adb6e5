import { type TraceFailure, traceHtml } from "../../../inspector/trace-html.ts";
import { isObject } from "../../../languages/objects.ts";
import { LiveSimulator } from "../../../simulator/live-simulator.ts";
import { removeRequestFault, requestFaults } from "../../../surroundings/faults/handle.ts";
import { locationOutside } from "../../listener/places.ts";
import type { AdminAnswer, AdminRoute, WorldSubject } from "../route.ts";
import { shapeOrNull, shapes } from "../shapes.ts";
import { json, wholeIn } from "./schemas.ts";

/** The journal with the URLs at which the listener was asked. */
function journalOf({ world, sim }: WorldSubject): readonly object[] {
  const { hosts } = LiveSimulator.insideOf(sim);
  const served = { services: hosts.services, state: sim.state as never };
  return sim.journal.map((entry) => {
    if (entry.kind !== "request") return entry;
    const url = locationOutside(served, entry.request.url, (place) => world.urlOf(place));
    return { ...entry, request: { ...entry.request, url } };
  });
}

async function pageOfWorld({ sim }: WorldSubject, title: unknown, failure?: unknown): Promise<AdminAnswer> {
  const page = await traceHtml(sim, {
    ...(title === undefined ? {} : { title: title as string }),
    ...(failure === undefined ? {} : { failure: failure as TraceFailure }),
  });
  return { page };
}

const FAILURE = {
  type: "object",
  properties: {
    message: { type: "string" },
    stack: { type: "string" },
    diff: { type: "string" },
    source: { type: "string" },
  },
  required: ["message"],
} as const;

/** What programs did, what a test believes, and what happens to requests. */
export const deedRoutes: readonly AdminRoute<WorldSubject>[] = [
  {
    method: "GET",
    path: "/journal",
    id: "getJournal",
    answers: shapes("JournalEntry"),
    summary: "The last requests and what they were answered, notes, moves of the clock and marks",
    answer: (asked) => json(journalOf(asked)),
  },
  {
    method: "GET",
    path: "/programs",
    id: "listPrograms",
    answers: shapes("Program"),
    summary: "The programs that have asked, in the order of their making",
    answer: ({ sim }) => json(sim.programs().map(({ name }) => ({ name }))),
  },
  {
    method: "POST",
    path: "/notes",
    id: "addNote",
    summary: "Notes what a test or a program believes: an entry of the journal, and no fact",
    body: { data: {}, program: { type: "string", description: "author unless told" } },
    required: ["data"],
    answer: ({ sim, body: { data, program } }) => {
      if (program === undefined) sim.note(data);
      else sim.program(program as string).note(data);
      return { nothing: true };
    },
    status: 204,
  },
  {
    method: "GET",
    path: "/why/{n}",
    id: "getWhy",
    answers: shapeOrNull("Why"),
    summary: "Why request n of the journal was refused; null where it was not",
    answer: ({ sim, captures: { n = "" } }) => {
      const number = wholeIn("n", n);
      const entry = sim.journal.find((one) => one.kind === "request" && one.n === number);
      if (entry === undefined) return { missing: `the journal holds no request ${number}` };
      return json(sim.why(entry) ?? null);
    },
  },
  {
    method: "GET",
    path: "/request-faults",
    id: "listRequestFaults",
    answers: shapes("RequestFault"),
    summary: "The rules that let something happen to requests, made by /control/faults/requests",
    answer: ({ sim }) => json(requestFaults(LiveSimulator.insideOf(sim).host)),
  },
  {
    method: "DELETE",
    path: "/request-faults/{id}",
    id: "removeRequestFault",
    summary: "Removes a rule",
    answer: ({ sim, captures: { id = "" } }) => {
      const { host } = LiveSimulator.insideOf(sim);
      const number = wholeIn("id", id);
      if (!requestFaults(host).some((rule) => rule.id === number)) return { missing: `no rule has the id ${number}` };
      removeRequestFault(host, "control", number);
      return { nothing: true };
    },
    status: 204,
  },
  {
    method: "GET",
    path: "/page",
    id: "getPage",
    summary: "The world as a page in one file, to be opened in a browser",
    query: { title: "what the page is called" },
    type: "text/html",
    answer: (asked) => pageOfWorld(asked, asked.query["title"]),
  },
  {
    method: "POST",
    path: "/page",
    id: "makePage",
    summary: "The same, for a test that failed",
    body: { title: { type: "string" }, failure: FAILURE },
    type: "text/html",
    answer: (asked) => {
      const { title, failure } = asked.body;
      if (failure !== undefined && !isObject(failure)) throw new TypeError("failure must be an object with a message");
      return pageOfWorld(asked, title, failure);
    },
  },
];
