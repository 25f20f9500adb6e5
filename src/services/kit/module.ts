import type * as v from "valibot";
import type { EpochMs } from "../../kernel/brand.ts";
import type { Calendar, Deadline } from "../../kernel/calendar.ts";
import type { Caller, Command, Commit, Via } from "../../kernel/commit.ts";
import type { FoldMeta } from "../../kernel/evolvers.ts";
import type { HandlePlace } from "../../kernel/handle.ts";
import type { Host } from "../../kernel/host.ts";
import type { CalendarPlace, Upcasters } from "../../kernel/model.ts";
import type { Plain } from "../../kernel/plain.ts";
import type { NeutralWords } from "../../languages/vocabulary/ambiguity.ts";
import type { RoutesAt, ServiceWords } from "../../languages/vocabulary/words.ts";
import type { HttpAsked, WireAnswer } from "./http.ts";
import type { JsonSchema, OwnDescription } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import type { Registry } from "./registry.ts";
import type { Fact, Met } from "./why.ts";

/**
 * A service, as all else knows it: the simulator, the wire, the listener and the documents go through a list of these, and name none. Adding
 * a service is a folder with a module, and a line in the list.
 *
 * `W` is what the service reads of the world: its own part, and parts of the surroundings. Other services' parts are none of its business.
 */
export interface ServiceModule<in W extends object> {
  readonly name: string;
  /** Its operations: the table, and the same by their names. */
  readonly registry: Registry<Operation>;
  readonly state: StateOfService<W>;
  readonly decides: Deciding;
  readonly options: Options;
  readonly calls: Calls<W>;
  readonly http: Wire<W>;
  readonly openapi: {
    readonly title: string;
    /** How a caller shows who it is: each of these will do, unless an operation says which. */
    readonly security: { readonly [name: string]: JsonSchema };
    /** What a caller of a few operations shows instead. */
    readonly otherSecurity?: { readonly [name: string]: JsonSchema };
    readonly described: (operation: never, name: string) => OwnDescription;
  };
  readonly words: {
    /** The words that the service has anyway. */
    readonly neutral: () => NeutralWords;
    /** Where it has its routes, if names in its paths can look like words of it. */
    readonly routesAt?: RoutesAt;
    /** The path of an operation as a vocabulary has it: captures, in braces, stay. By default no segment is a word of the service. */
    readonly pathOf?: (words: ServiceWords, path: string) => string;
    /** The name of a parameter of a query as a vocabulary has it; by default it is that of a field. */
    readonly parameterOf?: (words: ServiceWords, name: string) => string;
  };
  /** The facts behind a refusal of its own. */
  readonly why: (met: Met<W, never, never>) => readonly Fact[];
  /**
   * The body of an answer, of what a handler gave.
   *
   * @param signed whether what is signed with an answer is signed; else what it says stands for it
   */
  readonly bodyOf: (reply: never, signed: boolean) => unknown;
  /** What a door makes of an input before it is decided, for whoever decides with another input; undefined where it makes nothing. */
  readonly prepare?: (
    reading: { readonly state: W; readonly nowMs: EpochMs; readonly caller: Caller },
    operation: string,
    input: { readonly [name: string]: Plain },
  ) => Plain | Promise<Plain>;
}

/** The part of the world that is a service's own. */
interface StateOfService<in W extends object> {
  /** One fold for each type of its facts. It gives a world with all that it was given. */
  readonly folds: { readonly [type: string]: (world: W, data: never, meta: FoldMeta) => object };
  /** How facts of before are read. Each one leads to a version more. */
  readonly upcasters?: Upcasters;
  /** Whether a commit may have put objects of an earlier state back. */
  readonly putsBack?: (commit: Commit) => boolean;
  /** What follows from a commit by itself. */
  readonly settle?: (before: W, after: W, meta: FoldMeta) => object;
  /** When what is in flight next arrives. */
  readonly nextArrivalMs?: (world: W) => EpochMs | undefined;
  /** Adds its calendars that are awake, in a fixed order. It is asked after every commit. */
  readonly addCalendars: (world: W, to: Calendar[]) => void;
  /** Where one of them lies, by its place among its own, and whose a deadline in it is. */
  readonly calendarPlace: (world: W, index: number, deadline: Deadline) => CalendarPlace;
  /** Changes the calendar at a place, if it is one of its own: the same world when it is gone. */
  readonly withCalendar: (world: W, place: HandlePlace, change: (calendar: Calendar) => Calendar) => object | undefined;
}

