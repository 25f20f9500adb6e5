import { type Commit, programOf } from "../../kernel/commit.ts";
import type { JournalEntry, RequestEntry } from "../../kernel/journal.ts";
import { isObject } from "../../languages/objects.ts";
import { outcomeOf } from "../../programs/request-line.ts";
import { requestsOfCommits, rowsOf } from "../../scenario/log-rows.ts";
import { shortName, wordsOf } from "../../scenario/words.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { World } from "../../simulator/world.ts";
import { lineEnds } from "../../surroundings/faults/line.ts";
import { COUNT_REQUEST } from "../../surroundings/faults/requests.ts";
import { isWithin, type Stretch } from "../timeline/survey.ts";

/** Who has a line of life: a program, a cluster, a region, or the run service. */
type Life = `${"program" | "cluster" | "region"} ${string}` | "runs";

/** How a step is drawn. */
export type StepKind =
  /** A request sets out, and is answered at the same instant unless an `answer` follows. */
  | "request"
  /** An answer that took its time. */
  | "answer"
  /** What a primary has written arrives at a secondary, and what the authoritative region has at another one. */
  | "shipment"
  | "deadline"
  | "fault"
  /** Whatever else somebody did, or said. */
  | "act"
  /** A mark, or a step of a scenario: it is nobody's. */
  | "title";

/** What happened at an instant, from one line of life to another, or on one. */
export interface Step {
  readonly atMs: number;
  readonly kind: StepKind;
  readonly text: string;
  /** Names of lives: two of what goes from one to the other, or cuts them apart; none of a title, and of a fault that touches all. */
  readonly ends: readonly string[];
  /** It did not come to what it was for. */
  readonly isLost?: true;
}

/** What happened in a log, life by life. */
export interface Sequence {
  readonly lives: readonly string[];
  readonly steps: readonly Step[];
}

/** A step before names are known to be clear. */
interface Found extends Omit<Step, "ends"> {
  readonly ends: readonly Life[];
}

/** What programs, clusters, regions and the run service did and met in a stretch of time, in its order. */
export function sequenceOf(sim: Simulator, stretch: Stretch): Sequence {
  const { timeline, hosts } = LiveSimulator.insideOf(sim);
  const requests = sim.journal.filter((entry) => entry.kind === "request");
  const own = requestsOfCommits(sim);
  const asked = new Map(requests.toReversed().map(({ program, atMs }) => [program, atMs]));
  const found: Found[] = [];
  for (const { row } of rowsOf(sim)) {
    if ("kind" in row) {
      found.push(...stepsOfEntry(row, (origin) => lifeAt(hosts.services, sim.state, origin)));
      continue;
    }
    const shipments = shipmentsOf(
      row,
      timeline.history.stateAt(row.position - 1),
      timeline.history.stateAt(row.position),
    );
    const isShipping = row.command.via === "timer" && shipments.length > 0;
    // Of a request that the journal holds, the commit is an arrow already, or what came of it where it arrived later.
    const hasArrow = (asked.get(programOf(row.command)) ?? Number.POSITIVE_INFINITY) <= row.atMs;
    if (own.get(row.position)?.atMs !== row.atMs && !isShipping) found.push(...stepsOfCommit(row, sim.state, hasArrow));
    found.push(...shipments);
  }
  const steps = found
    .filter(({ atMs }) => isWithin(stretch, atMs))
    // What took time comes when it has ended.
    .sort((one, other) => one.atMs - other.atMs);
  const lives = inOrder(new Set(steps.flatMap(({ ends }) => ends)), sim.state);
  const names = namesOf(lives);
  return {
    lives: lives.map((life) => names.get(life) ?? life),
    steps: steps.map(({ ends, ...step }) => ({ ...step, ends: ends.map((life) => names.get(life) ?? life) })),
  };
}

/** Programs in the order in which they came, then what the world consists of. */
function inOrder(lives: ReadonlySet<Life>, { secrets, scheduler }: World): Life[] {
  const places: Life[] = [
    ...Object.keys(secrets).map((name) => `cluster ${name}` as const),
    ...Object.keys(scheduler?.regions ?? {}).map((name) => `region ${name}` as const),
    "runs",
  ];
  return [...[...lives].filter((life) => life.startsWith("program ")), ...places.filter((life) => lives.has(life))];
}

/** The name alone, unless two have it. */
function namesOf(lives: readonly Life[]): ReadonlyMap<Life, string> {
  const short = (life: Life): string => life.slice(life.indexOf(" ") + 1);
  return new Map(
    lives.map((life) => [life, lives.filter((other) => short(other) === short(life)).length > 1 ? life : short(life)]),
  );
}

// --- the journal ------------------------------------------------------------------------------------------------------

function stepsOfEntry(entry: JournalEntry, lifeAtOrigin: (origin: string) => Life | undefined): Found[] {
  const { atMs } = entry;
  switch (entry.kind) {
    case "request":
      return stepsOfRequest(entry, lifeAtOrigin);
    case "note":
      return [{ atMs, kind: "act", ends: [`program ${entry.program}`], text: `note ${JSON.stringify(entry.data)}` }];
    case "mark":
      return [{ atMs, kind: "title", ends: [], text: `mark ${entry.name}` }];
    case "step":
      return [{ atMs, kind: "title", ends: [], text: entry.title }];
    case "clock":
      return [];
    default:
      return entry satisfies never;
  }
}

