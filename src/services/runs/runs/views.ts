import { hasGrant, mayOverride } from "../access.ts";
import { type Identifier, pathTo } from "../documents.ts";
import type { RunId } from "../ids.ts";
import { millisecondsText, shownTimestamps } from "../timestamps.ts";
import type { TokenRecord } from "../tokens/state.ts";
import type { RunsWorld } from "../world.ts";
import { canMove } from "./progress.ts";
import type { Run, RunStatus } from "./state.ts";

/** A run as `include=run` brings it (decisions-policy-checks.md, 5). */
export interface RunResource extends Identifier<"runs"> {
  readonly attributes: {
    readonly status: RunStatus;
    readonly "status-timestamps": { readonly [key: string]: string | undefined };
    readonly "created-at": string;
    readonly "updated-at": string;
    readonly "canceled-at": string | null;
    readonly message: string;
    readonly source: string;
    readonly "trigger-reason": string;
    readonly "has-changes": boolean;
    readonly "is-destroy": boolean;
    readonly "auto-apply": boolean;
    readonly "allow-empty-apply": boolean;
    readonly "plan-only": boolean;
    readonly refresh: boolean;
    readonly "refresh-only": boolean;
    readonly "save-plan": boolean;
    readonly "target-addrs": readonly string[] | null;
    readonly "replace-addrs": readonly string[] | null;
    readonly variables: readonly never[];
    readonly actions: {
      readonly "is-cancelable": boolean;
      readonly "is-confirmable": boolean;
      readonly "is-discardable": boolean;
      readonly "is-force-cancelable": boolean;
    };
    readonly permissions: {
      readonly "can-apply": boolean;
      readonly "can-cancel": boolean;
      readonly "can-comment": boolean;
      readonly "can-discard": boolean;
      readonly "can-force-execute": boolean;
      readonly "can-force-cancel": boolean;
      readonly "can-override-policy-check": boolean;
    };
  };
  readonly relationships: {
    readonly workspace: { readonly data: Identifier<"workspaces"> };
    readonly "policy-checks": {
      readonly data: readonly Identifier<"policy-checks">[];
      readonly links: { readonly related: string };
    };
    readonly "task-stages": { readonly data: readonly Identifier<"task-stages">[] };
  };
  readonly links: { readonly self: string };
}

export function runResource(world: RunsWorld, bearer: TokenRecord, id: RunId, run: Run): RunResource {
  return {
    id,
    type: "runs",
    attributes: {
      status: run.status,
      "status-timestamps": shownTimestamps(run.timestamps),
      "created-at": millisecondsText(run.createdAtMs),
      "updated-at": millisecondsText(run.updatedAtMs),
      "canceled-at": run.canceledAtMs === null ? null : millisecondsText(run.canceledAtMs),
      message: run.message,
      source: run.source,
      "trigger-reason": run.triggerReason,
      "has-changes": run.hasChanges,
      "is-destroy": run.isDestroy,
      "auto-apply": run.autoApply,
      "allow-empty-apply": run.allowEmptyApply,
      "plan-only": run.planOnly,
      refresh: true,
      "refresh-only": false,
      "save-plan": false,
      "target-addrs": null,
      "replace-addrs": null,
      variables: [],
      actions: actionsOf(world, run),
      permissions: permissionsOf(bearer, run),
    },
    relationships: {
      workspace: { data: { id: run.workspace, type: "workspaces" } },
      "policy-checks": {
        data: run.policyChecks.map((check) => ({ id: check, type: "policy-checks" })),
        links: { related: pathTo("runs", id, "policy-checks") },
      },
      "task-stages": { data: run.taskStages.map((stage) => ({ id: stage, type: "task-stages" })) },
    },
    links: { self: pathTo("runs", id) },
  };
}

/** Of the run alone. A cancel acts at once here, so what may be canceled may be canceled by force. */
function actionsOf(world: RunsWorld, run: Run): RunResource["attributes"]["actions"] {
  const isCancelable = canMove(world, run, "cancel");
  return {
    "is-cancelable": isCancelable,
    "is-confirmable": canMove(world, run, "confirm"),
    "is-discardable": canMove(world, run, "discard"),
    "is-force-cancelable": isCancelable,
  };
}

/** Of the caller alone. */
function permissionsOf(bearer: TokenRecord, { workspace }: Run): RunResource["attributes"]["permissions"] {
  const mayApply = hasGrant(bearer, workspace, "apply", "write", "admin");
  const mayForce = hasGrant(bearer, workspace, "admin");
  return {
    "can-apply": mayApply,
    "can-cancel": mayApply,
    "can-comment": mayApply,
    "can-discard": mayApply,
    "can-force-execute": mayForce,
    "can-force-cancel": mayForce,
    "can-override-policy-check": mayOverride(bearer, workspace),
  };
}
