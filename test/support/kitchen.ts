import { setup } from "xstate";
import { type EpochMs, epochMs } from "../../src/kernel/brand.ts";
import { arm, type Calendar, type Deadline, type DeadlineKey, disarm } from "../../src/kernel/calendar.ts";
import { VirtualClock } from "../../src/kernel/clock.ts";
import type { Caller, Command, Commit, EventOf } from "../../src/kernel/commit.ts";
import type { Decider, Decision } from "../../src/kernel/decision.ts";
import type { Evolvers } from "../../src/kernel/evolvers.ts";
import type { Model } from "../../src/kernel/model.ts";
import { type Outcome, type Refusals, refusalsOf } from "../../src/kernel/outcome.ts";
import { withMember } from "../../src/kernel/parts.ts";
import { copyPlain, deepFreeze } from "../../src/kernel/plain.ts";
import { Table } from "../../src/kernel/table.ts";
import { Timeline } from "../../src/kernel/timeline.ts";
import { throughout } from "./throughout.ts";

// A toy world that has everything the kernel knows: two stoves with a calendar each, which sleeps while the stove is off;
// dishes whose deadline serves them; a chart; and tickets, which follow by themselves when dishes change.

type StoveName = "gas" | "oven";

export interface Kitchen {
  readonly stoves: { readonly [S in StoveName]: Stove };
  readonly notes: readonly string[];
  /** The positions of the commits that changed what is on a stove: written by nobody, added by settling. */
  readonly tickets: readonly number[];
}

interface Stove {
  readonly on: boolean;
  readonly dishes: Table<Dish>;
  readonly calendar: Calendar;
}

interface Dish {
  readonly status: "cooking" | "served";
  readonly doneAtMs: EpochMs;
  /** Drawn when it was put on. */
  readonly label: string;
  readonly deadline?: DeadlineKey;
}

export interface KitchenEvents {
  DishStarted: DishAt & { readonly doneAtMs: EpochMs; readonly label: string };
  /** It takes until another instant. */
  DishStirred: DishAt & { readonly doneAtMs: EpochMs };
  DishServed: DishAt & { readonly status: "served" };
  DishThrownAway: DishAt;
  StoveSwitched: { readonly stove: StoveName; readonly on: boolean };
  NoteWritten: { readonly text: string };
}

interface DishAt {
  readonly stove: StoveName;
  readonly dish: string;
}

export type KitchenEvent = EventOf<KitchenEvents>;
export type KitchenDecision = Decision<Kitchen, KitchenEvent>;
export type KitchenDecider = Decider<Kitchen, KitchenEvent>;

export interface KitchenRefusals {
  dish_is_cooking: { readonly dish: string };
  dish_not_cooking: { readonly dish: string };
  out_of_gas: Record<never, never>;
}

export const { refuse, failKeepingFacts }: Refusals<KitchenRefusals> = refusalsOf<KitchenRefusals>();

const dishMachine = setup({
  types: {
    context: {} as { readonly stirred: boolean },
    events: {} as { readonly type: "stir" } | { readonly type: "ring" },
  },
}).createMachine({
  id: "dish",
  context: { stirred: false },
  initial: "cooking",
  states: {
    cooking: { on: { stir: { target: "cooking" }, ring: { target: "served" } } },
    served: { type: "final" },
  },
});

