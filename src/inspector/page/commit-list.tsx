import { signal, useSignal } from "@preact/signals";
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { timeOfDay } from "../../scenario/clock-face.ts";
import { GROUPINGS, type Group, type Row, type RowId } from "../protocol.ts";
import type { Store } from "./store.ts";

/** A million of them fit into what browsers can scroll. */
const ROW_HEIGHT = 28;
const HEADING_HEIGHT = 26;

export function CommitList({ store }: { readonly store: Store }): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const conditions = useSignal<readonly string[]>([]);
  const found = store.found.value;
  const count = store.rowCount;
  const view = useMemo(() => new ListView(store), [store]);
  useEffect(() => view.mount(scroller), [view]);
  useEffect(() => view.resize(count), [view, count, found]);
  const index = store.indexOf(store.row.value);
  useEffect(() => view.show(index), [view, index, found]);
  const { height } = view.shown.value;
  const rows = view.rows.value;
  return (
    <section class="list" aria-label="Commits and requests">
      <h2>{store.opened.value?.order === undefined ? "Commits" : "Commits and requests"}</h2>
      <div class="filter">
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          autocomplete="off"
          list="conditions"
          onFocus={() => void store.ask("conditions").then((found) => (conditions.value = found))}
          spellcheck={false}
          placeholder="words, fact:LeaseEnded, program:shop refused, touches secrets.east"
          value={store.filter.value}
          onInput={({ currentTarget }) => void store.search(currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === "Enter") store.goToTyped();
            if (key === "Escape" || key === "Enter") currentTarget.blur();
          }}
        />
        <datalist id="conditions">
          {completed(store.filter.value, conditions.value).map((filter) => (
            <option key={filter} value={filter} />
          ))}
        </datalist>
        <select
          aria-label="Grouped by"
          value={store.grouping.value}
          onChange={({ currentTarget }) => {
            const by = GROUPINGS.find((one) => one === currentTarget.value);
            if (by !== undefined) store.group(by);
          }}
        >
          {GROUPINGS.map((by) => (
            <option key={by} value={by}>
              by {by}
            </option>
          ))}
        </select>
        <output class={store.filterFault.value === "" ? "" : "fault"}>
          {store.filterFault.value ||
            (found === undefined || store.filter.value.trim() === "" ? "" : `${count.toLocaleString("en-US")} found`)}
        </output>
      </div>
      <div
        class="rows"
        ref={scroller}
        role="listbox"
        aria-label="Commits and requests"
        tabIndex={0}
        aria-activedescendant={index < 0 ? undefined : `row-${store.row.value}`}
        onKeyDown={(event) => {
          const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          store.step(by);
        }}
      >
        <div role="presentation" style={{ height: `${height}px` }}>
          {view.inSight().map(({ id, index: at, start }) => (
            <RowOfList
              key={id}
              store={store}
              id={id}
              row={rows.get(id)}
              top={start}
              group={store.groups.value.get(at)}
              place={`${at + 1}`}
              count={count}
            />
          ))}
        </div>
      </div>
      {count === 0 && <p class="nothing">{found === undefined ? "The log is empty." : "Nothing is found."}</p>}
    </section>
  );
}

/** So many completions are offered. */
const OFFERED = 50;

/** The filters that a filter can become by its last word; one that asks for a path is left as it is. */
function completed(filter: string, conditions: readonly string[]): string[] {
  if (/(^|\s)touches\s/.test(filter)) return [];
  const [, before = "", start = ""] = /^((?:.*\s)?-?)(\S*)$/s.exec(filter) ?? [];
  const fitting = [...conditions, "refused", "touches "].filter((one) => one.includes(start.toLowerCase()));
  return fitting.slice(0, OFFERED).map((one) => `${before}${one}`);
}

const SIGNS = {
  request: "→",
  control: "◆",
  timer: "◷",
  fault: "⚡",
  failed: "✕",
  answered: "↩",
  refused: "⊘",
  lost: "↯",
  note: "✎",
  mark: "⚑",
  step: "§",
} as const satisfies { readonly [K in Row["kind"]]: string };

