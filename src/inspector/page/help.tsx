import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { heldText } from "./held.ts";
import { KEYS } from "./keys.ts";
import type { Store } from "./store.ts";

const FILTERS: readonly (readonly [filter: string, finds: string])[] = [
  ["#12", "with Enter: goes there"],
  ["promote east", "all of these words occur in the command, its input or its facts"],
  ['"token of" -timer', "these words as they stand; and no timer"],
  ["fact:LeaseEnded", "a fact of this type; also command:, via:, program:, failed:"],
  ["#12..40", "from one position to another"],
  ["program:shop refused", "what this program asked and was refused"],
  ["touches secrets.east.local", "commits that changed what stands at a path of the state"],
];

/** What keys and filters there are. */
export function Help({ store }: { readonly store: Store }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = store.isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <dialog ref={dialog} aria-labelledby="help" onClose={() => (store.isHelpOpen.value = false)}>
      <h2 id="help">Keys</h2>
      <Terms rows={KEYS} />
      <h2>Filters</h2>
      <Terms rows={FILTERS} />
      <Licenses />
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

/** What the page holds of others is theirs. */
function Licenses(): JSX.Element {
  const [text, setText] = useState("");
  return (
    <details onToggle={() => void heldText("licenses").then(setText)}>
      <summary>Licences of what the page holds</summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

function Terms({ rows }: { readonly rows: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <dl class="terms">
      {rows.map(([term, meaning]) => (
        <div key={term}>
          <dt>
            <kbd>{term}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
