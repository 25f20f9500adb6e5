import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Edit, Rejection, rehearse, replay, type Simulator } from "../../src/index.ts";
import { property } from "../support/property.ts";
import { runs } from "../support/runs.ts";
import { lived, perform, stories } from "../support/world-actions.ts";
import { as, borrow, DN, eventfulLibrary, giveBack, lent, OPENED, openLibrary, told } from "./support/library.ts";

const shown = (sim: Simulator) => ({
  log: sim.log.toNdjson(),
  hash: sim.stateHash(),
  now: sim.clock.now(),
  pending: sim.clock.pending(),
});

/** What an answer to a check-out or a check-in says of accounts. */
const accountOf = (answer: unknown): unknown => {
  const { data, refused } = answer as {
    data?: { service_account_name?: string; check_ins?: string[] };
    refused?: string;
  };
  return refused ?? data?.service_account_name ?? data?.check_ins;
};

const accounts = (changed: readonly { position: number; before: unknown; after: unknown }[]) =>
  changed.map(({ position, before, after }) => ({
    position,
    before: before === undefined ? "absent" : accountOf(before),
    after: after === undefined ? "absent" : accountOf(after),
  }));

const passwordOf = (sim: Simulator, account: string) =>
  sim.directory.entry(DN(account))?.attributes["userPassword"]?.[0];

/** The streams that the commits of a log have drawn from. */
const streams = (sim: Simulator): string[] =>
  sim.log.commits().map(({ position, command }) => command.stream ?? `${position}`);

/** 7: Ann borrows svc-a. 8: a minute later Bob borrows svc-b. 9: another minute later Ann gives hers back. */
function twoLoans() {
  const sim = openLibrary();
  const ann = borrow(sim, "ann");
  sim.clock.advance("1m");
  const bob = borrow(sim, "bob");
  sim.clock.advance("1m");
  giveBack(sim, "ann");
  return { sim, ann, bob };
}

describe("without edits", () => {
  it.each([
    ["nothing", () => openLibrary().fork(0)],
    ["a bit of everything", () => eventfulLibrary()],
    ["a fork of the past", () => eventfulLibrary().fork("2026-01-01T00:07:00Z")],
  ])("the past stays as it was: %s", async (_, live) => {
    const sim = live();
    const { fork, changed } = await sim.rewrite([]);
    expect(changed).toEqual([]);
    expect(shown(fork)).toEqual(shown(sim));
  });

  it("the fork goes on as the original does", async () => {
    const { sim } = twoLoans();
    const { fork } = await sim.rewrite([]);
    expect(borrow(fork, "ann")).toEqual(borrow(sim, "ann"));
    expect(shown(fork)).toEqual(shown(sim));
  });
});

describe("an edit that changes nothing", () => {
  it.each<[string, Edit]>([
    ["a command with its own input", { replace: 7, input: { set_name: "ops" } }],
    ["no delay", { delay: 8, by: 0 }],
    ["a move to where it stands", { move: 8, to: 8 }],
    ["a move to just before the next one, at its instant, of a command that does not care", { move: 2, to: 3 }],
  ])("leaves every fact as it was: %s", async (_, edit) => {
    const { sim } = twoLoans();
    const { fork, changed } = await sim.rewrite([edit]);
    expect(changed).toEqual([]);
    expect(fork.log.commits()).toEqual(sim.log.commits());
    expect(fork.stateHash()).toBe(sim.stateHash());
    expect(fork.clock.now()).toBe(sim.clock.now());
  });
});

