import { setTimeout as pause } from "node:timers/promises";
import { pageOf } from "../../../inspector/trace-html.ts";
import { LiveSimulator } from "../../../simulator/live-simulator.ts";
import type { Simulator } from "../../../simulator/types.ts";
import { Telling } from "../../living-log/telling.ts";
import type { AdminRoute, WorldSubject } from "../route.ts";

/** Where the page is, below `/hindcast`. */
export const INSPECTOR_PATH = "/inspect";

/** What there is where the inspector was asked for. */
export const inspectorRoutes: readonly AdminRoute<WorldSubject>[] = [
  {
    method: "GET",
    path: INSPECTOR_PATH,
    id: "inspect",
    summary: "A page that shows the simulator as it goes on",
    type: "text/html",
    answer: () => {
      const page = pageOf({ title: "hindcast", failure: null, timers: [] });
      if (page === undefined) throw new Error("the page is not built: npm run build");
      return { page };
    },
  },
  {
    method: "GET",
    path: `${INSPECTOR_PATH}/log`,
    id: "followLog",
    summary:
      "The log with its journal, and then what comes, until the simulator is replaced or nobody listens any more",
    type: "application/x-ndjson",
    answer: ({ sim, gone }) => ({ lines: followed(sim, gone) }),
  },
];

/** What comes within this time is sent together. */
const TOGETHER_MS = 50;

/** A log as it goes on. Our choice: who only looks does not wait until the disk has what is told. */
async function* followed(sim: Simulator, gone: AbortSignal): AsyncGenerator<string, void> {
  const { timeline } = LiveSimulator.insideOf(sim);
  const { telling, lines } = Telling.begin(sim, true);
  let wake = (): void => undefined;
  const unobserve = timeline.observe(() => wake());
  telling.onEntry(() => wake());
  gone.addEventListener("abort", () => wake(), { once: true });
  try {
    yield* lines;
    while (!gone.aborted) {
      if (telling.hasTold(timeline) && telling.hasToldInstant(timeline) && !telling.hasFreshEntries) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        await pause(TOGETHER_MS, undefined, { signal: gone }).catch(() => undefined);
      } else {
        yield telling.take(true);
      }
    }
  } finally {
    unobserve();
    telling.end();
  }
}
