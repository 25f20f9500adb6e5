import type { RequestEntry } from "../kernel/journal.ts";
import { type Rule, ruleNamed } from "./rule.ts";

/**
 * It waits with an index: who asks the scheduler for the same again gives the index of the answer before, so that the service wakes it; and
 * when the index of an answer goes back, as after another region took over, it begins from that.
 */
export function waitsWithAnIndex(): Rule {
  return ruleNamed("waitsWithAnIndex", ({ requests, all, breach }) => {
    // What is not answered yet has no operation.
    const schedulers = new Set(
      all.flatMap(({ operation, request }) =>
        operation?.startsWith("scheduler.") === true ? [new URL(request.url).origin] : [],
      ),
    );
    const last = new Map<string, { readonly index: number; readonly answeredAtMs: number }>();
    for (const entry of requests) {
      const { origin, pathname, searchParams } = new URL(entry.request.url);
      const { request, response } = entry;
      if (request.method !== "GET" || !schedulers.has(origin)) continue;
      const place = `${origin}${pathname}`;
      const asked = searchParams.get("index");
      const before = last.get(place);
      if (before === undefined) {
        if (asked !== null && Number(asked) > 0)
          breach(entry, `waits for what comes after ${asked}, which no answer of this place had`);
      } else {
        if (asked === null && entry.atMs - before.answeredAtMs < POLLS_MS) {
          breach(
            entry,
            `asked again after ${(entry.atMs - before.answeredAtMs) / 1_000} s without the index ${before.index}`,
          );
        } else if (asked !== null && Number(asked) > before.index) {
          breach(entry, `waits for what comes after ${asked}, and the answer before had the index ${before.index}`);
        }
      }
      const index = Number(indexOf(response));
      if (response?.status === 200 && index > 0)
        last.set(place, { index, answeredAtMs: entry.answeredAtMs ?? entry.atMs });
    }
  });
}

/** Our choice: who looks less often than this does not poll. */
const POLLS_MS = 60_000;

function indexOf(response: RequestEntry["response"]): string | undefined {
  return Object.entries(response?.headers ?? {}).find(([name]) => /^x-[\w-]+-index$/.test(name))?.[1];
}

/** It leaves no watcher behind: of two requests of one program, none waits for the same as the other while that still waits. */
export function leavesNoWatcherBehind(): Rule {
  return ruleNamed("leavesNoWatcherBehind", ({ requests, breach }) => {
    const waiting = new Map<string, RequestEntry[]>();
    for (const entry of requests) {
      const url = new URL(entry.request.url);
      if (entry.request.method !== "GET" || !url.searchParams.has("index")) continue;
      url.searchParams.delete("index");
      const others = (waiting.get(url.href) ?? []).filter((other) => endOf(other) > entry.atMs);
      if (others.length > 0 && endOf(entry) > entry.atMs) {
        breach(entry, `began to wait while r${others[0]?.n} still waits for the same`);
      }
      waiting.set(url.href, [...others, entry]);
    }
  });
}

/** When somebody stopped waiting: never, for what has neither an answer nor an end. */
function endOf({ answeredAtMs, response, fault, atMs }: RequestEntry): number {
  return answeredAtMs ?? (response === undefined && fault === undefined ? Number.POSITIVE_INFINITY : atMs);
}
