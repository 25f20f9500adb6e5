import type { LoggedEvent, WorldEvents } from "../../../index.ts";
import type { RunsRefusals } from "../../../services/runs/rejections.ts";
import type { SchedulerRefusals } from "../../../services/scheduler/rejections.ts";
import type { SecretsRefusals } from "../../../services/secrets/rejections.ts";

/** A part of a fact of the log; members may be matchers such as `expect.any(String)`. */
export type EventPart = { readonly [N in keyof LoggedEvent]?: unknown };

/** The codes of refusals; those of the surroundings are texts as well. */
export type RejectionCode =
  | keyof SecretsRefusals
  | keyof SchedulerRefusals
  | keyof RunsRefusals
  | (string & Record<never, never>);

/** What else is expected of a refusal. */
export interface RejectionPart {
  /** The status of the answer over HTTP. */
  readonly status?: number;
  /** At least this. A response does not carry it. */
  readonly data?: object;
}

type None = ReturnType<() => void>;

/** Of a promise, or of a call that gives one, the verdict is a promise, too. */
type Verdict<T> =
  IsAny<T> extends true
    ? unknown
    : T extends PromiseLike<unknown> | ((...args: never[]) => PromiseLike<unknown>)
      ? Promise<void>
      : None;

type IsAny<T> = 0 extends 1 & T ? true : false;

/** In `expect.toHaveState(...)`, which stands for a value, there is nothing of a type yet. */
type Nothing<T> = IsAny<T> extends true ? unknown : None;

/** What `expect` knows of simulators. */
export interface SimMatchers<T> {
  /**
   * Whether the log of a simulator holds a fact: at least once, or as often as `times` says.
   *
   * @param expected its type, or at least a part of it
   * @throws TypeError for a type that no event has, and for what is no simulator and no log
   * @example
   * expect(sim).toHaveRecorded("ServiceAccountCheckedOut", 2);
   * expect(sim).toHaveRecorded({ type: "LeaseEnded", data: { leaseId: lease_id } });
   */
  toHaveRecorded(expected: keyof WorldEvents | EventPart, times?: number): Nothing<T>;
  /**
   * Whether a call is refused with a code. It takes the call, the promise of one, the `Rejection` itself, or a response of `sim.fetch`.
   * Any other error that the call throws is an error of the test, with `not` as well.
   *
   * @example
   * expect(() => client.library.checkOut({ set_name: "ops" })).toBeRejectedWith("no_account_available", { status: 400 });
   * await expect(orchestrator.creds({ role: "deploy" })).toBeRejectedWith("permission_denied");
   * expect(await sim.fetch(url)).toBeRejectedWith("permission_denied");
   */
  toBeRejectedWith(code: RejectionCode, expected?: RejectionPart): Verdict<T>;
  /**
   * Whether something stands at a path of the state of a simulator or a view, in the spelling of `sim.diff` and `sim.blame`; with a
   * second argument whether it is at least that, where `undefined` is nothing. Or whether the state has a part; keys of tables are
   * written as members.
   *
   * @throws TypeError for a text that is no path, and for what is no simulator and no view
   * @example
   * expect(sim).toHaveState('secrets.main.replicated.mounts["ldap/"].library.accounts["svc-1"].status', "available");
   * expect(sim.at("before")).toHaveState({ secrets: { main: { replicated: { mounts: { "ldap/": expect.anything() } } } } });
   */
  toHaveState(...expected: [path: string, value?: unknown] | [part: object]): Nothing<T>;
}
