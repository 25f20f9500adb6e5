import { describe, expect, it } from "vitest";
import { LogError, type LogFault, rehearse, replay } from "../../src/index.ts";
import { VERSION } from "../../src/simulator/version.ts";
import { eventfulLibrary } from "./support/library.ts";
import {
  closed,
  contentOf,
  type LoggedCommit,
  linesOf,
  textOf,
  withCommits,
  withEnd,
  withHeader,
} from "./support/log-text.ts";

const sim = eventfulLibrary();
const TEXT = sim.log.toNdjson();
const LINES = linesOf(TEXT);
const LAST = LINES.length;

/** What a log is refused with. */
function refusal(text: string): LogError {
  try {
    replay(text);
  } catch (error) {
    if (error instanceof LogError) return error;
    throw error;
  }
  return expect.fail("the log was taken");
}

/** The text with other lines: line 1 is the header. */
function edited(edit: (lines: string[]) => void): string {
  const lines = [...LINES];
  edit(lines);
  return textOf(lines);
}

/** The text up to a line, and so much of that. */
const cutBefore = (line: number, characters = 0): string =>
  textOf(LINES.slice(0, line - 1)) + lineAt(line).slice(0, characters);

const lineAt = (line: number): string => LINES[line - 1] ?? expect.fail("no such line");

const without = (line: number): string => edited((lines) => lines.splice(line - 1, 1));
const inserted = (line: number, text: string): string => edited((lines) => lines.splice(line - 1, 0, text));
const replaced = (line: number, change: (text: string) => string): string =>
  edited((lines) => lines.splice(line - 1, 1, change(lineAt(line))));

/** The log with other facts in the eighth commit, closed again. */
const eighthWith = (event: LoggedCommit["events"][0]): string =>
  withCommits(TEXT, (commits) =>
    commits.map((commit) => (commit.position === 8 ? { ...commit, events: [event] } : commit)),
  );

const eighthEarlier = withCommits(TEXT, (commits) =>
  commits.map((commit) => (commit.position === 8 ? { ...commit, atMs: commit.atMs - 400_000 } : commit)),
);

const { options } = JSON.parse(contentOf(lineAt(1))) as { options: object };

interface Fault {
  readonly of: string;
  readonly text: string;
  readonly fault: LogFault;
  readonly line: number;
  readonly what: string;
  /** The position up to which the log can be taken; absent when it cannot be taken at all. */
  readonly prefix?: number;
}

const NONE = { fault: "no_header", line: 1, what: "no header of a hindcast log" } as const;
const TORN_LINE = "the line has no end: the log was torn off here";
const NO_END = "the log ends here, without its last line";
const AFTER_END = "something comes after the last line";
const WRONG_SUM = "its sum does not fit: the line was changed, or one before it is missing";
const NO_COMMIT = "no commit: the line was cut or changed";
const NO_LAST = "no last line: it was cut or changed";
const ALL = sim.position;

const NOT_A_LOG: readonly Fault[] = [
  { of: "no text", text: "", ...NONE },
  { of: "an empty line", text: "\n", ...NONE },
  { of: "another text", text: "Once upon a time", ...NONE },
  { of: "another JSON", text: '{"hello":"world"}\n', ...NONE },
  { of: "another JSON without a line end", text: '{"hello":"world"}', ...NONE },
  { of: "a log without its header", text: without(1), ...NONE },
  { of: "a byte order mark", text: `\ufeff${TEXT}`, ...NONE },
  { of: "a header without its sum", text: TEXT.replace(/,"sum":"[0-9a-f]+"/, ""), ...NONE },
  { of: "a header without a seed", text: withHeader(TEXT, { seed: null }), ...NONE },
  { of: "format 0", text: withHeader(TEXT, { format: 0 }), ...NONE },
  { of: "a header that was changed", text: TEXT.replace(':7,"', ':8,"'), fault: "damaged", line: 1, what: WRONG_SUM },
  { of: "a header cut in the middle", text: cutBefore(1, 40), fault: "torn", line: 1, what: TORN_LINE },
];

