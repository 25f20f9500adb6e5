import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { TreeRow } from "../protocol.ts";
import type { Store } from "./store.ts";

/** The state at the cursor. */
export function StateTree({ store }: { readonly store: Store }): JSX.Element {
  const moment = store.moment.value;
  const tree = useRef<HTMLDivElement>(null);
  const rows = moment?.tree ?? [];
  const chosen = store.chosenPath.value;
  useEffect(() => {
    tree.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const known = rows.filter(({ path }) => path !== "");
  const at = known.findIndex(({ path }) => path === chosen);
  return (
    <section class="state" aria-label="State">
      <h2>State</h2>
      <div
        ref={tree}
        class="tree"
        role="tree"
        aria-label="State"
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : `path-${at}`}
        onKeyDown={(event) => {
          const does = treeKey(store, known, at, event.key);
          if (does === undefined) return;
          event.preventDefault();
          does();
        }}
      >
        {rows.map((row, index) =>
          row.path === "" ? (
            <div key={`more ${index}`} class="more" role="presentation" style={indent(row)}>
              {row.text}
            </div>
          ) : (
            <Value key={row.path} store={store} row={row} id={`path-${known.indexOf(row)}`} />
          ),
        )}
      </div>
      <Writer store={store} />
    </section>
  );
}

function indent({ depth }: TreeRow): { readonly paddingInlineStart: string } {
  return { paddingInlineStart: `${depth * 14 + 6}px` };
}

function Value({ store, row, id }: { readonly store: Store; readonly row: TreeRow; readonly id: string }): JSX.Element {
  const { path, name, text, isOpen, isChanged, depth } = row;
  return (
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-expanded={isOpen}
      aria-selected={store.chosenPath.value === path}
      class={isChanged ? "changed" : ""}
      style={indent(row)}
      onClick={() => {
        if (isOpen !== undefined) store.toggle(path);
        void store.choose(path);
      }}
    >
      <span class="twist" aria-hidden="true">
        {isOpen === undefined ? "" : isOpen ? "▾" : "▸"}
      </span>
      <span class="name">{name}</span> <span class={isOpen === undefined ? "value" : "size"}>{text}</span>
      {isChanged && (
        <span class="sign" title="changed by this commit">
          {" "}
          ● changed
        </span>
      )}
    </div>
  );
}

function treeKey(store: Store, rows: readonly TreeRow[], at: number, key: string): (() => void) | undefined {
  const row = rows[at];
  const choose = (index: number) => () => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (next !== undefined) void store.choose(next.path);
  };
  switch (key) {
    case "ArrowDown":
      return choose(at + 1);
    case "ArrowUp":
      return choose(at - 1);
    case "ArrowRight":
      return row?.isOpen === false ? () => store.toggle(row.path) : choose(at + 1);
    case "ArrowLeft":
      if (row?.isOpen === true) return () => store.toggle(row.path);
      return choose(rows.findLastIndex(({ depth }, index) => index < at && depth < (row?.depth ?? 0)));
    case "Enter":
    case " ":
      return row?.isOpen === undefined ? undefined : () => store.toggle(row.path);
    default:
      return undefined;
  }
}

function Writer({ store }: { readonly store: Store }): JSX.Element {
  const path = store.chosenPath.value;
  const writer = store.writer.value;
  return (
    <p class="writer" role="status">
      {path === "" ? "Choose a value: who wrote it last is told here." : <code>{path}</code>}
      {path !== "" && (
        <button type="button" aria-pressed={store.pinned.value.includes(path)} onClick={() => store.togglePin(path)}>
          on the time line
        </button>
      )}
      {writer === 0 && " nobody wrote it: the world began with it"}
      {writer !== undefined && writer > 0 && (
        <>
          {" last written by "}
          <button type="button" class="link" onClick={() => store.go(writer)}>
            #{writer}
          </button>
        </>
      )}
    </p>
  );
}