describe("a command that is dropped", () => {
  it("never happened: whoever borrows later gets the account that was lent before, on the same lease", async () => {
    const { sim, ann, bob } = twoLoans();
    const { fork, changed } = await sim.rewrite([{ drop: 7 }]);
    expect(accounts(changed)).toEqual([
      { position: 7, before: "svc-a", after: "absent" },
      { position: 8, before: "svc-b", after: "svc-a" },
      { position: 9, before: ["svc-a"], after: [] },
    ]);
    expect(lent(sim)).toEqual({ "svc-b": "bob" });
    expect(lent(fork)).toEqual({ "svc-a": "bob" });
    const bobs = fork.explain(7).answer as { lease_id: string; data: { password: string } };
    expect(bobs.lease_id).toBe(bob.lease);
    expect(bobs.data.password).toBe(ann.password);
    expect(told(fork).slice(OPENED)).toEqual(["7 library.checkOut"]);
  });

  it("leaves ids and passwords of those it does not touch as they were", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.secrets.cluster("main").createToken({ id: "eve", policies: ["default"] });
    const drawn = sim.secrets.cluster("main").createToken({ policies: ["default"] });
    sim.clock.advance("1h");
    const { fork, changed } = await sim.rewrite([{ drop: 8 }]);
    expect(changed.map(({ position, after }) => ({ position, after }))).toEqual([{ position: 8, after: undefined }]);
    expect(fork.state.secrets["main"]?.local.tokens.get(drawn.token)).toMatchObject({ accessor: drawn.accessor });
    // The timer stands one position earlier, and made the same password.
    expect(told(fork).at(-1)).toBe("9 timer.leaseRevocation");
    expect(passwordOf(fork, "svc-a")).toBe(passwordOf(sim, "svc-a"));
    expect(fork.diff(0, fork.position).filter(({ path }) => path.includes("eve"))).toEqual([]);
  });

  it("takes what it armed with it", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("1h");
    const { fork } = await sim.rewrite([{ drop: 7 }]);
    expect(fork.position).toBe(OPENED);
    expect(fork.clock.now()).toBe(sim.clock.now());
  });

  it("can be one on which all others stand", async () => {
    const { sim } = twoLoans();
    const { fork, changed } = await sim.rewrite([{ drop: 6 }]);
    expect(told(fork)).toHaveLength(5);
    expect(changed.slice(1).map(({ after }) => after)).toEqual([
      { refused: "set_not_found", data: { set: "ops" } },
      { refused: "set_not_found", data: { set: "ops" } },
      { refused: "set_not_found", data: { set: "ops" } },
    ]);
  });

  it("may be dropped with others", async () => {
    const { sim } = twoLoans();
    const { fork, changed } = await sim.rewrite([{ drop: 9 }, { drop: 7 }]);
    expect(lent(fork)).toEqual({ "svc-a": "bob" });
    expect(changed.map(({ position }) => position)).toEqual([7, 8, 9]);
  });
});

describe("a command that is delayed", () => {
  it("happens so much later: a loan that was given back in time expires before", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("5m");
    giveBack(sim, "ann");
    sim.clock.advance("3h");
    const { fork, changed } = await sim.rewrite([{ delay: 8, by: "1h" }]);
    expect(accounts(changed)).toEqual([{ position: 8, before: ["svc-a"], after: [] }]);
    expect(told(fork).slice(OPENED)).toEqual(["7 library.checkOut", "8 timer.leaseRevocation"]);
    expect(new Date(fork.log.commits().at(-1)?.atMs ?? 0).toISOString()).toBe("2026-01-01T00:10:00.000Z");
    expect(passwordOf(fork, "svc-a")).not.toBe(passwordOf(sim, "svc-a"));
    expect(fork.clock.now()).toBe(sim.clock.now());
  });

  it("may be overtaken by others", async () => {
    const { sim } = twoLoans();
    const { fork, changed } = await sim.rewrite([{ delay: 7, by: "90s" }]);
    expect(accounts(changed)).toEqual([
      { position: 7, before: "svc-a", after: "svc-b" },
      { position: 8, before: "svc-b", after: "svc-a" },
      { position: 9, before: ["svc-a"], after: ["svc-b"] },
    ]);
    expect(lent(fork)).toEqual({ "svc-a": "bob" });
  });

  it("at the instant of another that came later goes before it", async () => {
    const { sim } = twoLoans();
    const { fork } = await sim.rewrite([{ delay: 7, by: "1m" }]);
    expect(fork.log.commits()[OPENED]).toMatchObject({
      command: { caller: { token: "ann" } },
      atMs: Date.UTC(2026, 0, 1, 0, 1),
    });
  });

  it("beyond the present takes the present with it", async () => {
    const { sim } = twoLoans();
    const { fork } = await sim.rewrite([{ delay: 9, by: "3h" }]);
    expect(fork.clock.now()).toBe(sim.clock.now() + 3 * 3_600_000);
    expect(told(fork).slice(-2)).toEqual(["9 timer.leaseRevocation", "10 timer.leaseRevocation"]);
  });

  it("twice is delayed by both", async () => {
    const { sim } = twoLoans();
    const [twice, once] = await Promise.all([
      sim.rewrite([
        { delay: 7, by: "40s" },
        { delay: 7, by: "50s" },
      ]),
      sim.rewrite([{ delay: 7, by: "90s" }]),
    ]);
    expect(shown(twice.fork)).toEqual(shown(once.fork));
  });
});

