import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimulator, type RequestEntry, rehearse, replay, type Simulator } from "../../src/index.ts";
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

/** What happens to the line of a program, and when. */
const turn = fc.record({
  program,
  atMs: fc.nat(8_000),
  what: fc.oneof(
    fc.constantFrom("network.cut" as const, "network.heal" as const),
    fc.record({
      lagMs: fc.constantFrom(0, 700, 2_000),
      to: fc.constantFrom("there", "back"),
      oneWay: fc.boolean(),
    }),
  ),
});

/** A program asks, and time goes on. */
const asking = fc.record({ program, thenMs: fc.constantFrom(0, 0, 500, 1_500) });

/** Whether a request with this fate was decided: undefined where it may have been, or not. */
function wasDecided({ fault, response }: RequestEntry, failure: unknown): boolean | undefined {
  if (response !== undefined) return response.status === 200;
  switch (fault) {
    case "lose-answer":
      return true;
    case "lose-request":
    case "reset":
    case "hang":
      return false;
    default:
      // Where it sets out from a line that is cut it goes nowhere; on its way it may meet a cut there, or back.
      return failure === "EHOSTUNREACH" ? false : undefined;
  }
}

test("requests are lost, or decided once, by random rules, lines and programs", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { maxLength: 4 }),
      fc.array(turn, { maxLength: 6 }),
      fc.array(asking, { maxLength: 10 }),
      async (rules, turns, askings) => {
        const sim = createSimulator({ secrets: { clusters: ["main"] } });
        const main = sim.secrets.cluster("main");
        for (const { program, atMs, what } of turns) {
          const shop = sim.program(program);
          if (typeof what === "string") {
            sim.faults.schedule(atMs, { type: what, args: [shop, main] });
          } else {
            const [from, to] = what.to === "there" ? [shop, main] : [main, shop];
            const { lagMs, oneWay } = what;
            sim.faults.schedule(atMs, { type: "network.setLag", args: [from, to, lagMs, { oneWay }] });
          }
        }
        const standing = rules.map((given) => sim.faults.requests(given));
        const headers = { "X-Secrets-Token": main.rootToken };
        const ask = async (name: string, n: number): Promise<void> => {
          const body = JSON.stringify({ policies: ["default"], meta: { n: `${n}` } });
          const url = `${main.url}/v1/auth/token/create`;
          const answer = await sim.program(name).fetch(url, { method: "POST", headers, body });
          await answer.text();
        };
        const failures = new Map<number, unknown>();
        for (const [n, { program, thenMs }] of askings.entries()) {
          ask(program, n).catch((error) => failures.set(n, error.cause?.code));
          await sim.clock.run(thenMs);
        }
        await sim.clock.run("1h");
        const decided = sim.log
          .commits()
          .filter(({ command }) => command.name === "secrets.tokens.create")
          .map(({ command }) => Number((command.input as { meta: { n: string } }).meta.n));
        expect(new Set(decided).size).toBe(decided.length);
        const fates = sim.journal.filter((entry) => entry.kind === "request");
        expect(fates).toHaveLength(askings.length);
        for (const [n, fate] of fates.entries()) {
          const isDecided = decided.includes(n);
          expect(isDecided).toBe(wasDecided(fate, failures.get(n)) ?? isDecided);
          // Nothing happens without a cause, and what happened has one.
          if (fate.fault === undefined) expect([isDecided, failures.has(n)]).toEqual([true, false]);
        }
        expect(standing.reduce((sum, { hits }) => sum + hits, 0)).toBeLessThanOrEqual(askings.length);
        const text = sim.log.toNdjson();
        expect(hashOf(replay(text))).toBe(hashOf(sim));
        expect(await rehearse(text)).toEqual({ ok: true });
      },
    ),
    runs(60),
  );
});

const hashOf = (sim: Simulator): string => sim.stateHash();
