import { changesOf } from "../../kernel/blame.ts";
import { type Commit, programOf } from "../../kernel/commit.ts";
import { parsePath, valueAt } from "../../kernel/state-path.ts";
import type { WorldTimeline } from "../../simulator/world.ts";

/** So many commits are read at once when nobody waits for them. */
const READ_AT_ONCE = 500;

/** Finds commits by a filter: words and conditions, all of which must hold. */
export class Finder {
  readonly #timeline: WorldTimeline;
  /** What is searched, by position; texts are made when they are first asked for, or when there is nothing else to do. */
  readonly #texts: string[] = [""];

  constructor(timeline: WorldTimeline) {
    this.#timeline = timeline;
    this.#readAhead();
  }

  /**
   * The positions that a filter finds, in order.
   *
   * @example
   * finder.find('promote "dr secondary" -timer fact:LeaseEnded via:http program:shop');
   * finder.find('touches secrets.east.replicated.mounts["kv/"]');
   * @throws TypeError for a path that is none
   */
  find(filter: string): Uint32Array<ArrayBuffer> {
    const [, words = "", path] = /^(.*?)(?:(?:^|\s)touches\s+(.*))?$/s.exec(filter.trim()) ?? [];
    const conditions = conditionsOf(words);
    const found: number[] = [];
    for (const commit of path === undefined ? this.#timeline.history.commits() : this.#touching(path)) {
      if (conditions.every((holds) => holds(commit, this.#textOf(commit)))) found.push(commit.position);
    }
    return Uint32Array.from(found);
  }

  #touching(path: string): Commit[] {
    const { history, position } = this.#timeline;
    const names = parsePath(path.trim());
    const look = (state: object) => valueAt(state, names);
    return [...changesOf(history, look, 0, position)].map((change) => history.commitAt(change.position)).reverse();
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

type Condition = (commit: Commit, text: string) => boolean;

/** Words that are no condition with a name are looked for as they are. */
function conditionsOf(words: string): Condition[] {
  const pattern = /(-?)(?:(fact|command|via|program|failed):)?(?:"([^"]*)"?|(\S+))/g;
  return [...words.matchAll(pattern)].map(([, minus, name, quoted, bare = ""]) => {
    const holds = conditionOf(name, (quoted ?? bare).toLowerCase());
    return minus === "-" ? (commit, text) => !holds(commit, text) : holds;
  });
}

function conditionOf(name: string | undefined, wanted: string): Condition {
  switch (name) {
    case "fact":
      return ({ events }) => events.some(({ type }) => type.toLowerCase().includes(wanted));
    case "command":
      return ({ command }) => command.name.toLowerCase().includes(wanted);
    case "via":
      return ({ command }) => command.via === wanted;
    case "program":
      return ({ command }) => programOf(command).toLowerCase() === wanted;
    case "failed":
      return ({ failed }) => failed?.toLowerCase().includes(wanted) === true;
    default:
      return (_, text) => text.includes(wanted);
  }
}
