import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { type EpochMs, logPosition } from "../../src/kernel/brand.ts";
import { Table } from "../../src/kernel/table.ts";
import { WaitingRoom, type Watch } from "../../src/kernel/waiting.ts";
import { afterStart, type Kitchen, type OpenKitchen, opened, openKitchen, START_MS } from "../support/kitchen.ts";

const NOTES: Watch<Kitchen> = { name: "notes", of: ({ notes }) => notes };
const GAS: Watch<Kitchen> = { name: "gas", of: ({ stoves }) => stoves.gas.dishes };

/** A reader that waits for other notes, as a blocking read would, and how far it has come. */
function readerOf(
  kitchen: OpenKitchen,
  options: {
    readonly request?: string;
    readonly untilMs?: EpochMs;
    readonly watch?: Watch<Kitchen>;
    readonly signal?: AbortSignal;
  } = {},
): { readonly progress: () => string; readonly ended: Promise<void> } {
  const { timeline } = kitchen;
  let progress = "waits";
  const ended = new Promise<void>((resolve, reject) => {
    const reader = { request: options.request ?? "GET /notes", untilMs: options.untilMs ?? afterStart(1_000) };
    const changed = (): boolean => {
      resolve();
      return true;
    };
    const watch = options.watch ?? NOTES;
    timeline.waiting.enter(reader, watch, timeline, { changed, expired: resolve, failed: reject }, options.signal);
  }).then(
    () => {
      progress = "woken";
    },
    (error: unknown) => {
      progress = `gave up: ${error instanceof Error ? error.message : String(error)}`;
    },
  );
  return { progress: () => progress, ended };
}

const turn = (): Promise<void> => Promise.resolve().then(() => undefined);

describe("a waiting reader", () => {
  it("waits as long as nothing happens", async () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen);
    await turn();
    expect(reader.progress()).toBe("waits");
  });

  it("is woken by a commit that changes what it watches", async () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen);
    kitchen.ask("note", { text: "new" });
    await reader.ended;
    expect(reader.progress()).toBe("woken");
    expect(kitchen.timeline.waiting.readers()).toEqual([]);
  });

  it("sleeps on through a commit that changes something else, and through a rejection", async () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen);
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 5_000 });
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 5_000 });
    await turn();
    expect(reader.progress()).toBe("waits");
  });

  it("is woken when its time is up", async () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen, { untilMs: afterStart(300) });
    kitchen.clock.advanceTo(afterStart(299));
    await turn();
    expect(reader.progress()).toBe("waits");
    kitchen.clock.advanceTo(afterStart(300));
    await reader.ended;
    expect(reader.progress()).toBe("woken");
  });

  it("is woken once: what happens later is no matter to it", async () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen, { untilMs: afterStart(300) });
    kitchen.ask("note", { text: "new" });
    await reader.ended;
    kitchen.ask("note", { text: "newer" });
    kitchen.clock.advanceTo(afterStart(300));
    kitchen.timeline.waiting.failAll(() => new Error("closing time"));
    await turn();
    expect(reader.progress()).toBe("woken");
  });

  it("gives up when its signal is aborted, with the signal's reason", async () => {
    const kitchen = openKitchen();
    const controller = new AbortController();
    const reader = readerOf(kitchen, { signal: controller.signal });
    controller.abort(new Error("no patience"));
    await reader.ended;
    expect(reader.progress()).toBe("gave up: no patience");
    expect(kitchen.timeline.waiting.readers()).toEqual([]);
  });

  it("does not begin to wait on a signal that is aborted already", async () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen, { signal: AbortSignal.abort(new Error("no patience")) });
    expect(kitchen.timeline.waiting.readers()).toEqual([]);
    await reader.ended;
    expect(reader.progress()).toBe("gave up: no patience");
  });

  it("takes no notice of its signal any more when it was woken", async () => {
    const kitchen = openKitchen();
    const controller = new AbortController();
    const reader = readerOf(kitchen, { signal: controller.signal });
    kitchen.ask("note", { text: "new" });
    await reader.ended;
    controller.abort(new Error("too late"));
    await turn();
    expect(reader.progress()).toBe("woken");
  });

  it.each<[how: string, end: (kitchen: OpenKitchen) => void]>([
    ["woken by a change", (kitchen) => kitchen.ask("note", { text: "new" })],
    ["woken by time", (kitchen) => kitchen.clock.advanceTo(afterStart(1_000))],
    ["failed", (kitchen) => kitchen.timeline.waiting.failAll(() => new Error("closing time"))],
  ])("leaves nothing at its signal when it was %s: a client may use one for all its reads", async (_, end) => {
    const kitchen = openKitchen();
    const { signal } = new AbortController();
    const reader = readerOf(kitchen, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    end(kitchen);
    await reader.ended;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("is one of many: each is woken by its own change", async () => {
    const kitchen = openKitchen();
    const [ofNotes, ofGas] = [readerOf(kitchen), readerOf(kitchen, { watch: GAS })];
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 5_000 });
    await ofGas.ended;
    expect([ofNotes.progress(), ofGas.progress()]).toEqual(["waits", "woken"]);
  });
});

