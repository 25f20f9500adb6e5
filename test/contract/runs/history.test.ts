import { describe, expect, it } from "vitest";
import { diff, format, rehearse, replay } from "../../../src/index.ts";
import { get, one, send } from "./driver.ts";
import { runsWorld } from "./runs-world.ts";

// The run service in log, history and rewriting: design.md, 2 and 6.

describe("the run service in history", () => {
  it("is rebuilt by its log, honours old links, and goes on as if nothing had happened", async () => {
    const { sim, tokens, run } = runsWorld({ runs: { url: "https://runs.example", rateLimitPerSecond: 5 } });
    const { id, policyCheckIds } = run({
      policyChecks: [{ policies: [{ name: "a", level: "soft-mandatory", result: false }], durationMs: "1m" }],
      timing: { planMs: "1m" },
    });
    sim.clock.advance("2m");
    const path = `/api/v2/policy-checks/${policyCheckIds[0]}/output`;
    const link = (await get(sim, path, tokens.reader)).headers.get("Location") as string;
    const again = replay(sim.log.toNdjson());
    expect(again.runs.url).toBe("https://runs.example");
    expect(again.state.runs?.rateLimitPerSecond).toBe(5);
    expect((await get(again, link)).text).toContain("Result: false");
    expect(again.runs.run(id).status).toBe("policy_override");
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
    for (const each of [sim, again])
      each.runs.as(tokens.overrider).policyChecks.override({ id: policyCheckIds[0] as string });
    expect(again.log.toNdjson()).toBe(sim.log.toNdjson());
  });

  it("tells who overrode a check, and what followed", () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { id, check } = softFailed();
    sim.runs.as(tokens.overrider).policyChecks.override({ id: check, comment: "agreed" });
    const culprit = sim.blame(`runs.policyChecks["${check}"].status`);
    expect(culprit?.command).toEqual({
      name: "runs.policyChecks.override",
      input: { id: check, comment: "agreed" },
      caller: { token: tokens.overrider },
      via: "call",
    });
    expect(format(sim.explain(sim.position))).toContain('policy-check: override from "soft_failed" to "overridden"');
    expect(sim.diff(sim.position - 1, sim.position).map(({ path }) => path)).toEqual([
      `runs.runs["${id}"].status`,
      `runs.runs["${id}"].timestamps["policy-checked-at"]`,
      `runs.policyChecks["${check}"].status`,
      `runs.policyChecks["${check}"].timestamps["overridden-at"]`,
    ]);
    expect(sim.bisect((view) => view.runs.run(id).status === "policy_checked")).toBe(sim.position);
  });

  it("is rewritten: another comment, an override that never was, a fault that was none", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { id, check } = softFailed();
    sim.faults.failNextRequests({ service: "runs", count: 1 });
    const fault = sim.position;
    const overridden = () =>
      send(sim, "POST", `/api/v2/policy-checks/${check}/actions/override`, { token: tokens.overrider });
    expect((await overridden()).status).toBe(500);
    const failed = sim.position;
    expect((await overridden()).status).toBe(200);
    const override = sim.position;
    sim.runs.run(id).confirm();

    const commented = await sim.rewrite([{ replace: override, input: { id: check, comment: "late" } }]);
    expect(commented.changed).toEqual([]);
    expect(commented.fork.log.events().find(({ type }) => type === "PolicyCheckOverridden")?.data).toMatchObject({
      comment: "late",
    });

    const never = await sim.rewrite([{ drop: override }]);
    expect(never.fork.runs.run(id).status).toBe("policy_override");
    expect(never.changed).toMatchObject([
      { position: override, after: undefined },
      { position: override + 1, after: { refused: "transition_not_allowed" } },
    ]);

    const whole = await sim.rewrite([{ drop: fault }]);
    expect(whole.changed.map(({ position }) => position)).toEqual([fault, failed, override]);
    expect(whole.fork.runs.run(id).status).toBe("applied");
    await expect(sim.rewrite([{ replace: override, input: { check } }])).rejects.toThrow("id");
  });

  it("keeps ids and moves its timers when a run begins later than it did", async () => {
    const { sim, run } = runsWorld();
    const created = run({ policyChecks: [{ policies: [] }], timing: { planMs: "1m", checkMs: "1m" }, autoApply: true });
    const begun = sim.position;
    sim.clock.advance("5m");
    expect(sim.runs.run(created.id).status).toBe("applied");
    const { fork } = await sim.rewrite([{ delay: begun, by: "3m30s" }]);
    expect(fork.runs.run(created.id).status).toBe("policy_checking");
    expect(fork.clock.pending()).toMatchObject([{ owner: { run: created.id }, command: "timer.runPhase" }]);
    fork.clock.advance("1m");
    expect(fork.runs.run(created.id).status).toBe("applied");
  });

  it("forks without touching its parent", () => {
    const { sim, softFailed, tokens } = runsWorld();
    const { id, check } = softFailed();
    const fork = sim.fork();
    fork.runs.as(tokens.overrider).policyChecks.override({ id: check });
    expect([sim.runs.run(id).status, fork.runs.run(id).status]).toEqual(["policy_override", "policy_checked"]);
    expect(diff(sim, fork).length).toBeGreaterThan(0);
  });

  it("carries any text, half characters too", async () => {
    const { sim, tokens, run } = runsWorld();
    const id = "half \ud800 and whole \u{1f511}";
    run({ policyChecks: [{ id, policies: [{ name: "\udfff", level: "advisory", result: true }] }], message: "\ud800" });
    const { data } = sim.runs.as(tokens.reader).policyChecks.read({ id }, { include: "run" });
    expect(data.id).toBe(id);
    expect(data.links.output).toMatch(/^[!-~]+$/);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    const whole = run({ policyChecks: [{ id: "\u{1f511}", policies: [] }] });
    expect(one(await get(sim, `/api/v2/policy-checks/${encodeURIComponent("\u{1f511}")}`, tokens.reader)).id).toBe(
      whole.policyCheckIds[0],
    );
  });
});
