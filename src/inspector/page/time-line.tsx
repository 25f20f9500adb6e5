import { useSignal } from "@preact/signals";
import type { JSX, TargetedPointerEvent } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { PendingTimer } from "../../index.ts";
import { formatDuration } from "../../languages/duration.ts";
import { clockFace } from "../../scenario/clock-face.ts";
import { KINDS, type Lane, type Opened, OUTCOMES, type ProgramDeeds } from "../protocol.ts";
import type { Store } from "./store.ts";

const ROW_HEIGHT = 20;
const AXIS_HEIGHT = 18;
const MARKS_HEIGHT = 16;
/** How far apart the instants of the axis are at least. */
const TICK_WIDTH = 150;
/** A bar of commits is so wide. */
const BAR_WIDTH = 3;

/** What a row of commits is called. */
const ROWS = {
  request: "requests",
  control: "the test",
  timer: "deadlines",
  fault: "faults",
  failed: "failed",
} as const;

/** What happened when, in lanes; past the present, the deadlines ahead. */
export function TimeLine({ store }: { readonly store: Store }): JSX.Element | null {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const lanes = useSignal<readonly Lane[]>([]);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = entry?.contentRect.width ?? 0;
    });
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [width]);
  const opened = store.opened.value;
  const { low, high } = store.stretch.value;
  const first = store.positionAt(low);
  const last = store.positionAt(high);
  const pinned = store.pinned.value;
  useEffect(() => {
    const phase = store.phase.peek();
    let isWanted = true;
    if (phase.name === "open") {
      phase.client.ask("lanes", Math.max(0, first), last, pinned).then(
        (found) => {
          if (isWanted) lanes.value = found;
        },
        (error: unknown) => console.error(error),
      );
    }
    return () => {
      isWanted = false;
    };
  }, [store, lanes, first, last, pinned]);
  if (opened === undefined) return null;
  return (
    <section class="time-line" aria-label="Time line">
      <div class="bar">
        <h2>Time line</h2>
        <div role="group" aria-label="Scale">
          {(["time", "commits"] as const).map((scale) => (
            <button
              key={scale}
              type="button"
              aria-pressed={store.scale.value === scale}
              onClick={() => store.setScale(scale)}
            >
              by {scale}
            </button>
          ))}
        </div>
        <div role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom in" onClick={() => store.zoom(0.5)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => store.zoom(2)}>
            −
          </button>
          <button type="button" onClick={() => store.fit()}>
            all
          </button>
        </div>
        <p>
          #{store.position.value}, {clockFace(store.instantOf(store.row.value))}
        </p>
        <Between store={store} />
      </div>
      <div ref={box} class="drawing">
        {width.value > 0 && <Drawing store={store} opened={opened} lanes={lanes.value} width={width.value} />}
      </div>
    </section>
  );
}

/** What lies between both cursors. */
function Between({ store }: { readonly store: Store }): JSX.Element | null {
  const anchor = store.anchor.value;
  const between = store.between.value;
  if (anchor === undefined || between === undefined) return null;
  const ms = Math.abs(store.instantOf(store.row.value) - store.instantOf(anchor));
  return (
    <div role="group" aria-label="Between the cursors">
      <p>
        from #{store.positionOf(anchor)}: {between.last - between.first} commits, {formatDuration(ms)}
      </p>
      <button type="button" onClick={() => store.keepToBetween()}>
        only these
      </button>
      <button type="button" onClick={() => store.setAnchor(undefined)}>
        one cursor
      </button>
    </div>
  );
}

interface DrawingProps {
  readonly store: Store;
  readonly opened: Opened;
  readonly lanes: readonly Lane[];
  readonly width: number;
}