function stepsOfRequest(entry: RequestEntry, lifeAtOrigin: (origin: string) => Life | undefined): Found[] {
  const { n, atMs, answeredAtMs, position, program, request, response } = entry;
  const url = new URL(request.url);
  const there = lifeAtOrigin(url.origin);
  const here: Life = `program ${program}`;
  const asked = `${request.method} ${url.pathname}${url.search}`;
  const ends = there === undefined ? [here] : [here, there];
  if (answeredAtMs !== undefined && answeredAtMs !== atMs) {
    return [
      { atMs, kind: "request", ends, text: `r${n} ${asked}` },
      {
        atMs: answeredAtMs,
        kind: "answer",
        ends: [...ends].reverse(),
        text: `r${n} ${outcomeOf(entry)} (#${position})`,
      },
    ];
  }
  const lost = response === undefined ? ({ isLost: true } as const) : {};
  // What came of it first: a narrow picture cuts the end.
  return [{ atMs, kind: "request", ends, text: `r${n} ${outcomeOf(entry)} ${asked} (#${position})`, ...lost }];
}

type Services = ReturnType<typeof LiveSimulator.insideOf>["hosts"]["services"];

function lifeAt(services: Services, state: World, origin: string): Life | undefined {
  for (const { http, name: service } of services) {
    const place = http.placeAt(state, origin);
    if (place !== undefined) return lifesIn(lineEnds("", { service, place })[1])[0];
  }
  return undefined;
}

// --- commits ----------------------------------------------------------------------------------------------------------

function stepsOfCommit({ position, atMs, command, events, failed }: Commit, state: World, hasArrow: boolean): Found[] {
  const { name, input, caller, via } = command;
  if (name === COUNT_REQUEST) return [];
  const isFault = /^control\.(network|faults)\.|\.(setAvailable|failNext|setLeader|setActiveNode|seal|unseal)$/.test(
    name,
  );
  const { deadline: _, program: __, ...place } = caller ?? {};
  const lives = [...new Set([...lifesIn(place), ...lifesIn(input)])].filter((life) => isThere(life, state));
  const own: Life[] = lives.length === 0 && /^(control\.|timer\.)?runs\.|^timer\.run/.test(name) ? ["runs"] : lives;
  const facts = events.map(({ type }) => wordsOf(type)).join(", ");
  const text = `#${position} ${shortName(name)}${failed === undefined ? "" : ` (failed: ${failed})`}`;
  switch (via) {
    case "http":
    case "call": {
      const there = own[0] ?? "runs";
      return hasArrow
        ? [{ atMs, kind: "act", ends: [there], text }]
        : [{ atMs, kind: "request", ends: [`program ${programOf(command)}`, there], text }];
    }
    case "timer":
      return isReplication(name)
        ? [{ atMs, kind: "shipment", ends: [...authoritative(state), ...own].slice(0, 2), text }]
        : [{ atMs, kind: "deadline", ends: own.slice(0, 1), text: facts === "" ? text : `${text}: ${facts}` }];
    case "control":
    case "fault":
      return isFault
        ? [{ atMs, kind: "fault", ends: own.slice(0, 2), text }]
        : [{ atMs, kind: "act", ends: own.slice(0, 1), text }];
    default:
      return via satisfies never;
  }
}

function isReplication(name: string): boolean {
  return /^timer\.replicate(Policies|Roles|Tokens)$/.test(name);
}

function authoritative({ scheduler }: World): Life[] {
  return scheduler === undefined ? [] : [`region ${scheduler.authoritative}`];
}

function isThere(life: Life, { secrets, scheduler }: World): boolean {
  const [kind, name = ""] = life.split(" ");
  return kind === "cluster" ? name in secrets : kind === "region" ? name in (scheduler?.regions ?? {}) : true;
}

/** The lives that plain data names, as handles stand in it: `{ cluster: "east" }`. */
function lifesIn(data: unknown): Life[] {
  if (!isObject(data)) return [];
  return Object.entries(data).flatMap(([kind, name]): Life[] => {
    if (typeof name !== "string") return lifesIn(name);
    if (kind === "service" && name === "runs") return ["runs"];
    return kind === "cluster" || kind === "region" || kind === "program" ? [`${kind} ${name}`] : [];
  });
}

/** What arrived at secondaries with a commit. */
function shipmentsOf({ position, atMs }: Commit, before: World, after: World): Found[] {
  if (before.secrets === after.secrets) return [];
  return Object.entries(after.secrets).flatMap(([name, { ignored }]) =>
    Object.entries(ignored.links).flatMap(([kind, link]): Found[] => {
      const known =
        before.secrets[name as keyof typeof before.secrets]?.ignored.links[kind as keyof typeof ignored.links];
      const count = link.applied - (known?.applied ?? 0);
      if (count <= 0 || link.bootstrapping === true) return [];
      const text = `#${position} ${kind}: entry ${link.applied}${count === 1 ? "" : `, ${count} in all`}`;
      return [{ atMs, kind: "shipment", ends: [`cluster ${link.upstream}`, `cluster ${name}`], text }];
    }),
  );
}
