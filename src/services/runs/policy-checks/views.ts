import type { Plain } from "../../../kernel/plain.ts";
import { type Found, mayOverride } from "../access.ts";
import { type Identifier, pathTo } from "../documents.ts";
import type { PolicyCheckId } from "../ids.ts";
import { shownTimestamps } from "../timestamps.ts";
import type { TokenRecord } from "../tokens/state.ts";
import type { RunsWorld } from "../world.ts";
import { isOverridable } from "./decide.ts";
import type { PolicyCheck, PolicyCheckStatus, PolicyCheckTimestamp } from "./state.ts";

/** A policy check as an override answers with it: without relationships (decisions-policy-checks.md, 4.4). */
export interface BarePolicyCheckResource extends Identifier<"policy-checks"> {
  readonly attributes: {
    /** Null until the check has ended. */
    readonly result: {
      readonly result: boolean;
      readonly passed: number;
      readonly "total-failed": number;
      readonly "hard-failed": number;
      readonly "soft-failed": number;
      readonly "advisory-failed": number;
      readonly "duration-ms": number;
      readonly engine: { readonly [key: string]: Plain | undefined };
    } | null;
    readonly scope: "organization" | "workspace";
    readonly status: PolicyCheckStatus;
    readonly "status-timestamps": { readonly [key in PolicyCheckTimestamp]?: string };
    /** Of the check alone: the same for every caller. */
    readonly actions: { readonly "is-overridable": boolean };
    /** Of the caller alone: the same in every status. */
    readonly permissions: { readonly "can-override": boolean };
  };
  readonly links: { readonly output: string };
}

/** A policy check in lists and when it is read. */
export interface PolicyCheckResource extends BarePolicyCheckResource {
  readonly relationships: { readonly run: { readonly data: Identifier<"runs"> } };
}

export function barePolicyCheck(
  world: RunsWorld,
  bearer: TokenRecord,
  { id, resource: check, run }: Found<PolicyCheckId, PolicyCheck>,
): BarePolicyCheckResource {
  return { id, type: "policy-checks", ...parts(world, bearer, id, check, run.workspace) };
}

export function policyCheckResource(
  world: RunsWorld,
  bearer: TokenRecord,
  { id, resource: check, run }: Found<PolicyCheckId, PolicyCheck>,
): PolicyCheckResource {
  const { attributes, links } = parts(world, bearer, id, check, run.workspace);
  return {
    id,
    type: "policy-checks",
    attributes,
    relationships: { run: { data: { id: check.run, type: "runs" } } },
    links,
  };
}

function parts(
  world: RunsWorld,
  bearer: TokenRecord,
  id: PolicyCheckId,
  check: PolicyCheck,
  workspace: Parameters<typeof mayOverride>[1],
): Pick<BarePolicyCheckResource, "attributes" | "links"> {
  return {
    attributes: {
      result: resultShown(check),
      scope: check.scope,
      status: check.status,
      "status-timestamps": shownTimestamps(check.timestamps),
      actions: { "is-overridable": isOverridable(world, check) },
      permissions: { "can-override": mayOverride(bearer, workspace) },
    },
    links: { output: pathTo("policy-checks", id, "output") },
  };
}

function resultShown({ result, engine }: PolicyCheck): BarePolicyCheckResource["attributes"]["result"] {
  if (result === null) return null;
  return {
    result: result.result,
    passed: result.passed,
    "total-failed": result.totalFailed,
    "hard-failed": result.hardFailed,
    "soft-failed": result.softFailed,
    "advisory-failed": result.advisoryFailed,
    "duration-ms": result.durationMs,
    engine,
  };
}
