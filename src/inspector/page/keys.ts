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
  ["/", "the filter"],
  ["?", "this list"],
];

export function keyDown(store: Store, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  // In the help, keys are its own.
  if (event.target instanceof HTMLInputElement || (event.target as Element).closest("dialog") !== null) return;
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
    case "/":
      return () => document.getElementById("filter")?.focus();
    case "?":
      return () => {
        store.isHelpOpen.value = true;
      };
    default:
      return undefined;
  }
}
