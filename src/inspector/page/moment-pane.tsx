import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { clockFace } from "../../scenario/clock-face.ts";
import type { Changed, CommitShown, EntryShown, Moment, MoveShown, Writer } from "../protocol.ts";
import type { Store } from "./store.ts";
import { timerText } from "./time-line.tsx";

/** All about the cursor's position. */
export function MomentPane({ store }: { readonly store: Store }): JSX.Element {
  const moment = store.moment.value;
  return (
    <section class="moment" aria-label="Moment" data-position={moment?.position}>
      <h2>Moment</h2>
      <div class="steps">
        <button type="button" disabled={store.row.value === 0} onClick={() => store.step(-1)}>
          ← before
        </button>
        <button
          type="button"
          disabled={store.row.value !== 0 && store.indexOf(store.row.value) === store.rowCount - 1}
          onClick={() => store.step(1)}
        >
          next →
        </button>
      </div>
      {moment !== undefined && (
        <article tabIndex={0} aria-label="What happened">
          <Between store={store} />
          <Happened store={store} moment={moment} />
          <Deadlines moment={moment} />
          {moment.position === store.count.value && <Timers store={store} />}
        </article>
      )}
    </section>
  );
}

/** What differs between both cursors. */
function Between({ store }: { readonly store: Store }): JSX.Element | null {
  const between = store.between.value;
  const changed = store.changedBetween.value;
  if (between === undefined || changed === undefined) return null;
  return (
    <details class="between">
      <summary>
        From #{between.first} to #{between.last} the state differs at {changed.changeCount} paths
      </summary>
      <Changes store={store} changed={changed} />
    </details>
  );
}

function Happened({ store, moment }: { readonly store: Store; readonly moment: Moment }): JSX.Element {
  const { commit, entry } = moment;
  if (commit !== undefined) return <Story store={store} moment={moment} commit={commit} />;
  if (entry === undefined) return <Beginning moment={moment} />;
  return (
    <>
      <h3>{entry.title}</h3>
      <p class="when">
        {entry.program !== undefined && `of ${entry.program}, `}
        {clockFace(moment.atMs)}, served at{" "}
        <button type="button" class="link" onClick={() => store.go(moment.position)}>
          #{moment.position}
        </button>
      </p>
      <Entry store={store} entry={entry} isOpen />
    </>
  );
}

/** A text in which positions lead to their commits. */
function WithPositions({ store, text }: { readonly store: Store; readonly text: string }): JSX.Element {
  return (
    <>
      {text.split(/(#\d+)/).map((part, index) => {
        const position = Number(part.slice(1));
        if (index % 2 === 0 || position > store.count.value) return part;
        return (
          <button type="button" class="link" key={index} onClick={() => store.go(position)}>
            {part}
          </button>
        );
      })}
    </>
  );
}

interface EntryProps {
  readonly store: Store;
  readonly entry: EntryShown;
  readonly isOpen: boolean;
}

/** What the journal tells of a request: why it was refused, and both messages as on the wire. */
function Entry({ store, entry, isOpen }: EntryProps): JSX.Element {
  const { refusal, fault, where, asked, answered, note } = entry;
  return (
    <>
      {refusal !== undefined && (
        <p class="refused">
          <strong>⊘ Refused, {refusal.code}:</strong> <WithPositions store={store} text={refusal.why} />
        </p>
      )}
      {fault !== undefined && (
        <p class="refused">
          <strong>↯ On its way:</strong> {fault}
        </p>
      )}
      {where !== undefined && (
        <p class="where">
          asked at <code>{where}</code>
        </p>
      )}
      {note !== undefined && <Json>{note}</Json>}
      {asked !== undefined && (
        <details open={isOpen}>
          <summary>Request</summary>
          <Json>{asked}</Json>
        </details>
      )}
      {answered !== undefined && (
        <details open={isOpen}>
          <summary>Response</summary>
          <Json>{answered}</Json>
        </details>
      )}
    </>
  );
}

function Beginning({ moment }: { readonly moment: Moment }): JSX.Element {
  return (
    <>
      <h3>The beginning</h3>
      <p class="when">#0 at {clockFace(moment.atMs)}: the world before the first commit.</p>
    </>
  );
}

interface StoryProps {
  readonly store: Store;
  readonly moment: Moment;
  readonly commit: CommitShown;
}

function Story({ store, moment, commit }: StoryProps): JSX.Element {
  const { armedAt } = commit;
  return (
    <>
      <h3>{commit.name}</h3>
      <p class="when">
        #{moment.position} at {clockFace(moment.atMs)}, {viaText(commit)}
        {armedAt !== undefined && (
          <>
            , armed by{" "}
            <button type="button" class="link" onClick={() => store.go(armedAt)}>
              #{armedAt}
            </button>
          </>
        )}
      </p>
      {commit.route !== undefined && (
        <p class="route">
          <code>{commit.route}</code> ({commit.evidence})
        </p>
      )}
      {commit.failed !== undefined && (
        <p class="refused">
          <strong>✕ Failed:</strong> {commit.failed}. The facts below were kept all the same.
        </p>
      )}
      <Moves store={store} moves={commit.moves} position={moment.position} />
      <h4>Facts</h4>
      {commit.facts.length === 0 && <p class="nothing">None: only the deadline is gone.</p>}
      {commit.facts.map(({ type, words, data }, index) => (
        <details key={`${index} ${type}`}>
          <summary>{words}</summary>
          <Json>{data}</Json>
        </details>
      ))}
      <h4>What changed</h4>
      <Changes store={store} changed={commit} />
      <h4>Asked and answered</h4>
      {moment.entry !== undefined && <Entry store={store} entry={moment.entry} isOpen={false} />}
      <details>
        <summary>Input</summary>
        <Json>{commit.input}</Json>
      </details>
      <details>
        <summary>Caller</summary>
        <Json>{commit.caller}</Json>
      </details>
      {commit.answer !== undefined && (
        <details>
          <summary>Answer</summary>
          <Json>{commit.answer}</Json>
        </details>
      )}
    </>
  );
}

