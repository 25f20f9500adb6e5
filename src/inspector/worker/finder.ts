import { changesOf } from "../../kernel/blame.ts";
import { type Commit, programOf } from "../../kernel/commit.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { parsePath, valueAt } from "../../kernel/state-path.ts";
import { isObject } from "../../languages/objects.ts";
import { lineOf } from "../../scenario/log-rows.ts";
import type { WorldTimeline } from "../../simulator/world.ts";
import type { Found, Grouping, RowId } from "../protocol.ts";
import type { Deeds, Placed } from "./deeds.ts";
import { textShown } from "./shown-values.ts";

/** So many commits are read at once when nobody waits for them. */
const READ_AT_ONCE = 500;

/** Finds rows by a filter: words and conditions, all of which must hold. */
export class Finder {
  readonly #timeline: WorldTimeline;
  readonly #deeds: Deeds;
  /** What is searched, by position; texts are made when they are first asked for, or when there is nothing else to do. */
  readonly #texts: string[] = [""];
  readonly #abouts: (About | undefined)[] = [];
  readonly #entryTexts: string[] = [""];
  #last: { readonly words: string; readonly ids: readonly RowId[] } = NOTHING_FOUND;
  /** So many commits were read although nobody had asked. */
  #ahead = 0;
  #isReadingAhead = false;

  constructor(timeline: WorldTimeline, deeds: Deeds) {
    this.#timeline = timeline;
    this.#deeds = deeds;
  }