describe("a command that is moved", () => {
  it("to another one happens just before it, at its instant", async () => {
    const { sim } = twoLoans();
    const { fork, changed } = await sim.rewrite([{ move: 8, to: 7 }]);
    expect(accounts(changed)).toEqual([
      { position: 7, before: "svc-a", after: "svc-b" },
      { position: 8, before: "svc-b", after: "svc-a" },
      { position: 9, before: ["svc-a"], after: ["svc-b"] },
    ]);
    expect(fork.log.commits()[OPENED]).toMatchObject({
      command: { caller: { token: "bob" } },
      atMs: Date.UTC(2026, 0, 1),
    });
  });

  it("may be moved to a later one", async () => {
    const { sim } = twoLoans();
    const { fork } = await sim.rewrite([{ move: 7, to: 9 }]);
    const loans = fork.log.commits().slice(OPENED);
    expect(loans.map(({ command, atMs }) => [command.caller?.["token"], command.name, atMs])).toEqual([
      ["bob", "secrets.library.checkOut", Date.UTC(2026, 0, 1, 0, 1)],
      ["ann", "secrets.library.checkOut", Date.UTC(2026, 0, 1, 0, 2)],
      ["ann", "secrets.library.checkIn", Date.UTC(2026, 0, 1, 0, 2)],
    ]);
  });

  it("to a timer happens while that is still to come", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("12m");
    borrow(sim, "bob");
    expect(lent(sim)).toEqual({ "svc-a": "bob" });
    const { fork, changed } = await sim.rewrite([{ move: 9, to: 8 }]);
    expect(accounts(changed)).toEqual([{ position: 9, before: "svc-a", after: "svc-b" }]);
    expect(told(fork).slice(OPENED)).toEqual(["7 library.checkOut", "8 library.checkOut", "9 timer.leaseRevocation"]);
    expect(new Date(fork.log.commits()[7]?.atMs ?? 0).toISOString()).toBe("2026-01-01T00:09:59.999Z");
  });

  it("to a timer that fires at once happens after it, because nothing comes between", async () => {
    const sim = openLibrary();
    const { lease } = borrow(sim, "ann");
    as(sim, "ann").leases.revoke({ lease_id: lease, sync: false });
    borrow(sim, "bob");
    expect(told(sim).slice(8)).toEqual(["9 timer.leaseRevocation", "10 library.checkOut"]);
    const { fork, changed } = await sim.rewrite([{ move: 10, to: 9 }]);
    expect(changed).toEqual([]);
    expect(fork.log.commits()).toEqual(sim.log.commits());
  });

  it("to one that is dropped as well happens where that was", async () => {
    const { sim } = twoLoans();
    const { fork } = await sim.rewrite([{ drop: 8 }, { move: 9, to: 8 }]);
    expect(fork.log.commits()[7]).toMatchObject({
      command: { name: "secrets.library.checkIn" },
      atMs: Date.UTC(2026, 0, 1, 0, 1),
    });
  });
});

