import { describe, expect, it } from "vitest";
import { type Difference, type Explanation, format, type Simulator } from "../../src/index.ts";
import { borrow, eventfulLibrary, giveBack, openLibrary } from "./support/library.ts";

const LIBRARY = 'secrets.main.replicated.mounts["ldap/"].library';

/** Without what is drawn, which is long and says nothing here. */
const plainly = (text: string): string => text.replace(/(?=[A-Za-z]*\d)[A-Za-z0-9]{24,}/g, "...");

describe("a difference as text", () => {
  it("is a path with its two sides; a side with nothing is left out", () => {
    const found: Difference[] = [
      { path: `${LIBRARY}.accounts["svc-a"].status`, before: "available", after: "checked_out" },
      { path: 'secrets.main.local.leases["a"]', before: undefined, after: { status: "live", renewable: true } },
      { path: "directory.failures[0]", before: { count: 1 }, after: undefined },
      { path: 'secrets.main.local.tokens["ann"].meta', before: null, after: { note: "" } },
    ];
    expect(format(found)).toMatchInlineSnapshot(`
      "secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].status
        - "available"
        + "checked_out"
      secrets.main.local.leases["a"]
        + {"status":"live","renewable":true}
      directory.failures[0]
        - {"count":1}
      secrets.main.local.tokens["ann"].meta
        - null
        + {"note":""}"
    `);
  });

  it("says so when there is none", () => {
    expect(format([])).toBe("no difference");
  });

  it("calls the whole by a name", () => {
    expect(format([{ path: "", before: 1, after: 2 }])).toBe("(everything)\n  - 1\n  + 2");
  });

  it("cuts long values, not in the middle of a character, and keeps each on its line", () => {
    const text = (value: unknown): string =>
      format([{ path: "a", before: undefined, after: value }]).slice("a\n  + ".length);
    expect(text("x".repeat(118))).toBe(JSON.stringify("x".repeat(118)));
    expect(text("x".repeat(119))).toBe(`"${"x".repeat(116)}...`);
    expect(text(`${"x".repeat(115)}🔑🔑🔑`)).toBe(`"${"x".repeat(115)}...`);
    expect(text(`${"x".repeat(114)}🔑🔑🔑`)).toBe(`"${"x".repeat(114)}🔑...`);
    expect(text("two\nlines")).toBe('"two\\nlines"');
    expect(text(Array.from({ length: 1_000 }, (_, item) => item)).length).toBe(120);
  });

  it("shows where long values part, however far behind that is", () => {
    const text = (before: unknown, after: unknown): string => format([{ path: "a", before, after }]);
    const common = "x".repeat(200);
    expect(text(`${common}1 and on`, `${common}2`)).toBe(
      `a\n  - ...${"x".repeat(20)}1 and on"\n  + ...${"x".repeat(20)}2"`,
    );
    expect(text(common, `${common}, and more`)).toBe(
      `a\n  - ...${"x".repeat(20)}"\n  + ...${"x".repeat(20)}, and more"`,
    );
    expect(text(`${common}${"y".repeat(200)}`, common).split("\n")[1]).toHaveLength("  - ".length + 120);
    // What begins in the middle of a character begins behind it.
    expect(text(`${"🔑".repeat(100)}1`, `${"🔑".repeat(100)}2`)).toBe(
      `a\n  - ...${"🔑".repeat(10)}1"\n  + ...${"🔑".repeat(10)}2"`,
    );
    expect(text(`${"🔑".repeat(100)}x1`, `${"🔑".repeat(100)}x2`)).toBe(
      `a\n  - ...${"🔑".repeat(9)}x1"\n  + ...${"🔑".repeat(9)}x2"`,
    );
  });

  it("of a loan reads as one", () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    expect(plainly(format(sim.diff(6, 7)))).toMatchInlineSnapshot(`
      "secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].status
        - "available"
        + "checked_out"
      secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].borrower
        + {"tokenHash":"...","entityId":"ann"}
      secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].lease
        + "ldap/library/ops/check-out/..."
      secrets.main.replicated.mounts["ldap/"].library.shelves["ops"].available["000000"]
        - 3
        + 2
      secrets.main.replicated.mounts["ldap/"].library.shelves["ops"].loans["\\"ann\\" 000000"]
        + 1
      secrets.main.local.leases["ldap/library/ops/check-out/..."]
        + {"status":"live","engine":{"mount":"ldap/"},"token":"ann","grant":{"type":"checkOut","set":"ops","account":"svc-a"},"...
      secrets.main.local.leasesByToken["ann/0000000007...."]
        + "ldap/library/ops/check-out/..."
      secrets.main.local.calendar["001767226200000.0000000007.000000000"]
        + {"command":"timer.leaseRevocation","input":{"lease":"ldap/library/ops/check-out/..."}}
      secrets.main.ignored.walIndex
        - 4
        + 5"
    `);
  });
});

