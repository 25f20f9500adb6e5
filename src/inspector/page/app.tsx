import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { clockFace } from "../../scenario/clock-face.ts";
import { CommitList } from "./commit-list.tsx";
import { Help } from "./help.tsx";
import { keyDown } from "./keys.ts";
import { MomentPane } from "./moment-pane.tsx";
import { StateTree } from "./state-tree.tsx";
import type { Pane, Store } from "./store.ts";
import { TimeLine } from "./time-line.tsx";

const PANES: readonly (readonly [Pane, string])[] = [
  ["list", "Commits"],
  ["moment", "Moment"],
  ["state", "State"],
];

export function App({ store }: { readonly store: Store }): JSX.Element {
  const phase = store.phase.value;
  return (
    <>
      <header>
        <h1>{store.title}</h1>
        <Summary store={store} />
        <button type="button" onClick={() => (store.isHelpOpen.value = true)}>
          Keys
        </button>
      </header>
      <Failure store={store} />
      {phase.name === "opening" && (
        <main class="opening">
          <label>
            The log is read <progress value={phase.progress} />
          </label>
        </main>
      )}
      {phase.name === "failed" && (
        <main class="opening">
          <p role="alert">The log cannot be shown: {phase.message}</p>
        </main>
      )}
      {phase.name === "open" && <Views store={store} />}
      <Help store={store} />
    </>
  );
}

function Summary({ store }: { readonly store: Store }): JSX.Element {
  const opened = store.opened.value;
  if (opened === undefined) return <p />;
  const count = opened.times.length.toLocaleString("en-US");
  return (
    <p>
      {count} commits, {clockFace(opened.startAtMs)} to {clockFace(opened.nowMs)}, seed {opened.seed}
    </p>
  );
}

function Failure({ store: { failure } }: { readonly store: Store }): JSX.Element | null {
  if (failure === null) return null;
  const rest = [failure.diff, failure.source, failure.stack].filter((text) => text !== undefined).join("\n\n");
  return (
    <section class="failure" aria-label="Failure">
      <details>
        <summary>
          <strong>Failed:</strong> {failure.message.split("\n")[0]}
        </summary>
        <pre tabIndex={0}>{`${failure.message}${rest === "" ? "" : `\n\n${rest}`}`}</pre>
      </details>
    </section>
  );
}

function Views({ store }: { readonly store: Store }): JSX.Element {
  useEffect(() => {
    const listener = (event: KeyboardEvent) => keyDown(store, event);
    const moved = () => store.goToAddress();
    addEventListener("keydown", listener);
    addEventListener("hashchange", moved);
    return () => {
      removeEventListener("keydown", listener);
      removeEventListener("hashchange", moved);
    };
  }, [store]);
  return (
    <main data-pane={store.pane.value}>
      <TimeLine store={store} />
      <nav aria-label="Views">
        {PANES.map(([pane, name]) => (
          <button
            type="button"
            key={pane}
            aria-pressed={store.pane.value === pane}
            onClick={() => (store.pane.value = pane)}
          >
            {name}
          </button>
        ))}
      </nav>
      <CommitList store={store} />
      <MomentPane store={store} />
      <StateTree store={store} />
    </main>
  );
}
