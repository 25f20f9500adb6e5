import {
  Arbitrary,
  array,
  constant,
  constantFrom,
  integer,
  oneof,
  type Random,
  record,
  Stream,
  Value,
} from "fast-check";
import { durationMs } from "../languages/duration.ts";
import type { Faults } from "./options.ts";
import type { Act, ScheduleParts, Step, Wait } from "./schedule.ts";
import { linesOf, type Surface } from "./surface.ts";

// What schedules are drawn from. Everything here can be shrunk without a context, so that schedules which were varied shrink like others.

/** What schedules of a world are drawn from. */
export interface Drawing {
  /** For what is found in another way than by drawing: all that a schedule may be. */
  readonly any: Arbitrary<ScheduleParts>;
  /** Each draws which faults it has: most leave most of them out, and so meet what many faults together would hide. */
  readonly swarm: Arbitrary<ScheduleParts>;
}

/** What a schedule may be made of, besides faults. */
export interface Bounds {
  readonly worlds: number;
  readonly steps: number;
  /** The longest that a step waits. */
  readonly calmMs: number;
  /** The names of actions. */
  readonly actions: readonly string[];
}

export function drawingOf(surface: Surface, faults: Faults, bounds: Bounds): Drawing {
  const families = familiesOf(surface, faults);
  const calls = surface.programs.length > 0;
  const made = new Map<string, Arbitrary<Step>>();
  const stepsOf = (chosen: readonly Family[]): Arbitrary<Step> => {
    const key = chosen.map(({ name }) => name).join(" ");
    let step = made.get(key);
    if (step === undefined) {
      step = stepOf(chosen, { ...bounds, clock: faults.clock ?? "deadlines", calls });
      made.set(key, step);
    }
    return step;
  };
  return {
    any: scheduleOf(stepsOf(families), bounds, 0),
    swarm: integer({ min: 1, max: 2 ** families.length - 1 || 1 }).chain((drawn) =>
      integer({ min: 1, max: bounds.steps }).chain((length) =>
        scheduleOf(stepsOf(families.filter((_, index) => (drawn >> index) & 1)), bounds, length),
      ),
    ),
  };
}

function scheduleOf(step: Arbitrary<Step>, { worlds, steps }: Bounds, length: number): Arbitrary<ScheduleParts> {
  return record(
    {
      world: integer({ min: 0, max: worlds - 1 }),
      seed: integer({ min: 0, max: 0xffff }),
      ties: constantFrom("services-first" as const, "programs-first" as const),
      turns: array(integer({ min: 0, max: 3 }), { maxLength: 24, size: "max" }),
      steps: array(step, length === 0 ? { maxLength: steps } : { minLength: length, maxLength: length, size: "max" }),
    },
    { noNullPrototype: true },
  );
}

/** Faults that are drawn together or not at all. */
interface Family {
  readonly name: string;
  readonly acts: readonly Arbitrary<Act>[];
  /** Whether they happen to a request as it sets out. */
  readonly isOfRequests?: boolean;
}

function familiesOf(surface: Surface, faults: Faults): readonly Family[] {
  const { clusters, directoryUrls, programs } = surface;
  const lines = linesOf(surface);
  const withLag = lines.filter(([a]) => !a.startsWith("region:"));
  const names = clusters.map(({ name }) => name);
  const many = clusters.filter(({ nodes }) => nodes > 1);
  const family = (name: string, acts: readonly (Arbitrary<Act> | false)[]): Family[] => {
    const there = acts.filter((act) => act !== false);
    return there.length === 0 ? [] : [{ name, acts: there }];
  };
  const longestMs = durationMs(faults.longest ?? "30m");
  const forMs = oneof(integer({ min: 1, max: Math.min(60_000, longestMs) }), integer({ min: 1, max: longestMs }));
  const ofLine = (kind: "cut" | "lag"): Arbitrary<Act> => {
    const ms = kind === "lag" ? { ms: integer({ min: 1, max: 20_000 }) } : {};
    const between = kind === "lag" ? withLag : lines;
    return oneof(
      ...between.map(([a, b]) => plain<Act>({ kind: constant(kind), a: constant(a), b: constant(b), ...ms, forMs })),
    );
  };
  const ofCluster = (kind: "stop" | "seal"): Arbitrary<Act> =>
    plain<Act>({ kind: constant(kind), cluster: constantFrom(...names), forMs });
  const outage = (...of: readonly string[]): Arbitrary<Act> =>
    plain<Act>({ kind: constant("outage"), of: constantFrom(...of), forMs });
  const isIn = <T extends string>(given: boolean | readonly T[] | undefined, one: T): boolean =>
    given === true || (Array.isArray(given) && given.includes(one));
  return [
    ...family("cuts", [isIn(faults.lines, "cut") && lines.length > 0 && ofLine("cut")]),
    ...family("lags", [isIn(faults.lines, "lag") && withLag.length > 0 && ofLine("lag")]),
    ...family("stops", [isIn(faults.stops, "cluster") && names.length > 0 && ofCluster("stop")]),
    ...family(
      "nodes",
      many.map(
        ({ name, nodes }) =>
          isIn(faults.stops, "node") &&
          plain<Act>({
            kind: constant("stop-node"),
            cluster: constant(name),
            node: integer({ min: 0, max: nodes - 1 }),
            forMs,
          }),
      ),
    ),
    ...family("seals", [faults.seals === true && names.length > 0 && ofCluster("seal")]),
    ...family("directory", [
      isIn(faults.directory, "outage") && names.length > 0 && outage("directory"),
      isIn(faults.directory, "slow") &&
        directoryUrls.length > 0 &&
        plain<Act>({ kind: constant("slow-directory"), url: constantFrom(...directoryUrls), forMs }),
    ]),
    ...family("orchestrator", [faults.orchestrator === true && names.length > 0 && outage("orchestrator")]),
    ...family("stores", [faults.stores === true && names.length > 0 && outage(...STORES)]),
    ...(programs.length === 0
      ? []
      : EFFECTS.flatMap(([kind, act]) =>
          isIn(faults.requests, kind) ? [{ name: kind, acts: [act], isOfRequests: true }] : [],
        )),
  ];
}

