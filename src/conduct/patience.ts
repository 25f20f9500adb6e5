import { optionsAt } from "../kernel/arguments.ts";
import type { RequestEntry } from "../kernel/journal.ts";
import { type Duration, durationMs } from "../languages/duration.ts";
import { shown } from "../languages/shown.ts";
import { type Rule, ruleNamed } from "./rule.ts";

/** How often a program may ask again. */
export interface BackOff {
  /** So often at most. Default 10. */
  readonly tries?: number;
  /** Within so long. Default 10 seconds. */
  readonly within?: Duration;
}

/**
 * It backs off: after 429, 503 and connections that are refused it asks for the same no more than so often within a time.
 *
 * @throws TypeError for a wrong option
 * @example
 * conduct: [backsOff({ tries: 5, within: "1m" })]
 */
export function backsOff(options: BackOff = {}): Rule {
  const { tries = 10, within = "10s" } = optionsAt("backsOff", options, ["tries", "within"]);
  if (!Number.isSafeInteger(tries) || tries < 1) {
    throw new TypeError(`backsOff: tries is ${shown(tries)}, and has to be a whole number from 1 on`);
  }
  const withinMs = durationMs(within);
  return ruleNamed("backsOff", ({ requests, breach }) => {
    const after = new Map<string, RequestEntry[]>();
    for (const entry of requests) {
      const asked = `${entry.request.method} ${entry.request.url}`;
      const before = (after.get(asked) ?? []).filter(({ atMs }) => entry.atMs - atMs < withinMs);
      if (before.length >= tries) {
        breach(entry, `asked ${before.length + 1} times within ${within} where it was told to wait, or refused`);
        after.delete(asked);
      } else if (isTurnedAway(entry)) after.set(asked, [...before, entry]);
      else after.delete(asked);
    }
  });
}

function isTurnedAway({ response, fault }: RequestEntry): boolean {
  if (response !== undefined) return response.status === 429 || response.status === 503;
  return fault === "ECONNREFUSED" || fault?.startsWith("cut") === true;
}

/** It waits as long as a `Retry-After` says before it asks for the same again: so many seconds, or until a date. */
export function followsRetryAfter(): Rule {
  return ruleNamed("followsRetryAfter", ({ requests, breach }) => {
    const until = new Map<string, { readonly ms: number; readonly said: string }>();
    for (const entry of requests) {
      const asked = `${entry.request.method} ${entry.request.url}`;
      const told = until.get(asked);
      if (told !== undefined && entry.atMs < told.ms)
        breach(entry, `did not wait although it was told Retry-After: ${told.said}`);
      until.delete(asked);
      const said = entry.response?.headers["retry-after"];
      if (said === undefined || entry.response === undefined) continue;
      const answeredMs = entry.answeredAtMs ?? entry.atMs;
      const ms = /^\d+$/.test(said) ? answeredMs + Number(said) * 1_000 : Date.parse(said);
      if (Number.isFinite(ms)) until.set(asked, { ms, said });
    }
  });
}
