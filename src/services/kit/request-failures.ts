import * as v from "valibot";
import type { Command, Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain } from "../../kernel/plain.ts";

// Requests that fail because a test wants them to: `sim.faults.failNextRequests`.

/** Requests to come that are answered with an error whatever they ask for. */
export interface RequestFailure {
  readonly count: number;
  readonly status: number;
}

/** Whoever answers requests: the next failures first. */
export interface Failing {
  readonly requestFailures: readonly RequestFailure[];
}

export const NO_FAILURES: readonly RequestFailure[] = Object.freeze([]);

type Writable<T> = { -readonly [N in keyof T]: T[N] };

/** Folds the fact that requests are to fail. */
export function failureInjected(holder: Writable<Failing>, { count, status }: RequestFailure): void {
  holder.requestFailures = [...holder.requestFailures, { count, status }];
}

/** Folds the fact that one of them did. */
export function requestFailed(holder: Writable<Failing>): void {
  const [next, ...later] = holder.requestFailures;
  if (next === undefined) return;
  holder.requestFailures = next.count > 1 ? [{ ...next, count: next.count - 1 }, ...later] : later;
}

/** Whether the next request fails, whatever it asks for. That is counted, so that only the present does it. */
export function isFailing(host: Host<unknown>, { requestFailures }: Failing): boolean {
  return requestFailures.length > 0 && host.takesCommands;
}

/** The status with which this request fails; undefined for one that does not. */
export function failingStatus({ requestFailures: [failure] }: Failing): number | undefined {
  return failure?.status;
}

const STATUS = "status is that of an error, from 400 to 599";

/** How many of the next requests fail, and with what status, as options of the call. */
export const failingRequests = {
  count: v.pipe(v.number("count is a number"), v.integer("count is whole"), v.minValue(1, "count is 1 or more")),
  status: v.optional(
    v.pipe(
      v.number("status is a number"),
      v.integer("status is whole"),
      v.minValue(400, STATUS),
      v.maxValue(599, STATUS),
    ),
    500,
  ),
};

/** The call's command. */
const FAIL_NEXT_REQUESTS = "control.faults.failNextRequests";

/** Lets the next requests to a service fail, which options name as the log does. */
export function failNextRequests(host: Host<unknown>, via: Via, options: unknown): void {
  const command: Command = {
    name: FAIL_NEXT_REQUESTS,
    input: copyPlain(options, "failNextRequests"),
    caller: null,
    via,
  };
  host.execute(command, () => undefined);
}
