import { type EpochMs, epochMs } from "../kernel/brand.ts";
import type { Command, Via } from "../kernel/commit.ts";
import { placeOfHandle } from "../kernel/handle.ts";
import type { Host } from "../kernel/host.ts";
import type { Plain } from "../kernel/plain.ts";
import { type Duration, durationMs } from "../languages/duration.ts";
import { type Instant, instantMs, isInstantText } from "../languages/instant.ts";
import { shown } from "../languages/shown.ts";
import { failNextRequests } from "../services/kit/request-failures.ts";
import { FAULT_SOURCES, type ScheduleInput } from "../surroundings/faults/control.ts";
import { type Known, type RequestFaultRule, requestFault } from "../surroundings/faults/handle.ts";
import { isEnd, isPlace, type WorldService } from "./model.ts";
import type { FailRequestsOptions, Faults, InjectedFaults } from "./types.ts";
import type { World } from "./world.ts";

/** The calls of `sim.faults` that happen at once; `via` is the door whose calls they are. */
export function injectedFaults(host: Host<World>, via: Via, services: readonly WorldService[]): InjectedFaults {
  const ofServices = services.map(({ calls }) => calls.ofFaults?.(host, via));
  const own = {
    failNextRequests: (options: FailRequestsOptions) => failRequests(host, via, services, options),
    requests: (rule: RequestFaultRule<unknown>) => requestFault(host, via, knownIn(host, services), rule),
  };
  return Object.freeze(Object.assign(own, ...ofServices)) as InjectedFaults;
}

/** What rules may name. */
function knownIn(host: Host<World>, services: readonly WorldService[]): Known {
  return {
    isPlace: (place) => isEnd(services, host.state, place),
    services: services.map(({ name }) => name),
    operations: (name) => services.some(({ registry }) => registry.byName.has(name)),
  };
}

function failRequests(
  host: Host<World>,
  via: Via,
  services: readonly WorldService[],
  options: FailRequestsOptions | undefined,
): void {
  const { service }: { readonly service?: unknown } = options ?? {};
  const place = placeOfHandle(service);
  if (
    typeof service === "object" &&
    service !== null &&
    (place === undefined || !isPlace(services, host.state, place))
  ) {
    throw new TypeError(`failNextRequests: ${shown(service)} is no handle of this simulator`);
  }
  failNextRequests(host, via, place === undefined ? options : { ...options, service: place });
}

/** What scheduling takes of a simulator: its handles over another host, and a try of a command that leaves nothing. */
export interface Scheduling {
  readonly services: readonly WorldService[];
  /** The simulator's handles, whose calls reach a host. */
  readonly handlesOver: (host: Host<World>) => object;
  /** @throws TypeError for a command whose arguments are wrong */
  readonly rehearse: (command: Command) => void;
}

/** `sim.faults`. */
export function faultsHandle(host: Host<World>, via: Via, scheduling: Scheduling): Faults {
  return Object.freeze({
    ...injectedFaults(host, via, scheduling.services),
    schedule: (when, fault) => {
      const dueAtMs = dueAt(when, host.nowMs);
      const { name, input, caller } = commandOf(host, scheduling, fault);
      scheduling.rehearse({ name, input, caller, via });
      const scheduled: ScheduleInput = { dueAtMs, fault: { type: name.slice("control.".length), input, caller } };
      host.execute(
        { name: "control.faults.schedule", input: scheduled as unknown as Plain, caller: null, via },
        () => undefined,
      );
    },
  } satisfies Faults);
}

/** A text with a zone is an instant, all other texts and numbers are durations. Whoever decides knows which have passed. */
function dueAt(when: Duration | Instant, nowMs: EpochMs): EpochMs {
  const isInstant = when instanceof Date || (typeof when === "string" && isInstantText(when));
  return epochMs(isInstant ? instantMs(when) : nowMs + durationMs(when));
}

/** The command that a call would make: the call is made, to a host that only takes it down. */
function commandOf(host: Host<World>, { handlesOver }: Scheduling, fault: unknown): Command {
  const { type, args } = readFault(fault);
  const made: Command[] = [];
  const listening: Host<World> = {
    state: host.state,
    nowMs: host.nowMs,
    position: host.position,
    origin: host.origin,
    explainsOverHttp: false,
    programs: host.programs,
    program: host.program,
    journal: undefined,
    turns: host.turns,
    takesCommands: true,
    execute: (command) => {
      made.push(command);
      return undefined as never;
    },
    serve: () => host.serve(),
    wait: () => undefined,
    later: () => undefined,
    comeUp: () => undefined,
    hold: (_, work) => work,
  };
  callNamed(handlesOver(listening), type, args);
  const [command] = made;
  if (command === undefined) throw new TypeError(`faults.schedule: ${type} changes nothing, so it is no fault`);
  return command;
}

function readFault(fault: unknown): { readonly type: string; readonly args: readonly unknown[] } {
  if (typeof fault !== "object" || fault === null) {
    throw new TypeError(
      `faults.schedule: ${shown(fault)} is no fault: it is { type: "network.cut", args: [east, west] }`,
    );
  }
  const { type, args = [], ...others } = fault as { readonly type?: unknown; readonly args?: unknown };
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new TypeError(`faults.schedule: ${other} is no member of a fault: there are type and args`);
  if (typeof type !== "string")
    throw new TypeError(`faults.schedule: the type is ${shown(type)}, and has to be a string`);
  if (!Array.isArray(args)) throw new TypeError(`faults.schedule: args is ${shown(args)}, and has to be an array`);
  return { type, args };
}

type Call = (...args: readonly unknown[]) => unknown;

/** Makes a call by its name below `sim.`; of one server its URL is the first argument. */
function callNamed(handles: object, type: string, args: readonly unknown[]): void {
  const [source = "", ...names] = type.split(".");
  const sources = FAULT_SOURCES.filter((name) => name in handles);
  const handle = sources.includes(source) ? ownMember(handles, source) : undefined;
  const ofServer = names.length === 2 && names[0] === "server";
  const server = ofServer ? callOf(handle, "server")?.(args[0]) : undefined;
  const [name = "", ...deeper] = ofServer ? names.slice(1) : names;
  const call = deeper.length > 0 || name === "schedule" ? undefined : callOf(ofServer ? server : handle, name);
  if (call === undefined) {
    throw new TypeError(
      `faults.schedule: ${shown(type)} is no call that can be scheduled: those of ${sources.join(", ")} can`,
    );
  }
  const result = call(...(ofServer ? args.slice(1) : args));
  // What comes later is a read: it makes no command.
  if (result instanceof Promise) result.catch(() => undefined);
}

function callOf(holder: unknown, name: string): Call | undefined {
  const member = ownMember(holder, name);
  return typeof member === "function" ? (member as Call) : undefined;
}

function ownMember(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null || !(name in holder) || name in Object.prototype) return undefined;
  return (holder as Readonly<Record<string, unknown>>)[name];
}
