import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { clockFace } from "../../scenario/clock-face.ts";
import {
  type BranchShown,
  COPY_FORMS,
  type Comparison,
  type CopyForm,
  type Deed,
  type Followed,
  type Losses,
  type Offers,
  type PartingShown,
  type PastEdit,
} from "../protocol.ts";
import { Changes } from "./moment-pane.tsx";
import type { Store } from "./store.ts";

/** Forks of the log, on which anything can be done. */
export function WhatIf({ store }: { readonly store: Store }): JSX.Element {
  const { branches, branch, whatIfFault } = store;
  const offers = useSignal<Offers | undefined>(undefined);
  useEffect(() => {
    void store.ask("offers").then((found) => (offers.value = found));
  }, [store, offers]);
  const own = branches.value[branch.value];
  return (
    <section class="what-if" aria-label="What if">
      <h2>What if</h2>
      <div class="map" tabIndex={0} role="group" aria-label="What if">
        <Beginnings store={store} />
        {branches.value.length > 1 && (
          <label>
            Branch{" "}
            <select value={branch.value} onChange={({ currentTarget }) => (branch.value = Number(currentTarget.value))}>
              {branches.value.slice(1).map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <p class="fault" role="alert">
          {whatIfFault.value}
        </p>
        {own !== undefined && own.id > 0 && offers.value !== undefined && (
          <>
            <Deeds store={store} offers={offers.value} />
            <Sending store={store} offers={offers.value} />
            <DoneOn own={own} />
            <Beside store={store} own={own} />
            <Copies store={store} own={own} />
          </>
        )}
      </div>
    </section>
  );
}

function Beginnings({ store }: { readonly store: Store }): JSX.Element {
  const position = store.position.value;
  const by = useSignal("5m");
  const given = store.moment.value?.commit?.input ?? "{}";
  const input = useSignal(given);
  useEffect(() => {
    input.value = given;
  }, [given, input]);
  const edit = (made: PastEdit) => void store.begin({ edit: made });
  const isTimer = store.moment.value?.commit?.via === "timer";
  return (
    <>
      <div class="deeds">
        <button type="button" class="fork" onClick={() => void store.begin({ at: position })}>
          fork at #{position}
        </button>
        {position > 0 && !isTimer && (
          <>
            <button type="button" onClick={() => edit({ drop: position })}>
              drop #{position}
            </button>
            <button type="button" onClick={() => edit({ delay: position, by: by.value })}>
              delay it by
            </button>
            <Field name="Delay" value={by} />
          </>
        )}
      </div>
      <label class="deeds">
        another run, by its log or its page
        <input
          type="file"
          accept=".ndjson,.html,.gz"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void store.beginWithFile(file);
          }}
        />
      </label>
      {position > 0 && !isTimer && (
        <details>
          <summary>Change the input of #{position}</summary>
          <Area name="Input" value={input} rows={5} />
          <button type="button" onClick={() => edit({ replace: position, input: input.value })}>
            decide it with this input
          </button>
        </details>
      )}
    </>
  );
}

interface ActingProps {
  readonly store: Store;
  readonly offers: Offers;
}

function Deeds({ store, offers }: ActingProps): JSX.Element {
  const by = useSignal("1m");
  const { clusters, regions, programs } = offers;
  const ends = [
    ...clusters.map((name) => `cluster ${name}`),
    ...regions.map((name) => `region ${name}`),
    ...programs.map((name) => `program ${name}`),
    "runs",
  ];
  const a = useSignal(ends[0] ?? "");
  const b = useSignal(ends[1] ?? "");
  const cluster = useSignal(clusters[0] ?? "");
  const act = (deed: Deed) => void store.act(deed);
  return (
    <>
      <div class="deeds">
        <Field name="Duration" value={by} />
        <button type="button" onClick={() => act({ kind: "advance", by: by.value })}>
          move the clock
        </button>
      </div>
      <div class="deeds">
        <Choice name="One end" value={a} of={ends} />
        <Choice name="Other end" value={b} of={ends} />
        {(["cut", "heal"] as const).map((kind) => (
          <button type="button" key={kind} onClick={() => act({ kind, a: a.value, b: b.value })}>
            {kind}
          </button>
        ))}
      </div>
      {clusters.length > 0 && (
        <div class="deeds">
          <Choice name="Cluster" value={cluster} of={clusters} />
          {(["stop", "start", "seal", "unseal", "promote"] as const).map((kind) => (
            <button type="button" key={kind} onClick={() => act({ kind, cluster: cluster.value })}>
              {kind}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/** A request is written as on the wire; the table of operations writes most of it. */
function Sending({ store, offers }: ActingProps): JSX.Element {
  const { operations, origins, programs } = offers;
  const program = useSignal(programs[0] ?? "");
  const operation = useSignal("");
  const origin = useSignal(origins[0]?.name ?? "");
  const message = useSignal("");
  const filled = (): void => {
    const chosen = operations.find(({ name }) => name === operation.value);
    if (chosen === undefined) return;
    const at = origins.find(({ name, service }) => name === origin.value && service === chosen.service);
    const to = at ?? origins.find(({ service }) => service === chosen.service);
    if (to === undefined) return;
    const { method, path, fields } = chosen;
    const hasBody = !["GET", "LIST", "DELETE"].includes(method);
    const query = hasBody || fields.length === 0 ? "" : `?${fields.map((name) => `${name}=`).join("&")}`;
    const body = JSON.stringify(Object.fromEntries(fields.map((name) => [name, null])), undefined, 2);
    message.value = `${method} ${to.url}${path}${query}\n${to.header}${hasBody ? `\n\n${body}` : ""}`;
  };
  return (
    <details open>
      <summary>Send a request</summary>
      <div class="deeds">
        <Choice name="Program" value={program} of={programs} />
        <Choice name="To" value={origin} of={origins.map(({ name }) => name)} then={filled} />
        <input
          aria-label="Operation"
          placeholder="operation"
          list="operations"
          value={operation.value}
          onInput={({ currentTarget }) => {
            operation.value = currentTarget.value;
            filled();
          }}
        />
        <datalist id="operations">
          {operations.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <Area name="Request" value={message} rows={7} />
      <button type="button" onClick={() => void store.send(program.value, message.value)}>
        send
      </button>
    </details>
  );
}

function DoneOn({ own }: { readonly own: BranchShown }): JSX.Element {
  return (
    <>
      <h3>
        Done: #{own.position}, {clockFace(own.atMs)}
      </h3>
      <ol class="done">
        {own.deeds.map(({ text, answer }, index) => (
          <li key={index}>
            {text}
            <pre tabIndex={0}>{answer}</pre>
          </li>
        ))}
      </ol>
      {own.changed.length > 0 && (
        <details>
          <summary>Answers that are others now: {own.changed.length}</summary>
          {own.changed.map(({ position, before, after }) => (
            <div key={position}>
              #{position}
              <pre tabIndex={0}>{`- ${before}\n+ ${after}`}</pre>
            </div>
          ))}
        </details>
      )}
    </>
  );
}

/** A branch beside another one, or the log. */
function Beside({ store, own }: { readonly store: Store; readonly own: BranchShown }): JSX.Element {
  const beside = useSignal(0);
  const found = useSignal<Comparison | undefined>(undefined);
  const other = beside.value;
  useEffect(() => {
    let isWanted = true;
    void store.ask("compare", other, own.id).then((compared) => {
      if (isWanted) found.value = compared;
    });
    return () => {
      isWanted = false;
    };
  }, [store, found, own, other]);
  const shown = store.branches.value[other];
  if (shown === undefined) return <p />;
  const comparison = found.value;
  return (
    <>
      <h3>Side by side</h3>
      <label>
        with{" "}
        <select value={other} onChange={({ currentTarget }) => (beside.value = Number(currentTarget.value))}>
          {store.branches.value
            .filter(({ id }) => id !== own.id)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </select>
      </label>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">{shown.name}</th>
            <th scope="col">{own.name}</th>
          </tr>
        </thead>
        <tbody>
          <Compared name="commits" of={[shown.position, own.position]} />
          <Compared name="now" of={[clockFace(shown.atMs), clockFace(own.atMs)]} />
          <Compared name="state" of={[shown.stateHash.slice(0, 8), own.stateHash.slice(0, 8)]} />
          <Compared name="lost" of={(comparison?.losses ?? []).map((losses) => <Lost key="lost" losses={losses} />)} />
        </tbody>
      </table>
      {comparison !== undefined && (
        <Parted store={store} parting={comparison.parting} names={[shown.name, own.name]} isOfLog={other === 0} />
      )}
      {comparison !== undefined && (
        <details>
          <summary>Where the states differ: {comparison.changeCount}</summary>
          <Changes store={store} changed={comparison} />
        </details>
      )}
    </>
  );
}

const PARTED_BY = {
  instant: "their next commits were made at other instants",
  command: "something else was asked",
  outcome: "the same came to something else",
  end: "one has no more commits",
} as const satisfies { readonly [B in PartingShown["by"]]: string };

interface PartedProps {
  readonly store: Store;
  readonly parting: PartingShown | undefined;
  readonly names: readonly [string, string];
  /** Whether the first is the log, in which there is more to be seen of a commit. */
  readonly isOfLog: boolean;
}

/** Where two runs part, and what followed in each. */
function Parted({ store, parting, names, isOfLog }: PartedProps): JSX.Element {
  if (parting === undefined) return <p class="parted">The same happened in both.</p>;
  const { position, by, followed } = parting;
  return (
    <section class="parted" aria-label="Where they part">
      <h3>
        They part behind #{position}: {PARTED_BY[by]}
      </h3>
      <div>
        {names.map((name, index) => (
          <FollowedIn
            key={name}
            name={name}
            followed={followed[index === 0 ? 0 : 1]}
            choose={index === 0 && isOfLog ? (id) => store.go(id) : undefined}
          />
        ))}
      </div>
    </section>
  );
}

interface FollowedProps {
  readonly name: string;
  readonly followed: Followed;
  readonly choose: ((position: number) => void) | undefined;
}

function FollowedIn({ name, followed: { rows, count }, choose }: FollowedProps): JSX.Element {
  return (
    <div>
      <h4>{name}</h4>
      <ol>
        {rows.map(({ id, atMs, name: command, detail }) => (
          <li key={id}>
            {choose === undefined ? (
              `#${id}`
            ) : (
              <button type="button" class="link" onClick={() => choose(id)}>
                #{id}
              </button>
            )}{" "}
            {clockFace(atMs)} {command} <span class="detail">{detail}</span>
          </li>
        ))}
      </ol>
      {count > rows.length && <p>and {count - rows.length} more</p>}
      {count === 0 && <p>nothing</p>}
    </div>
  );
}

function Compared({ name, of }: { readonly name: string; readonly of: readonly ComponentChildren[] }): JSX.Element {
  return (
    <tr>
      <th scope="row">{name}</th>
      {of.map((cell, index) => (
        <td key={index}>{cell}</td>
      ))}
    </tr>
  );
}

function Lost({ losses }: { readonly losses: readonly Losses[] }): JSX.Element {
  if (losses.length === 0) return <>nothing</>;
  return (
    <>
      {losses.map(({ from, to, rows }) => (
        <div key={`${from} ${to}`} title={rows.join("\n")}>
          {rows.length} of {from} at {to}
        </div>
      ))}
    </>
  );
}

function Copies({ store, own }: { readonly store: Store; readonly own: BranchShown }): JSX.Element {
  const copy = useSignal("");
  const show = async (form: CopyForm): Promise<void> => {
    copy.value = await store.ask("copied", own.id, form);
  };
  return (
    <>
      <h3>Copy</h3>
      <div class="deeds">
        {COPY_FORMS.map((form) => (
          <button type="button" key={form} onClick={() => void show(form)}>
            as {form}
          </button>
        ))}
        {copy.value !== "" && (
          <button type="button" onClick={() => void navigator.clipboard?.writeText(copy.value)}>
            to the clipboard
          </button>
        )}
      </div>
      {copy.value !== "" && (
        <pre class="copy" tabIndex={0}>
          {copy.value}
        </pre>
      )}
    </>
  );
}

// --- fields -----------------------------------------------------------------------------------------------------------

function Field({ name, value }: { readonly name: string; readonly value: Signal<string> }): JSX.Element {
  return (
    <input
      aria-label={name}
      size={5}
      value={value.value}
      onInput={({ currentTarget }) => (value.value = currentTarget.value)}
    />
  );
}

interface AreaProps {
  readonly name: string;
  readonly value: Signal<string>;
  readonly rows: number;
}

function Area({ name, value, rows }: AreaProps): JSX.Element {
  return (
    <textarea
      aria-label={name}
      rows={rows}
      spellcheck={false}
      value={value.value}
      onInput={({ currentTarget }) => (value.value = currentTarget.value)}
    />
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: Signal<string>;
  readonly of: readonly string[];
  readonly then?: () => void;
}

function Choice({ name, value, of, then }: ChoiceProps): JSX.Element {
  return (
    <select
      aria-label={name}
      value={value.value}
      onChange={({ currentTarget }) => {
        value.value = currentTarget.value;
        then?.();
      }}
    >
      {of.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