/** What test authors call of it. Handles are made when they are first used. */
interface Calls<in W extends object> {
  /** What a simulator has because of it: under its own name, and under those of the surroundings that nobody else knows. */
  readonly handles: { readonly [name: string]: (host: Host<W>, via: Via, site: SiteFor<never>) => object };
  /** The typed door to the place of a handle, for whoever asks through this host; undefined where it is no place of the service. */
  readonly doorTo?: (host: Host<W>, place: HandlePlace) => ((...asking: never) => object) | undefined;
  /** More calls of `sim.network`, and of `sim.faults`. */
  readonly ofNetwork?: (host: Host<W>, via: Via) => object;
  readonly ofFaults?: (host: Host<W>, via: Via) => object;
  /** What one of its places acknowledged and another one lacks. */
  readonly lossReport?: (past: never, from: never, to: never, options: never) => readonly object[];
  /** What would be lost if one of its places took over. */
  readonly lossForecast?: (past: never, to: never) => readonly object[];
}

/** What it takes of the options of a simulator, and how the header of a log has that. Each read gives a part of the settings. */
interface Options {
  /** Its options, as `createSimulator` has them under its name. */
  readonly schema: v.GenericSchema;
  /**
   * Settings of options that were read.
   *
   * @throws TypeError for a URL that is none
   */
  readonly read: (options: never) => OptionsRead;
  /** Members of a log's header. Older logs lack some. */
  readonly logged: v.ObjectEntries;
  readonly readLogged: (header: never) => object;
  /** What of its settings a log's header has: nothing where it is as it always is. */
  readonly toLog: (settings: never) => { readonly [member: string]: Plain | undefined };
  /** What came to headers later, and stands at their end, so that logs of before are written again as they were. */
  readonly toLogsEnd?: (settings: never) => { readonly [member: string]: Plain | undefined };
  /** Its part of a world in which nothing has happened; nothing where it is as it always is. */
  readonly newPart: (settings: never, seed: string, startAtMs: EpochMs) => object;
}

/** Settings, and the URLs that they take, by what messages call them. */
export interface OptionsRead {
  readonly settings: object;
  readonly urls: readonly (readonly [who: string, url: string])[];
}

/** Who decides its commands. */
interface Deciding {
  /** The decider of a request, of a deadline or of a control call; undefined for a command of somebody else. */
  readonly deciderOf: (command: Command) => AnyDecider | undefined;
  /** Lets its next requests fail, where a test names it as the service. */
  readonly failNextRequests: {
    readonly isFor: (service: unknown) => boolean;
    readonly decide: AnyDecider;
  };
}

/** A decider of whatever world: it reads and records what is its service's own. */
export type AnyDecider = (decision: never, input: unknown) => unknown;

/** Where and how it answers on the wire. */
interface Wire<in W extends object> {
  /** What its paths begin with: `/v1`. */
  readonly base: string;
  /** What its places are called, each inside the one before: `["cluster", "node"]`. None for a service that is one place. */
  readonly places: readonly string[];
  /** Who answers where. */
  readonly origins: (world: W) => readonly Origins[];
  /** Who answers at an origin. It is asked with every request: what is found is remembered. */
  readonly placeAt: (world: W, origin: string) => HandlePlace | undefined;
  /** The answer at a moment. */
  readonly answer: (host: Host<W>, place: HandlePlace, asked: HttpAsked) => WireAnswer | Promise<WireAnswer>;
  /** The answer to a request that asks for a moment that is none. */
  readonly unplaced: (
    host: Host<W>,
    place: HandlePlace,
    asked: HttpAsked,
    message: string,
  ) => WireAnswer | Promise<WireAnswer>;
  /** The full name of the operation that a request asks for; undefined where no route fits. */
  readonly operationOf?: (world: W, place: HandlePlace, asked: HttpAsked) => string | undefined;
  /** Who does not listen at a place, such as "the cluster"; undefined where somebody does. By default somebody does everywhere. */
  readonly stopped?: (world: W, place: HandlePlace) => string | undefined;
  /** Whether whoever is asked is there at a moment; by default it always is. @throws TypeError where it is not */
  readonly refuseAbsent?: (world: W, place: HandlePlace, moment: string) => void;
  /** What is sent where it could not be asked at all. */
  readonly failure: (status: number, message: string) => { readonly type: string; readonly body: string };
  /** Its requests may wait: one that is given up has to be told. */
  readonly waits?: true;
}

/** Who answers where: places by origins, such as `{ cluster: "east" }`. */
export type Origins = ReadonlyMap<string, HandlePlace>;

/** What a simulator knows for whoever adds a place to it; `S` is what a service reads of its settings. */
export interface Site<out S> {
  readonly settings: S;
  /** @throws TypeError where somebody answers at one of the URLs already */
  readonly refuseTaken: (name: string, urls: readonly string[]) => void;
}

/** Gives the site for a call. @throws TypeError where nothing can be added */
export type SiteFor<S> = (call: string) => Site<S>;

/** Decides by the name of a command, for whom its caller names. */
export function deciderIn<O>(
  table: { readonly [name: string]: (decision: never, input: never, owner: O) => unknown },
  name: string,
  owner: O,
): AnyDecider | undefined {
  const decide = Object.hasOwn(table, name) ? table[name] : undefined;
  return decide && ((decision, input) => decide(decision, input as never, owner));
}