interface RowProps {
  readonly store: Store;
  readonly id: RowId;
  readonly row: Row | undefined;
  readonly top: number;
  /** The group that it begins. */
  readonly group: Group | undefined;
  readonly place: string;
  readonly count: number;
}

function RowOfList(props: RowProps): JSX.Element {
  const { group, top } = props;
  if (group === undefined) return <OptionOfList {...props} />;
  return (
    <>
      <div class="group" aria-hidden="true" style={{ transform: `translateY(${top}px)` }}>
        {group.name} <span>({group.count.toLocaleString("en-US")})</span>
      </div>
      <OptionOfList {...props} top={top + HEADING_HEIGHT} />
    </>
  );
}

function OptionOfList({ store, id, row, top, group, place, count }: RowProps): JSX.Element {
  const isChosen = store.row.value === id;
  return (
    <div
      id={`row-${id}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      aria-posinset={Number(place)}
      aria-setsize={count}
      aria-description={group?.name}
      class={`row ${row?.kind ?? ""}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => {
        store.goToRow(id);
        store.pane.value = "moment";
      }}
    >
      <span class="number">{row?.label}</span>
      {row !== undefined && (
        <>
          <span class="time">{timeOfDay(row.atMs)}</span>
          <span class="sign" title={row.kind} role="img" aria-label={row.kind}>
            {SIGNS[row.kind]}
          </span>
          <span class="name">{row.name}</span>
          <span class="detail">{row.detail}</span>
        </>
      )}
    </div>
  );
}

/** The part of the list that is in sight. */
class ListView {
  readonly shown = signal<{ readonly items: readonly VirtualItem[]; readonly height: number }>({
    items: [],
    height: 0,
  });
  readonly rows = signal<ReadonlyMap<RowId, Row>>(new Map());
  readonly #store: Store;
  #list: Virtualizer<HTMLDivElement, Element> | undefined;
  #isAsking = false;

  constructor(store: Store) {
    this.#store = store;
  }

  mount(scroller: { readonly current: HTMLDivElement | null }): () => void {
    const list = new Virtualizer<HTMLDivElement, Element>({
      count: 0,
      getScrollElement: () => scroller.current,
      estimateSize: (index) => ROW_HEIGHT + (this.#store.groups.value.has(index) ? HEADING_HEIGHT : 0),
      overscan: 8,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: () => this.#changed(),
    });
    this.#list = list;
    const unmount = list._didMount();
    list._willUpdate();
    this.resize(this.#store.rowCount);
    return unmount;
  }

  resize(count: number): void {
    const list = this.#list;
    if (list === undefined) return;
    list.setOptions({ ...list.options, count });
    list.measure();
    this.#changed();
  }

  show(index: number): void {
    if (index >= 0) this.#list?.scrollToIndex(index, { align: "auto" });
  }

  /** The rows in sight. A list that became shorter has not been measured anew yet: what is beyond its end is no row. */
  inSight(): { readonly id: RowId; readonly index: number; readonly start: number }[] {
    return this.shown.value.items
      .filter(({ index }) => index < this.#store.rowCount)
      .map(({ index, start }) => ({ id: this.#store.rowAt(index), index, start }));
  }

  #changed(): void {
    const list = this.#list;
    if (list === undefined) return;
    this.shown.value = { items: list.getVirtualItems(), height: list.getTotalSize() };
    if (!this.#isAsking) void this.#fetch();
  }

  async #fetch(): Promise<void> {
    const phase = this.#store.phase.value;
    if (phase.name !== "open") return;
    this.#isAsking = true;
    try {
      for (;;) {
        const wanted = this.inSight().map(({ id }) => id);
        const missing = wanted.filter((id) => !this.rows.value.has(id));
        if (missing.length === 0) return;
        const rows = await phase.client.ask("rows", missing);
        const kept = wanted.flatMap((id) => this.rows.value.get(id) ?? []);
        this.rows.value = new Map([...kept, ...rows].map((row) => [row.id, row]));
      }
    } finally {
      this.#isAsking = false;
    }
  }
}