const kitchenEvolvers: Evolvers<Kitchen, KitchenEvents> = {
  DishStarted: (kitchen, { stove: name, dish, doneAtMs, label }, meta) => {
    const stove = kitchen.stoves[name];
    disarm(stove, stove.dishes.get(dish)?.deadline);
    const deadline = arm(stove, doneAtMs, ringFor(name, dish), meta);
    const cooking: Dish = { status: "cooking", doneAtMs, label };
    stove.dishes = stove.dishes.set(dish, deadline === undefined ? cooking : { ...cooking, deadline });
  },
  DishStirred: (kitchen, { stove: name, dish, doneAtMs }, meta) => {
    const stove = kitchen.stoves[name];
    const before = stove.dishes.get(dish);
    if (before === undefined) return;
    const { deadline: armed, ...rest } = before;
    disarm(stove, armed);
    const deadline = arm(stove, doneAtMs, ringFor(name, dish), meta);
    stove.dishes = stove.dishes.set(dish, { ...rest, doneAtMs, ...(deadline === undefined ? {} : { deadline }) });
  },
  DishServed: (kitchen, { stove: name, dish, status }) => {
    const stove = kitchen.stoves[name];
    const before = stove.dishes.get(dish);
    if (before === undefined) return;
    const { deadline, ...rest } = before;
    disarm(stove, deadline);
    stove.dishes = stove.dishes.set(dish, { ...rest, status });
  },
  DishThrownAway: (kitchen, { stove: name, dish }) => {
    const stove = kitchen.stoves[name];
    disarm(stove, stove.dishes.get(dish)?.deadline);
    stove.dishes = stove.dishes.delete(dish);
  },
  StoveSwitched: (kitchen, { stove, on }) => {
    kitchen.stoves[stove].on = on;
  },
  NoteWritten: (kitchen, { text }) => {
    kitchen.notes.push(text);
  },
};

function ringFor(stove: StoveName, dish: string): Deadline {
  return { command: "timer.dishDone", input: { stove, dish } };
}

type DishInput = { readonly stove: StoveName; readonly dish: string; readonly ms: number };

/** The commands that every kitchen knows. */
const OWN_DECIDERS: Readonly<Record<string, KitchenDecider>> = {
  /** Puts a dish on: it is done so many milliseconds from now. */
  cook: (decision, input) => {
    const { stove, dish, ms } = input as DishInput;
    if (decision.state.stoves[stove].dishes.get(dish)?.status === "cooking") refuse("dish_is_cooking", { dish });
    const label = decision.draw.base62(8);
    decision.record({
      type: "DishStarted",
      data: { stove, dish, doneAtMs: epochMs(decision.nowMs + ms), label },
    });
    return label;
  },
  stir: (decision, input) => {
    const { stove, dish, ms } = input as DishInput;
    const before = decision.state.stoves[stove].dishes.get(dish);
    const next =
      before === undefined ? undefined : decision.step(dishMachine, before.status, { stirred: true }, { type: "stir" });
    if (next === undefined) refuse("dish_not_cooking", { dish });
    decision.record({ type: "DishStirred", data: { stove, dish, doneAtMs: epochMs(decision.nowMs + ms) } });
  },
  /** What is not there is thrown away already. */
  throwAway: (decision, input) => {
    const { stove, dish } = input as DishInput;
    if (!decision.state.stoves[stove].dishes.has(dish)) return;
    decision.record({ type: "DishThrownAway", data: { stove, dish } });
  },
  switchStove: (decision, input) => {
    decision.record({ type: "StoveSwitched", data: input as KitchenEvents["StoveSwitched"] });
  },
  note: (decision, input) => {
    decision.record({ type: "NoteWritten", data: { text: (input as { readonly text: string }).text } });
  },
  "timer.dishDone": (decision, input) => {
    const { stove, dish } = input as DishInput;
    const before = decision.state.stoves[stove].dishes.get(dish);
    if (before === undefined) return;
    const next = decision.step(dishMachine, before.status, { stirred: false }, { type: "ring" });
    if (next?.value !== "served") return;
    decision.record({ type: "DishServed", data: { stove, dish, status: next.value } });
  },
};

const STOVES: readonly StoveName[] = ["gas", "oven"];

function awakeStoves({ stoves }: Kitchen): readonly StoveName[] {
  return STOVES.filter((name) => stoves[name].on);
}

