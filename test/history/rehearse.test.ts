import { describe, expect, it } from "vitest";
import { type Rehearsal, rehearse } from "../../src/index.ts";
import { as, borrow, eventfulLibrary, giveBack, OPENED, openLibrary, told } from "./support/library.ts";
import { longLife } from "./support/lives.ts";
import { type LoggedCommit, linesOf, withCommits, withEnd } from "./support/log-text.ts";

/** Ann borrows svc-a for ten minutes and forgets it; then Bob borrows, and gets the same account. */
function forgottenLoan(): string {
  const sim = openLibrary();
  borrow(sim, "ann", "10m");
  sim.clock.advance("1h");
  borrow(sim, "bob");
  expect(told(sim).slice(OPENED)).toEqual(["7 library.checkOut", "8 timer.leaseRevocation", "9 library.checkOut"]);
  return sim.log.toNdjson();
}

const changed = (position: number, change: (commit: LoggedCommit) => LoggedCommit): string =>
  withCommits(forgottenLoan(), (commits) =>
    commits.map((commit) => (commit.position === position ? change(commit) : commit)),
  );

async function divergence(text: string): Promise<Exclude<Rehearsal, { ok: true }>> {
  const rehearsal = await rehearse(text);
  return rehearsal.ok ? expect.fail("nothing differs") : rehearsal;
}

const types = ({ events }: { readonly events: readonly { readonly type: string }[] }): string[] =>
  events.map(({ type }) => type);

const TAKEN_BACK = ["DirectoryPasswordChanged", "ServiceAccountCheckedIn", "LeaseEnded"];
const BORROWED = ["ServiceAccountCheckedOut", "LeaseIssued"];

describe("a rehearsal", () => {
  it.each([
    ["nothing", () => openLibrary().fork(0)],
    ["a bit of everything", () => eventfulLibrary()],
    ["a life at random", () => longLife(5, 20)],
    ["a thousand commits", () => longLife(6, 100)],
    ["a quirk", () => eventfulLibrary({ secrets: { quirks: ["check-in-keeps-lease"] } })],
    ["the end of time", () => openLibrary({ startAt: "9999-12-31T23:59:59.999Z" })],
  ])("of a log that was just written comes to the same facts: %s", async (_, live) => {
    expect(await rehearse(live().log.toNdjson())).toEqual({ ok: true });
  });

  it("reads a log in pieces, too", async () => {
    expect(await rehearse(eventfulLibrary().log.lines())).toEqual({ ok: true });
  });

  it("of a rewritten past draws what was drawn", async () => {
    const { fork } = await eventfulLibrary().rewrite([{ drop: 7 }]);
    borrow(fork, "ann");
    expect(fork.log.commits().some(({ command }) => command.stream !== undefined)).toBe(true);
    expect(await rehearse(fork.log.toNdjson())).toEqual({ ok: true });
  });

  it("does not mind in which order the members of a fact stand", async () => {
    const text = changed(7, (commit) => ({
      ...commit,
      events: commit.events.map(({ type, v, data }) => ({
        data: Object.fromEntries(Object.entries(data).reverse()),
        v,
        type,
      })),
    }));
    expect(await rehearse(text)).toEqual({ ok: true });
  });
});

