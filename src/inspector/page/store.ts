import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import type {
  Beginning,
  BranchShown,
  Calls,
  Changed,
  Deed,
  Group,
  Grouping,
  Moment,
  Opened,
  RowId,
  Source,
} from "../protocol.ts";
import type { Told, TraceFailure } from "../trace-html.ts";
import type { Client } from "./client.ts";

/** What the page shows where there is room for one thing. */
export type Pane = "list" | "moment" | Side;

/** What the third column shows. */
export const SIDES = [
  ["state", "State"],
  ["topology", "Topology"],
  ["what-if", "What if"],
] as const;
export type Side = (typeof SIDES)[number][0];

export type Phase =
  | { readonly name: "opening" }
  /** A listener wants its admin secret. */
  | { readonly name: "locked"; readonly message: string }
  | { readonly name: "failed"; readonly message: string }
  | { readonly name: "open"; readonly client: Client; readonly opened: Opened };

/** How far along the time line a position is: by its instant, or by its number. */
export type Scale = "time" | "commits";

/** A stretch of the time line, in the unit of its scale. */
export interface Stretch {
  readonly low: number;
  readonly high: number;
}

const TYPED_POSITION = /^#(\d+)$/;

/** The address with which a listener shows itself holds its secret, which is kept for the tab, and taken away from there. */
const GIVEN_SECRET = /^#secret=(.*)$/;
const SECRET = "hindcast-secret";
/** A listener that has gone is asked again after so long. */
const AGAIN_MS = 500;