function Drawing({ store, opened, lanes, width }: DrawingProps): JSX.Element {
  const gutter = width < 600 ? 76 : 120;
  const { low, high } = store.stretch.value;
  const scale = store.scale.value;
  const room = width - gutter;
  const x = (place: number): number => gutter + ((place - low) / (high - low)) * room;
  const placeAt = (pixel: number): number => low + ((pixel - gutter) / room) * (high - low);
  const rows = useMemo(() => rowsOf(store, opened, { low, high }, room), [store, opened, low, high, room, scale]);
  const top = AXIS_HEIGHT + (opened.marks.length > 0 ? MARKS_HEIGHT : 0);
  const moment = store.moment.value;
  const ahead = scale === "time" ? (moment?.pending ?? []) : [];
  // Timers are known of the end alone.
  const timers = scale === "time" && store.position.value === store.count.value ? store.timers : [];
  const programs = [
    ...new Set([...opened.programs, ...timers.map(({ program }) => ({ name: program }))].map(({ name }) => name)),
  ];
  const names = [
    ...lanes.map(({ kind, name }) => (kind === "path" ? lastOf(name) : name)),
    ...programs,
    ...rows.map(({ kind }) => ROWS[kind]),
    ...(ahead.length > 0 ? ["ahead"] : []),
  ];
  const height = top + names.length * ROW_HEIGHT + 2;
  const position = store.position.value;
  const cursor = x(store.along(store.row.value));
  const { value: anchorRow } = store.anchor;
  const anchor = anchorRow === undefined ? undefined : x(store.along(anchorRow));
  const now = x(scale === "time" ? opened.nowMs : store.count.value);
  const rowTop = (index: number): number => top + index * ROW_HEIGHT;
  return (
    <svg
      width={width}
      height={height}
      role="slider"
      tabIndex={0}
      aria-label="Cursor"
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={store.count.value}
      aria-valuenow={position}
      aria-valuetext={`commit ${position} of ${store.count.value}, ${clockFace(store.instantOf(store.row.value))}`}
      onPointerDown={(event) => dragged(event, store, room, (pixel) => store.positionAt(placeAt(pixel)))}
      onWheel={(event) => {
        event.preventDefault();
        const { offsetX, deltaX, deltaY } = event;
        if (Math.abs(deltaX) > Math.abs(deltaY)) store.pan((deltaX / room) * (high - low));
        else store.zoom(1.002 ** deltaY, placeAt(offsetX));
      }}
    >
      <defs>
        <clipPath id="within">
          <rect x={gutter} y={0} width={room} height={height} />
        </clipPath>
        <pattern id="down" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="down-ground" width="6" height="6" />
          <rect class="down-stripe" width="2" height="6" />
        </pattern>
      </defs>
      {names.map((name, index) => (
        <g key={`${index} ${name}`} class="lane">
          <line x1={0} x2={width} y1={rowTop(index)} y2={rowTop(index)} />
          <text x={4} y={rowTop(index) + 14}>
            {name}
          </text>
        </g>
      ))}
      <g clip-path="url(#within)">
        {now < width && <rect class="future" x={now} y={0} width={width - now} height={height} />}
        <Axis store={store} x={x} ticks={Math.max(1, Math.floor(room / TICK_WIDTH))} />
        {lanes.map((lane, index) => (
          <Spans
            key={`${lane.kind} ${lane.name}`}
            store={store}
            lane={lane}
            x={x}
            left={gutter}
            right={Math.min(now, width)}
            top={rowTop(index)}
          />
        ))}
        {opened.programs.map((program, index) => (
          <Requests
            key={program.name}
            store={store}
            program={program}
            x={x}
            left={gutter}
            right={width}
            top={rowTop(lanes.length + index)}
          />
        ))}
        {rows.map(({ kind, bars, most }, index) => (
          <g key={kind} class={`bars ${kind}`}>
            {bars.map(([bin, count]) => {
              const size = 4 + (Math.log1p(count) / Math.log1p(most)) * (ROW_HEIGHT - 8);
              const bottom = rowTop(lanes.length + programs.length + index + 1) - 2;
              return (
                <rect key={bin} x={gutter + bin * BAR_WIDTH} y={bottom - size} width={BAR_WIDTH - 0.5} height={size} />
              );
            })}
          </g>
        ))}
        <g class="ahead">
          {timers.map((timer, index) => {
            const middle = rowTop(lanes.length + programs.indexOf(timer.program)) + ROW_HEIGHT / 2;
            return (
              <path key={`timer ${index}`} d={`M${x(timer.dueAtMs)} ${middle - 5}l5 5l-5 5l-5 -5z`}>
                <title>{timerText(timer)}</title>
              </path>
            );
          })}
          {ahead.map(({ dueAtMs, command, owner }, index) => (
            <circle key={index} cx={x(dueAtMs)} cy={rowTop(names.length - 1) + ROW_HEIGHT / 2} r={4}>
              <title>{`${command} ${owner} ${clockFace(dueAtMs)}`}</title>
            </circle>
          ))}
        </g>
        <g class="mark">
          {opened.marks.map(({ name, atMs, position: at }) => {
            const place = x(scale === "time" ? atMs : at);
            return (
              <g key={name}>
                <line x1={place} x2={place} y1={AXIS_HEIGHT} y2={height} />
                <text x={place + 3} y={AXIS_HEIGHT + 12}>
                  ⚑ {name}
                </text>
              </g>
            );
          })}
        </g>
        {anchor !== undefined && (
          <g class="anchor">
            <rect x={Math.min(anchor, cursor)} y={0} width={Math.abs(cursor - anchor)} height={height} />
            <line x1={anchor} x2={anchor} y1={0} y2={height} />
            <path d={`M${anchor - 5} ${AXIS_HEIGHT}h10l-5 -7z`} />
          </g>
        )}
        <g class="cursor">
          <line x1={cursor} x2={cursor} y1={0} y2={height} />
          <path d={`M${cursor - 5} 0h10l-5 7z`} />
        </g>
      </g>
    </svg>
  );
}

