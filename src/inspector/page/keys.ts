import { GROUPINGS } from "../protocol.ts";
import type { Store } from "./store.ts";

/** What keys do, wherever the focus is but in a field. */
export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["← →", "the row before, the next one (of those that the filter finds)"],
  ["Page Up, Page Down", "ten rows back or on"],
  ["Home, End", "the beginning, the end"],
  ["[ ]", "the mark before, the next mark"],
  ["+ -", "zoom in and out, around the cursor"],
  [", .", "move the time line back or on"],
  ["0", "all of the time line"],
  ["t", "the time line by time, or by commits"],
  ["a", "the second cursor: put it here, or take it away from here"],
  ["x", "change the places of both cursors"],
  ["l", "only what happened between them stands in the list"],
  ["v", "the chosen value of the state as a row of the time line, or no longer"],
  ["p", "play from the cursor on, or pause"],
  ["/", "the filter"],
  ["g", "the list by time, step, program or object"],
  ["?", "this list"],
];

export function keyDown(store: Store, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  // In the help, keys are its own. When it has just been closed, the focus is still there for a moment.
  if ((event.target as Element).closest("input, textarea, select, dialog[open]") !== null) return;
  const does = actionOf(store, event.key);
  if (does === undefined) return;
  event.preventDefault();
  does();
}

function actionOf(store: Store, key: string): (() => void) | undefined {
  const { low, high } = store.stretch.value;
  switch (key) {
    case "ArrowLeft":
      return () => store.step(-1);
    case "ArrowRight":
      return () => store.step(1);
    case "PageUp":
      return () => store.step(-10);
    case "PageDown":
      return () => store.step(10);
    case "Home":
      return () => store.go(0);
    case "End":
      return () => store.go(store.count.value);
    case "[":
      return () => store.stepToMark(-1);
    case "]":
      return () => store.stepToMark(1);
    case "+":
    case "=":
      return () => store.zoom(0.5);
    case "-":
      return () => store.zoom(2);
    case ",":
      return () => store.pan((low - high) / 4);
    case ".":
      return () => store.pan((high - low) / 4);
    case "0":
      return () => store.fit();
    case "t":
      return () => store.setScale(store.scale.value === "time" ? "commits" : "time");
    case "a":
      return () => store.toggleAnchor();
    case "x":
      return () => store.swap();
    case "l":
      return () => store.keepToBetween();
    case "v":
      return () => {
        if (store.chosenPath.value !== "") store.togglePin(store.chosenPath.value);
      };
    case "p":
      return () => store.playOrPause();
    case "/":
      return () => document.getElementById("filter")?.focus();
    case "g":
      return () => store.group(GROUPINGS[(GROUPINGS.indexOf(store.grouping.value) + 1) % GROUPINGS.length] ?? "time");
    case "?":
      return () => {
        store.isHelpOpen.value = true;
      };
    default:
      return undefined;
  }
}