describe("readers of a table", () => {
  const COUNTS: Watch<{ readonly counts: Table<number> }> = { name: "counts", of: ({ counts }) => counts };

  /** A room whose readers tell when they are struck, and wait on. */
  function room() {
    const waiting = new WaitingRoom<{ readonly counts: Table<number> }>();
    const struck: string[] = [];
    let counts = Table.from([
      ["apple", 1],
      ["pear", 2],
    ]);
    return {
      struck,
      waiting,
      enter: (request: string, watched: { readonly key?: string; readonly prefix?: string }) =>
        waiting.enter(
          { request, untilMs: afterStart(1_000) },
          { ...COUNTS, ...watched },
          { state: { counts }, position: logPosition(0) },
          { changed: () => struck.push(request) < 0, expired: () => undefined, failed: () => undefined },
        ),
      commit: (change: (counts: Table<number>) => Table<number>): string[] => {
        counts = change(counts);
        waiting.committed({ counts });
        return struck.splice(0).sort();
      },
    };
  }

  it("are struck by their own entries, by those with their prefix, or by all", () => {
    const { enter, commit } = room();
    enter("all", {});
    enter("apple", { key: "apple" });
    enter("plum", { key: "plum" });
    enter("p*", { prefix: "p" });
    enter("pe*", { prefix: "pe" });
    expect(commit((counts) => counts.set("apple", 3))).toEqual(["all", "apple"]);
    expect(commit((counts) => counts.set("plum", 1))).toEqual(["all", "p*", "plum"]);
    expect(commit((counts) => counts.delete("pear"))).toEqual(["all", "p*", "pe*"]);
    expect(commit((counts) => counts.delete("fig"))).toEqual([]);
  });

  it("are struck by changes since the last commit, also when another reader came in between", () => {
    const { enter, commit } = room();
    enter("apple", { key: "apple" });
    commit((counts) => counts.set("apple", 3));
    enter("pear", { key: "pear" });
    expect(commit((counts) => counts.set("pear", 3))).toEqual(["pear"]);
  });
});

describe("a reader whose look fails", () => {
  it("fails by itself: the commit stands, and others are woken", async () => {
    const kitchen = openKitchen();
    let looks = 0;
    const broken = readerOf(kitchen, {
      watch: {
        name: "broken",
        of: () => {
          looks += 1;
          if (looks > 1) throw new Error("cannot look");
        },
      },
    });
    const sound = readerOf(kitchen);
    kitchen.ask("note", { text: "new" });
    await Promise.all([broken.ended, sound.ended]);
    expect([broken.progress(), sound.progress()]).toEqual(["gave up: cannot look", "woken"]);
    expect(kitchen.timeline.position).toBe(1);
    expect(kitchen.timeline.waiting.readers()).toEqual([]);
  });
});