/** A timer in words: what fires when, and where it was armed. */
export function timerText({ dueAtMs, timer, program, where }: PendingTimer): string {
  const armed = where === undefined ? "" : `, armed at ${where.file}:${where.line}`;
  return `${timer} of ${program}, ${clockFace(dueAtMs)}${armed}`;
}

interface RequestsProps {
  readonly store: Store;
  readonly program: ProgramDeeds;
  readonly x: (place: number) => number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

/** The requests of a program: those that were answered below, those that were refused above, those that were lost all the way through. */
function Requests({ store, program, x, left, right, top }: RequestsProps): JSX.Element {
  const { times, positions, outcomes } = program;
  const isTime = store.scale.value === "time";
  const drawn = new Set<string>();
  const bars: JSX.Element[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const at = x((isTime ? times[index] : positions[index]) ?? 0);
    const name = OUTCOMES[outcome] ?? "answered";
    const key = `${Math.round(at / BAR_WIDTH)} ${name}`;
    // Where many fall together, one of each outcome is drawn.
    if (at < left || at > right || drawn.has(key)) continue;
    drawn.add(key);
    const [from, to] = SPANS_OF_REQUESTS[name];
    bars.push(<rect key={key} class={name} x={at - 1} y={top + from} width={BAR_WIDTH - 0.5} height={to - from} />);
  }
  return <g class="requests">{bars}</g>;
}

const SPANS_OF_REQUESTS = {
  answered: [11, ROW_HEIGHT - 2],
  refused: [3, 10],
  lost: [2, ROW_HEIGHT - 1],
} as const;

interface AxisProps {
  readonly store: Store;
  readonly x: (place: number) => number;
  readonly ticks: number;
}

function Axis({ store, x, ticks }: AxisProps): JSX.Element {
  const { low, high } = store.stretch.value;
  const isTime = store.scale.value === "time";
  const step = (isTime ? stepOfTime : stepOfCommits)((high - low) / ticks);
  const places: number[] = [];
  for (let place = Math.ceil(low / step) * step; place < high; place += step) places.push(place);
  return (
    <g class="axis">
      {places.map((place) => (
        <g key={place}>
          <line x1={x(place)} x2={x(place)} y1={0} y2={AXIS_HEIGHT} />
          <text x={x(place) + 3} y={12}>
            {isTime ? instantText(place, step) : `#${place}`}
          </text>
        </g>
      ))}
    </g>
  );
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 30, 90, 365].map((count) => count * DAY),
];

function stepOfTime(least: number): number {
  return STEPS.find((step) => step >= least) ?? Math.ceil(least / (365 * DAY)) * 365 * DAY;
}

function stepOfCommits(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}

