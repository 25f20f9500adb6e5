import { optionsAt } from "../../kernel/arguments.ts";
import type { Command, Via } from "../../kernel/commit.ts";
import { asHandle } from "../../kernel/handle.ts";
import type { Host } from "../../kernel/host.ts";
import { shown } from "../../languages/shown.ts";
import { tokenAt } from "../kit/arguments.ts";
import { type Control, controlsOver } from "../kit/control.ts";
import { behind } from "../kit/why.ts";
import { type RunsClient, runsClient } from "./client.ts";
import type { CreateOrganizationOptions, CreateWorkspaceOptions, runsControls } from "./control.ts";
import { runsForms } from "./responses.ts";
import type { CreatedRun } from "./runs/create.ts";
import type { CreateRunOptions, PlanRunsOptions } from "./runs/options.ts";
import type { RunStatus } from "./runs/state.ts";
import type { CreateApiTokenOptions } from "./tokens/create.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

/** A run, for test authors. What a person or a step does returns the status that the run has then. */
export interface RunHandle {
  readonly id: string;
  readonly status: RunStatus;
  /** Confirms a run that waits for it, so that it is applied. */
  confirm(): RunStatus;
  /** Discards a run that waits for a person, or has not begun. */
  discard(): RunStatus;
  /** Cancels a run that moves, or has not begun; `force` adds `force-canceled-at`. */
  cancel(options?: { readonly force?: boolean }): RunStatus;
  /**
   * Makes one move of a run with `timing: "manual"`, and what follows it at once.
   *
   * @throws Rejection `transition_not_allowed` where only a person can go on, or nobody; `run_moves_by_itself`
   */
  step(): RunStatus;
}

/**
 * The run service, for test authors: what its HTTP endpoints cannot do, and the typed door.
 *
 * Control calls throw a `TypeError` for a wrong argument, and a `Rejection` where the state of the world forbids them.
 */
export interface RunsHandle {
  /** Where the service answers, without `/api/v2`. */
  readonly url: string;

  /**
   * Creates an organization. Without `policyEnforcement` (default true) all its policy endpoints answer 404.
   *
   * @throws Rejection `organization_exists`
   */
  createOrganization(options: CreateOrganizationOptions): void;

  /**
   * Creates a workspace. `autoApply` and `allowEmptyApply` (default false) are what its runs have unless told otherwise.
   *
   * @throws Rejection `organization_not_found`, `workspace_exists`, `id_taken`
   */
  createWorkspace(options: CreateWorkspaceOptions): { readonly id: string };

  /**
   * Creates a token of a user, a team or an organization.
   *
   * @throws Rejection `organization_not_found`, `workspace_not_found` for a grant on a workspace that is not there
   * @example
   * const { token } = sim.runs.createToken({
   *   kind: "team", organization: "acme", grants: { workspaces: { [workspace]: ["read", "policy-overrides"] } },
   * });
   */
  createToken(options: CreateApiTokenOptions): { readonly id: string; readonly token: string };

  /** Revokes a token by its id, for good. @throws Rejection `token_not_found` */
  revokeToken(id: string): void;

  /**
   * Creates a run, and says beforehand what its policies will say. `timing` tells what moves it on where no person is needed:
   * `"immediate"` (the default) nothing has to, an object of durations spends virtual time in its phases, `"manual"` waits for
   * `run(id).step()`. Durations are texts with units or milliseconds.
   *
   * @returns the ids: policy checks of scope organization first
   * @throws Rejection `workspace_not_found`, `id_taken`
   * @example
   * const { id, policyCheckIds } = sim.runs.createRun({
   *   workspace, policyChecks: [{ policies: [{ name: "tags", level: "soft-mandatory", result: false }] }],
   * });
   */
  createRun(options: CreateRunOptions): CreatedRun;

  /**
   * Says beforehand what all later runs of a workspace come to that are made over HTTP, or by `as(token).runs.create`: the options of
   * `createRun` that no request has. What is left out is as of `createRun`; ids cannot be given.
   *
   * @throws Rejection `workspace_not_found`
   * @example
   * sim.runs.planRuns({ workspace, policyChecks: [{ policies: [{ name: "tags", level: "advisory", result: true }] }] });
   */
  planRuns(options: PlanRunsOptions): void;

  /** A run by its id. @throws Rejection `run_not_found` */
  run(id: string): RunHandle;

  /** The typed door for whoever sends this token. Without a token it is a caller without one. */
  as(token?: string): RunsClient;
}

/** Makes the handle of a world's run service; `via` is the door whose calls it makes. */
export function runsHandle(host: Host<RunsWorld>, via: Via): RunsHandle {
  const control = controlsOver<typeof runsControls>(host, via, null, runsForms);
  const handle = Object.freeze({
    get url() {
      return runServiceOf(host.state).url;
    },
    createOrganization: (options) => control("control.runs.createOrganization", options),
    createWorkspace: (options) => control("control.runs.createWorkspace", options),
    createToken: (options) => control("control.runs.createToken", withInstantText(options)),
    revokeToken: (id) => control("control.runs.revokeToken", { id }),
    planRuns: (options) => control("control.runs.planRuns", options),
    createRun: (options) => control("control.runs.createRun", options),
    run: (id) => runHandle(host, control, id),
    as: (given) => {
      const token = tokenAt(given);
      return runsClient({ host, caller: Object.freeze(token === undefined ? {} : { token }) });
    },
  } satisfies RunsHandle);
  return asHandle(handle, { service: "runs" });
}

/** A `Date` as the log can carry it. One that is no instant stays what it is: whoever reads the argument says so. */
function withInstantText(options: unknown): unknown {
  if (typeof options !== "object" || options === null || !("expiresAt" in options)) return options;
  const { expiresAt } = options;
  if (!(expiresAt instanceof Date)) return options;
  return { ...options, expiresAt: Number.isNaN(expiresAt.getTime()) ? "an invalid Date" : expiresAt.toISOString() };
}

function runHandle(host: Host<RunsWorld>, control: Control<typeof runsControls>, id: string): RunHandle {
  if (typeof id !== "string") throw new TypeError(`run: ${shown(id)} is no id of a run`);
  const status = (): RunStatus => {
    const run = runServiceOf(host.state).runs.get(id);
    if (run !== undefined) return run.status;
    const command: Command = { name: "control.runs.run", input: { run: id }, caller: null, via: "control" };
    const refusal = { code: "run_not_found", data: { run: id } };
    throw runsForms.rejection("run", behind(host, command, refusal, undefined));
  };
  status();
  return Object.freeze({
    id,
    get status() {
      return status();
    },
    confirm: () => control("control.runs.run.confirm", { run: id }),
    discard: () => control("control.runs.run.discard", { run: id }),
    cancel: (options = {}) =>
      control("control.runs.run.cancel", { ...optionsAt("cancel", options, ["force"]), run: id }),
    step: () => control("control.runs.run.step", { run: id }),
  } satisfies RunHandle);
}
