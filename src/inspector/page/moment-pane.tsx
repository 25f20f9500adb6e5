import type { ComponentChildren, JSX } from "preact";
import { clockFace } from "../../scenario/clock-face.ts";
import type { CommitShown, EntryShown, Moment, MoveShown } from "../protocol.ts";
import type { Store } from "./store.ts";

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
          <Happened store={store} moment={moment} />
          <Deadlines moment={moment} />
        </article>
      )}
    </section>
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
      <Entry entry={entry} isOpen />
    </>
  );
}

/** What the journal tells of a request: why it was refused, and both messages as on the wire. */
function Entry({ entry, isOpen }: { readonly entry: EntryShown; readonly isOpen: boolean }): JSX.Element {
  const { refusal, fault, where, asked, answered, note } = entry;
  return (
    <>
      {refusal !== undefined && (
        <p class="refused">
          <strong>⊘ Refused, {refusal.code}:</strong> {refusal.why}
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
      <Moves moves={commit.moves} />
      <h4>Facts</h4>
      {commit.facts.length === 0 && <p class="nothing">None: only the deadline is gone.</p>}
      {commit.facts.map(({ type, words, data }, index) => (
        <details key={`${index} ${type}`}>
          <summary>{words}</summary>
          <Json>{data}</Json>
        </details>
      ))}
      <h4>What changed</h4>
      <Changes store={store} commit={commit} />
      <h4>Asked and answered</h4>
      {moment.entry !== undefined && <Entry entry={moment.entry} isOpen={false} />}
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

/** Each chart with the state that it left and the one that it reached. */
function Moves({ moves }: { readonly moves: readonly MoveShown[] }): JSX.Element | null {
  if (moves.length === 0) return null;
  return (
    <>
      <h4>Charts</h4>
      <ul class="moves">
        {moves.map(({ machine, from, to, event, description }, index) => (
          <li key={`${index} ${machine}`}>
            <span class="machine">{machine}</span>
            <span class="state left">{from}</span>
            <span class="event">{event} →</span>
            <span class="state reached">{to}</span>
            {description !== undefined && <span class="why">{description}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

function Changes({ store, commit }: { readonly store: Store; readonly commit: CommitShown }): JSX.Element {
  const untold = commit.changeCount - commit.changes.length;
  if (commit.changeCount === 0) return <p class="nothing">Nothing.</p>;
  return (
    <ul class="changes">
      {commit.changes.map(({ path, before, after }) => (
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