describe("a command that is replaced", () => {
  it("happens with another input, and what follows follows from that", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("20m");
    borrow(sim, "bob");
    const { fork, changed } = await sim.rewrite([{ replace: 7, input: { set_name: "ops", ttl: "1h" } }]);
    expect(changed.map(({ position }) => position)).toEqual([7, 9]);
    expect(changed[0]).toMatchObject({
      before: { lease_duration: 600 },
      after: { lease_duration: 3_600 },
    });
    expect(lent(sim)).toEqual({ "svc-a": "bob" });
    expect(lent(fork)).toEqual({ "svc-a": "ann", "svc-b": "bob" });
  });

  it("may be refused now", async () => {
    const { sim } = twoLoans();
    const { fork, changed } = await sim.rewrite([{ replace: 7, input: { set_name: "others" } }]);
    expect(accounts(changed)[0]).toEqual({ position: 7, before: "svc-a", after: "set_not_found" });
    expect(lent(fork)).toEqual({ "svc-a": "bob" });
  });

  it("keeps a copy of the input, not the input", async () => {
    const { sim } = twoLoans();
    const input = { set_name: "ops", ttl: "5m" };
    const { fork } = await sim.rewrite([{ replace: 7, input }]);
    input.ttl = "7m";
    expect(Object.isFrozen(input)).toBe(false);
    expect(fork.log.commits()[6]?.command.input).toEqual({ set_name: "ops", ttl: "5m" });
  });

  it("may be a control call", async () => {
    const sim = openLibrary();
    const { fork } = await sim.rewrite([{ replace: 4, input: { id: "bob", policies: ["default"] } }]);
    expect(() => borrow(fork, "bob")).toThrow("permission denied");
  });
});

describe("a command that is inserted", () => {
  it("happens just before the commit at a position, and what follows follows from that", async () => {
    const { sim } = twoLoans();
    const loan = sim.log.commits()[6]?.command;
    if (loan === undefined) throw new Error("nobody has borrowed");
    const { fork, changed } = await sim.rewrite([
      { insert: 8, command: { ...loan, caller: { ...loan.caller, token: "eve" } } },
    ]);
    // Nobody has that token: the refusal is no commit, and nothing else changes.
    expect(changed).toEqual([]);
    expect(fork.log.commits()).toEqual(sim.log.commits());
    const again = await sim.rewrite([{ insert: 8, command: loan }]);
    // Bob finds nothing left, and Ann has to say which of her two she gives back.
    expect(told(again.fork).slice(OPENED)).toEqual(["7 library.checkOut", "8 library.checkOut"]);
    expect(again.changed.map(({ position }) => position)).toEqual([8, 9]);
    expect(again.fork.log.commits()[7]?.atMs).toBe(sim.log.commits()[7]?.atMs);
  });

  it("before a timer is decided while that is still to come: what if it had been given back", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("1h");
    const command = {
      name: "secrets.library.checkIn",
      input: { set_name: "ops" },
      caller: { cluster: "main", token: "ann" },
    };
    const { fork } = await sim.rewrite([{ insert: 8, command: command as never }]);
    expect(told(fork).slice(OPENED)).toEqual(["7 library.checkOut", "8 library.checkIn"]);
    expect(fork.log.commits()[7]?.atMs).toBe((sim.log.commits()[7]?.atMs ?? 0) - 1);
  });
});

