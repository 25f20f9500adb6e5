import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replay, type Simulator } from "../../src/index.ts";
import { property } from "../support/property.ts";
import { runs } from "../support/runs.ts";
import { lived, perform, stories } from "../support/world-actions.ts";
import { as, borrow, eventfulLibrary, giveBack, lent, OPENED, openLibrary } from "./support/library.ts";
import { longLife } from "./support/lives.ts";
import { linesOf, withCommits } from "./support/log-text.ts";
import { everyAnswer } from "./support/reads.ts";

const again = (sim: Simulator): Simulator => replay(sim.log.toNdjson());

const shown = (sim: Simulator) => ({
  log: sim.log.toNdjson(),
  hash: sim.stateHash(),
  now: sim.clock.now(),
  pending: sim.clock.pending(),
});

async function* inPieces(text: string, lengths: Iterable<number>): AsyncGenerator<string> {
  let at = 0;
  for (const length of lengths) {
    if (at >= text.length) break;
    yield text.slice(at, at + length);
    at += length;
  }
  yield text.slice(at);
}

describe("a replayed simulator", () => {
  it("has the state, the present, the deadlines, the marks and the log of the one that wrote it", () => {
    const sim = eventfulLibrary();
    const read = again(sim);
    expect(shown(read)).toEqual(shown(sim));
    for (const mark of ["before the loans", "the hour is over"]) {
      expect(read.at(mark).position).toBe(sim.at(mark).position);
      expect(read.at(mark).clock.now()).toBe(sim.at(mark).clock.now());
    }
    expect(read.log.commits()).toEqual(JSON.parse(JSON.stringify(sim.log.commits())));
    expect(read.log.events()).toEqual(JSON.parse(JSON.stringify(sim.log.events())));
  });

  it("fires the deadlines that were pending, at their instants", () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("3m");
    const read = again(sim);
    expect(read.clock.advance("6m59s")).toEqual([]);
    expect(read.clock.advance("1s")).toMatchObject([{ command: "timer.leaseRevocation", position: OPENED + 2 }]);
    expect(lent(read)).toEqual({});
  });

  it("gives the next borrower the password and the lease that the other one would have given", () => {
    const sim = openLibrary();
    borrow(sim, "ann");
    const read = again(sim);
    expect(borrow(read, "bob")).toEqual(borrow(sim, "bob"));
    expect(shown(read)).toEqual(shown(sim));
  });

  it("forks as the other one forks, at the present, at a position, at an instant and at a mark", () => {
    const sim = eventfulLibrary();
    const read = again(sim);
    for (const place of [undefined, 0, 7, sim.position, "2026-01-01T00:07:00Z", "before the loans"]) {
      const [one, other] = [read.fork(place), sim.fork(place)];
      for (const fork of [one, other]) fork.clock.advance("3h");
      expect(shown(one)).toEqual(shown(other));
    }
  });

  it("knows the marks that are taken", () => {
    const read = again(eventfulLibrary());
    expect(() => read.mark("before the loans")).toThrow('"before the loans" is taken');
  });

  it("has a journal of its own: nobody has asked it anything yet", () => {
    expect(again(eventfulLibrary()).journal).toEqual([]);
  });

  it("answers over HTTP what the other one answers", async () => {
    const sim = eventfulLibrary();
    const read = again(sim);
    const { url, rootToken } = sim.secrets.cluster("main");
    const ask = async (each: Simulator) => {
      const response = await each
        .fork()
        .fetch(`${url}/v1/ldap/library/ops/status`, { headers: { "X-Secrets-Token": rootToken } });
      return { position: response.headers.get("X-Hindcast-Position"), body: await response.text() };
    };
    expect(await ask(read)).toEqual(await ask(sim));
  });

  it("and one that was replayed again and again are one and the same", () => {
    const sim = eventfulLibrary();
    let read = sim;
    for (let time = 0; time < 5; time++) {
      read = again(read);
      borrow(read, "ann", "1m");
      borrow(sim, "ann", "1m");
      read.clock.advance("2m");
      sim.clock.advance("2m");
    }
    expect(shown(read)).toEqual(shown(sim));
  });

  it("has frozen its commits and its state, as every simulator has", () => {
    const read = again(eventfulLibrary());
    const [commit] = read.log.commits();
    expect(Object.isFrozen(commit)).toBe(true);
    expect(Object.isFrozen(commit?.command.input)).toBe(true);
    expect(Object.isFrozen(commit?.events[0]?.data)).toBe(true);
    expect(Object.isFrozen(read.state.secrets["main"]?.local)).toBe(true);
  });

  it("is made of the facts alone: what the rules would do today does not matter", () => {
    const sim = openLibrary();
    borrow(sim, "ann");
    const text = withCommits(sim.log.toNdjson(), (commits) =>
      commits.map((commit) => ({ ...commit, command: { ...commit.command, name: "a command that is long gone" } })),
    );
    expect(replay(text).stateHash()).toBe(sim.stateHash());
    expect(giveBack(replay(text), "ann")).toEqual(["svc-a"]);
  });

  property([stories(40)], runs(25))("answers every read as the one that wrote it", async (story) => {
    const sim = lived(story);
    const read = again(sim);
    expect(await everyAnswer(read.fork())).toEqual(await everyAnswer(sim.fork()));
    const place = Math.floor(sim.position / 2);
    expect(await everyAnswer(read, read.at(place))).toEqual(await everyAnswer(sim, sim.at(place)));
  });

  property([stories(30), fc.nat(), stories(20)], runs(40))(
    "lives on from any position as a fork of that position does",
    (past, choice, later) => {
      const sim = lived(past);
      const position = choice % (sim.position + 1);
      const lines = linesOf(sim.log.toNdjson()).slice(0, position + 1);
      const read = replay(lines.map((line) => `${line}\n`).join(""), { acceptPrefix: true });
      const fork = sim.fork(position);
      expect(read.stateHash()).toBe(sim.at(position).stateHash());
      for (const action of later) expect(perform(read, action)).toEqual(perform(fork, action));
      expect(shown(read)).toEqual(shown(fork));
    },
  );
});