describe("the first divergence is reported:", () => {
  it("a fact that says something else, with its path and both values", async () => {
    const text = changed(7, (commit) => ({
      ...commit,
      events: commit.events.map((event) =>
        event.type === "LeaseIssued" ? { ...event, data: { ...event.data, renewable: false } } : event,
      ),
    }));
    const { position, expected, actual, why } = await divergence(text);
    expect(position).toBe(7);
    expect(why).toBe("what it leaves now differs from the log:\nevents[1].data.renewable\n  - false\n  + true");
    expect([types(expected), types(actual)]).toEqual([BORROWED, BORROWED]);
    expect(expected.events[1]?.data).toMatchObject({ renewable: false });
    expect(actual.events[1]?.data).toMatchObject({ renewable: true });
  });

  it("a member that a fact did not have", async () => {
    const text = changed(7, (commit) => ({
      ...commit,
      events: commit.events.map(({ type, v, data: { account: _, ...data } }) => ({ type, v, data })),
    }));
    expect((await divergence(text)).why).toBe(
      'what it leaves now differs from the log:\nevents[0].data.account\n  + "svc-a"',
    );
  });

  it("a fact that has little in common with what it was: a few differences, and how many more", async () => {
    const text = changed(7, (commit) => ({
      ...commit,
      events: commit.events.map(({ type, v }) => ({ type, v, data: {} })),
    }));
    const told = (await divergence(text)).why.split("\n");
    expect(told.slice(0, 4)).toEqual([
      "what it leaves now differs from the log:",
      "events[0].data.at",
      '  + {"cluster":"main","mount":"ldap/"}',
      "events[0].data.account",
    ]);
    expect(told.at(-1)).toMatch(/^and \d+ more$/);
    expect(told).toHaveLength(12);
  });

  it("other facts than there were", async () => {
    const text = changed(7, (commit) => ({ ...commit, events: commit.events.slice(0, 1) }));
    const { position, why } = await divergence(text);
    expect({ position, why }).toEqual({
      position: 7,
      why: "the log has ServiceAccountCheckedOut; decided now: ServiceAccountCheckedOut, LeaseIssued",
    });
  });

  it("no facts where there are some now", async () => {
    const text = changed(8, (commit) => ({ ...commit, events: [] }));
    const { why, expected } = await divergence(text);
    expect(why).toBe(
      "the log has no facts; decided now: DirectoryPasswordChanged, ServiceAccountCheckedIn, LeaseEnded",
    );
    expect(expected).toEqual({ events: [] });
  });

  it("an answer that was an error and is none", async () => {
    const { position, expected, actual, why } = await divergence(
      changed(9, (commit) => ({ ...commit, failed: "no_account_available" })),
    );
    expect({ position, why }).toEqual({
      position: 9,
      why: 'what it leaves now differs from the log:\nfailed\n  - "no_account_available"',
    });
    expect([expected.failed, actual.failed]).toEqual(["no_account_available", undefined]);
  });

  it("a command that is refused now", async () => {
    const text = changed(9, (commit) => ({
      ...commit,
      command: { ...commit.command, input: { set_name: "others" } },
    }));
    const { position, expected, actual, why } = await divergence(text);
    expect({ position, why }).toEqual({ position: 9, why: "it is refused with set_not_found" });
    expect([types(expected), types(actual)]).toEqual([BORROWED, []]);
  });

  it("a command that leaves nothing now", async () => {
    const text = changed(9, (commit) => ({
      ...commit,
      command: { ...commit.command, name: "secrets.library.checkIn" },
    }));
    expect((await divergence(text)).why).toBe("it is done without leaving anything");
  });

  it("a command that nobody decides any more, or that takes another input now", async () => {
    const gone = changed(4, (commit) => ({ ...commit, command: { ...commit.command, name: "control.createMoon" } }));
    expect(await divergence(gone)).toMatchObject({
      position: 4,
      why: "it is no longer decided: control.createMoon is no command",
    });
    const other = changed(4, (commit) => ({ ...commit, command: { ...commit.command, input: { policies: "root" } } }));
    expect(await divergence(other)).toMatchObject({
      position: 4,
      actual: { events: [] },
      why: 'it is no longer decided: createToken: policies is "root": policies are an array of names',
    });
  });

  it("a timer's commit that is missing, with what the timer leaves now", async () => {
    const text = withCommits(forgottenLoan(), (commits) => commits.filter(({ position }) => position !== 8));
    const { position, expected, actual, why } = await divergence(text);
    expect({ position, why }).toEqual({
      position: 8,
      why: "timer.leaseRevocation is due first, and the log has secrets.library.checkOut",
    });
    expect([types(expected), types(actual)]).toEqual([BORROWED, TAKEN_BACK]);
  });

  it("a timer's commit that is missing at the end", async () => {
    const text = withCommits(forgottenLoan(), (commits) => commits.slice(0, 7));
    const { position, expected, actual, why } = await divergence(text);
    expect({ position, why }).toEqual({
      position: 8,
      why: "timer.leaseRevocation is due before the log's end, and the log has no commit for it",
    });
    expect([types(expected), types(actual)]).toEqual([[], TAKEN_BACK]);
  });

  it("a timer's commit at the very instant of the end that is missing", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("10m");
    const text = withCommits(sim.log.toNdjson(), (commits) => commits.slice(0, 7));
    expect(await divergence(text)).toMatchObject({ position: 8 });
  });

  it("a timer's commit that is one too many", async () => {
    const text = withCommits(forgottenLoan(), (commits) => [...commits.slice(0, 8), ...commits.slice(7)]);
    const { position, expected, why } = await divergence(text);
    expect({ position, why }).toEqual({
      position: 9,
      why: "the log has timer.leaseRevocation, and no such deadline is due",
    });
    expect(types(expected)).toEqual(TAKEN_BACK);
  });

  it("a timer that fired too early", async () => {
    const text = changed(8, (commit) => ({ ...commit, atMs: commit.atMs - 1 }));
    expect(await divergence(text)).toMatchObject({
      position: 8,
      why: "the log has timer.leaseRevocation, and no such deadline is due",
    });
  });

  it("another timer at the same deadline", async () => {
    const text = changed(8, (commit) => ({ ...commit, command: { ...commit.command, name: "timer.tokenExpiry" } }));
    expect(await divergence(text)).toMatchObject({
      position: 8,
      why: "timer.leaseRevocation is due first, and the log has timer.tokenExpiry",
    });
  });

  it("timers that fired in another order", async () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    borrow(sim, "bob", "10m");
    sim.clock.advance("10m");
    const text = withCommits(sim.log.toNdjson(), (commits) => {
      const [first, second] = commits.splice(-2, 2);
      return [...commits, ...[second, first].filter((commit) => commit !== undefined)];
    });
    expect(await divergence(text)).toMatchObject({
      position: 9,
      why: "another timer.leaseRevocation is due first, and the log has timer.leaseRevocation",
    });
  });

  it("and none after it", async () => {
    const text = withCommits(forgottenLoan(), (commits) =>
      commits.map((commit) => (commit.position >= 7 ? { ...commit, events: [] } : commit)),
    );
    expect((await divergence(text)).position).toBe(7);
  });
});

