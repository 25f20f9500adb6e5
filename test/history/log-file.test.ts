import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { type Commit, createSimulator, replay, type Simulator, type SimulatorOptions } from "../../src/index.ts";
import { epochMs, logPosition } from "../../src/kernel/brand.ts";
import { logLines } from "../../src/kernel/log-format.ts";
import { borrow, eventfulLibrary, OPENED, openLibrary } from "./support/library.ts";
import { contentOf, linesOf, textOf } from "./support/log-text.ts";

const contents = (sim: Simulator): unknown[] =>
  linesOf(sim.log.toNdjson()).map((line) => JSON.parse(contentOf(line)) as unknown);
const header = (options: SimulatorOptions): unknown => contents(createSimulator(options))[0];
const end = (sim: Simulator): unknown => contents(sim).at(-1);

async function written(sim: Simulator): Promise<string> {
  let text = "";
  for await (const line of sim.log.lines()) text += line;
  return text;
}

describe("the file of a log", () => {
  it("of a simulator that has done nothing is a header and a last line", () => {
    expect(contents(createSimulator())).toEqual([
      {
        hindcast: "log",
        format: 1,
        version: manifest.version,
        seed: 1,
        startAt: "2026-01-01T00:00:00.000Z",
        options: expect.objectContaining({ clusters: [{ name: "main", url: "https://secrets-main.test" }] }),
      },
      { end: "log", now: "2026-01-01T00:00:00.000Z", marks: [], commits: 0 },
    ]);
  });

  it("stays as it is, or it is another format", () => {
    const header = {
      format: 1,
      version: "0.1.0",
      seed: 7,
      startAtMs: epochMs(0),
      streams: "",
      options: { moon: "full" },
    };
    const commit: Commit = {
      position: logPosition(1),
      atMs: epochMs(1),
      command: { name: "howl", input: { at: "moon" }, caller: null, via: "call" },
      events: [{ type: "WolfHowled", v: 1, data: {} }],
    };
    const mark = { position: logPosition(1), atMs: epochMs(2) };
    const lines = [...logLines(header, [commit], { nowMs: epochMs(3), marks: new Map([["here", mark]]) })];
    expect(lines.join("")).toMatchInlineSnapshot(`
      "{"hindcast":"log","format":1,"version":"0.1.0","seed":7,"startAt":"1970-01-01T00:00:00.000Z","options":{"moon":"full"},"sum":"886b02acbbcefb88"}
      {"position":1,"atMs":1,"command":{"name":"howl","input":{"at":"moon"},"caller":null,"via":"call"},"events":[{"type":"WolfHowled","v":1,"data":{}}],"sum":"5b725b0478fda74b"}
      {"end":"log","now":"1970-01-01T00:00:00.003Z","marks":[{"name":"here","position":1,"at":"1970-01-01T00:00:00.002Z"}],"commits":1,"digest":"670e48cafe5e67d2a5a404528c1470ec"}
      "
    `);
  });

  it("has one line for each commit, as the log gives it", () => {
    const sim = eventfulLibrary();
    const lines = contents(sim);
    expect(lines).toHaveLength(sim.position + 2);
    expect(lines.slice(1, -1)).toEqual(JSON.parse(JSON.stringify(sim.log.commits())));
  });

  it("closes every line with a sum and the last one with a digest", () => {
    const lines = linesOf(eventfulLibrary().log.toNdjson());
    const endings = lines.map((line) =>
      /,"(?:sum":"[0-9a-f]{16}|digest":"[0-9a-f]{32})"\}$/.exec(line)?.[0].slice(2, 8),
    );
    expect(endings).toEqual([...Array(lines.length - 1).fill('sum":"'), "digest"]);
  });

  it("is the same whether it is taken as one text or line by line", async () => {
    const sim = eventfulLibrary();
    expect(await written(sim)).toBe(sim.log.toNdjson());
    for await (const line of sim.log.lines()) expect(line.indexOf("\n")).toBe(line.length - 1);
  });

  it("taken line by line is of the moment at which it was asked for, whatever is done meanwhile", async () => {
    const sim = eventfulLibrary();
    const before = sim.log.toNdjson();
    let text = "";
    for await (const line of sim.log.lines()) {
      text += line;
      sim.clock.advance("1m");
      sim.mark(`after ${text.length} characters`);
    }
    expect(text).toBe(before);
    expect(sim.log.toNdjson()).not.toBe(before);
  });

  it("never shows a character that stands for broken bytes, so that such bytes show", () => {
    const text = eventfulLibrary().log.toNdjson();
    expect(text).toContain("\\ufffd");
    expect(text).not.toContain("\ufffd");
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });
});

