import { type Explanation, replay, type Simulator } from "../../index.ts";
import { type Commit, programOf } from "../../kernel/commit.ts";
import { shortName, wordsOf } from "../../scenario/words.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { WorldTimeline } from "../../simulator/world.ts";
import {
  type CommitShown,
  KINDS,
  type Kind,
  type Lane,
  type Moment,
  type Opened,
  type Row,
  type RowId,
} from "../protocol.ts";
import { Deeds } from "./deeds.ts";
import { Finder } from "./finder.ts";
import { lanesOf } from "./lanes.ts";
import { jsonShown, textShown } from "./shown-values.ts";
import { treeOf } from "./tree-rows.ts";

/** So many are told of what can be many; the others are counted. */
const TOLD = 200;

/** A log with its simulator, and what is asked about it. */
export class OpenedLog {
  readonly #sim: Simulator;
  readonly #timeline: WorldTimeline;
  readonly #seed: string;
  readonly #deeds: Deeds;
  readonly #finder: Finder;

  private constructor(sim: Simulator) {
    const { timeline, settings } = LiveSimulator.insideOf(sim);
    this.#sim = sim;
    this.#timeline = timeline;
    this.#seed = String(settings.seed);
    this.#deeds = new Deeds(sim);
    this.#finder = new Finder(timeline, this.#deeds);
  }

  /** @throws LogError for a log that cannot be read */
  static async read(bytes: ArrayBuffer, told: (progress: number) => void): Promise<OpenedLog> {
    return new OpenedLog(await replay(piecesOf(bytes, told)));
  }

  overview(): Opened {
    const { history, position, startAtMs, nowMs, marks } = this.#timeline;
    const times = new Float64Array(position);
    const kinds = new Uint8Array(position);
    for (const commit of history.commits()) {
      times[commit.position - 1] = commit.atMs;
      kinds[commit.position - 1] = KINDS.indexOf(kindOf(commit));
    }
    return {
      seed: this.#seed,
      startAtMs,
      nowMs,
      times,
      kinds,
      marks: [...marks].map(([name, mark]) => ({ name, position: mark.position, atMs: mark.atMs })),
      ...this.#deeds.overview(),
    };
  }

  find(filter: string): Int32Array<ArrayBuffer> {
    return this.#finder.find(filter);
  }

  rows(ids: readonly RowId[]): Row[] {
    return ids.map((id) => {
      if (id < 0) return this.#deeds.row(id);
      const commit = this.#timeline.history.commitAt(id);
      const { atMs, command, events } = commit;
      const detail = events.map(({ type }) => wordsOf(type)).join(", ");
      return { id, atMs, name: shortName(command.name), detail: textShown(detail), kind: kindOf(commit) };
    });
  }

  lanes(from: number, to: number): Lane[] {
    return lanesOf(this.#sim, from, to);
  }

  moment(row: RowId, open: readonly string[]): Moment {
    const place = this.#deeds.placeOf(row);
    const position = place?.position ?? row;
    const view = this.#sim.at(position);
    const explanation = row <= 0 ? undefined : this.#sim.explain(position);
    const entry = this.#deeds.shown(row);
    // A fork, because a view has no calendar.
    const pending = this.#sim.fork(position).clock.pending();
    return {
      row,
      position,
      atMs: place?.atMs ?? view.clock.now(),
      ...(entry === undefined ? {} : { entry }),
      stateHash: view.stateHash(),
      ...(explanation === undefined ? {} : { commit: this.#commit(explanation) }),
      pending: pending.slice(0, TOLD).flatMap((due) => {
        if (due.timer !== undefined) return [];
        return [{ dueAtMs: due.dueAtMs, command: shortName(due.command), owner: Object.values(due.owner).join(", ") }];
      }),
      pendingCount: pending.length,
      tree: treeOf(view.state, new Set(open), explanation?.changes ?? []),
    };
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
      })),
      facts: events.slice(0, TOLD).map(({ type, data }) => ({ type, words: wordsOf(type), data: jsonShown(data) })),
      changes: changes.slice(0, TOLD).map(({ path, before, after }) => ({
        path,
        ...(before === undefined ? {} : { before: jsonShown(before) }),
        ...(after === undefined ? {} : { after: jsonShown(after) }),
      })),
      changeCount: changes.length,
      ...("answer" in rest ? { answer: jsonShown(rest.answer) } : {}),
    };
  }
}

function kindOf({ command: { name, via }, failed }: Commit): Kind {
  if (failed !== undefined) return "failed";
  if (via === "timer") return "timer";
  if (via === "fault" || /^control\.(faults|network)\./.test(name)) return "fault";
  return via === "control" ? "control" : "request";
}

async function* piecesOf(bytes: ArrayBuffer, told: (progress: number) => void): AsyncGenerator<string> {
  const total = bytes.byteLength;
  let read = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (piece, controller) => {
      read += piece.byteLength;
      told(read / total);
      controller.enqueue(piece);
    },
  });
  const compressed = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (controller) => inParts(bytes, controller) });
  const texts = compressed
    .pipeThrough(counted)
    .pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(new TextDecoderStream())
    .getReader();
  for (;;) {
    const { done, value } = await texts.read();
    if (done) return;
    yield value;
  }
}

const PART_BYTES = 1 << 18;

function inParts(bytes: ArrayBuffer, controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
  for (let at = 0; at < bytes.byteLength; at += PART_BYTES) {
    controller.enqueue(new Uint8Array(bytes, at, Math.min(PART_BYTES, bytes.byteLength - at)));
  }
  controller.close();
}