describe("all waiting readers", () => {
  it("are listed by what they asked for, the one that gives up first at the top", () => {
    const kitchen = openKitchen();
    readerOf(kitchen, { request: "GET /late", untilMs: afterStart(900) });
    readerOf(kitchen, { request: "GET /early", untilMs: afterStart(100) });
    expect(kitchen.timeline.waiting.readers()).toEqual([
      { request: "GET /early", untilMs: afterStart(100) },
      { request: "GET /late", untilMs: afterStart(900) },
    ]);
    expect(kitchen.timeline.waiting.earliestMs()).toBe(afterStart(100));
  });

  it("can be ended with an error each", async () => {
    const kitchen = openKitchen();
    const readers = ["GET /one", "GET /two"].map((request) => readerOf(kitchen, { request }));
    kitchen.timeline.waiting.failAll(({ request }) => new Error(`${request} waits in vain`));
    await Promise.all(readers.map(({ ended }) => ended));
    expect(readers.map(({ progress }) => progress())).toEqual([
      "gave up: GET /one waits in vain",
      "gave up: GET /two waits in vain",
    ]);
    expect(kitchen.timeline.waiting.earliestMs()).toBeUndefined();
  });

  it("stay behind when a line of time branches: the branch starts without any", async () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen);
    const branch = opened(kitchen.timeline.branch({ position: kitchen.timeline.position, atMs: START_MS }));
    expect(branch.timeline.waiting.readers()).toEqual([]);
    branch.ask("note", { text: "in the branch" });
    branch.clock.advanceTo(afterStart(2_000));
    await turn();
    expect(reader.progress()).toBe("waits");
  });
});

describe("the clock", () => {
  it("jumps to the reader whose time is up first, and fires nothing", async () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 500 });
    const reader = readerOf(kitchen, { untilMs: afterStart(300) });
    expect(kitchen.clock.next()).toEqual([]);
    await reader.ended;
    expect(kitchen.timeline.nowMs).toBe(afterStart(300));
    expect(reader.progress()).toBe("woken");
  });

  it("advances past readers and deadlines alike", async () => {
    const kitchen = openKitchen();
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 500 });
    const reader = readerOf(kitchen, { untilMs: afterStart(300) });
    expect(kitchen.clock.advanceTo(afterStart(600))).toHaveLength(1);
    await reader.ended;
    expect(kitchen.timeline.nowMs).toBe(afterStart(600));
  });

  it("stops, when it runs, at the instant at which a reader gives up, so that its code goes on there", async () => {
    const kitchen = openKitchen();
    const instants: number[] = [];
    const client = readerOf(kitchen, { untilMs: afterStart(300) }).ended.then(() => {
      instants.push(kitchen.timeline.nowMs - START_MS);
      return readerOf(kitchen, { untilMs: afterStart(450) }).ended.then(() => {
        instants.push(kitchen.timeline.nowMs - START_MS);
      });
    });
    await kitchen.clock.runTo(afterStart(1_000), async () => {
      for (let tick = 0; tick < 10; tick++) await turn();
    });
    await client;
    expect(instants).toEqual([300, 450]);
    expect(kitchen.timeline.nowMs).toBe(afterStart(1_000));
  });

  it("wakes at once a reader that is willing to wait no longer than now", async () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen, { untilMs: START_MS });
    expect(kitchen.clock.next()).toEqual([]);
    await reader.ended;
    expect(kitchen.timeline.nowMs).toBe(START_MS);
  });

  it("never comes to a reader that would wait for ever", () => {
    const kitchen = openKitchen();
    const reader = readerOf(kitchen, { untilMs: Number.POSITIVE_INFINITY as EpochMs });
    expect(kitchen.clock.next()).toEqual([]);
    expect(kitchen.timeline.nowMs).toBe(START_MS);
    expect(reader.progress()).toBe("waits");
  });
});
