import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimulator, rehearse, replay, type Simulator } from "../../src/index.ts";
import { runs } from "../support/runs.ts";

// A request is lost, or decided once; one whose answer was lost was decided; no fault decides twice.

const effect = fc.oneof(
  fc.constantFrom(
    { kind: "lose-request" } as const,
    { kind: "lose-answer" } as const,
    { kind: "reset" } as const,
    { kind: "hang" } as const,
  ),
  fc.record({ kind: fc.constant("delay" as const), by: fc.integer({ min: 1, max: 5_000 }) }),
  fc.record({ kind: fc.constant("status" as const), status: fc.constantFrom(429, 500, 503) }),
  fc.record({ kind: fc.constant("reset" as const), after: fc.nat(50) }),
  fc.record({ kind: fc.constant("truncate" as const), bytes: fc.nat(50) }),
  fc.record({ kind: fc.constant("slow" as const), bytesPerSecond: fc.integer({ min: 1, max: 500 }) }),
);

const program = fc.constantFrom("shop", "bank");
const rule = fc
  .record(
    {
      program,
      method: fc.constantFrom("POST", "GET"),
      path: fc.constantFrom("/v1/auth/token/create", "/v1/auth/*", "/v1/kv/*"),
      nth: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1 })),
      every: fc.integer({ min: 1, max: 3 }),
      times: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: [] },
  )
  .chain((members) => effect.map((given) => ({ ...members, effect: given })));

const LOST = ["lose-request", "reset", "hang", "status"];

test("requests are lost, or decided once, by random rules and programs", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { maxLength: 4 }), fc.array(program, { maxLength: 10 }), async (rules, asking) => {
      const sim = createSimulator({ secrets: { clusters: ["main"] } });
      const main = sim.secrets.cluster("main");
      const standing = rules.map((given) => ({ given, fault: sim.faults.requests(given) }));
      const headers = { "X-Secrets-Token": main.rootToken };
      const ask = async (name: string, n: number): Promise<unknown> => {
        const body = JSON.stringify({ policies: ["default"], meta: { n: `${n}` } });
        const url = `${main.url}/v1/auth/token/create`;
        const answer = await sim.program(name).fetch(url, { method: "POST", headers, body });
        return answer.status === 200 ? answer.json() : Promise.reject(new Error(`${answer.status}`));
      };
      const answered = new Set<number>();
      asking.forEach(
        (name, n) =>
          void ask(name, n).then(
            () => answered.add(n),
            () => undefined,
          ),
      );
      await sim.clock.run("1h");
      const decided = sim.log
        .commits()
        .filter(({ command }) => command.name === "secrets.tokens.create")
        .map(({ command }) => Number((command.input as { meta: { n: string } }).meta.n));
      expect(new Set(decided).size).toBe(decided.length);
      for (const n of answered) expect(decided).toContain(n);
      const lost = standing.filter(({ given: { effect } }) => LOST.includes(effect.kind) && !("after" in effect));
      const losses = lost.reduce((sum, { fault }) => sum + fault.hits, 0);
      expect(decided.length).toBe(asking.length - losses);
      const text = sim.log.toNdjson();
      expect(hashOf(replay(text))).toBe(hashOf(sim));
      expect(await rehearse(text)).toEqual({ ok: true });
    }),
    runs(60),
  );
});

const hashOf = (sim: Simulator): string => sim.stateHash();
