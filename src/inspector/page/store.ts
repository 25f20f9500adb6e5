import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Moment, Opened } from "../protocol.ts";
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
  /** The cursor. */
  readonly position = signal(0);
  /** What is shown of the cursor's position; it may be that of the position before, for the blink of an eye. */
  readonly moment = signal<Moment | undefined>(undefined);
  readonly filter = signal("");
  readonly found = signal<Uint32Array | undefined>(undefined);
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
      const last = opened.times.length;
      this.fit();
      this.openPaths.value = new Set(["secrets", "scheduler", "runs"]);
      this.go(last);
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

  /** Moves the cursor; beyond the ends it stands at them. */
  go(position: number): void {
    this.position.value = Math.max(0, Math.min(this.count.value, position));
    this.writer.value = undefined;
    this.#look();
    const at = this.along(this.position.value);
    const { low, high } = this.stretch.value;
    if (at < low || at > high) this.pan(at - (low + high) / 2);
  }

  /** Moves the cursor along what the filter has found. */
  step(by: number): void {
    const found = this.found.value;
    const at = this.position.value;
    if (found === undefined) {
      this.go(at + by);
      return;
    }
    const next =
      by > 0 ? found.findIndex((position) => position > at) : found.findLastIndex((position) => position < at);
    if (next < 0) return;
    this.go(found[Math.max(0, Math.min(found.length - 1, next + by - Math.sign(by)))] ?? at);
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

  along(position: number): number {
    const opened = this.opened.value;
    if (this.scale.value === "commits" || opened === undefined) return position;
    return opened.times[position - 1] ?? opened.startAtMs;
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
  zoom(factor: number, around: number = this.along(this.position.value)): void {
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
        const position = this.position.value;
        const paths = this.openPaths.value;
        this.moment.value = await phase.client.ask("moment", position, [...paths]);
        if (position !== this.position.value || paths !== this.openPaths.value) continue;
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
