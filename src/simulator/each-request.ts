import { observeRequests } from "../http/line.ts";
import { optionsAt } from "../kernel/arguments.ts";
import type { LiveHost } from "../kernel/host.ts";
import { shown } from "../languages/shown.ts";
import { pause, workUnderWay } from "../programs/machine.ts";
import type { RequestEffectGiven, RequestFaultRule } from "../surroundings/faults/handle.ts";
import { lineEnds } from "../surroundings/faults/line.ts";
import { rulesMet } from "../surroundings/faults/requests.ts";
import type { RequestSeen } from "../surroundings/faults/rules.ts";
import type { EachFault, EachRequestOptions, RequestStory, RequestsVisited, Simulator } from "./types.ts";
import type { World, WorldEvents } from "./world.ts";

/** A request of a story, as it sets out. */
export interface StoryRequest {
  /** From 1 on. */
  readonly n: number;
  readonly program: string;
  readonly method: string;
  readonly url: string;
}

/** A story that failed under a fault; `cause` is with what. Its message ends with what repeats it alone. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  readonly request: StoryRequest;
  readonly fault: EachFault;
  /** The log of the fork, with its journal: `replay` gives the world as it was, with the fault in it. */
  readonly log: string;

  constructor(
    { request, fault, faultText }: Run,
    of: number,
    { seed, log }: { readonly seed: number | string; readonly log: string },
    cause: unknown,
  ) {
    const { n, method, url } = request;
    const what = cause instanceof Error ? cause.message : String(cause);
    const alone = `seed ${JSON.stringify(seed)}, { only: { request: ${n}, fault: ${faultText} } } repeats it alone`;
    super(`request ${n} of ${of}, ${method} ${url}, ${nameOf(fault)}: ${what}\n  ${alone}`, { cause });
    this.request = request;
    this.fault = fault;
    this.log = log;
  }
}

const DEFAULT: readonly EachFault[] = ["lose-request", "lose-answer", "reset", "hang", "503", "stop", "cut"];

/** What a kind does that is given without more. */
const EFFECTS: { readonly [K in RequestEffectGiven["kind"]]: RequestEffectGiven } = {
  "lose-request": { kind: "lose-request" },
  "lose-answer": { kind: "lose-answer" },
  reset: { kind: "reset" },
  hang: { kind: "hang" },
  delay: { kind: "delay", by: "30s" },
  status: { kind: "status", status: 500 },
  truncate: { kind: "truncate", bytes: 1 },
  slow: { kind: "slow", bytesPerSecond: 100 },
};

/** How long a service is stopped, or a line is cut. Our choice: longer than a client waits, and short enough to be waited for. */
const OUTAGE_MS = 30_000;

type HostOf = (fork: Simulator) => LiveHost<World, WorldEvents>;

interface Visited extends StoryRequest {
  readonly seen: RequestSeen;
}

/** A fault that a request is to meet. */
interface Run {
  readonly request: StoryRequest;
  readonly fault: EachFault;
  /** As the test's source has it: a rule by its place among the faults. */
  readonly faultText: string;
}

/** Runs a story once, then with each fault at each of its requests. */
export async function checkEachRequest(
  sim: Simulator,
  story: RequestStory,
  options: EachRequestOptions,
  { hostOf, seed }: { readonly hostOf: HostOf; readonly seed: number | string },
): Promise<RequestsVisited> {
  const { faults = DEFAULT, check, only } = optionsAt("forEachRequest", options, ["faults", "check", "only"]);
  if (typeof story !== "function") {
    throw new TypeError(`forEachRequest: the story is ${shown(story)}, and has to be a function`);
  }
  if (check !== undefined && typeof check !== "function") {
    throw new TypeError(`forEachRequest: check is ${shown(check)}, and has to be a function`);
  }
  // A type of its own: what is narrowed by `isArray` has items of any type.
  const isList: boolean = Array.isArray(faults);
  if (!isList) throw new TypeError(`forEachRequest: faults is ${shown(faults)}, and has to be an array`);
  if (only !== undefined) optionsAt("forEachRequest: only", only, ["request", "fault"]);
  const kinds = (only === undefined ? faults : [only.fault]).map((fault, index) => ({
    fault,
    faultText: typeof fault === "string" ? JSON.stringify(fault) : `faults[${index}]`,
    fits: fitsOf(sim, fault, hostOf),
  }));
  const told = async (fork: Simulator): Promise<void> => {
    await untilOver(fork, story, hostOf);
    await check?.(fork);
  };
  const first = sim.fork();
  const visited: Visited[] = [];
  observeRequests(hostOf(first), ({ program }, seen, { method, url }) => {
    visited.push({ n: visited.length + 1, program, method, url: url.href, seen });
  });
  await told(first);
  const requests = visited.length;
  const runs = visited.flatMap(({ seen, ...request }) =>
    kinds.flatMap(({ fits, ...kind }): Run[] =>
      (only?.request ?? request.n) === request.n && fits(request.program, seen) ? [{ request, ...kind }] : [],
    ),
  );
  if (only !== undefined && runs.length === 0) {
    throw new TypeError(
      `forEachRequest: only is ${shown(only)}, and none of the ${requests} requests of the story is that one and meets it`,
    );
  }
  const failures: RequestFailure[] = [];
  for (const run of runs) {
    const fork = sim.fork();
    let n = 0;
    observeRequests(hostOf(fork), (host, at) => {
      n += 1;
      if (n === run.request.n) inject(fork, run.fault, host.program, at, hostOf(fork));
    });
    try {
      await told(fork);
    } catch (error) {
      failures.push(new RequestFailure(run, requests, { seed, log: fork.log.toNdjson({ journal: true }) }, error));
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, failures.map(({ message }) => message).join("\n"));
  }
  return { runs: runs.length + 1, requests };
}

