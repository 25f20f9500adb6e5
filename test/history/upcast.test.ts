import { describe, expect, it } from "vitest";
import { epochMs } from "../../src/kernel/brand.ts";
import type { Calendar } from "../../src/kernel/calendar.ts";
import { VirtualClock } from "../../src/kernel/clock.ts";
import type { Command, EventOf } from "../../src/kernel/commit.ts";
import type { Decider } from "../../src/kernel/decision.ts";
import { type LogHeader, logLines } from "../../src/kernel/log-format.ts";
import { LogReader } from "../../src/kernel/log-reader.ts";
import type { Model } from "../../src/kernel/model.ts";
import { type Rehearsal, Rehearsing } from "../../src/kernel/rehearse.ts";
import { Timeline } from "../../src/kernel/timeline.ts";
import { upcast } from "../../src/kernel/upcast.ts";
import { throughout } from "../support/throughout.ts";

// A jar of coins through three releases of a library that keeps it.

interface Jar {
  readonly cents: number;
}

type Decide<M> = Decider<Jar, EventOf<M>>;

const common = {
  calendars: (): readonly Calendar[] => [],
  calendarPlace: () => ({ owner: {}, place: {} }),
  withCalendar: (jar: Jar) => jar,
};

const commandIs =
  <M>(decide: Decide<M>) =>
  ({ name }: Command): Decide<M> | undefined =>
    name === "drop" ? decide : undefined;

/** The first release counted whole coins. */
interface First {
  CoinDropped: { readonly coins: number };
}
const first: Model<Jar, First> = {
  ...common,
  folds: throughout<Jar, First>({
    CoinDropped: (jar, { coins }) => {
      jar.cents += coins * 100;
    },
  }),
  deciderOf: commandIs<First>((decision, input) => {
    decision.record({ type: "CoinDropped", data: { coins: (input as { euros: number }).euros } });
  }),
};

/** The second one counted cents. */
interface Second {
  CoinDropped: { readonly cents: number };
}
const second: Model<Jar, Second> = {
  ...common,
  versions: { CoinDropped: 2 },
  upcasters: { CoinDropped: { 1: ({ coins }: { coins: number }) => ({ data: { cents: coins * 100 } }) } },
  folds: throughout<Jar, Second>({
    CoinDropped: (jar, { cents }) => {
      jar.cents += cents;
    },
  }),
  deciderOf: commandIs<Second>((decision, input) => {
    decision.record({ type: "CoinDropped", data: { cents: (input as { euros: number }).euros * 100 } });
  }),
};

/** The third one calls it money, and says which. */
interface Third {
  MoneyAdded: { readonly currency: string; readonly cents: number };
}
const third: Model<Jar, Third> = {
  ...common,
  upcasters: {
    CoinDropped: {
      1: ({ coins }: { coins: number }) => ({ data: { cents: coins * 100 } }),
      2: (data: { cents: number }) => ({ type: "MoneyAdded", data: { ...data, currency: "EUR" } }),
    },
  },
  folds: throughout<Jar, Third>({
    MoneyAdded: (jar, { cents }) => {
      jar.cents += cents;
    },
  }),
  deciderOf: commandIs<Third>((decision, input) => {
    const cents = (input as { euros: number }).euros * 100;
    decision.record({ type: "MoneyAdded", data: { currency: "EUR", cents } });
  }),
};

const START_MS = epochMs(0);

function emptyJar<M extends object>(model: Model<Jar, M>): Timeline<Jar, M> {
  return Timeline.begin(model, {
    seed: 1,
    startAtMs: START_MS,
    initialState: Object.freeze({ cents: 0 }),
    checkpointEvery: 4,
  });
}

const drop = (euros: number): Command => ({ name: "drop", input: { euros }, caller: null, via: "call" });

/** What a release writes after a few coins. */
function writtenBy<M extends object>(model: Model<Jar, M>): string {
  const jar = emptyJar(model);
  for (const euros of [1, 2, 5]) jar.execute(drop(euros));
  return textOf(jar);
}

function textOf<M extends object>(jar: Timeline<Jar, M>): string {
  const header: LogHeader = { format: 1, version: "0", seed: 1, startAtMs: START_MS, streams: "", options: {} };
  return [...logLines(header, jar.history.commits(), { nowMs: jar.nowMs, marks: jar.marks })].join("");
}

