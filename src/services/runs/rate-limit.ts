import type { EpochMs } from "../../kernel/brand.ts";
import type { Host } from "../../kernel/host.ts";
import { bearerIn } from "./access.ts";
import type { RunsCaller } from "./declare.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

// Source of all rules in this file: decisions-policy-checks.md, 1.5.

/** What a request leaves of an allowance. */
export interface Allowance {
  readonly limit: number;
  /** Requests left in this second; never below 0. */
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** The requests of one clock second, by who made them. */
interface Window {
  second: number;
  readonly counts: Map<string, number>;
}

/** The counters stand beside the state: a fork, a replay and a view of the past have their own, and start at 0. */
const windows = new WeakMap<object, Window>();

/** Counts a request; undefined while no limit is set. Refused requests count too. */
export function countRequest(host: Host<RunsWorld>, caller: RunsCaller): Allowance | undefined {
  const limit = runServiceOf(host.state).rateLimitPerSecond;
  if (limit === undefined) return undefined;
  const { nowMs } = host;
  const { counts } = windowAt(host, nowMs);
  const key = allowanceOf(host, caller);
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: (1000 - (nowMs % 1000)) / 1000,
    exceeded: count > limit,
  };
}

function windowAt(host: object, nowMs: EpochMs): Window {
  const second = Math.floor(nowMs / 1000);
  const known = windows.get(host);
  if (known?.second === second) return known;
  const window = { second, counts: new Map<string, number>() };
  windows.set(host, window);
  return window;
}

/** All tokens of a user share one allowance, and so do all requests without a token that works. */
function allowanceOf(host: Host<RunsWorld>, caller: RunsCaller): string {
  const token = bearerIn(host, caller);
  if (token === undefined) return "nobody";
  return token.kind === "user" ? `user ${token.user}` : `token ${token.id}`;
}