describe("the header", () => {
  it("names the format and the version that wrote it, which is that of the package", () => {
    expect(header({})).toMatchObject({ hindcast: "log", format: 1, version: manifest.version });
  });

  it.each([0, -1, 0.1, 2 ** 53, 1e300, "7", "", "a seed\nof two lines 🔑", "__proto__", "\ud800"])(
    "keeps the seed %j, and it stays of its kind",
    (seed) => {
      expect(header({ seed })).toMatchObject({ seed });
      const sim = openLibrary({ seed });
      const read = replay(sim.log.toNdjson());
      expect(read.log.toNdjson()).toBe(sim.log.toNdjson());
      expect(borrow(read, "ann")).toEqual(borrow(sim, "ann"));
    },
  );

  it.each([
    ["2031-06-30T12:00:00.5+02:00", "2031-06-30T10:00:00.500Z"],
    [0, "1970-01-01T00:00:00.000Z"],
    [new Date(Date.UTC(2026, 5, 1)), "2026-06-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("keeps the start %s as %s", (startAt, kept) => {
    expect(header({ startAt })).toMatchObject({ startAt: kept });
    const text = createSimulator({ startAt }).log.toNdjson();
    expect(replay(text).clock.now()).toBe(Date.parse(kept));
    expect(replay(text).log.toNdjson()).toBe(text);
  });

  it("keeps functions as what they returned", () => {
    const url = (cluster: string): string => `https://${cluster.toUpperCase()}.example:8200/`;
    const options = { secrets: { clusters: ["east", "west"], url } };
    expect(header(options)).toMatchObject({
      options: {
        clusters: [
          { name: "east", url: "https://east.example:8200" },
          { name: "west", url: "https://west.example:8200" },
        ],
      },
    });
    const read = replay(createSimulator(options).log.toNdjson());
    expect(read.secrets.cluster("west").url).toBe("https://west.example:8200");
  });

  it("keeps quirks, and the bounds of history, journal and clock", () => {
    const options = {
      secrets: { quirks: ["check-in-keeps-lease" as const] },
      history: { checkpointEvery: 3, journalSize: 2 },
      limits: { firingsPerAdvance: 1 },
    };
    expect(header(options)).toMatchObject({
      options: { quirks: ["check-in-keeps-lease"], checkpointEvery: 3, journalSize: 2, firingsPerAdvance: 1 },
    });
    const read = replay(openLibrary(options).log.toNdjson());
    const { lease } = borrow(read, "ann", "1m");
    borrow(read, "bob", "1m");
    read.secrets.cluster("main").as("ann").library.checkIn({ set_name: "ops" });
    expect(read.state.secrets["main"]?.local.leases.has(lease)).toBe(true);
    expect(read.journal).toHaveLength(2);
    expect(() => read.clock.advance("1m")).toThrow("more than 1 deadlines fired");
  });
});

describe("the last line", () => {
  it("has the present, the marks in the order in which they were set, and the number of commits", () => {
    const sim = openLibrary();
    sim.mark("second by name");
    sim.clock.advance(1);
    sim.mark("first by name");
    expect(end(sim)).toEqual({
      end: "log",
      now: "2026-01-01T00:00:00.001Z",
      marks: [
        { name: "second by name", position: OPENED, at: "2026-01-01T00:00:00.000Z" },
        { name: "first by name", position: OPENED, at: "2026-01-01T00:00:00.001Z" },
      ],
      commits: OPENED,
    });
  });

  it.each(["__proto__", "constructor", "\ud800 half a pair", "\ufffd", "  blanks  ", "two\nlines", "🔑"])(
    "carries a mark named %j",
    (name) => {
      const sim = openLibrary();
      sim.mark(name);
      borrow(sim, "ann");
      const read = replay(sim.log.toNdjson());
      expect(read.at(name).position).toBe(OPENED);
      expect(read.log.toNdjson()).toBe(sim.log.toNdjson());
    },
  );
});

describe("a log that is read and written again", () => {
  it.each([
    ["nothing happened", () => createSimulator()],
    ["a bit of everything", () => eventfulLibrary()],
    ["the end of time", () => openLibrary({ startAt: "9999-12-31T23:59:59.000Z" })],
    ["a fork of the past", () => eventfulLibrary().fork(9)],
    ["a fork of an instant between two commits", () => eventfulLibrary().fork("2026-01-01T00:07:00Z")],
  ])("is the same byte for byte: %s", (_, live) => {
    const sim = live();
    expect(replay(sim.log.toNdjson()).log.toNdjson()).toBe(sim.log.toNdjson());
  });

  it("of a rewritten past is the same byte for byte, and says so in its header", async () => {
    const { fork } = await eventfulLibrary().rewrite([{ drop: 7 }]);
    expect(contents(fork)[0]).toMatchObject({ streams: "~" });
    expect(replay(fork.log.toNdjson()).log.toNdjson()).toBe(fork.log.toNdjson());
  });

  it("through a file of bytes is the same byte for byte", () => {
    const text = eventfulLibrary().log.toNdjson();
    const bytes = new TextEncoder().encode(text);
    expect(new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toBe(text);
    expect(replay(new TextDecoder().decode(bytes)).log.toNdjson()).toBe(text);
  });

  it("names the line ends that it wants: text without the last one is refused", () => {
    const text = eventfulLibrary().log.toNdjson();
    expect(text.endsWith('"}\n')).toBe(true);
    expect(textOf(linesOf(text))).toBe(text);
  });
});