describe("an edit that cannot be made", () => {
  const story = (): Simulator => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("20m");
    borrow(sim, "bob");
    return sim;
  };
  const unknown = expect.objectContaining({ code: "unknown_place" }) as unknown;

  it.each<[string, unknown, unknown]>([
    [
      "of a timer: drop",
      { drop: 8 },
      "rewrite: commit 8 is timer.leaseRevocation, which the clock fires: edit what armed it instead",
    ],
    ["of a timer: delay", { delay: 8, by: "1m" }, "which the clock fires"],
    ["of a timer: move", { move: 8, to: 7 }, "which the clock fires"],
    ["of a timer: replace", { replace: 8, input: {} }, "which the clock fires"],
    ["beyond the log: drop", { drop: 10 }, unknown],
    ["beyond the log: delay", { delay: 10, by: "1m" }, unknown],
    ["beyond the log: move", { move: 10, to: 7 }, unknown],
    ["beyond the log: move to", { move: 7, to: 10 }, unknown],
    ["beyond the log: replace", { replace: 10, input: {} }, unknown],
    ["before the log", { drop: 0 }, "rewrite: 0 is no position of a commit"],
    ["at a fraction", { drop: 1.5 }, "rewrite: 1.5 is no position of a commit"],
    ["at a text", { drop: "7" }, "rewrite: 7 is no position of a commit"],
    ["to nowhere", { move: 7, to: -1 }, "rewrite: -1 is no position of a commit"],
    ["back in time", { delay: 7, by: "-1m" }, "is negative"],
    ["by no duration", { delay: 7, by: "soon" }, '"soon" is no duration'],
    ["by more than a duration can be", { delay: 7, by: "200000d" }, "is longer than a duration can be"],
    ["with no input", { replace: 7, input: undefined }, "rewrite: input is undefined"],
    ["with an input of nothing", { replace: 7, input: null }, "rewrite: input is null, and has to be an object"],
    ["with an input of a list", { replace: 7, input: ["ops"] }, "rewrite: input is an array, and has to be an object"],
    ["with an input that no log can carry", { replace: 7, input: { ttl: 1n } }, "rewrite: input.ttl is a bigint"],
    [
      "with an input that a control call does not take",
      { replace: 3, input: { policies: 5 } },
      "createToken: policies is 5",
    ],
    ["of nothing", null, "rewrite: null is no edit"],
    ["of a number", 7, "rewrite: 7 is no edit"],
    ["of a word", "drop", 'rewrite: "drop" is no edit'],
    [
      "of an empty object",
      {},
      "rewrite: an object is no edit: it has drop, or delay and by, or move and to, or replace and input, or insert and command",
    ],
    ["of a list", [7], "is no edit"],
    ["of something else", { forget: 7 }, "rewrite: what has forget is no edit"],
    ["of two at once", { drop: 7, replace: 7, input: {} }, "rewrite: what has drop input replace is no edit"],
    ["of no command", { insert: 7, command: "renew" }, "rewrite: command: the argument"],
    [
      "of a command that nobody has",
      { insert: 7, command: { name: "secrets.kv.forget", input: {}, caller: null } },
      'rewrite: command: "secrets.kv.forget" is no command that a caller gives',
    ],
    [
      "of a timer",
      { insert: 7, command: { name: "timer.leaseRevocation", input: {}, caller: { cluster: "main", deadline: "x" } } },
      "is no command that a caller gives",
    ],
    ["that lacks half", { delay: 7 }, "rewrite: what has delay is no edit"],
  ])("%s", async (_, edit, reason) => {
    const sim = story();
    const before = shown(sim);
    const error: unknown = await sim.rewrite([edit as Edit]).catch((thrown: unknown) => thrown);
    if (typeof reason === "string") {
      expect(error).toBeInstanceOf(TypeError);
      expect((error as TypeError).message).toContain(reason);
    } else {
      expect(error).toBeInstanceOf(Rejection);
      expect(error).toEqual(reason);
    }
    expect(shown(sim)).toEqual(before);
  });

  it.each([[undefined], [null], [{ drop: 7 }], ["drop 7"]])("%j is no list of edits", async (edits) => {
    await expect(story().rewrite(edits as unknown as Edit[])).rejects.toThrow(
      new TypeError("rewrite: edits are a list"),
    );
  });

  it("reaches beyond the end of time", async () => {
    const sim = openLibrary({ startAt: "9999-12-31T23:00:00Z" });
    borrow(sim, "ann");
    await expect(
      sim.rewrite([
        { delay: 7, by: "30m" },
        { delay: 7, by: "30m" },
      ]),
    ).rejects.toThrow(new TypeError("rewrite: the clock ends at 9999-12-31T23:59:59.999Z"));
    const { fork } = await sim.rewrite([{ delay: 7, by: "59m" }]);
    expect(fork.clock.now()).toBe(Date.UTC(9999, 11, 31, 23, 59));
  });

  it("does not keep the others in its list from being refused with it", async () => {
    const sim = story();
    await expect(sim.rewrite([{ drop: 7 }, { drop: 99 }])).rejects.toThrow(Rejection);
  });
});

