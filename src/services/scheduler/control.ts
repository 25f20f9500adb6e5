import * as v from "valibot";
import { regionLeadershipMachine } from "../../../machines/region-leadership.machine.ts";
import { optionsSchema, readArgument } from "../../kernel/arguments.ts";
import { arrivedAt } from "../../kernel/machine.ts";
import { failingRequests } from "../kit/request-failures.ts";
import type { SchedulerRecorder } from "./declare.ts";
import type { RegionName } from "./ids.ts";
import { refuse } from "./rejections.ts";
import { regionNamed, regionOf, schedulerOf } from "./world.ts";

// What test authors need and the HTTP endpoints cannot do (control-surface.md, "Scheduler").

/** RFC 1035: letters, digits and hyphens, none at the ends. */
export const regionName = v.pipe(
  v.string("a region's name is a text"),
  v.regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "a region's name is a DNS label"),
);

const handle = v.strictObject({ region: regionName }, "a handle, as sim.scheduler.region gives it");
const newRegion = optionsSchema({ name: regionName, url: v.string("url is a text") });
const reset = v.strictObject({
  resetIndex: v.nullable(
    v.pipe(
      v.number("a reset index is a number, or undefined for none"),
      v.safeInteger("a reset index is whole"),
      v.minValue(0, "a reset index is 0 or more"),
    ),
  ),
});
const leader = v.strictObject({ up: v.boolean("there is a leader or not: true or false") });

const failure = optionsSchema({
  service: handle,
  ...failingRequests,
});

type ControlDecider = (decision: SchedulerRecorder, input: unknown, region: RegionName) => void;

/** The control calls of this service, by the names of their commands. The region is that of the caller. */
export const schedulerControls = {
  "control.scheduler.addRegion": (decision, input): void => {
    const { name, url } = readArgument(newRegion, "addRegion", input);
    if (regionNamed(schedulerOf(decision.state), name) !== undefined) refuse("region_exists", { region: name });
    decision.record({ type: "RegionAdded", data: { region: name as RegionName, url } });
  },
  "control.scheduler.setAuthoritative": (decision, input): void => {
    const { region } = readArgument(handle, "setAuthoritative", input);
    const name = existing(decision, "setAuthoritative", region);
    if (schedulerOf(decision.state).authoritative === name) return;
    decision.record({ type: "AuthoritativeRegionChanged", data: { region: name } });
  },
  "control.scheduler.setBootstrapResetIndex": (decision, input, region): void => {
    const { resetIndex } = readArgument(reset, "setBootstrapResetIndex", input);
    const known = regionOf(decision.state, existing(decision, "setBootstrapResetIndex", region));
    if ((known.bootstrapResetIndex ?? null) === resetIndex) return;
    decision.record({ type: "AclBootstrapResetPlaced", data: { region, resetIndex } });
  },
  "control.scheduler.setLeader": (decision, input, region): void => {
    const { up } = readArgument(leader, "setLeader", input);
    const { leaderLostAtMs } = regionOf(decision.state, existing(decision, "setLeader", region));
    const before = leaderLostAtMs === undefined ? "led" : "leaderless";
    const next = decision.step(regionLeadershipMachine, before, {}, { type: up ? "elect" : "lose" });
    const status = arrivedAt(next, "led", "leaderless");
    if (status === before) return;
    if (status === "led") decision.record({ type: "RegionLeaderElected", data: { region, status } });
    else decision.record({ type: "RegionLeaderLost", data: { region, status } });
  },
} satisfies Readonly<Record<string, ControlDecider>>;

/** Lets the next requests to a region fail. */
export function injectRequestFailure(decision: SchedulerRecorder, input: unknown): void {
  const { service, count, status } = readArgument(failure, "failNextRequests", input);
  const region = existing(decision, "failNextRequests", service.region);
  decision.record({ type: "RegionRequestFailureInjected", data: { region, count, status } });
}

function existing(decision: SchedulerRecorder, call: string, name: string): RegionName {
  const scheduler = schedulerOf(decision.state);
  if (regionNamed(scheduler, name) !== undefined) return name as RegionName;
  throw new TypeError(`${call}: no region is named ${name}; there are ${Object.keys(scheduler.regions).join(", ")}`);
}