/** What a release makes of a log. */
function readBy<M extends object>(model: Model<Jar, M>, text: string): Timeline<Jar, M> {
  const jar = emptyJar(model);
  const reader = new LogReader(
    { header: () => {}, commit: (commit) => jar.replay(commit) },
    { version: "test", upcast: (event) => upcast(model, event), acceptPrefix: false },
  );
  reader.add(text);
  reader.finish();
  return jar;
}

function rehearsedBy<M extends object>(model: Model<Jar, M>, text: string): Rehearsal {
  const jar = emptyJar(model);
  const rehearsing = new Rehearsing(jar, new VirtualClock(jar, 100));
  const reader = new LogReader(
    { header: () => {}, commit: (commit) => rehearsing.commit(commit) },
    { version: "test", upcast: (event) => upcast(model, event), acceptPrefix: false },
  );
  reader.add(text);
  return rehearsing.finish(reader.finish()?.nowMs ?? expect.fail("no end"));
}

const facts = <M extends object>(jar: Timeline<Jar, M>) => [...jar.history.commits()].flatMap(({ events }) => events);

describe("a log of an older release", () => {
  it.each([
    ["the first", "the second", () => readBy(second, writtenBy(first)).state],
    ["the first", "the third", () => readBy(third, writtenBy(first)).state],
    ["the second", "the third", () => readBy(third, writtenBy(second)).state],
  ])("%s is read by %s to the same state", (_, __, read) => {
    expect(read()).toEqual({ cents: 800 });
  });

  it("has facts of today once it was read: type, version and data", () => {
    expect(facts(readBy(second, writtenBy(first)))[0]).toEqual({ type: "CoinDropped", v: 2, data: { cents: 100 } });
    expect(facts(readBy(third, writtenBy(first)))[0]).toEqual({
      type: "MoneyAdded",
      v: 1,
      data: { cents: 100, currency: "EUR" },
    });
  });

  it("freezes what upcasters make", () => {
    const [fact] = facts(readBy(third, writtenBy(first)));
    expect(Object.isFrozen(fact) && Object.isFrozen(fact?.data)).toBe(true);
  });

  it("is written again with today's facts, and that is read again to itself", () => {
    const text = textOf(readBy(third, writtenBy(first)));
    expect(text).toContain('"type":"MoneyAdded","v":1');
    expect(text).not.toContain("CoinDropped");
    expect(textOf(readBy(third, text))).toBe(text);
    expect(readBy(third, text).state).toEqual({ cents: 800 });
  });

  it("is decided again to the same facts, in whatever order an upcaster leaves their members", () => {
    expect(rehearsedBy(second, writtenBy(first))).toEqual({ ok: true });
    expect(rehearsedBy(third, writtenBy(first))).toEqual({ ok: true });
  });
});

describe("a log of a newer release", () => {
  it("is refused for a version that is not known yet", () => {
    expect(() => readBy(first, writtenBy(second))).toThrow(
      "log, line 2: CoinDropped has version 2, and this version of the library knows 1",
    );
  });

  it("is refused for a type that is not known yet", () => {
    expect(() => readBy(second, writtenBy(third))).toThrow("log, line 2: nothing folds a fact of type MoneyAdded");
  });
});

describe("an upcaster", () => {
  it("that is missing on the way is a fault of the line, not of the fold", () => {
    const forgetful: Model<Jar, Second> = { ...second, upcasters: {} };
    expect(() => readBy(forgetful, writtenBy(first))).toThrow(
      "log, line 2: nothing reads version 1 of CoinDropped: it is at 2",
    );
  });

  it("that throws is a fault of the line", () => {
    const clumsy: Model<Jar, Second> = {
      ...second,
      upcasters: {
        CoinDropped: {
          1: () => {
            throw new Error("the coin rolled away");
          },
        },
      },
    };
    expect(() => readBy(clumsy, writtenBy(first))).toThrow("log, line 2: the coin rolled away");
  });

  it("is not asked for facts of today", () => {
    const fact = { type: "MoneyAdded", v: 1, data: { currency: "EUR", cents: 1 } };
    expect(upcast(third, fact)).toBe(fact);
  });

  it.each(["toString", "__proto__", "constructor"])("is none for a type named %s", (type) => {
    expect(() => upcast(third, { type, v: 1, data: {} })).toThrow(`nothing folds a fact of type ${type}`);
  });

  it.each([0, -1, 1.5, 3])("is none for version %d", (v) => {
    expect(() => upcast(third, { type: "CoinDropped", v, data: {} })).toThrow(TypeError);
  });
});