const TORN: readonly Fault[] = [
  { of: "a header alone", text: cutBefore(2), fault: "torn", line: 2, what: NO_END, prefix: 0 },
  { of: "half of the first commit", text: cutBefore(2, 60), fault: "torn", line: 2, what: TORN_LINE, prefix: 0 },
  { of: "half of the eighth commit", text: cutBefore(9, 60), fault: "torn", line: 9, what: TORN_LINE, prefix: 7 },
  {
    of: "all but the line end of a commit",
    text: cutBefore(9, lineAt(9).length),
    fault: "torn",
    line: 9,
    what: TORN_LINE,
    prefix: 7,
  },
  { of: "eight commits", text: cutBefore(10), fault: "torn", line: 10, what: NO_END, prefix: 8 },
  { of: "all but the last line", text: without(LAST), fault: "torn", line: LAST, what: NO_END, prefix: ALL },
  { of: "half of the last line", text: cutBefore(LAST, 30), fault: "torn", line: LAST, what: TORN_LINE, prefix: ALL },
  { of: "all but the last line end", text: TEXT.slice(0, -1), fault: "torn", line: LAST, what: TORN_LINE, prefix: ALL },
];

const stands = (is: number, belongs: number): string => `commit ${is} stands where commit ${belongs} belongs`;

const MOVED: readonly Fault[] = [
  { of: "a commit removed", text: without(9), fault: "out_of_order", line: 9, what: stands(9, 8), prefix: 7 },
  { of: "the first commit removed", text: without(2), fault: "out_of_order", line: 2, what: stands(2, 1), prefix: 0 },
  {
    of: "the last commit removed",
    text: without(LAST - 1),
    fault: "out_of_order",
    line: LAST - 1,
    what: `the log counts ${ALL} commits, and holds ${ALL - 1}`,
    prefix: ALL - 1,
  },
  {
    of: "two commits swapped",
    text: edited((lines) => lines.splice(8, 2, lineAt(10), lineAt(9))),
    fault: "out_of_order",
    line: 9,
    what: stands(9, 8),
    prefix: 7,
  },
  {
    of: "a commit twice",
    text: inserted(10, lineAt(9)),
    fault: "out_of_order",
    line: 10,
    what: stands(8, 9),
    prefix: 8,
  },
  { of: "the header twice", text: inserted(2, lineAt(1)), fault: "damaged", line: 2, what: NO_COMMIT, prefix: 0 },
  { of: "an empty line between", text: inserted(9, ""), fault: "damaged", line: 9, what: NO_COMMIT, prefix: 7 },
  {
    of: "the last line too early",
    text: inserted(9, lineAt(LAST)),
    fault: "out_of_order",
    line: 9,
    what: `the log counts ${ALL} commits, and holds 7`,
    prefix: 7,
  },
  {
    of: "a commit of another log",
    text: replaced(9, () => linesOf(eventfulLibrary({ seed: 8 }).log.toNdjson())[8] ?? ""),
    fault: "damaged",
    line: 9,
    what: WRONG_SUM,
    prefix: 7,
  },
];

const ADDED: readonly Fault[] = [
  { of: "a line after the last", text: `${TEXT}and more\n` },
  { of: "text after the last line", text: `${TEXT}and more` },
  { of: "a line end after the last line", text: `${TEXT}\n` },
  { of: "the log twice", text: TEXT + TEXT },
].map((row) => ({ ...row, fault: "trailing", line: LAST + 1, what: AFTER_END, prefix: ALL }));

