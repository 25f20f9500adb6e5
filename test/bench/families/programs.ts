import { createClock } from "@sinonjs/fake-timers";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { atLeast, atMost, type Family, row } from "../harness/row.ts";
import { deadlines, type Subject, timersFiring } from "./timers.ts";

/** What the time of programs costs. */
export const programs: Family = {
  name: "programs",
  rows: [
    deadlines("program-timers@10000", 10_000, programTimers, { comparedWith: "fake-timers@10000" }),
    deadlines("program-timers", 1_000_000, programTimers, {
      comparedWith: "fake-timers",
      ratioGoal: atLeast(1),
      rounds: 2,
      warmUps: 0,
      note: "timers of a program, each with the line that armed it",
    }),
    row({
      id: "keeper-day-ms",
      unit: "ms",
      goal: atMost(30),
      prepare: () => async () => {
        const sim = createSimulator();
        const before = performance.now();
        const renewals = keep(sim);
        await sim.clock.run("1d");
        if (renewals.count !== 37) throw new Error(`${renewals.count} renewals in a day`);
        return performance.now() - before;
      },
      note: "a virtual day under run, in which a program renews a token every 40 minutes",
    }),
    row({ id: "led-us@alone", unit: "us", prepare: (effort) => reads(effort.count(20_000), false) }),
    row({
      id: "led-us",
      unit: "us",
      comparedWith: "led-us@alone",
      prepare: (effort) => reads(effort.count(20_000), true),
      note: "a typed read while a fake clock leads: at most 2 us more",
    }),
  ],
};

function programTimers(count: number): ReturnType<Subject> {
  const sim = createSimulator({ limits: { firingsPerAdvance: Number.MAX_SAFE_INTEGER } });
  const { setTimeout } = sim.timers;
  return timersFiring(
    count,
    (callback, ms) => void setTimeout(callback, ms),
    (ms) => void sim.clock.advance(ms),
  );
}

function keep(sim: Simulator): { readonly count: number } {
  const shop = sim.program("shop");
  const main = sim.secrets.cluster("main");
  const { token } = main.createToken({ policies: ["default"], period: "1h" });
  const renewals = { count: 0 };
  const renew = async (): Promise<void> => {
    const headers = { "X-Secrets-Token": token };
    const answer = await shop.fetch(`${main.url}/v1/auth/token/renew-self`, { method: "POST", headers });
    const { auth } = (await answer.json()) as { auth: { lease_duration: number } };
    renewals.count += 1;
    shop.timers.setTimeout(() => void renew(), (auth.lease_duration * 1_000 * 2) / 3);
  };
  void renew();
  return renewals;
}

/** Microseconds for each read. */
function reads(count: number, isLed: boolean): () => number {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  if (isLed) sim.clock.follow(createClock(0));
  const { tokens } = main.as(main.rootToken);
  return () => {
    const before = performance.now();
    for (let read = 0; read < count; read++) tokens.lookupSelf();
    return ((performance.now() - before) * 1_000) / count;
  };
}