/** What the page knows, and all that can be done in it. */
export class Store {
  readonly title: string;
  readonly failure: TraceFailure | null;
  /** The timers of programs that were armed at the end. */
  readonly timers: Told["timers"];
  readonly phase = signal<Phase>({ name: "opening" });
  /** The cursor: a commit, an entry of the journal, or 0 for the beginning. */
  readonly row = signal<RowId>(0);
  /** The position of what the cursor stands at. */
  readonly position: ReadonlySignal<number> = computed(() => this.positionOf(this.row.value));
  /** What is shown of the cursor's row; it may be that of the row before, for the blink of an eye. */
  readonly moment = signal<Moment | undefined>(undefined);
  /** The hash of a state, and of which: it comes when the cursor rests. */
  readonly stateHash = signal({ position: -1, hash: "" });
  readonly filter = signal("");
  readonly found = signal<Int32Array | undefined>(undefined);
  readonly filterFault = signal("");
  readonly grouping = signal<Grouping>("time");
  /** The groups of the list, by the places of their first rows. */
  readonly groups = signal<ReadonlyMap<number, Group>>(new Map());
  readonly openPaths = signal<ReadonlySet<string>>(new Set());
  readonly chosenPath = signal("");
  /** The position of the last commit that wrote the chosen path: undefined before it is asked for, 0 where no commit did. */
  readonly writer = signal<number | undefined>(undefined);
  readonly scale = signal<Scale>("time");
  readonly stretch = signal<Stretch>({ low: 0, high: 1 });
  /** The second cursor; undefined while there is only one. */
  readonly anchor = signal<RowId | undefined>(undefined);
  /** The positions from one cursor to the other. */
  readonly between = computed(() => {
    const anchor = this.anchor.value;
    if (anchor === undefined) return undefined;
    const ends = [this.positionOf(anchor), this.position.value].sort((one, other) => one - other);
    return { first: ends[0] ?? 0, last: ends[1] ?? 0 };
  });
  /** What differs between both cursors; it comes when they rest. */
  readonly changedBetween = signal<Changed | undefined>(undefined);
  /** Paths of the state that have a row of the time line. */
  readonly pinned = signal<readonly string[]>([]);
  readonly pane = signal<Pane>("list");
  readonly side = signal<Side>("state");
  /** How many seconds pass in one while the run is played. */
  readonly speed = signal(60);
  /** The instant that is played; undefined while nothing is. */
  readonly playedMs = signal<number | undefined>(undefined);
  readonly branches = signal<readonly BranchShown[]>([]);
  /** Which of them is looked at; 0 while there is only the log. */
  readonly branch = signal(0);
  readonly whatIfFault = signal("");
  readonly isHelpOpen = signal(false);
  readonly opened: ReadonlySignal<Opened | undefined> = computed(() => {
    const phase = this.phase.value;
    return phase.name === "open" ? phase.opened : undefined;
  });
  /** How many commits there are. */
  readonly count = computed(() => this.opened.value?.times.length ?? 0);
  /** The rows of the list, in its order; undefined where it is all commits. */
  readonly listed = computed(() => this.found.value ?? this.opened.value?.order);
  /** Where rows stand in the list, where that is not what their number says. */
  readonly #places = computed(() => {
    const listed = this.listed.value;
    if (listed === undefined) return undefined;
    const places = new Map<RowId, number>();
    for (const [index, row] of listed.entries()) places.set(row, index);
    return places;
  });
  /** The stretch that shows all that there is. */
  #fitted: Stretch | undefined;
  /** A position that the cursor goes to when it is read; beyond the last one, it is the end. */
  #wanted: number | undefined;
  #isAsking = false;
  #hashing: ReturnType<typeof setTimeout> | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor({ title, failure, timers }: Told) {
    this.title = title;
    this.failure = failure;
    this.timers = timers;
  }

  /** Opens a log. */
  async open(client: Client, source: Source): Promise<void> {
    try {
      const opened = await client.ask("open", source);
      this.anchor.value = undefined;
      this.branches.value = [];
      this.branch.value = 0;
      this.phase.value = { name: "open", client, opened };
      this.fit();
      this.openPaths.value = new Set(["secrets", "scheduler", "runs"]);
      this.row.value = 0;
      this.goToAddress(Number.POSITIVE_INFINITY);
    } catch (error) {
      const message = messageOf(error);
      const { name } = this.phase.value;
      if (source.kind === "live" && /^40[13] /.test(message)) this.phase.value = { name: "locked", message };
      else if (source.kind === "held" || name !== "open") this.phase.value = { name: "failed", message };
    }
  }

  /** Shows the simulator of the listener that the page came from: each one that it has. */
  async follow(client: Client): Promise<void> {
    const given = GIVEN_SECRET.exec(location.hash)?.[1];
    if (given !== undefined) {
      sessionStorage.setItem(SECRET, decodeURIComponent(given));
      history.replaceState(null, "", location.pathname);
    }
    const { href } = new URL("inspect/log", location.href);
    const isOver = (): boolean => {
      const { value } = this.phase;
      return value.name === "open" ? value.opened.reading.kind === "broken" : value.name !== "locked";
    };
    for (;;) {
      await this.open(client, { kind: "live", url: href, secret: sessionStorage.getItem(SECRET) ?? "" });
      do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      while (!isOver());
    }
  }

  /** Tries a secret at the listener. */
  unlock(secret: string): void {
    sessionStorage.setItem(SECRET, secret);
    this.phase.value = { name: "opening" };
  }

  /** There is more of the log. A cursor at its end stays there. */
  grow(opened: Opened): void {
    const phase = this.phase.value;
    if (phase.name !== "open") return;
    const isAtEnd = this.found.value === undefined && this.row.value === this.#lastRow;
    const isFitted = this.stretch.value === this.#fitted;
    batch(() => {
      this.phase.value = { ...phase, opened };
      if (isFitted) this.fit();
      if (this.#wanted !== undefined) this.#goToWanted();
      else if (isAtEnd) this.goToRow(this.#lastRow);
    });
    if (this.found.value !== undefined) void this.search(this.filter.value);
  }

  get #lastRow(): RowId {
    return this.rowCount === 0 ? 0 : this.rowAt(this.rowCount - 1);
  }

  /** The address of the page can name a position: `failure.html#12`. */
  goToAddress(otherwise?: number): void {
    const typed = TYPED_POSITION.exec(location.hash)?.[1];
    this.#wanted = typed === undefined ? otherwise : Number(typed);
    this.#goToWanted();
  }

  /** Goes where the cursor shall be, once that is read. */
  #goToWanted(): void {
    const wanted = this.#wanted;
    if (wanted === undefined || this.opened.value === undefined) return;
    const isThere = wanted <= this.count.value || this.opened.value.reading.kind !== "share";
    if (!isThere) this.#look();
    else if (wanted > this.count.value) this.goToRow(this.#lastRow);
    else this.go(wanted);
  }

  /** How many rows the list has. */
  get rowCount(): number {
    return this.listed.value?.length ?? this.count.value;
  }

  /** The row at a place of the list. */
  rowAt(index: number): RowId {
    return this.listed.value?.[index] ?? index + 1;
  }

  /** Where a row stands in the list; -1 where it is not in it. */
  indexOf(row: RowId): number {
    const places = this.#places.value;
    return places === undefined ? row - 1 : (places.get(row) ?? -1);
  }

  /** Moves the cursor to a commit; beyond the ends it stands at them. */
  go(position: number): void {
    this.goToRow(Math.max(0, Math.min(this.count.value, position)));
  }

  /** Whoever moves the cursor stops what is played. */
  goToRow(row: RowId, playedMs?: number): void {
    this.#wanted = undefined;
    this.row.value = row;
    this.playedMs.value = playedMs;
    this.writer.value = undefined;
    this.#look();
    const at = this.along(row);
    const { low, high } = this.stretch.value;
    if (at < low || at > high) this.pan(at - (low + high) / 2);
  }

  /** Moves the cursor along the list; before its first row it stands at the beginning. */
  step(by: number): void {
    const place = this.indexOf(this.row.value);
    const next = (place < 0 ? this.#placeBeside(by) : place) + by;
    if (next < 0 && this.found.value === undefined) this.go(0);
    else if (this.rowCount > 0) this.goToRow(this.rowAt(Math.max(0, Math.min(this.rowCount - 1, next))));
  }

  /** Where the list would have the cursor's position, seen from the side from which a step comes. */
  #placeBeside(by: number): number {
    const at = this.position.value;
    let after = 0;
    while (after < this.rowCount && this.positionOf(this.rowAt(after)) <= at) after++;
    return by > 0 ? after - 1 : after;
  }

  positionOf(row: RowId): number {
    return row < 0 ? (this.opened.value?.entryPositions[-row - 1] ?? 0) : row;
  }

  show(pane: Pane): void {
    this.pane.value = pane;
    if (pane === "list" || pane === "moment") return;
    this.side.value = pane;
    this.#look();
  }

  /** Lets time go on from the cursor, row by row, or stops it. At the end it begins anew. */
  playOrPause(): void {
    if (this.playedMs.value !== undefined) {
      this.playedMs.value = undefined;
      return;
    }
    if (this.indexOf(this.row.value) === this.rowCount - 1) this.go(0);
    this.playedMs.value = this.instantOf(this.row.value);
    let last = performance.now();
    const play = (now: number): void => {
      const at = this.playedMs.value;
      if (at === undefined) return;
      const until = at + (now - last) * this.speed.value;
      last = now;
      this.#playTo(until);
      if (this.playedMs.value !== undefined) requestAnimationFrame(play);
    };
    requestAnimationFrame(play);
  }

  #playTo(untilMs: number): void {
    const before = this.indexOf(this.row.value);
    let place = before;
    while (place + 1 < this.rowCount && this.instantOf(this.rowAt(place + 1)) <= untilMs) place++;
    if (place !== before) this.goToRow(this.rowAt(place), untilMs);
    this.playedMs.value = place + 1 < this.rowCount ? untilMs : undefined;
  }

  /** The next mark in a direction. */
  stepToMark(direction: 1 | -1): void {
    const places = this.opened.value?.marks.map(({ position }) => position) ?? [];
    const ahead = places.filter((place) => (place - this.position.value) * direction > 0);
    if (ahead.length > 0) this.go(direction > 0 ? Math.min(...ahead) : Math.max(...ahead));
  }

  /** Goes to a position that is typed where filters are, such as `#12`. */
  goToTyped(): void {
    const typed = TYPED_POSITION.exec(this.filter.value)?.[1];
    if (typed === undefined) return;
    void this.search("");
    this.go(Number(typed));
  }

  async search(filter: string): Promise<void> {
    this.filter.value = filter;
    const phase = this.phase.value;
    if (phase.name !== "open") return;
    try {
      const isNone = filter.trim() === "" || TYPED_POSITION.test(filter);
      const grouping = this.grouping.value;
      const found =
        isNone && grouping === "time" ? undefined : await phase.client.ask("find", isNone ? "" : filter, grouping);
      if (this.filter.value !== filter || this.grouping.value !== grouping) return;
      batch(() => {
        this.groups.value = new Map((found?.groups ?? []).map((group) => [group.start, group]));
        this.found.value = found?.rows;
        this.filterFault.value = "";
      });
    } catch (error) {
      if (this.filter.value === filter) this.filterFault.value = messageOf(error);
    }
  }

  group(by: Grouping): void {
    this.grouping.value = by;
    void this.search(this.filter.value);
  }

  toggle(path: string): void {
    const paths = new Set(this.openPaths.value);
    if (!paths.delete(path)) paths.add(path);
    this.openPaths.value = paths;
    this.#look();
  }

  /** Puts the second cursor where the first one stands, or takes it away from there. */
  toggleAnchor(): void {
    this.setAnchor(this.anchor.value === this.row.value ? undefined : this.row.value);
  }

  setAnchor(row: RowId | undefined): void {
    this.anchor.value = row;
    this.#look();
  }

  /** Changes the places of both cursors. */
  swap(): void {
    const anchor = this.anchor.value;
    if (anchor === undefined) return;
    this.anchor.value = this.row.value;
    this.goToRow(anchor);
  }

  /** Only what happened between the cursors stands in the list. */
  keepToBetween(): void {
    const between = this.between.value;
    if (between !== undefined) void this.search(`#${between.first}..${between.last}`);
  }

  togglePin(path: string): void {
    const pinned = this.pinned.value;
    this.pinned.value = pinned.includes(path) ? pinned.filter((other) => other !== path) : [...pinned, path];
  }

  async choose(path: string): Promise<void> {
    this.chosenPath.value = path;
    this.writer.value = undefined;
    const phase = this.phase.value;
    const position = this.position.value;
    if (phase.name !== "open") return;
    const writer = (await phase.client.ask("blame", path, position)) ?? 0;
    if (this.chosenPath.value === path && this.position.value === position) this.writer.value = writer;
  }

  // --- what if ----------------------------------------------------------------------------------------------------------

  ask<M extends keyof Calls>(method: M, ...args: Parameters<Calls[M]>): Promise<Awaited<ReturnType<Calls[M]>>> {
    const phase = this.phase.value;
    if (phase.name !== "open") throw new Error("no log is open");
    return phase.client.ask(method, ...args);
  }

  async begin(from: Beginning): Promise<void> {
    if (await this.#try(() => this.ask("begin", from))) this.branch.value = this.branches.value.length - 1;
  }

  async beginWithFile(file: File): Promise<void> {
    await this.begin({ log: { name: file.name, bytes: await file.arrayBuffer() } });
  }

  /** Another run beside this one: where they part is seen at once. */
  async showBeside(name: string, bytes: ArrayBuffer): Promise<void> {
    this.show("what-if");
    await this.begin({ log: { name, bytes } });
    const { parting } = await this.ask("compare", 0, this.branch.value);
    if (parting !== undefined) this.go(parting.position + 1);
  }

  act(deed: Deed): Promise<boolean> {
    return this.#try(() => this.ask("act", this.branch.value, deed));
  }

  /** A message as on the wire: method and URL, headers, and behind an empty line the body. */
  async send(program: string, message: string): Promise<void> {
    const [head = "", ...rest] = message.trim().split(/\r?\n\r?\n/);
    const [first = "", ...lines] = head.split(/\r?\n/);
    const [method = "", url = ""] = first.trim().split(/\s+/);
    const headers = lines.map((line) => [line.split(":", 1)[0] ?? "", line.slice(line.indexOf(":") + 1).trim()]);
    await this.act({
      kind: "send",
      program,
      method,
      url,
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: rest.join("\n\n"),
    });
  }

  async #try(asking: () => Promise<readonly BranchShown[]>): Promise<boolean> {
    try {
      this.branches.value = await asking();
      this.whatIfFault.value = "";
      return true;
    } catch (error) {
      this.whatIfFault.value = messageOf(error);
      return false;
    }
  }

  // --- the time line ----------------------------------------------------------------------------------------------------

  along(row: RowId): number {
    return this.scale.value === "time" ? this.instantOf(row) : this.positionOf(row);
  }

  instantOf(row: RowId): number {
    const { times = [], entryTimes = [], startAtMs = 0 } = this.opened.value ?? {};
    return (row < 0 ? entryTimes[-row - 1] : times[row - 1]) ?? startAtMs;
  }

  /** The position at a place of the time line: the last one that is not after it. */
  positionAt(place: number): number {
    const { times } = this.opened.value ?? { times: new Float64Array() };
    if (this.scale.value === "commits") return Math.max(0, Math.min(times.length, Math.round(place)));
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** From the first commit to the last one, and to the deadlines that follow soon. */
  fit(): void {
    const opened = this.opened.value;
    if (opened === undefined) return;
    const low = this.along(0);
    const end = this.scale.value === "time" ? opened.nowMs : this.count.value;
    const room = Math.max(end - low, 1);
    this.#fitted = { low: low - room * 0.02, high: end + room * 0.08 };
    this.stretch.value = this.#fitted;
  }

  setScale(scale: Scale): void {
    this.scale.value = scale;
    this.fit();
  }

  /** Makes the stretch longer or shorter around a place of it, by default the cursor. */
  zoom(factor: number, around: number = this.along(this.row.value)): void {
    const { low, high } = this.stretch.value;
    const shortest = this.scale.value === "time" ? 10 : 4;
    const length = Math.max(shortest, (high - low) * factor);
    const share = Math.max(0, Math.min(1, (around - low) / (high - low)));
    this.stretch.value = { low: around - share * length, high: around + (1 - share) * length };
  }

  pan(by: number): void {
    const { low, high } = this.stretch.value;
    this.stretch.value = { low: low + by, high: high + by };
  }

  /** Browsers count how often that is done: it waits until the cursor rests. */
  #tellAddress(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      const isAtEnd = this.row.value === this.#lastRow;
      history.replaceState(null, "", isAtEnd ? location.pathname : `#${this.position.value}`);
    }, 400);
  }

  /** It takes a while where nothing near was hashed, and a cursor that flies waits for nothing. */
  #tellHash(client: Client): void {
    const position = this.position.value;
    clearTimeout(this.#hashing);
    const ask = async (): Promise<void> => {
      const hash = await client.ask("stateHash", position);
      this.stateHash.value = { position, hash };
    };
    this.#hashing = setTimeout(() => void ask(), 50);
  }

  /** Asks for what is at the cursor: one question at a time, so that a cursor that flies is followed. */
  #look(): void {
    if (!this.#isAsking) void this.#follow();
  }

  async #follow(): Promise<void> {
    const phase = this.phase.value;
    if (phase.name !== "open") return;
    this.#isAsking = true;
    try {
      for (;;) {
        const row = this.row.value;
        const paths = this.openPaths.value;
        const side = this.side.value;
        this.moment.value = await phase.client.ask("moment", row, [...paths], side === "topology");
        if (row !== this.row.value || paths !== this.openPaths.value || side !== this.side.value) continue;
        const between = this.between.value;
        this.changedBetween.value =
          between === undefined ? undefined : await phase.client.ask("between", between.first, between.last);
        if (row !== this.row.value || between !== this.between.value) continue;
        this.#tellAddress();
        this.#tellHash(phase.client);
        return;
      }
    } catch (error) {
      this.phase.value = { name: "failed", message: messageOf(error) };
    } finally {
      this.#isAsking = false;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
