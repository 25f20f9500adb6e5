import { describe, expect, it } from "vitest";
import { epochMs, logPosition } from "../../src/kernel/brand.ts";
import { Journal } from "../../src/kernel/journal.ts";

const journalOf = (size: number, requests: number): Journal => {
  const journal = new Journal(size);
  for (let number = 1; number <= requests; number++) {
    journal.add({ atMs: epochMs(0), position: logPosition(0), request: `GET /${number}`, status: 200 });
  }
  return journal;
};

const requests = (journal: Journal): string[] => journal.entries().map(({ request }) => request);

describe("the journal", () => {
  it.each<[size: number, added: number, kept: string[]]>([
    [3, 0, []],
    [3, 2, ["GET /1", "GET /2"]],
    [3, 3, ["GET /1", "GET /2", "GET /3"]],
    [3, 4, ["GET /2", "GET /3", "GET /4"]],
    [3, 6, ["GET /4", "GET /5", "GET /6"]],
    [3, 1_000, ["GET /998", "GET /999", "GET /1000"]],
    [1, 5, ["GET /5"]],
    [0, 5, []],
  ])("of %i keeps of %i requests the last, oldest first", (size, added, kept) => {
    expect(requests(journalOf(size, added))).toEqual(kept);
  });

  it("gives a list of its own each time", () => {
    const journal = journalOf(3, 2);
    const before = journal.entries();
    journal.add({ atMs: epochMs(0), position: logPosition(0), request: "GET /3", status: 200 });
    expect(before).toHaveLength(2);
    expect(journal.entries()).toHaveLength(3);
  });
});
