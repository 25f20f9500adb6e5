import { changesOf } from "../../kernel/blame.ts";
import { type Commit, programOf } from "../../kernel/commit.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { parsePath, valueAt } from "../../kernel/state-path.ts";
import { lineOf } from "../../scenario/log-rows.ts";
import type { WorldTimeline } from "../../simulator/world.ts";
import type { RowId } from "../protocol.ts";
import type { Deeds } from "./deeds.ts";

/** So many commits are read at once when nobody waits for them. */
const READ_AT_ONCE = 500;

/** Finds rows by a filter: words and conditions, all of which must hold. */
export class Finder {
  readonly #timeline: WorldTimeline;
  readonly #deeds: Deeds;
  /** What is searched, by position; texts are made when they are first asked for, or when there is nothing else to do. */
  readonly #texts: string[] = [""];

  constructor(timeline: WorldTimeline, deeds: Deeds) {
    this.#timeline = timeline;
    this.#deeds = deeds;
    this.#readAhead();
  }

  /**
   * What a filter finds, in order.
   *
   * @example
   * finder.find('promote "dr secondary" -timer fact:LeaseEnded via:http program:shop');
   * finder.find("program:shop refused");
   * finder.find('touches secrets.east.replicated.mounts["kv/"]');
   * @throws TypeError for a path that is none
   */
  find(filter: string): Int32Array<ArrayBuffer> {
    const [, words = "", path] = /^(.*?)(?:(?:^|\s)touches\s+(.*))?$/s.exec(filter.trim()) ?? [];
    const conditions = conditionsOf(words);
    const found: RowId[] = [];
    for (const row of path === undefined ? this.#all() : this.#touching(path)) {
      if (conditions.every((holds) => holds(row))) found.push(row.id);
    }
    return Int32Array.from(found);
  }

  *#all(): Generator<Searched> {
    const { order, placed } = this.#deeds;
    const { history, position } = this.#timeline;
    for (let index = 0; index < (order?.length ?? position); index++) {
      const id = order?.[index] ?? index + 1;
      const entry = placed[-id - 1]?.entry;
      yield entry === undefined ? this.#searchedCommit(history.commitAt(id)) : searchedEntry(id, entry);
    }
  }

  #touching(path: string): Searched[] {
    const { history, position } = this.#timeline;
    const names = parsePath(path.trim());
    const look = (state: object) => valueAt(state, names);
    return [...changesOf(history, look, 0, position)]
      .map((change) => this.#searchedCommit(history.commitAt(change.position)))
      .reverse();
  }

  #searchedCommit(commit: Commit): Searched {
    const { position, command, events, failed } = commit;
    const program = programOf(command);
    return {
      id: position,
      text: this.#textOf(commit),
      facts: events,
      command: command.name,
      via: command.via,
      program,
      failed,
    };
  }

  #textOf(commit: Commit): string {
    const text = this.#texts[commit.position] ?? searchedText(commit);
    this.#texts[commit.position] = text;
    return text;
  }

  #readAhead(): void {
    let next = 1;
    const read = (): void => {
      const { history, position } = this.#timeline;
      for (const end = Math.min(position, next + READ_AT_ONCE); next <= end; next++)
        this.#textOf(history.commitAt(next));
      if (next <= position) setTimeout(read, 0);
    };
    setTimeout(read, 0);
  }
}

/** What of a row is searched. */
interface Searched {
  readonly id: RowId;
  readonly text: string;
  readonly facts: Commit["events"];
  readonly command: string;
  readonly via: string;
  readonly program: string;
  readonly failed: string | undefined;
}

function searchedEntry(id: RowId, entry: JournalEntry): Searched {
  const line = lineOf({ row: entry, atMs: entry.atMs, position: 0 });
  const common = { id, facts: [], via: entry.kind };
  if (entry.kind !== "request") {
    const program = entry.kind === "note" ? entry.program : "";
    return { ...common, text: line.toLowerCase(), command: "", program, failed: undefined };
  }
  const { program, operation = "", refusal, request, response } = entry;
  const refused = refusal === undefined ? [] : [`refused ${refusal.code}`, refusal.why];
  const bodies = [request.body, response?.body].map((body) => JSON.stringify(body));
  const text = [line, operation, ...refused, ...bodies].join("\n").toLowerCase();
  return { ...common, text, command: operation, program, failed: refusal?.code };
}

function searchedText({ position, command, events, failed }: Commit): string {
  const parts = [
    `#${position}`,
    command.name,
    command.via,
    JSON.stringify(command.input),
    JSON.stringify(command.caller),
  ];
  const facts = events.map(({ type, data }) => `${type} ${JSON.stringify(data)}`);
  return [...parts, ...facts, ...(failed === undefined ? [] : [`refused ${failed}`])].join("\n").toLowerCase();
}

type Condition = (row: Searched) => boolean;

/** Words that are no condition with a name are looked for as they are. */
function conditionsOf(words: string): Condition[] {
  const pattern = /(-?)(?:(fact|command|via|program|failed):)?(?:"([^"]*)"?|(\S+))/g;
  return [...words.matchAll(pattern)].map(([, minus, name, quoted, bare = ""]) => {
    const holds = conditionOf(name, (quoted ?? bare).toLowerCase());
    return minus === "-" ? (row) => !holds(row) : holds;
  });
}

function conditionOf(name: string | undefined, wanted: string): Condition {
  switch (name) {
    case "fact":
      return ({ facts }) => facts.some(({ type }) => type.toLowerCase().includes(wanted));
    case "command":
      return ({ command }) => command.toLowerCase().includes(wanted);
    case "via":
      return ({ via }) => via === wanted;
    case "program":
      return ({ program }) => program.toLowerCase() === wanted;
    case "failed":
      return ({ failed }) => failed?.toLowerCase().includes(wanted) === true;
    default:
      return ({ text }) => text.includes(wanted);
  }
}