function viaText({ via, program }: CommitShown): string {
  switch (via) {
    case "http":
    case "call":
      return `asked for by ${program} (${via})`;
    case "control":
      return "done by the test";
    case "timer":
      return "a deadline";
    case "fault":
      return "a fault that was scheduled";
  }
}

interface MovesProps {
  readonly store: Store;
  readonly moves: readonly MoveShown[];
  readonly position: number;
}

/** Each chart with the state that it left and the one that it reached. */
function Moves({ store, moves, position }: MovesProps): JSX.Element | null {
  if (moves.length === 0) return null;
  return (
    <>
      <h4>Charts</h4>
      <ul class="moves">
        {moves.map((move, index) => (
          <li key={`${position} ${index}`}>
            <span class="machine">{move.machine}</span>
            <span class="state left">{move.from}</span>
            <span class="event">{move.event} →</span>
            <span class="state reached">{move.to}</span>
            {move.description !== undefined && <span class="why">{move.description}</span>}
            <Chart store={store} move={move} position={position} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface ChartProps {
  readonly store: Store;
  readonly move: MoveShown;
  readonly position: number;
}

/** The picture of a chart, lit where it moved, and what had happened to the object that did. */
function Chart({ store, move, position }: ChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const writers = useSignal<readonly Writer[]>([]);
  const isOpen = useSignal(false);
  const { machine, object } = move;
  const opened = isOpen.value;
  useEffect(() => {
    if (!opened) return;
    void store.ask("picture", machine).then((svg) => {
      if (svg !== undefined) box.current?.replaceChildren(litPicture(svg, move));
    });
    if (object === undefined) return;
    void store.ask("writers", object, position).then((found) => (writers.value = found));
  }, [store, writers, opened, machine, object, position, move]);
  return (
    <details class="chart" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>the chart{object === undefined ? "" : ", and the history of what moved"}</summary>
      <div ref={box} class="picture" tabIndex={0} role="group" aria-label={`Chart ${machine}`} />
      {object !== undefined && (
        <>
          <button type="button" class="link path" onClick={() => void store.choose(object)}>
            {object}
          </button>
          <ol class="history">
            {writers.value.map(({ position: at, atMs, name, value }) => (
              <li key={at}>
                <button type="button" class="link" onClick={() => store.go(at)}>
                  #{at}
                </button>{" "}
                {clockFace(atMs)} {name}
                {value === undefined ? ": gone" : <code>{value}</code>}
              </li>
            ))}
          </ol>
        </>
      )}
    </details>
  );
}

/** A picture of ours, in the colours of the page, with the states and the move of one step marked. */
function litPicture(svg: string, { from, to, event }: MoveShown): Element {
  const picture = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
  for (const state of picture.querySelectorAll("g.state")) {
    const name = state.querySelector("text")?.textContent;
    if (name === from) state.classList.add("left");
    if (name === to) state.classList.add("reached");
  }
  for (const text of picture.querySelectorAll(".move text")) {
    const name = text.lastChild?.textContent?.split(" ", 1)[0];
    if (name === event) text.classList.add("taken");
  }
  return picture;
}

interface ChangesProps {
  readonly store: Store;
  readonly changed: Changed;
}

export function Changes({ store, changed: { changes, changeCount } }: ChangesProps): JSX.Element {
  const untold = changeCount - changes.length;
  if (changeCount === 0) return <p class="nothing">Nothing.</p>;
  return (
    <ul class="changes">
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          <button type="button" class="link path" onClick={() => void store.choose(path)}>
            {path}
          </button>
          {before !== undefined && <Side sign="-" name="before" text={before} />}
          {after !== undefined && <Side sign="+" name="after" text={after} />}
        </li>
      ))}
      {untold > 0 && <li>and {untold} more</li>}
    </ul>
  );
}

/** So many characters of a value are shown at once. */
const SHORT = 100;

function Side({
  sign,
  name,
  text,
}: {
  readonly sign: string;
  readonly name: string;
  readonly text: string;
}): JSX.Element {
  const line = text.replace(/\s+/g, " ");
  if (line.length <= SHORT) {
    return (
      <code class={name}>
        {sign} {line}
      </code>
    );
  }
  return (
    <details class={name}>
      <summary>
        <code>
          {sign} {line.slice(0, SHORT)}...
        </code>
      </summary>
      <Json>{text}</Json>
    </details>
  );
}

function Json({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <pre tabIndex={0}>{children}</pre>;
}

/** What programs wait for at the end. */
function Timers({ store: { timers } }: { readonly store: Store }): JSX.Element | null {
  if (timers.length === 0) return null;
  return (
    <details>
      <summary>Timers of programs ahead: {timers.length}</summary>
      <ul class="deadlines">
        {timers.map((timer, index) => (
          <li key={index}>{timerText(timer)}</li>
        ))}
      </ul>
    </details>
  );
}

function Deadlines({ moment: { atMs, pending, pendingCount } }: { readonly moment: Moment }): JSX.Element {
  return (
    <details>
      <summary>Deadlines ahead: {pendingCount}</summary>
      <ul class="deadlines">
        {pending.map(({ dueAtMs, command, owner }, index) => (
          <li key={index}>
            <span class="time">{clockFace(Math.max(dueAtMs, atMs))}</span> {command}
            {owner !== "" && ` (${owner})`}
          </li>
        ))}
        {pendingCount > pending.length && <li>and {pendingCount - pending.length} more</li>}
      </ul>
    </details>
  );
}
