import { createClock } from "@sinonjs/fake-timers";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../../src/index.ts";
import { atLeast, atMost, type Family, row, type Sample } from "../harness/row.ts";
import { median, rounded } from "../harness/statistics.ts";
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
      prepare: (effort) => async () => {
        const days = effort.count(10);
        let tookMs = 0;
        for (let day = 0; day < days; day++) {
          const sim = createSimulator();
          const before = performance.now();
          const renewals = keep(sim);
          await sim.clock.run("1d");
          if (renewals.count !== 37) throw new Error(`${renewals.count} renewals in a day`);
          tookMs += performance.now() - before;
        }
        return tookMs / days;
      },
      note: "a virtual day under run, in which a program renews a token every 40 minutes: 37 requests; ten such days",
    }),
    row({
      id: "led-us",
      unit: "us",
      goal: atMost(2),
      prepare: (effort) => ledMore(effort.count(500)),
      note: "what a typed read takes longer while a fake clock leads, which moves before each: the median of batches in turn",
    }),
    row({
      id: "journal-us",
      unit: "us",
      goal: atMost(3),
      prepare: (effort) => journalMore(effort.count(500), {}),
      note: "what a small GET takes longer with a journal than without: the median of batches in turn",
    }),
    row({
      id: "journal-where-us",
      unit: "us",
      goal: atMost(15),
      prepare: (effort) => journalMore(effort.count(500), { callSites: true }),
      note: "the same with the place in the source that each request was sent from",
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

/** Microseconds that a read takes longer when somebody leads. */
function ledMore(batches: number): () => Sample {
  const leader = createClock(0);
  const [alone, led] = [reads(), reads((sim) => void sim.clock.follow(leader))];
  return () => {
    const pairs = Array.from({ length: batches }, () => {
      const aloneUs = alone(() => undefined);
      return { aloneUs, more: led(() => leader.setSystemTime(leader.now + 1)) - aloneUs };
    });
    const aloneUs = median(pairs.map((pair) => pair.aloneUs));
    return { value: median(pairs.map(({ more }) => more)), detail: `${rounded(aloneUs)} us when nobody leads` };
  };
}

/** Microseconds that a request takes longer when it is noted. */
function journalMore(batches: number, history: NonNullable<SimulatorOptions["history"]>): () => Promise<Sample> {
  const [alone, noted] = [asking({ journalSize: 0 }), asking(history)];
  return async () => {
    const pairs: { readonly aloneUs: number; readonly more: number }[] = [];
    for (let batch = 0; batch < batches; batch++) {
      const aloneUs = await alone();
      pairs.push({ aloneUs, more: (await noted()) - aloneUs });
    }
    const aloneUs = median(pairs.map((pair) => pair.aloneUs));
    return { value: median(pairs.map(({ more }) => more)), detail: `${rounded(aloneUs)} us without a journal` };
  };
}

/** Microseconds for each request of a batch. */
function asking(history: NonNullable<SimulatorOptions["history"]>): () => Promise<number> {
  const sim = createSimulator({ history });
  const url = `${sim.secrets.cluster("main").url}/v1/sys/seal-status`;
  return async () => {
    const before = performance.now();
    for (let read = 0; read < READS; read++) await sim.fetch(url);
    return ((performance.now() - before) * 1_000) / READS;
  };
}

const READS = 20;

/** Microseconds for each read of a batch. */
function reads(begin: (sim: Simulator) => void = () => undefined): (move: () => void) => number {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  begin(sim);
  const { tokens } = main.as(main.rootToken);
  return (move) => {
    const before = performance.now();
    for (let read = 0; read < READS; read++) {
      move();
      tokens.lookupSelf();
    }
    return ((performance.now() - before) * 1_000) / READS;
  };
}
