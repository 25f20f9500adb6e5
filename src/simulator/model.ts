import type { Calendar } from "../kernel/calendar.ts";
import type { Caller, EventOf } from "../kernel/commit.ts";
import type { Decider } from "../kernel/decision.ts";
import { type Folds, inWorld, withinFlat } from "../kernel/evolvers.ts";
import type { HandlePlace } from "../kernel/handle.ts";
import type { Model, Upcasters } from "../kernel/model.ts";
import { withMember } from "../kernel/parts.ts";
import { deepFreeze, type Plain } from "../kernel/plain.ts";
import { seedKey } from "../kernel/randomness.ts";
import { Timeline } from "../kernel/timeline.ts";
import { versionsOf } from "../kernel/upcast.ts";
import { shown } from "../languages/shown.ts";
import { WORDS } from "../languages/vocabulary/worded.ts";
import { deciderIn, type ServiceModule } from "../services/kit/module.ts";
import { scheduleFault } from "../surroundings/faults/control.ts";
import { requestFaultControls } from "../surroundings/faults/requests.ts";
import {
  FAULT_DUE,
  type FaultsEvents,
  type FaultsWorld,
  faultsEvolvers,
  type ScheduledFaults,
  withFaults,
} from "../surroundings/faults/state.ts";
import { networkControls } from "../surroundings/network/control.ts";
import {
  type Network,
  type NetworkEvents,
  type NetworkWorld,
  networkEvolvers,
  withNetwork,
} from "../surroundings/network/state.ts";
import { wordsNamed } from "./read-vocabulary.ts";
import type { Settings, World, WorldEvents, WorldTimeline } from "./world.ts";

/** A service of the world. */
export type WorldService = ServiceModule<World>;

/** The world as the kernel keeps it, and the services that are in it. */
export interface WorldModel extends Model<World, WorldEvents> {
  readonly services: readonly WorldService[];
}

/** The services of a line of time: each one of a simulator began with the model of a world. */
export function servicesOf({ model }: Pick<WorldTimeline, "model">): readonly WorldService[] {
  return (model as WorldModel).services;
}

/** Whether a handle stands for a place that is there. */
export function isPlace(services: readonly WorldService[], world: World, place: HandlePlace): boolean {
  const name = JSON.stringify(place);
  return services.some(({ http }) =>
    http.origins(world).some((origins) => [...origins.values()].some((known) => JSON.stringify(known) === name)),
  );
}

/** Whether a handle stands for where requests arrive: a place, or a service that is one. */
export function isEnd(services: readonly WorldService[], world: World, place: HandlePlace): boolean {
  const service = place["service"];
  return service === undefined ? isPlace(services, world, place) : services.some(({ name }) => name === service);
}

type WorldDecider = Decider<World, EventOf<WorldEvents>>;