describe("a log in pieces", () => {
  const sim = eventfulLibrary();
  const text = sim.log.toNdjson();

  it("is read from another simulator's lines", async () => {
    const read = await replay(sim.log.lines());
    expect(shown(read)).toEqual(shown(sim));
  });

  it.each([1, 2, 3, 7, 64, 1_000, 1_000_000])(
    "of %i characters is read, also where a pair of surrogates is cut",
    async (length) => {
      const read = await replay(inPieces(text, Array<number>(Math.ceil(text.length / length)).fill(length)));
      expect(read.log.toNdjson()).toBe(text);
    },
  );

  property([fc.array(fc.nat({ max: 2_000 }), { maxLength: 40 })], runs(40))("cut anywhere is read", async (lengths) => {
    expect((await replay(inPieces(text, lengths))).log.toNdjson()).toBe(text);
  });

  it("may come in a list, too, and in pieces of nothing", async () => {
    const pieces = linesOf(text).flatMap((line) => ["", line, "\n", ""]);
    const read = await replay(pieces as unknown as AsyncIterable<string>);
    expect(read.log.toNdjson()).toBe(text);
  });

  it("whose source fails is refused with that failure", async () => {
    async function* failing(): AsyncGenerator<string> {
      yield text.slice(0, 2_000);
      throw new Error("the disk is on fire");
    }
    await expect(replay(failing())).rejects.toThrow("the disk is on fire");
    await expect(replay(failing(), { acceptPrefix: true })).rejects.toThrow("the disk is on fire");
  });

  it("that is damaged closes its source, and reads no more of it", async () => {
    let [given, closed] = [0, false];
    async function* source(): AsyncGenerator<string> {
      try {
        for (const line of linesOf(text)) {
          given += 1;
          yield given === 4 ? "damaged\n" : `${line}\n`;
        }
      } finally {
        closed = true;
      }
    }
    await expect(replay(source())).rejects.toThrow("log, line 4: no commit");
    expect({ given, closed }).toEqual({ given: 4, closed: true });
  });

  it("is text: bytes are refused, because they can be cut in the middle of a character", async () => {
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(text);
    }
    await expect(replay(bytes() as unknown as AsyncIterable<string>)).rejects.toThrow(
      new TypeError('a piece of a log is text, and not an object: a stream needs an encoding, such as "utf8"'),
    );
  });

  it.each([[undefined], [null], [7], [{}]] as unknown as [AsyncIterable<string>][])(
    "is no log when it is %j",
    async (given) => {
      await expect(replay(given)).rejects.toThrow(TypeError);
    },
  );
});

describe("a long log", () => {
  it("of 20,000 commits is written, read as one text and in pieces, and goes on", { tags: "full" }, async () => {
    const sim = openLibrary();
    for (let loan = 0; sim.position < 20_000; loan++) {
      borrow(sim, loan % 2 === 0 ? "ann" : "bob", "1m");
      if (loan % 3 === 0) sim.clock.advance("61s");
      else giveBack(sim, loan % 2 === 0 ? "ann" : "bob");
    }
    const text = sim.log.toNdjson();
    const read = replay(text);
    expect(read.stateHash()).toBe(sim.stateHash());
    const streamed = await replay(sim.log.lines());
    expect(streamed.stateHash()).toBe(sim.stateHash());
    for (const each of [sim, read, streamed]) {
      borrow(each, "ann");
      borrow(each, "bob");
    }
    const logs = [sim, read, streamed].map((each) => each.log.toNdjson());
    expect(logs[1]).toBe(logs[0]);
    expect(logs[2]).toBe(logs[0]);
  });

  it("of a life at random is the same life", () => {
    const sim = longLife(11, 150);
    const read = again(sim);
    expect(sim.position).toBeGreaterThan(1_000);
    expect(shown(read)).toEqual(shown(sim));
    for (const position of [1, 31, 32, 33, 500, 999]) {
      expect(read.at(position).stateHash()).toBe(sim.at(position).stateHash());
    }
    expect(as(read, "ann").library.list()).toBeDefined();
  });
});
