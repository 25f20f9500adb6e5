import * as v from "valibot";
import { optionsSchema, readArgument } from "../../kernel/arguments.ts";
import type { EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import type { HandlePlace } from "../../kernel/handle.ts";
import { durationMs } from "../../languages/duration.ts";
import { hasCuts, isCut, lagMsBetween, type NetworkEvents, type NetworkWorld } from "./state.ts";

// The calls of `sim.network` that change it (control-surface.md, "Network and faults").

/** A handle as the log writes it. */
const HANDLE = "a handle, as sim.scheduler.region, sim.secrets.cluster or sim.program gives it";

const place = v.pipe(
  v.record(v.string(), v.string(), HANDLE),
  v.check((given) => Object.keys(given).length === 1, HANDLE),
);

const link = v.strictObject({ a: place, b: place }, "two handles");
const healed = v.strictObject({ a: v.optional(place), b: v.optional(place) }, "two handles, or none for all");
const lag = optionsSchema({
  a: place,
  b: place,
  lag: v.union([v.string(), v.number()], "a duration is a text with units or milliseconds"),
  oneWay: v.optional(v.boolean("oneWay is true or false"), false),
});

type NetworkDecision = Decision<NetworkWorld, EventOf<NetworkEvents>>;

/** The control calls of the network, by the names of their commands. */
export const networkControls = {
  "control.network.cut": (decision, input): void => {
    const { a, b } = twoOf("cut", readArgument(link, "cut", input));
    if (!isCut(decision.state, a, b)) decision.record({ type: "LinkCut", data: { a, b } });
  },
  "control.network.heal": (decision, input): void => {
    const { a, b } = readArgument(healed, "heal", input);
    if (a === undefined && b === undefined) {
      if (hasCuts(decision.state)) decision.record({ type: "NetworkHealed", data: {} });
      return;
    }
    if (a === undefined || b === undefined) throw new TypeError("heal: it takes two handles, or none for all");
    twoOf("heal", { a, b });
    if (isCut(decision.state, a, b)) decision.record({ type: "LinkHealed", data: { a, b } });
  },
  "control.network.setLag": (decision, input): void => {
    const { a, b, lag: given, oneWay } = readArgument(lag, "setLag", input);
    twoOf("setLag", { a, b });
    const lagMs = durationMs(given);
    setLag(decision, a, b, lagMs);
    if (!oneWay) setLag(decision, b, a, lagMs);
  },
} satisfies Readonly<Record<string, (decision: NetworkDecision, input: unknown) => void>>;

function setLag(decision: NetworkDecision, from: HandlePlace, to: HandlePlace, lagMs: number): void {
  if (lagMsBetween(decision.state, from, to) === lagMs) return;
  decision.record({ type: "LinkLagSet", data: { from, to, lagMs } });
}

function twoOf<L extends { readonly a: HandlePlace; readonly b: HandlePlace }>(call: string, pair: L): L {
  if (JSON.stringify(pair.a) === JSON.stringify(pair.b)) {
    throw new TypeError(`${call}: both handles are ${JSON.stringify(pair.a)}: a link has two ends`);
  }
  const [of, to] = [pair.a, pair.b].map((end) => Object.keys(end)[0]);
  const programs = [of, to].filter((end) => end === "program").length;
  if (programs === 1) return pair;
  if (of !== to || programs === 2)
    throw new TypeError(`${call}: a ${of} and a ${to} are not connected: nothing is sent between them`);
  return pair;
}
