import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";

test("what the clock tells is what it takes: epoch milliseconds are an instant", () => {
  const sim = createSimulator({ startAt: Date.UTC(2026, 5, 1) });
  const main = sim.secrets.cluster("main");
  main.as(main.rootToken).tokens.create({ ttl: "1h" });
  const [due] = sim.clock.pending();
  const dueAtMs = due?.dueAtMs ?? 0;
  expect(sim.clock.advanceTo(dueAtMs - 1)).toEqual([]);
  expect(sim.clock.advanceTo(sim.clock.now() + 1)).toMatchObject([{ dueAtMs }]);
  expect(sim.at({ ms: dueAtMs - 1 }).position).toBe(1);
  expect(sim.at({ ms: dueAtMs }).position).toBe(2);
  expect(sim.fork({ ms: dueAtMs - 1 }).clock.now()).toBe(dueAtMs - 1);
  // A number alone is a position.
  expect(sim.at(1).position).toBe(1);
  expect(() => sim.at({ ms: dueAtMs + 1 })).toThrow("now is");
  for (const wrong of [{ ms: 0.5 }, { ms: "1" }, {}, null, undefined])
    expect(() => sim.at(wrong as never)).toThrow(TypeError);
  expect(() => sim.clock.advanceTo(0)).toThrow("lies before now");
});
