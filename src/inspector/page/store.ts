import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Moment, Opened, RowId } from "../protocol.ts";
import type { TraceFailure } from "../trace-html.ts";
import type { Client } from "./client.ts";

/** What the page shows where there is room for one thing. */
export type Pane = "list" | "moment" | "state";

export type Phase =
  | { readonly name: "opening"; readonly progress: number }
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

/** What the page knows, and all that can be done in it. */
export class Store {
  readonly title: string;
  readonly failure: TraceFailure | null;
  readonly phase = signal<Phase>({ name: "opening", progress: 0 });
  /** The cursor: a commit, an entry of the journal, or 0 for the beginning. */
  readonly row = signal<RowId>(0);
  /** The position of what the cursor stands at. */
  readonly position: ReadonlySignal<number> = computed(() => this.positionOf(this.row.value));
  /** What is shown of the cursor's row; it may be that of the row before, for the blink of an eye. */
  readonly moment = signal<Moment | undefined>(undefined);
  readonly filter = signal("");
  readonly found = signal<Int32Array | undefined>(undefined);
  readonly filterFault = signal("");
  readonly openPaths = signal<ReadonlySet<string>>(new Set());
  readonly chosenPath = signal("");
  /** The position of the last commit that wrote the chosen path: undefined before it is asked for, 0 where no commit did. */
  readonly writer = signal<number | undefined>(undefined);
  readonly scale = signal<Scale>("time");
  readonly stretch = signal<Stretch>({ low: 0, high: 1 });
  readonly pane = signal<Pane>("list");
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
  #isAsking = false;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(title: string, failure: TraceFailure | null) {
    this.title = title;
    this.failure = failure;
  }

  async open(
    opening: (told: (progress: number) => void) => Promise<{ readonly client: Client; readonly opened: Opened }>,
  ): Promise<void> {
    try {
      const { client, opened } = await opening((progress) => {
        this.phase.value = { name: "opening", progress };
      });
      this.phase.value = { name: "open", client, opened };
      this.fit();
      this.openPaths.value = new Set(["secrets", "scheduler", "runs"]);
      this.goToRow(this.rowCount === 0 ? 0 : this.rowAt(this.rowCount - 1));
      this.goToAddress();
    } catch (error) {
      this.phase.value = { name: "failed", message: messageOf(error) };
    }
  }

  /** The address of the page can name a position: `failure.html#12`. */
  goToAddress(): void {
    const wanted = TYPED_POSITION.exec(location.hash)?.[1];
    if (wanted !== undefined) this.go(Number(wanted));
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

  goToRow(row: RowId): void {
    this.row.value = row;
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
      const found = isNone ? undefined : await phase.client.ask("find", filter);
      if (this.filter.value !== filter) return;
      this.found.value = found;
      this.filterFault.value = "";
    } catch (error) {
      if (this.filter.value === filter) this.filterFault.value = messageOf(error);
    }
  }

  toggle(path: string): void {
    const paths = new Set(this.openPaths.value);
    if (!paths.delete(path)) paths.add(path);
    this.openPaths.value = paths;
    this.#look();
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
    this.stretch.value = { low: low - room * 0.02, high: end + room * 0.08 };
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
    this.#resting = setTimeout(() => history.replaceState(null, "", `#${this.position.value}`), 400);
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
        this.moment.value = await phase.client.ask("moment", row, [...paths]);
        if (row !== this.row.value || paths !== this.openPaths.value) continue;
        return this.#tellAddress();
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
