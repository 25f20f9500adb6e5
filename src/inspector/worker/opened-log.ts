import { diff, type Explanation, type Simulator } from "../../index.ts";
import { pendingDeadlines } from "../../kernel/clock.ts";
import { programOf } from "../../kernel/commit.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { shortName, wordsOf } from "../../scenario/words.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Rebuilt } from "../../simulator/log.ts";
import type { WorldTimeline } from "../../simulator/world.ts";
import {
  type Changed,
  type CommitShown,
  type Found,
  type Grouping,
  KINDS,
  type Lane,
  type Moment,
  type Offers,
  type Opened,
  type Reading,
  type Row,
  type RowId,
  type Writer,
} from "../protocol.ts";
import { Branches, offersOf } from "./branches.ts";
import { kindOf, rowOf } from "./commit-rows.ts";
import { Deeds } from "./deeds.ts";
import { Finder } from "./finder.ts";
import { laneOfPath, lanesOf } from "./lanes.ts";
import { changedShown, jsonShown, TOLD } from "./shown-values.ts";
import { topologyOf } from "./topology.ts";
import { treeOf } from "./tree-rows.ts";
import { objectPart, writersOf } from "./writers.ts";

/** A log with its simulator, and what is asked about it. */
export class OpenedLog {
  readonly #sim: Simulator;
  readonly #timeline: WorldTimeline;
  readonly #seed: string;
  readonly #deeds: Deeds;
  readonly #finder: Finder;
  readonly branches: Branches;
  readonly #journal: readonly JournalEntry[];
  /** So many entries of the journal were taken. */
  #taken = 0;
  /** Of the commits so far: they have room for more. */
  #times = new Float64Array(1_024);
  #kinds = new Uint8Array(1_024);
  #known = 0;

  /** @param rebuilt what is read of a log, and grows while it is */
  constructor(rebuilt: Rebuilt) {
    const { timeline, settings, journal } = rebuilt;
    const sim = LiveSimulator.rebuilt({ ...rebuilt, journal: [] });
    this.#sim = sim;
    this.#timeline = timeline;
    this.#seed = String(settings.seed);
    this.#journal = journal;
    this.#deeds = new Deeds(timeline);
    this.#finder = new Finder(timeline, this.#deeds);
    this.branches = new Branches(sim);
  }

  /** What is there of the log now. */
  overview(reading: Reading): Opened {
    this.#grow(reading.kind === "share");
    const { startAtMs, nowMs, marks } = this.#timeline;
    return {
      reading,
      seed: this.#seed,
      startAtMs,
      nowMs,
      times: this.#times.slice(0, this.#known),
      kinds: this.#kinds.slice(0, this.#known),
      marks: [...marks].map(([name, mark]) => ({ name, position: mark.position, atMs: mark.atMs })),
      ...this.#deeds.overview(),
    };
  }

  /** Takes what was read since. */
  #grow(isReading: boolean): void {
    const { history, position } = this.#timeline;
    if (position > this.#times.length) {
      this.#times = withRoom(new Float64Array(2 * position), this.#times);
      this.#kinds = withRoom(new Uint8Array(2 * position), this.#kinds);
    }
    for (const commit of history.commits(this.#known + 1, position)) {
      this.#times[commit.position - 1] = commit.atMs;
      this.#kinds[commit.position - 1] = KINDS.indexOf(kindOf(commit));
    }
    this.#known = position;
    const entries = this.#journal.slice(this.#taken);
    this.#taken = this.#journal.length;
    LiveSimulator.insideOf(this.#sim).host.journal.restore(entries);
    this.#deeds.grow(entries);
    this.#finder.grow(isReading);
  }

  find(filter: string, grouping: Grouping): Found {
    return this.#finder.find(filter, grouping);
  }

  conditions(): string[] {
    return this.#finder.conditions();
  }

  rows(ids: readonly RowId[]): Row[] {
    return ids.map((id) => {
      if (id < 0) return this.#deeds.row(id);
      return rowOf(this.#timeline.history.commitAt(id));
    });
  }

  lanes(from: number, to: number, paths: readonly string[]): Lane[] {
    return [
      ...lanesOf(this.#sim, from, to),
      ...paths.map((path) => laneOfPath(this.#timeline.history, path, from, to)),
    ];
  }

  between(from: number, to: number): Changed {
    return changedShown(diff(this.#sim.at(from), this.#sim.at(to)));
  }

  writers(path: string, position: number): Writer[] {
    return writersOf(this.#timeline.history, path, position);
  }

  moment(row: RowId, open: readonly string[], withTopology: boolean): Moment {
    const place = this.#deeds.placeOf(row);
    const position = place?.position ?? row;
    const view = this.#sim.at(position);
    const explanation = row <= 0 ? undefined : this.#sim.explain(position);
    const entry = this.#deeds.shown(row);
    const { model, history } = this.#timeline;
    const state = history.stateAt(position);
    return {
      row,
      position,
      atMs: place?.atMs ?? view.clock.now(),
      ...(entry === undefined ? {} : { entry }),
      ...(explanation === undefined ? {} : { commit: this.#commit(explanation) }),
      pending: pendingDeadlines(model, state, TOLD).map(({ dueAtMs, command, owner }) => ({
        dueAtMs,
        command: shortName(command),
        owner: Object.values(owner).join(", "),
      })),
      pendingCount: model.calendars(state).reduce((sum, { size }) => sum + size, 0),
      tree: treeOf(view.state, new Set(open), explanation?.changes ?? []),
      ...(withTopology ? { topology: topologyOf(this.#sim, view, this.#deeds.request(row)) } : {}),
    };
  }

  stateHash(position: number): string {
    return this.#sim.at(position).stateHash();
  }

  offers(): Offers {
    return offersOf(this.#sim);
  }

  blame(path: string, position: number): number | undefined {
    return this.#sim.fork(position).blame(path)?.position;
  }

  #commit(explanation: Explanation): CommitShown {
    const { command, failed } = this.#timeline.history.commitAt(explanation.position);
    const { route, evidence, armedAt, moves, events, changes, ...rest } = explanation;
    return {
      name: command.name,
      via: command.via,
      program: programOf(command),
      ...(route === undefined ? {} : { route }),
      ...(evidence === undefined ? {} : { evidence }),
      ...(failed === undefined ? {} : { failed }),
      ...(armedAt === undefined ? {} : { armedAt }),
      input: jsonShown(command.input),
      caller: jsonShown(command.caller),
      moves: moves.map(({ machine, from, to, event, description }) => ({
        machine,
        from: String(from),
        to: String(to),
        event,
        ...(description === undefined ? {} : { description }),
        ...objectPart(changes, from, to),
      })),
      facts: events.slice(0, TOLD).map(({ type, data }) => ({ type, words: wordsOf(type), data: jsonShown(data) })),
      ...changedShown(changes),
      ...("answer" in rest ? { answer: jsonShown(rest.answer) } : {}),
    };
  }
}

function withRoom<A extends Float64Array | Uint8Array>(room: A, array: A): A {
  room.set(array);
  return room;
}