describe("an explanation as text", () => {
  it("of a check-out", () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    expect(plainly(format(sim.explain(7)))).toMatchInlineSnapshot(`
      "#7 at 2026-01-01T00:00:00Z: secrets.library.checkOut
      route     POST /v1/:mount/library/**:set_name/check-out
      evidence  observed
      caller    {"cluster":"main","token":"ann"}
      chart     library-account: checkOut from "available" to "checked_out": Somebody borrows it.
      fact      ServiceAccountCheckedOut {"at":{"cluster":"main","mount":"ldap/"},"account":"svc-a","status":"checked_out","borrower":{"tokenHash":"d496ec0965...
      fact      LeaseIssued {"cluster":"main","lease":"ldap/library/ops/check-out/...","engine":{"mount":"ldap/"},"token":"a...
      changed   secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].status
                - "available"
                + "checked_out"
      changed   secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].borrower
                + {"tokenHash":"...","entityId":"ann"}
      changed   secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].lease
                + "ldap/library/ops/check-out/..."
      changed   secrets.main.replicated.mounts["ldap/"].library.shelves["ops"].available["000000"]
                - 3
                + 2
      changed   secrets.main.replicated.mounts["ldap/"].library.shelves["ops"].loans["\\"ann\\" 000000"]
                + 1
      changed   secrets.main.local.leases["ldap/library/ops/check-out/..."]
                + {"status":"live","engine":{"mount":"ldap/"},"token":"ann","grant":{"type":"checkOut","set":"ops","account":"svc-a"},"...
      changed   secrets.main.local.leasesByToken["ann/0000000007...."]
                + "ldap/library/ops/check-out/..."
      changed   secrets.main.local.calendar["001767226200000.0000000007.000000000"]
                + {"command":"timer.leaseRevocation","input":{"lease":"ldap/library/ops/check-out/..."}}
      changed   secrets.main.ignored.walIndex
                - 4
                + 5
      answer    {"lease_id":"ldap/library/ops/check-out/...","renewable":true,"lease_duration":600,"data":{"serv..."
    `);
  });

  it("of a timer", () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("10m");
    expect(plainly(format(sim.explain(8)))).toMatchInlineSnapshot(`
      "#8 at 2026-01-01T00:10:00Z: timer.leaseRevocation
      caller    {"cluster":"main","part":"local"}
      armed     by #7
      chart     library-loan: end from "lent" to "returned": The account is taken back.
      chart     library-account: takeBack from "checked_out" to "available": Its lease ends, and nobody is asked.
      chart     lease: end from "live" to "ended": Its time is over, or it is revoked.
      fact      DirectoryPasswordChanged {"entry":"cn=svc-a,dc=example","attributes":[{"name":"userPassword","values":["......
      fact      ServiceAccountCheckedIn {"at":{"cluster":"main","mount":"ldap/"},"account":"svc-a","status":"available","password":"......
      fact      LeaseEnded {"cluster":"main","lease":"ldap/library/ops/check-out/..."}
      changed   secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].status
                - "checked_out"
                + "available"
      changed   secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].password
                - "..."
                + "..."
      changed   secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].borrower
                - {"tokenHash":"...","entityId":"ann"}
      changed   secrets.main.replicated.mounts["ldap/"].library.accounts["svc-a"].lease
                - "ldap/library/ops/check-out/..."
      changed   secrets.main.replicated.mounts["ldap/"].library.shelves["ops"].available["000000"]
                - 2
                + 3
      changed   secrets.main.replicated.mounts["ldap/"].library.shelves["ops"].loans["\\"ann\\" 000000"]
                - 1
      changed   secrets.main.local.leases["ldap/library/ops/check-out/..."]
                - {"status":"live","engine":{"mount":"ldap/"},"token":"ann","grant":{"type":"checkOut","set":"ops","account":"svc-a"},"...
      changed   secrets.main.local.leasesByToken["ann/0000000007...."]
                - "ldap/library/ops/check-out/..."
      changed   secrets.main.local.calendar["001767226200000.0000000007.000000000"]
                - {"command":"timer.leaseRevocation","input":{"lease":"ldap/library/ops/check-out/..."}}
      changed   secrets.main.ignored.walIndex
                - 5
                + 6
      changed   directory.entries["cn=svc-a,dc=example"].attributes.userpassword.values[0]
                - "..."
                + "...""
    `);
  });

  it("of a control call", () => {
    expect(plainly(format(openLibrary().explain(3)))).toMatchInlineSnapshot(`
      "#3 at 2026-01-01T00:00:00Z: control.createToken
      caller    {"cluster":"main"}
      fact      TokenCreated {"cluster":"main","token":"ann","record":{"accessor":"...","type":"service","policies":["root"],...
      changed   secrets.main.local.tokens["ann"]
                + {"accessor":"...","type":"service","policies":["root"],"entityId":"ann","displayName":"token","m...
      changed   secrets.main.local.tokensByAccessor[" ..."]
                + "ann"
      changed   secrets.main.ignored.walIndex
                - 0
                + 1
      answer    {"token":"ann","accessor":"..."}"
    `);
  });

  it("of a read", async () => {
    const sim = openLibrary();
    const response = await sim.fetch("https://secrets-main.test/v1/ldap/library/ops", {
      headers: { "X-Secrets-Token": "ann" },
    });
    expect(format(sim.explain(response)).replace(/"request_id":"[^"]+"/, '"request_id":"..."')).toMatchInlineSnapshot(`
      "#6 at 2026-01-01T00:00:00Z: secrets.library.read
      route     GET /v1/:mount/library/**:set_name
      evidence  observed
      caller    {"cluster":"main","token":"ann"}
      answer    {"request_id":"...","lease_id":"","renewable":false,"lease_duration":0,"data":{"serv..."
    `);
  });

  it("of a refusal by a chart", async () => {
    const sim = openLibrary();
    const { account } = borrow(sim, "ann");
    const asked = async (path: string, body: object) => {
      const url = `${sim.secrets.cluster("main").url}/v1/${path}`;
      const headers = { "X-Secrets-Token": "bob" };
      const response = await sim.fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      return format(sim.explain(response))
        .split("\n")
        .filter((line) => line.startsWith("chart"));
    };
    expect(await asked("ldap/library/ops/check-in", { service_account_names: [account] })).toEqual([
      "chart     library-account: checkIn refused by mayCallerReturn in checked_out: callerMayReturn is false. " +
        "Somebody has the account.",
    ]);
    expect(await asked("sys/unseal", { reset: true })).toEqual([
      "chart     seal: reset refused: unsealed has no such move. The cluster answers.",
    ]);
  });

  it("of nothing but a place", () => {
    const bare: Explanation = { ...openLibrary().explain(1), moves: [], events: [], changes: [] };
    const { operation: _, caller: __, answer: ___, ...least } = bare;
    expect(format(least)).toBe("#1 at 2026-01-01T00:00:00Z: no operation");
  });

  it("never says undefined, whatever is explained", () => {
    const everything = (sim: Simulator): string[] => [
      ...sim.log.commits().map(({ position }) => format(sim.explain(position))),
      ...sim.log.commits().map(({ position }) => format(sim.diff(position - 1, position))),
      format(sim.diff(0, sim.position)),
      format(sim.diff(sim.position, 0)),
    ];
    const sim = eventfulLibrary();
    giveBack(sim, "bob");
    for (const text of everything(sim)) {
      expect(text).not.toMatch(/undefined|\[object/);
      expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(260);
    }
  });
});
