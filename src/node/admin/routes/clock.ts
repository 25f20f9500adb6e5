import type { Instant } from "../../../languages/instant.ts";
import { shown } from "../../../languages/shown.ts";
import type { AdminAnswer, AdminRequest, AdminRoute, WorldSubject } from "../route.ts";
import { shape } from "../shapes.ts";
import { DURATION, INSTANT, json, nowOf } from "./schemas.ts";

/** Not `const: true`: generators of other languages stumble over that. */
const TRUE = { type: "boolean", description: "true" } as const;

/** Moves of the clock by the member that asks for each. */
const MOVES: {
  readonly [member: string]: (world: WorldSubject, value: unknown) => object | Promise<object>;
} = {
  advance: ({ sim }, by) => sim.clock.advance(by as string),
  advanceTo: ({ sim }, instant) => sim.clock.advanceTo(instant as Instant),
  run: ({ sim }, by) => sim.clock.run(by as string),
  next: ({ sim }, value) => {
    refuseUnlessTrue("next", value);
    return sim.clock.next();
  },
  follow: ({ world }, factor) => {
    world.followClock({ factor: factor as number });
    return [];
  },
  stop: ({ world }, value) => {
    refuseUnlessTrue("stop", value);
    world.stopClock();
    return [];
  },
};

async function moved(asked: AdminRequest & WorldSubject): Promise<AdminAnswer> {
  const [move, ...others] = Object.entries(asked.body);
  if (move === undefined || others.length > 0) {
    throw new TypeError(`the body must have one of ${Object.keys(MOVES).join(", ")}; got ${shown(asked.body)}`);
  }
  const fired = await MOVES[move[0]]?.(asked, move[1]);
  return json({ ...nowOf(asked.sim), fired });
}

function refuseUnlessTrue(member: string, value: unknown): void {
  if (value !== true) throw new TypeError(`${member} must be true; got ${shown(value)}`);
}

/** The virtual time of a world. */
export const clockRoutes: readonly AdminRoute<WorldSubject>[] = [
  {
    method: "PUT",
    path: "/clock",
    id: "putClock",
    answers: shape("ClockMoved"),
    summary: "Moves the clock in one of several ways, lets it follow the real one so many times as fast, or stops it",
    body: {
      advance: DURATION,
      advanceTo: INSTANT,
      run: DURATION,
      next: TRUE,
      follow: { type: "number", exclusiveMinimum: 0 },
      stop: TRUE,
    },
    answer: moved,
  },
  {
    method: "GET",
    path: "/clock",
    id: "getClock",
    answers: shape("Clock"),
    summary: "The virtual instant, the deadlines that wait, and who waits for what",
    answer: ({ sim }) => json({ ...nowOf(sim), pending: sim.clock.pending(), waiting: sim.clock.waiting() }),
  },
  {
    method: "POST",
    path: "/clock/advance",
    id: "advanceClock",
    answers: shape("ClockMoved"),
    summary: "Moves the clock on by a duration",
    body: { duration: DURATION },
    required: ["duration"],
    answer: ({ sim, body }) => {
      const fired = sim.clock.advance(body["duration"] as string);
      return json({ ...nowOf(sim), fired });
    },
  },
  {
    method: "POST",
    path: "/clock/advanceTo",
    id: "advanceClockTo",
    answers: shape("ClockMoved"),
    summary: "Moves the clock on to an instant",
    body: { instant: INSTANT },
    required: ["instant"],
    answer: ({ sim, body }) => {
      const fired = sim.clock.advanceTo(body["instant"] as Instant);
      return json({ ...nowOf(sim), fired });
    },
  },
  {
    method: "POST",
    path: "/clock/next",
    id: "nextDeadline",
    answers: shape("ClockMoved"),
    summary: "Jumps to the next deadline",
    answer: ({ sim }) => {
      const fired = sim.clock.next();
      return json({ ...nowOf(sim), fired });
    },
  },
  {
    method: "POST",
    path: "/clock/run",
    id: "runClock",
    answers: shape("ClockMoved"),
    summary: "Moves the clock on by a duration, and lets those who wait go on between deadlines",
    body: { duration: DURATION, quietTurns: { type: "integer", minimum: 1 } },
    required: ["duration"],
    answer: async ({ sim, body: { duration, quietTurns } }) => {
      const options = quietTurns === undefined ? {} : { quietTurns: quietTurns as number };
      const fired = await sim.clock.run(duration as string, options);
      return json({ ...nowOf(sim), fired });
    },
  },
  {
    method: "POST",
    path: "/clock/follow",
    id: "followClock",
    answers: shape("Now"),
    summary: "Lets the clock follow the real one, so many times as fast",
    body: { factor: { type: "number", exclusiveMinimum: 0, default: 1 } },
    answer: ({ world, sim, body: { factor } }) => {
      world.followClock(factor === undefined ? {} : { factor: factor as number });
      return json(nowOf(sim));
    },
  },
  {
    method: "POST",
    path: "/clock/stop",
    id: "stopClock",
    answers: shape("Now"),
    summary: "Lets the clock stand still",
    answer: ({ world, sim }) => {
      world.stopClock();
      return json(nowOf(sim));
    },
  },
  {
    method: "POST",
    path: "/settle",
    id: "settle",
    answers: shape("Place"),
    summary: "Lets what is in flight between clusters and regions arrive",
    answer: ({ sim }) => {
      sim.settle();
      return json({ ...nowOf(sim), position: sim.position });
    },
  },
];
