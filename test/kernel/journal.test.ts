import { describe, expect, it } from "vitest";
import type { Behind } from "../../src/kernel/behind.ts";
import { epochMs, logPosition } from "../../src/kernel/brand.ts";
import { type Answer, bodySaid, type Came, Journal, type JournalEntry } from "../../src/kernel/journal.ts";

const READERS = { why: ({ refusal }: Behind) => refusal.code };

interface Now {
  nowMs: ReturnType<typeof epochMs>;
  position: ReturnType<typeof logPosition>;
}

const now = (ms = 0, position = 0): Now => ({ nowMs: epochMs(ms), position: logPosition(position) });

const came = (url: string): Came => ({ program: "shop", request: () => ({ method: "GET", url, headers: {} }) });

const answer = (position: number, status = 200): Answer => ({
  position: logPosition(position),
  response: () => ({ status, headers: {} }),
});

const journalOf = (size: number, requests: number, around = now()): Journal => {
  const journal = new Journal(size, around, READERS);
  for (let n = 1; n <= requests; n++) journal.begin(came(`/${n}`)).answered(answer(around.position));
  return journal;
};

const told = (journal: Journal): unknown[] => journal.entries().map(one);

function one(entry: JournalEntry): unknown {
  return entry.kind === "request" ? [entry.n, entry.request.url, entry.response?.status] : entry.kind;
}

describe("the journal", () => {
  it.each<[size: number, added: number, kept: number[]]>([
    [3, 0, []],
    [3, 2, [1, 2]],
    [3, 3, [1, 2, 3]],
    [3, 4, [2, 3, 4]],
    [3, 6, [4, 5, 6]],
    [3, 1_000, [998, 999, 1000]],
    [1, 5, [5]],
    [0, 5, []],
  ])("of %i keeps of %i requests the last, oldest first, each with its number", (size, added, kept) => {
    expect(told(journalOf(size, added))).toEqual(kept.map((n) => [n, `/${n}`, 200]));
  });

  it("gives a list of its own each time, of entries that stay the same", () => {
    const journal = journalOf(3, 2);
    const before = journal.entries();
    journal.add({ kind: "mark", name: "here" });
    expect(before).toHaveLength(2);
    expect(journal.entries()).toHaveLength(3);
    expect(journal.entries()[0]).toBe(before[0]);
  });

  it("has a request where it came, with its answer as soon as there is one", () => {
    const around = now();
    const journal = new Journal(9, around, READERS);
    const slow = journal.begin(came("/slow"));
    journal.begin(came("/fast")).answered(answer(0));
    expect(told(journal)).toEqual([
      [1, "/slow", undefined],
      [2, "/fast", 200],
    ]);
    Object.assign(around, now(5, 3));
    slow.answered(answer(3, 204));
    expect(journal.entries()[0]).toMatchObject({ atMs: 0, answeredAtMs: 5, position: 3, response: { status: 204 } });
  });

  it("tells each entry to whoever looks on, when it is whole", () => {
    const journal = new Journal(9, now(), READERS);
    const seen: unknown[] = [];
    const stop = journal.observe((entry) => seen.push(one(entry())));
    const slow = journal.begin(came("/slow"));
    journal.add({ kind: "step", title: "one" });
    slow.failed("aborted");
    stop();
    journal.add({ kind: "step", title: "two" });
    expect(seen).toEqual(["step", [1, "/slow", undefined]]);
  });
});

describe("the journal of a fork", () => {
  it.each([0, 1])("has a request as it was: what comes of it later is its parent's alone (%i commits ago)", (ago) => {
    const around = now();
    const parent = new Journal(9, around, READERS);
    const noted = parent.begin(came("/1"));
    around.position = logPosition(ago);
    const fork = new Journal(9, now(), READERS);
    fork.inherit(parent, { position: logPosition(0), atMs: epochMs(0) });
    noted.met("delay");
    noted.answered(answer(0));
    expect(fork.entries()[0]).not.toHaveProperty("fault");
    expect([told(fork), told(parent)]).toEqual([[[1, "/1", undefined]], [[1, "/1", 200]]]);
    expect(parent.entries()[0]).toHaveProperty("fault", "delay");
  });

  it("begins with its parent's, and neither sees what the other notes", () => {
    const around = now();
    const parent = journalOf(3, 2, around);
    const waiting = parent.begin(came("/3"));
    const fork = new Journal(3, now(), READERS);
    fork.inherit(parent, { position: logPosition(0), atMs: epochMs(0) });
    fork.begin(came("/fork")).answered(answer(0));
    waiting.answered(answer(0));
    parent.add({ kind: "mark", name: "here" });
    expect(told(parent)).toEqual([[2, "/2", 200], [3, "/3", 200], "mark"]);
    expect(told(fork)).toEqual([
      [2, "/2", 200],
      [3, "/3", undefined],
      [4, "/fork", 200],
    ]);
  });

  it("at an earlier place ends there, and counts on from there", () => {
    const around = now();
    const parent = new Journal(9, around, READERS);
    const waiting = parent.begin(came("/waits"));
    for (const [ms, position] of [
      [0, 1],
      [5, 2],
      [5, 3],
    ] as const) {
      Object.assign(around, now(ms, position));
      parent.begin(came(`/${position}`)).answered(answer(position));
      parent.add({ kind: "note", program: "author", data: position });
    }
    waiting.answered(answer(3));
    const fork = new Journal(9, now(5, 2), READERS);
    fork.inherit(parent, { position: logPosition(2), atMs: epochMs(5) });
    fork.begin(came("/fork")).answered(answer(2));
    expect(told(fork)).toEqual([[2, "/1", 200], "note", [3, "/2", 200], "note", [4, "/fork", 200]]);
  });
});

describe("a body in the journal", () => {
  it.each<[string | null, unknown]>([
    [null, undefined],
    ["", undefined],
    ['{"a":[1]}', { a: [1] }],
    ["[1]", [1]],
    ["permission denied", "permission denied"],
    ["{torn", "{torn"],
    ["5", "5"],
  ])("%j is %j", (text, said) => {
    expect(bodySaid(text).body).toEqual(said);
    expect(bodySaid(new TextEncoder().encode(text ?? "")).body).toEqual(said);
  });
});