  /** There is more to be found. While a log is read, there is something else to do. */
  grow(isReading: boolean): void {
    this.#last = NOTHING_FOUND;
    if (!isReading && !this.#isReadingAhead) this.#readAhead();
  }

  /**
   * What a filter finds.
   *
   * @example
   * finder.find('promote "dr secondary" -timer fact:LeaseEnded via:http program:shop', "time");
   * finder.find("program:shop refused", "step");
   * finder.find("#12..40 timer", "time");
   * finder.find('touches secrets.east.replicated.mounts["kv/"]', "program");
   * @throws TypeError for a path that is none
   */
  find(filter: string, grouping: Grouping): Found {
    const rows = this.#found(filter);
    if (grouping === "time") return { rows: Int32Array.from(rows), groups: [] };
    switch (grouping) {
      case "step":
        return grouped(rows, this.#stepOf());
      case "object":
        return grouped(rows, (id) => this.#aboutOf(id).object);
      case "program":
        return grouped(rows, (id) => {
          const { via, program } = this.#aboutOf(id);
          if (via === "timer") return "deadlines";
          return program === "" ? "the test" : program;
        });
      default:
        return grouping satisfies never;
    }
  }

  #found(filter: string): readonly RowId[] {
    const [, words = "", path] = /^(.*?)(?:(?:^|\s)touches\s+(.*))?$/s.exec(filter.trim()) ?? [];
    const conditions = conditionsOf(words);
    const found: RowId[] = [];
    for (const id of path === undefined ? this.#candidates(words) : this.#touching(path)) {
      const text = this.#textOf(id);
      if (conditions.every((holds) => holds(text, () => this.#aboutOf(id)))) found.push(id);
    }
    if (path === undefined) this.#last = { words, ids: found };
    return found;
  }

  /** Conditions with a name, of which each finds something; in lower case, which is how all is compared. */
  conditions(): string[] {
    const found = new Set<string>();
    for (const id of this.#all()) {
      const { position: _, object: __, facts, failed = "", ...rest } = this.#aboutOf(id);
      for (const fact of facts) found.add(`fact:${fact}`);
      for (const [name, value] of Object.entries({ ...rest, failed })) if (value !== "") found.add(`${name}:${value}`);
    }
    return [...found].sort();
  }

  /** All rows; or, where more of a plain word is typed, those that had the word so far. */
  #candidates(words: string): Iterable<RowId> {
    const { words: before, ids } = this.#last;
    return PLAIN.test(words) && before !== "" && words.startsWith(before) ? ids : this.#all();
  }

  /** In which step of a scenario a row stands. */
  #stepOf(): (id: RowId) => string {
    const steps = new Map<RowId, string>();
    let step = "before the first step";
    for (const id of this.#all()) {
      const entry = this.#deeds.placed[-id - 1]?.entry;
      if (entry?.kind === "step") step = entry.title;
      steps.set(id, step);
    }
    return (id) => steps.get(id) ?? step;
  }

  #all(): Iterable<RowId> {
    return this.#deeds.order ?? allTo(this.#timeline.position);
  }

  #touching(path: string): RowId[] {
    const { history, position } = this.#timeline;
    const names = parsePath(path.trim());
    const look = (state: object) => valueAt(state, names);
    return [...changesOf(history, look, 0, position)].map((change) => change.position).reverse();
  }

  #aboutOf(id: RowId): About {
    const placed = this.#deeds.placed[-id - 1];
    if (placed !== undefined) return aboutEntry(placed);
    const known = this.#abouts[id];
    if (known !== undefined) return known;
    const about = aboutCommit(this.#timeline.history.commitAt(id));
    this.#abouts[id] = about;
    return about;
  }

  #textOf(id: RowId): string {
    const texts = id < 0 ? this.#entryTexts : this.#texts;
    const known = texts[Math.abs(id)];
    if (known !== undefined) return known;
    const entry = this.#deeds.placed[-id - 1]?.entry;
    const text = entry === undefined ? searchedText(this.#timeline.history.commitAt(id)) : entryText(entry);
    texts[Math.abs(id)] = text;
    return text;
  }

  #readAhead(): void {
    this.#isReadingAhead = true;
    const read = (): void => {
      const { position } = this.#timeline;
      const end = Math.min(position, this.#ahead + READ_AT_ONCE);
      for (; this.#ahead < end; this.#ahead++) this.#textOf(this.#ahead + 1);
      this.#isReadingAhead = this.#ahead < position;
      if (this.#isReadingAhead) setTimeout(read, 0);
    };
    setTimeout(read, 0);
  }
}

/** Rows in groups, which stand in the order of their first rows. */
function grouped(rows: readonly RowId[], nameOf: (id: RowId) => string): Found {
  const byName = new Map<string, RowId[]>();
  for (const id of rows) {
    const name = nameOf(id);
    const group = byName.get(name);
    if (group === undefined) byName.set(name, [id]);
    else group.push(id);
  }
  let start = 0;
  const groups = [...byName].map(([name, { length: count }]) => {
    start += count;
    return { name: textShown(name), start: start - count, count };
  });
  return { rows: Int32Array.from([...byName.values()].flat()), groups };
}

const NO_OBJECT = "no object";

/** Members of facts that tell what became of an object, and not which one it is. */
const BECAME = /^(status|mode|nonce|share|cover)$/;

/** Facts begin with where they are and with the name of what they are about. */
function objectOf(data: unknown): string {
  if (!isObject(data)) return NO_OBJECT;
  const [[, place] = [], [name = "", value] = []] = Object.entries(data);
  const names = isObject(place) ? Object.values(place) : [place];
  if (!BECAME.test(name)) names.push(value);
  const told = names.filter((one) => typeof one === "string" && one !== "");
  return told.length === 0 ? NO_OBJECT : told.join(" ");
}

const NOTHING_FOUND = { words: "", ids: [] };

function* allTo(last: number): Generator<RowId> {
  for (let position = 1; position <= last; position++) yield position;
}

/** What conditions with a name ask of a row, in lower case. */
interface About {
  readonly position: number;
  /** What its first fact is about, as it is written. */
  readonly object: string;
  readonly facts: readonly string[];
  readonly command: string;
  readonly via: string;
  readonly program: string;
  readonly failed: string | undefined;
}

function aboutCommit({ position, command, events, failed }: Commit): About {
  return {
    position,
    object: objectOf(events[0]?.data),
    facts: events.map(({ type }) => type.toLowerCase()),
    command: command.name.toLowerCase(),
    via: command.via,
    program: programOf(command).toLowerCase(),
    failed: failed?.toLowerCase(),
  };
}

function aboutEntry({ entry, position }: Placed): About {
  const common = { position, object: NO_OBJECT, facts: [], via: entry.kind };
  if (entry.kind !== "request") {
    const program = entry.kind === "note" ? entry.program.toLowerCase() : "";
    return { ...common, command: "", program, failed: undefined };
  }
  const { program, operation = "", refusal } = entry;
  return {
    ...common,
    command: operation.toLowerCase(),
    program: program.toLowerCase(),
    failed: refusal?.code.toLowerCase(),
  };
}

function entryText(entry: JournalEntry): string {
  const line = lineOf({ row: entry, atMs: entry.atMs, position: 0 });
  if (entry.kind !== "request") return line.toLowerCase();
  const { operation = "", refusal, request, response } = entry;
  const refused = refusal === undefined ? [] : [`refused ${refusal.code}`, refusal.why];
  const bodies = [request.body, response?.body].map((body) => JSON.stringify(body));
  return [line, operation, ...refused, ...bodies].join("\n").toLowerCase();
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

type Condition = (text: string, about: () => About) => boolean;

/** Words of which each finds less when more of it is typed. */
const PLAIN = /^(?!(?:.*\s)?-)[^":#]+$/;

/** Positions from one to another. */
const STRETCH = /^#(\d+)\.\.(\d+)$/;

/** Words that are no condition with a name are looked for as they are. */
function conditionsOf(words: string): Condition[] {
  const pattern = /(-?)(?:(fact|command|via|program|failed):)?(?:"([^"]*)"?|(\S+))/g;
  return [...words.matchAll(pattern)].map(([, minus, name, quoted, bare = ""]) => {
    const holds = conditionOf(name, (quoted ?? bare).toLowerCase());
    return minus === "-" ? (text, about) => !holds(text, about) : holds;
  });
}

function conditionOf(name: string | undefined, wanted: string): Condition {
  switch (name) {
    case "fact":
      return (_, about) => about().facts.some((type) => type.includes(wanted));
    case "command":
      return (_, about) => about().command.includes(wanted);
    case "via":
      return (_, about) => about().via === wanted;
    case "program":
      return (_, about) => about().program === wanted;
    case "failed":
      return (_, about) => about().failed?.includes(wanted) === true;
    default: {
      const [, first, last] = STRETCH.exec(wanted) ?? [];
      if (first === undefined) return (text) => text.includes(wanted);
      return (_, about) => Number(first) <= about().position && about().position <= Number(last);
    }
  }
}