function instantText(ms: number, step: number): string {
  const text = clockFace(ms);
  if (step >= DAY) return text.slice(0, 10);
  return step >= MINUTE ? text.slice(5, 16) : text.slice(11);
}

interface SpansProps {
  readonly store: Store;
  readonly lane: Lane;
  readonly x: (place: number) => number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

/** What a cluster or a region was, one after the other. */
function Spans({ store, lane: { spans }, x, left, right, top }: SpansProps): JSX.Element {
  return (
    <g>
      {spans.map(({ from, role, state, isUp, index: lastWal }, index) => {
        const next = spans[index + 1];
        const start = Math.max(left, x(store.along(from)));
        const end = next === undefined ? right : Math.min(right, x(store.along(next.from)));
        if (end <= start) return null;
        const text = role === "" ? state : `${role}: ${state}`;
        const letters = Math.floor((end - start - 8) / 6.2);
        return (
          <g key={from} class={`span ${isUp ? "up" : "down"} ${toneOf(role)}`}>
            <rect x={start} y={top + 2} width={end - start} height={ROW_HEIGHT - 4} rx={3}>
              <title>{lastWal === undefined ? text : `${text}; from #${from} on, index ${lastWal}`}</title>
            </rect>
            {letters > 3 && (
              <text x={start + 5} y={top + 14}>
                {text.length <= letters ? text : `${text.slice(0, letters - 1)}…`}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

/** The last name of a path. */
function lastOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("[")) + 1).replace(/[\]"]/g, "");
}

function toneOf(role: string): string {
  if (/primary|authoritative/.test(role)) return "leading";
  return /secondary|copy/.test(role) ? "following" : "alone";
}

interface Bars {
  readonly kind: (typeof KINDS)[number];
  /** Which bar, and how many commits stand in it. */
  readonly bars: readonly (readonly [bin: number, count: number])[];
  readonly most: number;
}

/** How many commits of each kind there are at each place; kinds that the log does not have are left out. */
function rowsOf(
  store: Store,
  { kinds }: Opened,
  { low, high }: { readonly low: number; readonly high: number },
  room: number,
): Bars[] {
  const bins = Math.ceil(room / BAR_WIDTH);
  const counts = KINDS.map(() => new Uint32Array(bins));
  const present = new Set(kinds);
  for (let position = Math.max(1, store.positionAt(low)); position <= kinds.length; position++) {
    const bin = Math.floor(((store.along(position) - low) / (high - low)) * bins);
    if (bin >= bins) break;
    const row = counts[kinds[position - 1] ?? 0];
    if (row !== undefined && bin >= 0) row[bin] = (row[bin] ?? 0) + 1;
  }
  return KINDS.flatMap((kind, index) => {
    const row = counts[index] ?? new Uint32Array();
    if (!present.has(index)) return [];
    const bars = [...row.entries()].filter(([, count]) => count > 0);
    return [{ kind, bars, most: Math.max(1, ...row) }];
  });
}

/** A press puts the cursor; at the axis, dragging takes a stretch between both cursors; with the shift key held, it moves the time line. */
function dragged(
  { currentTarget, clientX, clientY, shiftKey, pointerId }: TargetedPointerEvent<SVGSVGElement>,
  store: Store,
  room: number,
  positionAt: (pixel: number) => number,
): void {
  const { left, top } = currentTarget.getBoundingClientRect();
  const put = (pixel: number): void => store.go(positionAt(pixel));
  const { low, high } = store.stretch.peek();
  currentTarget.setPointerCapture(pointerId);
  if (!shiftKey) put(clientX - left);
  if (!shiftKey && clientY - top < AXIS_HEIGHT) store.setAnchor(store.row.value);
  const moved = (event: PointerEvent): void => {
    if (!shiftKey) {
      put(event.clientX - left);
      return;
    }
    const by = ((clientX - event.clientX) / room) * (high - low);
    store.stretch.value = { low: low + by, high: high + by };
  };
  currentTarget.addEventListener("pointermove", moved);
  currentTarget.addEventListener("pointerup", () => currentTarget.removeEventListener("pointermove", moved), {
    once: true,
  });
}