describe("what a commit made due at its own instant may wait as long as the clock stands still:", () => {
  /** Ann borrows, and asks for the end of her loan right after the answer. */
  function queued() {
    const sim = openLibrary();
    const { lease } = borrow(sim, "ann");
    as(sim, "ann").leases.revoke({ lease_id: lease, sync: false });
    expect(told(sim).slice(OPENED)).toEqual(["7 library.checkOut", "8 leases.revoke", "9 timer.leaseRevocation"]);
    return sim;
  }

  it("in a fork from between the two", async () => {
    expect(await rehearse(queued().fork(8).log.toNdjson())).toEqual({ ok: true });
  });

  it("in such a fork that goes on", async () => {
    const fork = queued().fork(8);
    borrow(fork, "bob");
    fork.clock.advance("1m");
    giveBack(fork, "bob");
    expect(told(fork).slice(8)).toEqual(["9 library.checkOut", "10 timer.leaseRevocation", "11 library.checkIn"]);
    expect(await rehearse(fork.log.toNdjson())).toEqual({ ok: true });
  });

  it("but not when it has moved on", async () => {
    const text = queued().fork(8).log.toNdjson();
    expect(linesOf(text)).toHaveLength(10);
    const later = withEnd(text, { now: "2026-01-01T00:00:00.001Z" });
    expect(await divergence(later)).toMatchObject({ position: 9 });
  });
});