const CHANGED: readonly Fault[] = [
  {
    of: "an account changed",
    text: replaced(9, (line) => line.replace('"svc-b"', '"svc-a"')),
    fault: "damaged",
    line: 9,
    what: WRONG_SUM,
    prefix: 7,
  },
  {
    of: "a sum changed",
    text: replaced(9, (line) => line.replace(/"sum":"./, '"sum":"g')),
    fault: "damaged",
    line: 9,
    what: NO_COMMIT,
    prefix: 7,
  },
  {
    of: "a commit that is no JSON",
    text: replaced(9, (line) => line.replace("{", "[")),
    fault: "damaged",
    line: 9,
    what: NO_COMMIT,
    prefix: 7,
  },
  ...[
    {
      of: "a present that was changed",
      text: TEXT.replace('"now":"2026-01-01T01:06:01', '"now":"2026-01-01T01:07:01'),
    },
    { of: "a mark that was changed", text: TEXT.replace("before the loans", "before the floods") },
  ].map(
    (row): Fault => ({
      ...row,
      fault: "damaged",
      line: LAST,
      what: "the digest of the log does not fit",
      prefix: ALL,
    }),
  ),
  {
    of: "a digest that is none",
    text: TEXT.replace(/"digest":"./, '"digest":"g'),
    fault: "damaged",
    line: LAST,
    what: NO_LAST,
    prefix: ALL,
  },
  {
    of: "line ends of another system",
    text: TEXT.replaceAll("\n", "\r\n"),
    fault: "damaged",
    line: 1,
    what: "it ends with CR LF, and a log has LF alone: something has changed its line ends",
  },
  {
    of: "one line end of another system",
    text: replaced(9, (line) => `${line}\r`),
    fault: "damaged",
    line: 9,
    what: "it ends with CR LF",
    prefix: 7,
  },
  {
    of: "bytes that are no UTF-8",
    text: replaced(9, (line) => line.replace("svc", "s\ufffdc")),
    fault: "damaged",
    line: 9,
    what: "it holds U+FFFD, and a log never does: bytes that are no UTF-8 were read as text",
    prefix: 7,
  },
];

/** Somebody has changed them and closed the lines anew: sums tell nothing then, but the log contradicts itself. */
const FORGED: readonly Fault[] = [
  {
    of: "another count of commits",
    text: withEnd(TEXT, { commits: 3 }),
    fault: "out_of_order",
    line: LAST,
    what: `the log counts 3 commits, and holds ${ALL}`,
    prefix: ALL,
  },
  {
    of: "a present before the last commit",
    text: withEnd(TEXT, { now: "2026-01-01T00:59:00.000Z" }),
    fault: "out_of_order",
    line: LAST,
    what: "its present lies before its last commit",
    prefix: ALL,
  },
  {
    of: "a mark without a place",
    text: withEnd(TEXT, { marks: [{ name: "here" }] }),
    fault: "damaged",
    line: LAST,
    what: NO_LAST,
    prefix: ALL,
  },
  {
    of: "a commit before the one before it",
    text: eighthEarlier,
    fault: "out_of_order",
    line: 9,
    what: "commit 8 lies before the one before it",
    prefix: 7,
  },
  {
    of: "a fact that cannot be folded",
    text: eighthWith({ type: "LeaseIssued", v: 1, data: null as never }),
    fault: "damaged",
    line: 9,
    what: "its facts cannot be folded: ",
    prefix: 7,
  },
];

const OF_ANOTHER_VERSION: readonly Fault[] = [
  {
    of: "a format that is newer",
    text: withHeader(TEXT, { format: 3, version: "3.1.4" }),
    fault: "newer_format",
    line: 1,
    what: `the log has format 3, written by version 3.1.4; version ${VERSION} reads formats up to 2`,
  },
  {
    of: "a newer format that closes its lines otherwise",
    text: '{"hindcast":"log","format":9,"version":"9.0.0"}\n',
    fault: "newer_format",
    line: 1,
    what: `the log has format 9, written by version 9.0.0; version ${VERSION} reads formats up to 2`,
  },
  {
    of: "an option that is not known",
    text: withHeader(TEXT, { version: "9.0.0", options: { ...options, moonPhase: "full" } }),
    fault: "unknown_option",
    line: 1,
    what: `version 9.0.0 wrote it, this is ${VERSION}: replay: options: moonPhase`,
  },
  {
    of: "an event type that is not known",
    text: eighthWith({ type: "MoonRisen", v: 1, data: {} }),
    fault: "unknown_event",
    line: 9,
    what: "nothing folds a fact of type MoonRisen",
    prefix: 7,
  },
  {
    of: "an event type that every object has a member of",
    text: eighthWith({ type: "constructor", v: 1, data: {} }),
    fault: "unknown_event",
    line: 9,
    what: "nothing folds a fact of type constructor",
    prefix: 7,
  },
  {
    of: "an event version that is too new",
    text: eighthWith({ type: "LeaseEnded", v: 200, data: {} }),
    fault: "unknown_event",
    line: 9,
    what: "LeaseEnded has version 200, and this version of the library knows ",
    prefix: 7,
  },
  {
    of: "an event version that nothing reads",
    text: eighthWith({ type: "LeaseEnded", v: 0, data: {} }),
    fault: "unknown_event",
    line: 9,
    what: "nothing reads version 0 of LeaseEnded: it is at ",
    prefix: 7,
  },
];

const FAULTS = [...NOT_A_LOG, ...TORN, ...MOVED, ...ADDED, ...CHANGED, ...FORGED, ...OF_ANOTHER_VERSION];

describe("a log is refused with the line and what is wrong:", () => {
  it.each(FAULTS)("$of", ({ text, fault, line, what }) => {
    const error = refusal(text);
    expect({ fault: error.fault, line: error.line }).toEqual({ fault, line });
    expect(error.message).toContain(`log, line ${line}: ${what}`);
  });

  it("alike when it comes in pieces", async () => {
    async function* pieces(text: string): AsyncGenerator<string> {
      for (let at = 0; at < text.length; at += 97) yield text.slice(at, at + 97);
    }
    for (const { text } of FAULTS) await expect(replay(pieces(text))).rejects.toThrow(refusal(text).message);
  });

  it("alike when it is to be rehearsed, which folds no fact of the file", async () => {
    const decided = FAULTS.filter(({ of }) => of !== "a fact that cannot be folded");
    for (const { text } of decided) await expect(rehearse(text)).rejects.toThrow(refusal(text).message);
  });

  it("with the error behind it, for whoever mends an evolver", () => {
    const { text } = FAULTS.find(({ of }) => of === "a fact that cannot be folded") ?? expect.fail("no such fault");
    expect(refusal(text).cause).toBeInstanceOf(TypeError);
  });
});

describe("of a log with a fault, the commits before it can be taken:", () => {
  it.each(FAULTS.filter(({ prefix }) => prefix !== undefined))("$of", ({ text, fault, prefix = 0 }) => {
    const taken = replay(text, { acceptPrefix: true });
    expect(taken.position).toBe(prefix);
    expect(linesOf(taken.log.toNdjson()).slice(0, prefix + 1)).toEqual(LINES.slice(0, prefix + 1));
    expect(taken.stateHash()).toBe(sim.at(prefix).stateHash());
    // What is followed by more has its last line, and so its present.
    expect(taken.clock.now()).toBe((fault === "trailing" ? sim : sim.at(prefix)).clock.now());
    expect(() => taken.clock.advance("1d")).not.toThrow();
  });

  it.each(FAULTS.filter(({ prefix }) => prefix === undefined))("nothing without a header: $of", ({ text }) => {
    expect(() => replay(text, { acceptPrefix: true })).toThrow(refusal(text).message);
  });

  it("their present is that of the last one; marks stand in the last line only", () => {
    const taken = replay(cutBefore(10), { acceptPrefix: true });
    expect(new Date(taken.clock.now()).toISOString()).toBe("2026-01-01T00:05:00.000Z");
    expect(() => taken.at("before the loans")).toThrow("no mark has the name");
  });

  it("and what comes after a whole log takes nothing of it away", () => {
    expect(replay(`${TEXT}and more`, { acceptPrefix: true }).log.toNdjson()).toBe(TEXT);
  });

  it("and they go on as a fork of that place goes on", () => {
    const taken = replay(cutBefore(10), { acceptPrefix: true });
    const fork = sim.fork(8);
    for (const each of [taken, fork]) {
      each.clock.advance("20m");
      each.secrets.cluster("main").createToken({ policies: ["default"] });
    }
    expect(taken.log.commits()).toEqual(fork.log.commits());
    expect(taken.stateHash()).toBe(fork.stateHash());
  });

  it("also of a rewritten past, whose commits to come draw from streams that none has drawn from", async () => {
    const { fork } = await sim.rewrite([{ drop: 7 }]);
    const text = textOf(linesOf(fork.log.toNdjson()).slice(0, 9));
    const [taken, same] = [replay(text, { acceptPrefix: true }), fork.fork(8)];
    const [one, other] = [taken, same].map((each) =>
      each.secrets.cluster("main").createToken({ policies: ["default"] }),
    );
    expect(one).toEqual(other);
    expect(taken.log.commits().at(-1)?.command.stream).toBe("~9");
  });

  it("and a whole log is taken whole", () => {
    expect(replay(TEXT, { acceptPrefix: true }).log.toNdjson()).toBe(TEXT);
  });
});

it("a log whose first commit lies before its start is refused", () => {
  const { fault, line } = refusal(withHeader(TEXT, { startAt: "2026-01-01T00:00:00.001Z" }));
  expect({ fault, line }).toEqual({ fault: "out_of_order", line: 2 });
});

it("sums tell accidents, not forgers: what is closed as the library closes its own is taken", () => {
  expect(closed(LINES.map(contentOf))).toBe(TEXT);
  expect(replay(withEnd(TEXT, { now: "2026-01-01T09:00:00.000Z" })).clock.now()).toBe(Date.UTC(2026, 0, 1, 9));
});
