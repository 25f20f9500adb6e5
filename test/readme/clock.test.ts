import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

test("time moves when the test says so", async () => {
  const sim = createSimulator({ startAt: "2026-03-01T12:00:00Z" });
  const service = sim.secrets.cluster("main");
  const { token } = service.createToken({ policies: ["default"], ttl: "90s" });

  expect(sim.clock.pending()).toEqual([
    { dueAtMs: Date.UTC(2026, 2, 1, 12, 1, 30), command: "timer.tokenExpiry", owner: { cluster: "main" } },
  ]);

  expect(sim.clock.advance("89s")).toEqual([]);
  expect(sim.clock.next()).toMatchObject([{ command: "timer.tokenExpiry" }]);
  expect(sim.clock.now()).toBe(Date.UTC(2026, 2, 1, 12, 1, 30));
  expect(() => service.as(token).library.list()).toThrow("permission denied");

  // For code that waits or polls: it gets its turns between the deadlines.
  await sim.clock.run("1h");
  expect(sim.clock.pending()).toEqual([]);
});