describe("a rewritten past", () => {
  it("leaves the original as it was, and lives apart from it", async () => {
    const { sim } = twoLoans();
    const before = [shown(sim), sim.journal];
    const { fork } = await sim.rewrite([{ drop: 7 }]);
    fork.clock.advance("3h");
    borrow(fork, "ann");
    expect([shown(sim), sim.journal]).toEqual(before);
  });

  it("keeps its marks: those before the edits where they are, those after at their instants", async () => {
    const sim = openLibrary();
    sim.mark("opened");
    borrow(sim, "ann");
    sim.mark("first loan");
    sim.clock.advance("1m");
    sim.mark("a minute later");
    borrow(sim, "bob");
    sim.mark("second loan");
    const { fork } = await sim.rewrite([{ drop: 7 }]);
    const places = (each: Simulator) =>
      ["opened", "first loan", "a minute later", "second loan"].map((mark) => [
        each.at(mark).position,
        each.at(mark).clock.now() - Date.UTC(2026, 0, 1),
      ]);
    expect(places(sim)).toEqual([
      [6, 0],
      [7, 0],
      [7, 60_000],
      [8, 60_000],
    ]);
    expect(places(fork)).toEqual([
      [6, 0],
      [6, 0],
      [6, 60_000],
      [7, 60_000],
    ]);
  });

  it("can be written, read and decided again, and goes on from the file as it goes on itself", async () => {
    const { fork } = await eventfulLibrary().rewrite([{ drop: 7 }, { delay: 8, by: "2m" }]);
    const read = replay(fork.log.toNdjson());
    expect(shown(read)).toEqual(shown(fork));
    expect(await rehearse(fork.log.toNdjson())).toEqual({ ok: true });
    for (const each of [fork, read]) {
      each.clock.advance("2h");
      borrow(each, "ann");
      each.secrets.cluster("main").createToken({ policies: ["default"] });
    }
    expect(shown(read)).toEqual(shown(fork));
    expect(await rehearse(fork.log.toNdjson())).toEqual({ ok: true });
  });

  it("forks from anywhere, and each fork draws from streams of its own", async () => {
    const { fork } = await eventfulLibrary().rewrite([{ drop: 7 }]);
    for (const place of [0, 5, 9, fork.position]) {
      const other = fork.fork(place);
      other.secrets.cluster("main").createToken({ policies: ["default"] });
      expect(new Set(streams(other)).size).toBe(other.position);
      expect(await rehearse(other.log.toNdjson())).toEqual({ ok: true });
    }
  });

  it("can be rewritten again and again: only what each edit changes is reported, and no stream is drawn from twice", async () => {
    let sim = eventfulLibrary();
    for (let time = 0; time < 4; time++) {
      sim.secrets.cluster("main").createToken({ policies: ["default"] });
      const idle = await sim.rewrite([{ replace: 1, input: sim.log.commits()[0]?.command.input }]);
      expect(idle.changed).toEqual([]);
      expect(idle.fork.stateHash()).toBe(sim.stateHash());
      sim = (await sim.rewrite([{ drop: 7 }])).fork;
      borrow(sim, "ann", "1m");
      sim.clock.advance("2m");
      expect(new Set(streams(sim)).size).toBe(sim.position);
      expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
    }
  });

  it("gives a timer that fires anew the stream of none that fired before", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    borrow(sim, "bob", "20m");
    sim.clock.advance("1h");
    // Both end half a minute later than they did: nobody has drawn for these timers yet.
    const { fork } = await sim.rewrite([
      { delay: 7, by: "30s" },
      { delay: 8, by: "30s" },
    ]);
    expect(streams(fork).slice(OPENED)).toEqual(["7", "8", "~9", "~10"]);
    expect(passwordOf(fork, "svc-a")).not.toBe(passwordOf(sim, "svc-a"));
  });

  it("gives no timer to come the stream of one that fired in the original at that instant, and does not any more", async () => {
    const sim = openLibrary();
    const { lease } = borrow(sim, "ann");
    as(sim, "ann").leases.revoke({ lease_id: lease, sync: false });
    const { fork } = await sim.rewrite([{ drop: 8 }]);
    const read = replay(fork.log.toNdjson());
    for (const each of [fork, read]) as(each, "ann").leases.revoke({ lease_id: lease, sync: false });
    expect(streams(fork).slice(OPENED)).toEqual(["7", "~8", "~9"]);
    expect(shown(read)).toEqual(shown(fork));
  });

  const edits = fc.array(
    fc.record({
      kind: fc.constantFrom("drop", "delay", "move", "replace"),
      at: fc.nat(),
      to: fc.nat(),
      by: fc.nat({ max: 600_000 }),
    }),
    { minLength: 1, maxLength: 4 },
  );

  function editsOf(sim: Simulator, wanted: readonly { kind: string; at: number; to: number; by: number }[]): Edit[] {
    const asked = sim.log.commits().filter(({ command }) => command.via !== "timer");
    return wanted.map(({ kind, at, to, by }) => {
      const { position = 1, command } = asked[at % asked.length] ?? {};
      if (kind === "drop") return { drop: position };
      if (kind === "delay") return { delay: position, by };
      if (kind === "move") return { move: position, to: 1 + (to % sim.position) };
      return { replace: position, input: command?.input };
    });
  }

  property([stories(25), edits, stories(10), edits], runs(40))(
    "by any edits, and by more after that, replays, rehearses, and draws from no stream twice",
    async (past, some, story, more) => {
      const sim = lived(past);
      const before = shown(sim);
      const { fork } = await sim.rewrite(editsOf(sim, some));
      for (const action of story) perform(fork, action);
      const again = (await fork.rewrite(editsOf(fork, more))).fork;
      const read = replay(again.log.toNdjson());
      for (const action of story) expect(perform(read, action)).toEqual(perform(again, action));
      for (const each of [fork, again]) {
        expect(new Set(streams(each)).size).toBe(each.position);
        expect(await rehearse(each.log.toNdjson())).toEqual({ ok: true });
      }
      expect(shown(read)).toEqual(shown(again));
      expect(shown(sim)).toEqual(before);
    },
  );

  property([stories(30)], runs(20))("with every command replaced by itself is the same past", async (past) => {
    const sim = lived(past);
    const asked = sim.log.commits().filter(({ command }) => command.via !== "timer");
    const { fork, changed } = await sim.rewrite(
      asked.map(({ position, command: { input } }) => ({ replace: position, input })),
    );
    expect(changed).toEqual([]);
    expect(fork.log.commits()).toEqual(sim.log.commits());
    expect(fork.stateHash()).toBe(sim.stateHash());
    expect(as(fork, "ann")).toBeDefined();
  });
});
