import type { Calendar, Deadline } from "./calendar.ts";
import type { Caller, Command, Commit, EventOf } from "./commit.ts";
import type { Decider } from "./decision.ts";
import type { FoldMeta, Folds } from "./evolvers.ts";

/** For event types, gone ones too, and versions: what a fact of that version has become. Its version is one more, or its type new. */
export interface Upcasters {
  readonly [type: string]: {
    readonly [version: number]: (data: never) => { readonly type?: string; readonly data: unknown };
  };
}

/** Whose deadline it is, for people: a cluster, a region, a run, or nobody's in particular. */
export type Owner = { readonly [kind: string]: string };

/** Whose a calendar is, and how a command's caller names it. */
export interface CalendarPlace {
  readonly owner: Owner;
  readonly place: { readonly [key: string]: string };
}

/** Everything the kernel has to know of the world that it keeps. */
export interface Model<S extends object, M extends object> {
  /** One for each type of event: `within` makes them of the evolvers of a part. */
  readonly folds: Folds<S, M>;
  /** Versions of event data other than 1. */
  readonly versions?: { readonly [T in keyof M & string]?: number };
  /** How older logs are read: for each event type, what makes its data of one version into data of the next. */
  readonly upcasters?: Upcasters;
  /**
   * Whether a commit may have put objects of an earlier state back. All others make new ones of what they change, so that an object
   * which two states have in common has not been away between them.
   */
  readonly putsBack?: (commit: Commit) => boolean;
  /** Adds what follows from a commit by itself, in deciding and in replay alike. */
  readonly settle?: (before: S, after: S, meta: FoldMeta) => S;
  /** The calendars that are awake, in a fixed order. It is asked after every commit. */
  readonly calendars: (state: S) => readonly Calendar[];
  /** Where one of them lies, by its index, and whose a deadline in it is: a calendar may serve many owners. */
  readonly calendarPlace: (state: S, index: number, deadline: Deadline) => CalendarPlace;
  /** Changes the calendar at a place; the same state when it is gone. */
  readonly withCalendar: (state: S, place: NonNullable<Caller>, change: (calendar: Calendar) => Calendar) => S;
  /** The decider of a command; undefined for a name that is none. */
  readonly deciderOf: (command: Command) => Decider<S, EventOf<M>> | undefined;
}
