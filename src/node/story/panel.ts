import type { PlaceStatus } from "../../scenario/places.ts";
import { fitted, wrapped } from "../terminal/columns.ts";
import type { Style } from "../terminal/style.ts";

/** The margins of a story, by the width of its lines. */
export interface Layout {
  readonly columns: number;
  /** Before everything that belongs to a step. */
  readonly margin: string;
  /** The column of who did something, and of what a line of the panel is about. */
  readonly headColumns: number;
}

const WIDE = 60;

export function layoutFor(columns: number): Layout {
  return columns >= WIDE
    ? { columns, margin: "    ", headColumns: 10 }
    : { columns, margin: "  ", headColumns: Math.min(10, Math.ceil(columns / 4)) };
}

/** The column in which it is told what was done. */
export function indentOf({ margin, headColumns }: Layout): number {
  return margin.length + headColumns;
}

/** The rows of a panel: what is told of a place, and under which head. */
const ROWS: readonly (readonly [head: (kind: PlaceStatus["kind"]) => string, of: (place: PlaceStatus) => string])[] = [
  [(kind) => kind, ({ name }) => name],
  [() => "role", ({ role }) => role],
  [() => "and", ({ also }) => also ?? ""],
  [() => "state", ({ state }) => state],
  [(kind) => (kind === "cluster" ? "last wal" : "index"), ({ lastWal }) => `${lastWal}`],
  [() => "remote", ({ lastRemoteWal }) => (lastRemoteWal === undefined ? "" : `${lastRemoteWal}`)],
  [() => "lag", ({ lag }) => lag ?? ""],
  [() => "lacks", ({ lacks = [] }) => lacks.map(({ of, commits }) => `${commits} of ${of}`).join(", ")],
  [() => "linked", ({ connected }) => connected?.join(", ") ?? ""],
];

/** Told of everyone who may be connected, also when there is nothing to tell. */
const LINK_ROWS: ReadonlySet<string> = new Set(["lag", "linked"]);

/** A column is at most so wide, and no narrower than the other: what does not fit beside it goes below. */
const WIDEST = 24;
const NARROWEST = 12;
const GAP = 2;

/** Clusters and regions side by side, as many as fit, the others below them. What is new since the last panel is strong. */
export function panelLines(
  places: readonly PlaceStatus[],
  before: readonly PlaceStatus[],
  layout: Layout,
  style: Style,
): string[] {
  return (["cluster", "region"] as const).flatMap((kind) => {
    const ofKind = places.filter((place) => place.kind === kind);
    const [only] = ofKind;
    if (only !== undefined && ofKind.length === 1) return aloneLines(only, layout, style);
    return inRows(ofKind, layout).flatMap((row) => rowLines(kind, row, before, layout, style));
  });
}

/** One that stands beside nobody needs no columns. */
function aloneLines(place: PlaceStatus, { columns, margin, headColumns }: Layout, style: Style): string[] {
  const told = ROWS.slice(1).flatMap(([head, of]) => {
    const text = of(place);
    if (text === "") return [];
    return head(place.kind) === "role" || head(place.kind) === "state" ? [text] : [`${head(place.kind)} ${text}`];
  });
  const [first = "", ...rest] = wrapped(
    `${place.name}: ${told.join(", ")}`,
    margin + fitted(place.kind, headColumns - 1).padEnd(headColumns),
    columns,
  );
  const head = first.slice(0, margin.length + headColumns);
  return [style.quiet(head) + first.slice(head.length), ...rest];
}

interface Column {
  readonly place: PlaceStatus;
  readonly width: number;
}

function inRows(places: readonly PlaceStatus[], { columns, margin, headColumns }: Layout): Column[][] {
  const room = columns - margin.length - headColumns;
  const rows: Column[][] = [];
  let left = 0;
  for (const place of places) {
    const longest = Math.max(...ROWS.map(([, of]) => of(place).length));
    const width = Math.min(room, WIDEST, Math.max(NARROWEST, longest));
    const row = rows.at(-1);
    if (row !== undefined && left >= GAP + width) {
      row.push({ place, width });
      left -= GAP + width;
    } else {
      rows.push([{ place, width }]);
      left = room - width;
    }
  }
  return rows;
}

function rowLines(
  kind: PlaceStatus["kind"],
  row: readonly Column[],
  before: readonly PlaceStatus[],
  { margin, headColumns }: Layout,
  style: Style,
): string[] {
  return ROWS.flatMap(([head, of], index) => {
    const isTold = LINK_ROWS.has(head(kind)) && row.some(({ place }) => place.connected !== undefined);
    if (!isTold && row.every(({ place }) => of(place) === "")) return [];
    const cells = row.map(({ place, width }, column) => {
      const text = fitted(of(place) || "-", width);
      const padding = column === row.length - 1 ? "" : " ".repeat(width + GAP - text.length);
      const was = before.find((other) => other.kind === kind && other.name === place.name);
      const isNew = was !== undefined && of(was) !== of(place);
      return (index === 0 || isNew ? style.strong(text) : text) + padding;
    });
    return [margin + style.quiet(fitted(head(kind), headColumns - 1).padEnd(headColumns)) + cells.join("")];
  });
}