/** A kitchen's model; deciders given here stand before its own of the same name. */
export function kitchenModel(
  deciders: Readonly<Record<string, KitchenDecider>> = {},
  more: Partial<Model<Kitchen, KitchenEvents>> = {},
): Model<Kitchen, KitchenEvents> {
  return {
    folds: throughout(kitchenEvolvers),
    settle: printTickets,
    calendars: (kitchen) => awakeStoves(kitchen).map((name) => kitchen.stoves[name].calendar),
    calendarPlace: (kitchen, index) => {
      const stove = awakeStoves(kitchen)[index] as StoveName;
      return { owner: { stove }, place: { stove } };
    },
    withCalendar: (kitchen, { stove }, change) =>
      stove === "gas" || stove === "oven"
        ? withMember(kitchen, "stoves", (stoves) =>
            withMember(stoves, stove, (holder) => withMember(holder, "calendar", change)),
          )
        : kitchen,
    deciderOf: ({ name }) => deciders[name] ?? OWN_DECIDERS[name],
    ...more,
  };
}

function printTickets(before: Kitchen, after: Kitchen, { position }: { readonly position: number }): Kitchen {
  if (STOVES.every((name) => before.stoves[name].dishes === after.stoves[name].dishes)) return after;
  return deepFreeze({ ...after, tickets: [...after.tickets, position] });
}

export function newKitchen(): Kitchen {
  const stove: Stove = { on: true, dishes: Table.of<Dish>(), calendar: Table.of<Deadline>() };
  return deepFreeze({ stoves: { gas: stove, oven: stove }, notes: [], tickets: [] });
}

export type KitchenTimeline = Timeline<Kitchen, KitchenEvents>;

export const START_MS = epochMs(1_000_000);

/** An instant, counted from the start of a kitchen. */
export const afterStart = (ms: number): EpochMs => epochMs(START_MS + ms);

export interface OpenKitchen {
  readonly timeline: KitchenTimeline;
  readonly clock: VirtualClock<Kitchen, KitchenEvents>;
  /** Decides a command, as a call of nobody in particular. */
  ask(name: string, input?: unknown, caller?: Caller): Outcome<unknown>;
  /** What the log says, in short: `2@+500 timer.dishDone DishServed`. */
  log(): string[];
}

/** Opens a kitchen. */
export function openKitchen(
  options: {
    readonly deciders?: Readonly<Record<string, KitchenDecider>>;
    readonly model?: Partial<Model<Kitchen, KitchenEvents>>;
    readonly seed?: number | string;
    readonly checkpointEvery?: number;
    readonly firingsPerStep?: number;
  } = {},
): OpenKitchen {
  const timeline = Timeline.begin(kitchenModel(options.deciders, options.model), {
    seed: options.seed ?? 1,
    startAtMs: START_MS,
    initialState: newKitchen(),
    checkpointEvery: options.checkpointEvery ?? 4,
  });
  return opened(timeline, options.firingsPerStep);
}

/** A kitchen around a timeline, such as a branch of another one's. */
export function opened(timeline: KitchenTimeline, firingsPerStep = 1_000): OpenKitchen {
  return {
    timeline,
    clock: new VirtualClock(timeline, firingsPerStep),
    ask: (name, input = {}, caller = null) => timeline.execute(callOf(name, input, caller)),
    log: () => commitsOf(timeline).map(shortly),
  };
}

export function callOf(name: string, input: unknown = {}, caller: Caller = null): Command {
  return { name, input: copyPlain(input), caller, via: "call" };
}

/** All commits of a timeline. */
export function commitsOf(timeline: KitchenTimeline): Commit[] {
  return [...timeline.history.commits(1, timeline.position)];
}

function shortly({ position, atMs, command, events, failed }: Commit): string {
  const facts = events.map(({ type }) => type).join(" ") || "nothing";
  return `${position}@+${atMs - START_MS} ${command.name} ${facts}${failed === undefined ? "" : ` failed ${failed}`}`;
}
