import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { clockFace } from "../../scenario/clock-face.ts";
import type { Reading } from "../protocol.ts";
import { CommitList } from "./commit-list.tsx";
import { Help } from "./help.tsx";
import { keyDown } from "./keys.ts";
import { MomentPane } from "./moment-pane.tsx";
import { StateTree } from "./state-tree.tsx";
import { type Pane, SIDES, type Store } from "./store.ts";
import { TimeLine } from "./time-line.tsx";
import { TopologyView } from "./topology-view.tsx";
import { WhatIf } from "./what-if.tsx";

const PANES: readonly (readonly [Pane, string])[] = [["list", "Commits"], ["moment", "Moment"], ...SIDES];

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
            The log is read <progress />
          </label>
        </main>
      )}
      {phase.name === "locked" && <Locked store={store} message={phase.message} />}
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
      <HowFar reading={opened.reading} />
    </p>
  );
}

function HowFar({ reading }: { readonly reading: Reading }): JSX.Element | null {
  switch (reading.kind) {
    case "whole":
      return null;
    case "share":
      return <progress class="reading" aria-label="The log is read" value={reading.share} />;
    case "live":
      return <span class="reading live">● live</span>;
    case "broken":
      return (
        <span class="reading broken" role="alert">
          it ends here: {reading.message}
        </span>
      );
    default:
      return reading satisfies never;
  }
}

function Locked({ store, message }: { readonly store: Store; readonly message: string }): JSX.Element {
  return (
    <main class="opening">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const secret = new FormData(event.currentTarget).get("secret");
          if (typeof secret === "string") store.unlock(secret);
        }}
      >
        <label>
          Admin secret of the listener <input name="secret" type="password" autocomplete="off" required />
        </label>
        <button type="submit">Show</button>
        <p role="alert">{message}</p>
      </form>
    </main>
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
          <button type="button" key={pane} aria-pressed={store.pane.value === pane} onClick={() => store.show(pane)}>
            {name}
          </button>
        ))}
      </nav>
      <CommitList store={store} />
      <MomentPane store={store} />
      <div class="side">
        <nav aria-label="Beside it">
          {SIDES.map(([side, name]) => (
            <button type="button" key={side} aria-pressed={store.side.value === side} onClick={() => store.show(side)}>
              {name}
            </button>
          ))}
        </nav>
        <SideView store={store} />
        <StateHash store={store} />
      </div>
    </main>
  );
}

function StateHash({ store }: { readonly store: Store }): JSX.Element {
  const { position, hash } = store.stateHash.value;
  const shown = store.moment.value?.position;
  return (
    <p class="hash">
      state after #{shown}: <code data-state-hash>{position === shown ? hash : ""}</code>
    </p>
  );
}

function SideView({ store }: { readonly store: Store }): JSX.Element {
  const side = store.side.value;
  switch (side) {
    case "state":
      return <StateTree store={store} />;
    case "topology":
      return <TopologyView store={store} />;
    case "what-if":
      return <WhatIf store={store} />;
    default:
      return side satisfies never;
  }
}
