import { describe, expect, test } from "vitest";
import { createSimulator, LogError, rehearse, replay } from "../../src/index.ts";
import { type LogHeader, OpenLogLines } from "../../src/kernel/log-format.ts";
import { LiveSimulator } from "../../src/simulator/live-simulator.ts";
import { headerOf } from "../support/world.ts";

const sim = createSimulator({ seed: 4 });
const main = sim.secrets.cluster("main");
main.as(main.rootToken).kv.write({ path: "a", value: "a" });
sim.mark("written");
sim.clock.advance("1h");
main.createToken({ policies: ["default"], ttl: "1h" });
sim.clock.advance("90m");

const { timeline, settings } = LiveSimulator.insideOf(sim);
const header: LogHeader = headerOf(settings, "");

/** A log that goes on: a header, each commit, and where the clock was put in between. */
function open(): string[] {
  const lines = new OpenLogLines();
  const [first, ...rest] = sim.log.commits();
  if (first === undefined) return [];
  const { marks, nowMs } = timeline;
  return [
    lines.header(header),
    lines.commit(first),
    lines.moment({ nowMs: first.atMs, marks }),
    ...rest.map((commit) => lines.commit(commit)),
    lines.moment({ nowMs, marks: new Map() }),
  ];
}

function faultOf(text: string): unknown {
  try {
    replay(text);
  } catch (error) {
    if (error instanceof LogError) return { fault: error.fault, line: error.line };
  }
  return undefined;
}

describe("a log that goes on", () => {
  test("is whole at each of its lines", () => {
    const lines = open();
    for (let count = 1; count <= lines.length; count++) {
      const commits = lines.slice(0, count).filter((line) => line.startsWith('{"position":')).length;
      expect(replay(lines.slice(0, count).join("")).position).toBe(commits);
    }
    const again = replay(lines.join(""));
    expect([again.stateHash(), again.clock.now()]).toEqual([sim.stateHash(), sim.clock.now()]);
    expect(again.at("written").position).toBe(1);
    expect(again.log.toNdjson()).toBe(sim.log.toNdjson());
  });

  test("is decided again with the same facts", async () => {
    expect(await rehearse(open().join(""))).toEqual({ ok: true });
  });

  test("is torn where a line has no end, and its whole lines can be taken", () => {
    const text = open().join("");
    expect(faultOf(text.slice(0, -1))).toEqual({ fault: "torn", line: open().length });
    const prefix = replay(text.slice(0, -1), { acceptPrefix: true });
    expect(prefix.position).toBe(sim.position);
    expect(prefix.clock.now()).toBe(sim.log.commits().at(-1)?.atMs);
    expect(prefix.at("written").position).toBe(1);
  });

  test.each([
    [
      "a line that was changed",
      (lines: string[]) => lines.with(2, lines[2]?.replace("written", "Written") ?? ""),
      "damaged",
      3,
    ],
    ["a line that is missing", (lines: string[]) => lines.toSpliced(2, 1), "damaged", 3],
    ["a line twice", (lines: string[]) => lines.toSpliced(2, 0, lines[2] ?? ""), "damaged", 4],
    ["a commit twice", (lines: string[]) => lines.toSpliced(1, 0, lines[1] ?? ""), "out_of_order", 3],
    ["a last line", (lines: string[]) => [...lines, '{"end":"log","digest":"00"}\n'], "damaged", 6],
    [
      "an instant that is none",
      (lines: string[]) => lines.with(2, '{"now":1,"marks":[],"sum":"0000000000000000"}\n'),
      "damaged",
      3,
    ],
  ] as const)("does not hold %s", (_, change, fault, line) => {
    const lines = open();
    expect(faultOf(change(lines).join(""))).toEqual({ fault, line: line === 6 ? lines.length + 1 : line });
  });

  test("never lies before itself", () => {
    const writer = new OpenLogLines();
    const [first] = sim.log.commits();
    if (first === undefined) throw new Error("no commit");
    const marks = new Map();
    const text = [writer.header(header), writer.moment({ nowMs: sim.clock.now(), marks }), writer.commit(first)];
    expect(faultOf(text.join(""))).toEqual({ fault: "out_of_order", line: 3 });
    const back = new OpenLogLines();
    const moments = [
      back.header(header),
      back.moment({ nowMs: sim.clock.now(), marks }),
      back.moment({ nowMs: first.atMs, marks }),
    ];
    expect(faultOf(moments.join(""))).toEqual({ fault: "out_of_order", line: 3 });
  });
});

test("a log that has ended holds no instants among its commits", () => {
  const [begin = "", ...rest] = sim.log.toNdjson().split(/(?<=\n)/);
  const moment = new OpenLogLines().moment({ nowMs: sim.clock.now(), marks: new Map() });
  expect(faultOf([begin, moment, ...rest].join(""))).toEqual({ fault: "damaged", line: 2 });
});

test("whoever observes a simulator is told of each commit, instant and mark, until it is enough", () => {
  const watched = createSimulator();
  const { timeline: line } = LiveSimulator.insideOf(watched);
  let told = 0;
  const end = line.observe(() => {
    told += 1;
  });
  watched.secrets.cluster("main").seal();
  watched.mark("sealed");
  watched.clock.advance("1s");
  watched.clock.advance(0);
  watched.fork().clock.advance("1h");
  expect(told).toBe(3);
  end();
  watched.clock.advance("1s");
  expect(told).toBe(3);
});