/** A story that waits without a sign of life for so many looks, so many milliseconds of real time apart, waits for ever. */
const LOOKS = 10;
const APART_MS = 5;

/** Runs a story. One that waits while nobody moves the clock, and nothing is under way, fails: nothing will come. */
async function untilOver(fork: Simulator, story: RequestStory, hostOf: HostOf): Promise<void> {
  const host = hostOf(fork);
  let isOver = false;
  const over = (async () => story(fork))().finally(() => {
    isOver = true;
  });
  const stuck = async (): Promise<void> => {
    let before = Number.NaN;
    for (let quiet = 0; quiet < LOOKS; ) {
      // No immediates: a clock that runs waits for those.
      await pause(APART_MS);
      if (isOver) return over;
      const now = host.asked + host.nowMs;
      const isBusy = now !== before || host.held.length > 0 || workUnderWay().length > 0;
      quiet = isBusy ? 0 : quiet + 1;
      before = now;
    }
    const waits = fork.clock.waiting().map(({ request }) => request);
    const what = waits.length === 0 ? "" : `, for ${waits.join(", ")}`;
    throw new Error(`the story waits for ever${what}: nobody moves the clock`);
  };
  await Promise.race([over, stuck()]);
}

/** Tells which requests a fault is for. @throws TypeError for what is none */
function fitsOf(sim: Simulator, fault: EachFault, hostOf: HostOf): (program: string, seen: RequestSeen) => boolean {
  switch (fault) {
    case "503":
      return () => true;
    case "stop":
      return (_, { place }) => place["cluster"] !== undefined;
    case "cut":
      return (program) => program !== "author";
    default: {
      const scratch = sim.fork();
      scratch.faults.requests(ruleOf(fault));
      const { state, nowMs } = hostOf(scratch);
      return (program, seen) => rulesMet(state, nowMs, program, seen) !== undefined;
    }
  }
}

/** The rule of a fault for the one request that comes next. */
function ruleOf(fault: Exclude<EachFault, "503" | "stop" | "cut">): RequestFaultRule<never> {
  if (typeof fault === "string") {
    if (!Object.hasOwn(EFFECTS, fault)) {
      throw new TypeError(
        `forEachRequest: ${shown(fault)} is no fault: it is a rule, or one of ${Object.keys(EFFECTS).join(", ")}, 503, stop, cut`,
      );
    }
    return { effect: EFFECTS[fault], times: 1 };
  }
  const { nth: _, every: __, ...rule } = fault;
  return { ...rule, times: 1 } as RequestFaultRule<never>;
}

/** Lets a request meet a fault, by commands that its log keeps. */
function inject(
  fork: Simulator,
  fault: EachFault,
  program: string,
  seen: RequestSeen,
  host: LiveHost<World, WorldEvents>,
): void {
  switch (fault) {
    case "503":
      fork.faults.requests({ effect: { kind: "status", status: 503 }, times: 1 });
      break;
    case "stop": {
      const cluster = fork.secrets.cluster(seen.place["cluster"] ?? "");
      fork.network.stop(cluster);
      fork.faults.schedule(OUTAGE_MS, { type: "network.start", args: [cluster] });
      break;
    }
    case "cut": {
      const [a, b] = lineEnds(program, seen);
      const input = { a, b };
      const command = { input, caller: null, via: "control" } as const;
      host.execute({ name: "control.network.cut", ...command }, () => undefined);
      const scheduled = { dueAtMs: host.nowMs + OUTAGE_MS, fault: { type: "network.heal", input, caller: null } };
      host.execute({ name: "control.faults.schedule", ...command, input: scheduled }, () => undefined);
      break;
    }
    default:
      fork.faults.requests(ruleOf(fault));
  }
}

function nameOf(fault: EachFault): string {
  return typeof fault === "string" ? fault : fault.effect.kind;
}