/** Puts the world of some services together. */
export function modelOf(services: readonly WorldService[]): WorldModel {
  const deciderOf: WorldModel["deciderOf"] = (command) => {
    const { name } = command;
    if (name.startsWith(FAULT_DUE)) return faultDecider(deciderOf, name);
    for (const { decides } of services) {
      const decider = decides.deciderOf(command);
      if (decider !== undefined) return decider as WorldDecider;
    }
    if (name === "control.faults.failNextRequests") return failureDecider(services);
    if (name === "control.faults.schedule") return scheduleFault;
    return (deciderIn(networkControls, name, undefined) ?? deciderIn(requestFaultControls, name, undefined)) as
      | WorldDecider
      | undefined;
  };
  const upcasters: Upcasters = Object.fromEntries(
    services.flatMap(({ state }) => Object.entries(state.upcasters ?? {})),
  );
  return {
    services,
    upcasters,
    versions: versionsOf(upcasters),
    // Each service folds its own facts, into a world with all that it was given.
    folds: Object.assign({}, surroundingFolds, ...services.map(({ state }) => state.folds)) as Folds<
      World,
      WorldEvents
    >,
    putsBack: (commit) => services.some(({ state }) => state.putsBack?.(commit) === true),
    settle: (before, after, meta) => {
      let settled = after;
      for (const { state } of services) settled = (state.settle?.(before, settled, meta) ?? settled) as World;
      return settled;
    },
    calendars: (world) => {
      const awake: Calendar[] = [];
      for (const { state } of services) state.addCalendars(world, awake);
      if (world.faults !== undefined) awake.push(world.faults.calendar);
      return awake;
    },
    calendarPlace: (world, index, deadline) => {
      let after = index;
      for (const { state } of services) {
        const own: Calendar[] = [];
        state.addCalendars(world, own);
        if (after < own.length) return state.calendarPlace(world, after, deadline);
        after -= own.length;
      }
      if (after === 0 && world.faults !== undefined) return { owner: {}, place: { part: FAULTS } };
      throw new RangeError(`no calendar has the index ${index}`);
    },
    withCalendar: (world, caller, change) => {
      const place = caller as { readonly [key: string]: string };
      if (place["part"] === FAULTS) {
        return withFaults(world, {}, (faults) => withMember(faults, "calendar", change)) as World;
      }
      for (const { state } of services) {
        const changed = state.withCalendar(world, place, change);
        if (changed !== undefined) return changed as World;
      }
      return world;
    },
    deciderOf,
  };
}

/** What a world begins with; settings that are left out are as they always are. */
export type WorldBirth = Pick<Settings, "startAtMs"> & Partial<Settings> & { readonly seed: string };

/** A world of some services in which nothing has happened. */
export function newWorldOf(services: readonly WorldService[], birth: WorldBirth): World {
  const { seed, startAtMs, vocabulary } = birth;
  const parts = services.map(({ options }) => options.newPart(birth as never, seed, startAtMs));
  const words = vocabulary === undefined ? {} : { [WORDS]: wordsNamed(services, vocabulary) };
  return deepFreeze(Object.assign(words, ...parts) as World);
}

/** The beginning of a simulator's time. */
export function beginWorldOf(model: WorldModel, settings: Settings): WorldTimeline {
  const { seed, startAtMs, checkpointEvery } = settings;
  const initialState = newWorldOf(model.services, { ...settings, seed: seedKey(seed) });
  return Timeline.begin(model, { seed, startAtMs, checkpointEvery, initialState });
}

const surroundingFolds = {
  ...inWorld<World, NetworkWorld, NetworkEvents>(
    withinFlat<NetworkWorld, Network, NetworkEvents>(withNetwork, networkEvolvers),
  ),
  ...inWorld<World, FaultsWorld, FaultsEvents>(
    withinFlat<FaultsWorld, ScheduledFaults, FaultsEvents>(withFaults, faultsEvolvers),
  ),
};

/** The place of faults that are scheduled: nobody owns them. */
const FAULTS = "faults";

/** A failure is injected into the service that is named: by its name, or by the handle of one of its places. */
function failureDecider(services: readonly WorldService[]): WorldDecider {
  return (decision, input) => {
    const service: unknown = (input as { readonly service?: unknown } | null)?.service;
    const meant = services.find(({ decides }) => decides.failNextRequests.isFor(service));
    if (meant === undefined) throw new TypeError(`failNextRequests: ${shown(service)} is no service of this simulator`);
    return (meant.decides.failNextRequests.decide as WorldDecider)(decision, input);
  };
}

/** A call that was scheduled is that call, now. What has become of the world since may refuse it: then it leaves nothing. */
function faultDecider(deciderOf: WorldModel["deciderOf"], name: string): WorldDecider {
  return (decision, due) => {
    const { input, caller } = due as { readonly input: Plain; readonly caller: Caller };
    const decide = deciderOf({ name: `control.${name.slice(FAULT_DUE.length)}`, input, caller, via: "timer" });
    if (decide === undefined) throw new TypeError(`${name} is no call that can be scheduled`);
    decision.attempt(() => decide(decision, input));
  };
}
