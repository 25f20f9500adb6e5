import { describe, expectTypeOf, test } from "vitest";
import type {
  CreateApiTokenOptions,
  Document,
  PolicyCheckResource,
  PolicyEvaluationResource,
  PolicySetOutcomeResource,
  RunResource,
  RunsClient,
  RunsHandle,
  WorkspaceResource,
} from "../../src/index.ts";

declare const client: RunsClient;
declare const runs: RunsHandle;

describe("the typed door to the run service", () => {
  test("gives the document that the wire would show", () => {
    expectTypeOf(client.policyChecks.read).returns.toEqualTypeOf<
      Document<PolicyCheckResource, RunResource | WorkspaceResource>
    >();
    expectTypeOf(client.policyChecks.output).returns.toEqualTypeOf<string | undefined>();
    expectTypeOf(client.policyEvaluations.read)
      .returns.toHaveProperty("data")
      .toEqualTypeOf<PolicyEvaluationResource>();
    expectTypeOf(client.policySetOutcomes.list).returns.toHaveProperty("meta");
    expectTypeOf(client.policySetOutcomes.read)
      .returns.toHaveProperty("data")
      .toEqualTypeOf<PolicySetOutcomeResource>();
  });

  test("has no relationships after an override", () => {
    const { data } = client.policyChecks.override({ id: "polchk-1" });
    // @ts-expect-error the answer of an override has none
    data.relationships;
  });

  test("tells the statuses apart, and null results", () => {
    const { attributes } = client.policyChecks.read({ id: "polchk-1" }).data;
    // @ts-expect-error there is no running: a check that is evaluated is queued
    expectTypeOf(attributes.status === "running");
    // @ts-expect-error null until the check has ended
    attributes.result.passed;
    expectTypeOf(attributes.result?.passed).toEqualTypeOf<number | undefined>();
  });

  test("asks for the captures of the path, by the contract's names", () => {
    client.policyChecks.list({ run_id: "run-1" });
    client.policyChecks.override({ id: "polchk-1", comment: null });
    // @ts-expect-error the contract calls it run_id
    client.policyChecks.list({ id: "run-1" });
    // @ts-expect-error a read takes no comment
    client.policyChecks.read({ id: "polchk-1", comment: "x" });
  });

  test("takes the options that the contract has for an operation", () => {
    client.policyChecks.list({ run_id: "run-1" }, { page: { number: 1 }, include: ["run", "run.workspace"] });
    client.policySetOutcomes.list({ policy_evaluation_id: "p" }, { filter: { 3: { status: "failed" } } });
    // @ts-expect-error evaluations have no filter
    client.policyEvaluations.list({ task_stage_id: "ts-1" }, { filter: [] });
    // @ts-expect-error one check is no page
    client.policyChecks.read({ id: "polchk-1" }, { page: { size: 1 } });
    // @ts-expect-error there is no such parameter
    client.policySetOutcomes.list({ policy_evaluation_id: "p" }, { sort: "name" });
  });
});

describe("the control calls of the run service", () => {
  test("take what control-surface.md names, and nothing else", () => {
    runs.createRun({ workspace: "ws-1", timing: { planMs: "1m", checkMs: 5 } });
    // @ts-expect-error a run is made in a workspace
    runs.createRun({});
    // @ts-expect-error no such timing
    runs.createRun({ workspace: "ws-1", timing: "slow" });
    // @ts-expect-error no such scope
    runs.createRun({ workspace: "ws-1", policyChecks: [{ scope: "project", policies: [] }] });
    expectTypeOf<CreateApiTokenOptions["kind"]>().toEqualTypeOf<"user" | "team" | "organization">();
  });

  test("tell the status of a run as the wire spells it", () => {
    expectTypeOf<"policy_override">().toExtend<ReturnType<typeof runs.run>["status"]>();
    // @ts-expect-error no such status
    expectTypeOf(runs.run("run-1").status === "waiting");
  });
});