const STORES = ["local", "cloud1-bucket", "cloud2-bucket", "cloud3-blob"];

/** An object of members that are drawn. */
function plain<T extends object>(members: { readonly [N in string]: Arbitrary<unknown> }): Arbitrary<T> {
  return record(members, { noNullPrototype: true }) as unknown as Arbitrary<T>;
}

/** What happens to requests: statuses are those after which a client may ask again. */
const EFFECTS = [
  ["lose-request", plain<Act>({ kind: constant("lose-request") })],
  ["lose-answer", plain<Act>({ kind: constant("lose-answer") })],
  ["reset", plain<Act>({ kind: constant("reset") })],
  ["hang", plain<Act>({ kind: constant("hang") })],
  ["delay", plain<Act>({ kind: constant("delay"), ms: integer({ min: 1, max: 60_000 }) })],
  [
    "status",
    plain<Act>({
      kind: constant("status"),
      status: constantFrom(503, 500, 502, 504, 429),
      times: integer({ min: 1, max: 5 }),
    }),
  ],
  ["truncate", plain<Act>({ kind: constant("truncate"), bytes: integer({ min: 0, max: 200 }) })],
  ["slow", plain<Act>({ kind: constant("slow"), bytesPerSecond: integer({ min: 1, max: 1_000 }) })],
] as const;

interface StepBounds extends Bounds {
  readonly clock: "deadlines" | "random";
  readonly calls: boolean;
}

function stepOf(families: readonly Family[], { calmMs, actions, clock, calls }: StepBounds): Arbitrary<Step> {
  const after = (max: number): Arbitrary<Wait> =>
    plain<Wait>({ kind: constant("after"), ms: integer({ min: 0, max: Math.min(max, calmMs) }) });
  const due = plain<Wait>({
    kind: constant("due"),
    n: integer({ min: 1, max: 6 }),
    offsetMs: integer({ min: -1, max: 1 }),
  });
  const calm = oneof(after(2_000), after(120_000), after(calmMs), ...(clock === "deadlines" ? [due, due] : []));
  const request = plain<Wait>({ kind: constant("request"), n: integer({ min: 1, max: 8 }) });
  const step = (wait: Arbitrary<Wait>, acts: readonly Arbitrary<Act>[]): Arbitrary<Step> =>
    plain<Step>({ wait, act: oneof(...acts) });
  const atAnyTime = families.filter(({ isOfRequests }) => isOfRequests !== true).flatMap(({ acts }) => acts);
  const all = families.flatMap(({ acts }) => acts);
  const actionsDone = actions.map((name) =>
    plain<Act>({ kind: constant("do"), name: constant(name), n: integer({ min: 0, max: 99 }) }),
  );
  const calmly = plain<Act>({ kind: constant("calm") });
  const weighted = [
    { weight: 2, arbitrary: step(calm, [calmly]) },
    ...(atAnyTime.length === 0 ? [] : [{ weight: 2, arbitrary: step(calm, atAnyTime) }]),
    ...(all.length === 0 || !calls ? [] : [{ weight: 4, arbitrary: step(request, all) }]),
    ...(actionsDone.length === 0 ? [] : [{ weight: 8, arbitrary: step(calm, actionsDone) }]),
  ];
  return new StepArbitrary(oneof(...weighted), step(oneof(calm, due, request), [calmly, ...all, ...actionsDone]));
}

/**
 * Steps whose shrinking begins with letting nothing happen, so that what comes after comes when it came, and with waiting for nothing. What
 * is drawn is a part of what there may be: on the way to the least step, any wait may stand before any act.
 */
class StepArbitrary extends Arbitrary<Step> {
  readonly #drawn: Arbitrary<Step>;
  readonly #any: Arbitrary<Step>;

  constructor(drawn: Arbitrary<Step>, any: Arbitrary<Step>) {
    super();
    this.#drawn = drawn;
    this.#any = any;
  }

  generate(random: Random, bias: number | undefined): Value<Step> {
    return this.#drawn.generate(random, bias);
  }

  canShrinkWithoutContext(value: unknown): value is Step {
    return this.#any.canShrinkWithoutContext(value);
  }

  shrink(step: Step): Stream<Value<Step>> {
    const simpler: Step[] = [];
    if (step.act.kind !== "calm") simpler.push({ wait: step.wait, act: { kind: "calm" } });
    if (step.wait.kind !== "after") simpler.push({ wait: { kind: "after", ms: 0 }, act: step.act });
    const values = simpler.map((one) => new Value(one, undefined));
    return Stream.of(...values).join(this.#any.shrink(step, undefined));
  }
}
