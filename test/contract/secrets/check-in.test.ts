import { describe, expect, it } from "vitest";
import { type Answer, doors, type Fields } from "../driver.ts";
import { expectData, expectEnvelope, expectNothingChanged, expectRefused } from "../expectations.ts";
import { dnOf, type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-directory.md, 7, "Check-in".

const ops = { set_name: "ops" };

/** Five accounts in `ops`: two of Ann, one of Bob, one of the entity that both tokens of Eve have, and one that is free. */
interface Lent extends LibraryWorld {
  readonly ann: string;
  readonly bob: string;
  /** Borrowed nothing. */
  readonly stranger: string;
  /** Two tokens of one entity; the first has the account. */
  readonly eves: readonly [string, string];
}

function lent(settings: Fields = {}): Lent {
  const world = libraryWorld();
  world.set("ops", ["svc-1", "svc-2", "svc-3", "svc-4", "svc-5"], settings);
  const [ann, bob, stranger] = [world.token(), world.token(), world.token()];
  const eves = [world.token({ entityId: "eve" }), world.token({ entityId: "eve" })] as const;
  for (const borrower of [ann, ann, bob, eves[0]]) world.lend("ops", borrower);
  return { ...world, ann, bob, stranger, eves };
}

type CheckIn = "library.checkIn" | "library.forceCheckIn";

function checkIns(answer: Answer): unknown {
  const { data, lease_id, lease_duration, renewable } = expectEnvelope(answer);
  expect({ lease_id, lease_duration, renewable }).toEqual({ lease_id: "", lease_duration: 0, renewable: false });
  expect(Object.keys(data as object)).toEqual(["check_ins"]);
  return (data as { check_ins: unknown }).check_ins;
}

describe.each(doors())("a check-in with names through %s", (_, { open }) => {
  it.each<[spelling: string, names: unknown, checkedIn: readonly string[]]>([
    ["an array", ["svc-2", "svc-1"], ["svc-2", "svc-1"]],
    ["one name", "svc-1", ["svc-1"]],
    ["names with commas", "svc-2, svc-1", ["svc-2", "svc-1"]],
    ["a name twice, which counts once", ["svc-1", "svc-1"], ["svc-1"]],
  ])("takes %s, and tells what came back in the order of the request", async (__, names, checkedIn) => {
    const { sim, ann, available } = lent();
    const answer = await open(sim).call("library.checkIn", { ...ops, service_account_names: names }, { token: ann });
    expect(checkIns(answer)).toEqual(checkedIn);
    expect(available("ops")).toEqual([...checkedIn, "svc-5"].sort());
  });

  it("by somebody else is refused", async () => {
    const { sim, ann } = lent();
    await expectNothingChanged(sim, async () => {
      const asked = { ...ops, service_account_names: ["svc-3"] };
      expectRefused(await open(sim).call("library.checkIn", asked, { token: ann }), 400, `"svc-3" can't be checked in`);
    });
  });

  it("is all or nothing: one account of somebody else's keeps the caller's own checked out", async () => {
    const { sim, ann } = lent();
    const door = open(sim);
    await expectNothingChanged(sim, async () => {
      const asked = { ...ops, service_account_names: ["svc-1", "svc-3", "svc-2"] };
      expectRefused(await door.call("library.checkIn", asked, { token: ann }), 400, `"svc-3" can't be checked in`);
    });
  });

  it("of an account that is available succeeds for whoever may check in, and leaves it out", async () => {
    const { sim, stranger, ann } = lent();
    const door = open(sim);
    await expectNothingChanged(sim, async () => {
      const asked = { ...ops, service_account_names: ["svc-5"] };
      expect(checkIns(await door.call("library.checkIn", asked, { token: stranger }))).toEqual([]);
    });
    const asked = { ...ops, service_account_names: ["svc-5", "svc-2"] };
    expect(checkIns(await door.call("library.checkIn", asked, { token: ann }))).toEqual(["svc-2"]);
  });

  it.each<[rule: string, names: readonly string[]]>([
    ["a name that is nobody's", ["nobody"]],
    ["a name of another set", ["other-1"]],
    ["a name in another case", ["SVC-1"]],
    ["an empty name", [""]],
    ["a second name that is nobody's", ["svc-1", "nobody"]],
    ["a name that is an object's member", ["constructor"]],
  ])("%s is not found, on either path, and nothing is checked in", async (__, names) => {
    const { sim, set, ann } = lent();
    sim.directory.addEntry(dnOf("other-1"), { cn: "other-1" });
    set("other", ["other-1"]);
    const door = open(sim);
    for (const operation of ["library.checkIn", "library.forceCheckIn"] as const) {
      await expectNothingChanged(sim, async () => {
        const answer = await door.call(operation, { ...ops, service_account_names: names }, { token: ann });
        expectRefused(answer, 500, "1 error occurred:\n\t* ", "not found");
      });
    }
  });

  it("looks names up in their order: whichever is wrong first is told", async () => {
    const { sim, ann } = lent();
    const door = open(sim);
    const call = (names: string): Promise<Answer> =>
      door.call("library.checkIn", { ...ops, service_account_names: names }, { token: ann });
    expectRefused(await call("svc-3,nobody"), 400, "can't be checked in");
    expectRefused(await call("nobody,svc-3"), 500, "not found");
  });

  it.each([[{ a: 1 }], [[["svc-1"]]], [[null]]])("%j is no list of names", async (names) => {
    const { sim, ann } = lent();
    const answer = await open(sim).call("library.checkIn", { ...ops, service_account_names: names }, { token: ann });
    expectRefused(answer, 400, "Field validation failed", "service_account_names");
  });
});

describe.each(doors())("who may check in, through %s", (_, { open }) => {
  const rows: readonly (readonly [
    rule: string,
    operation: CheckIn,
    settings: Fields,
    who: keyof Lent,
    allowed: boolean,
  ])[] = [
    ["the token that borrowed", "library.checkIn", {}, "bob", true],
    ["another token", "library.checkIn", {}, "ann", false],
    ["the root token, which is not the borrower", "library.checkIn", {}, "root", false],
    ["anybody where the set does not enforce", "library.checkIn", { disable_check_in_enforcement: true }, "ann", true],
    ["anybody on the manage path", "library.forceCheckIn", {}, "ann", true],
  ];
  it.each(rows)("%s", async (_rule, operation, settings, who, allowed) => {
    const world = lent(settings);
    const token = world[who] as string;
    const asked = { ...ops, service_account_names: ["svc-3"] };
    const answer = await open(world.sim).call(operation, asked, { token });
    if (allowed) expect(checkIns(answer)).toEqual(["svc-3"]);
    else expectRefused(answer, 400, "can't be checked in");
  });

  it("another token of the borrower's entity", async () => {
    const { sim, eves } = lent();
    const asked = { ...ops, service_account_names: ["svc-4"] };
    const answer = await open(sim).call("library.checkIn", asked, { token: eves[1] });
    expect(checkIns(answer)).toEqual(["svc-4"]);
  });

  it("another token of the borrower's entity, without a name", async () => {
    const { sim, eves } = lent();
    expect(checkIns(await open(sim).call("library.checkIn", ops, { token: eves[1] }))).toEqual(["svc-4"]);
  });

  it("two tokens without an entity are two borrowers", async () => {
    const { sim, ann } = lent();
    const asked = { ...ops, service_account_names: ["svc-3"] };
    expectRefused(await open(sim).call("library.checkIn", asked, { token: ann }), 400, "can't be checked in");
  });

  it.each(["", "null", "svc", '"', " ", "\u0000", "constructor", "__proto__", "a b", "\ud800"])(
    "the entity %j is one borrower like any other",
    async (entityId) => {
      const { sim, set, token, lend } = libraryWorld();
      set("ops", ["svc-1", "svc-2"]);
      const [first, second, stranger] = [
        token({ entityId }),
        token({ entityId }),
        token({ entityId: `${entityId} x` }),
      ];
      lend("ops", first);
      lend("ops", stranger);
      const door = open(sim);
      const mine = await door.call("library.checkIn", ops, { token: second });
      expect(checkIns(mine)).toEqual(entityId === "" ? [] : ["svc-1"]);
    },
  );
});

describe.each(doors())("a check-in without names through %s", (_, { open }) => {
  it.each<[given: string, fields: Fields]>([
    ["absent", {}],
    ["null", { service_account_names: null }],
    ["an empty array", { service_account_names: [] }],
    ["an empty text", { service_account_names: "" }],
  ])("is one whose names are %s", async (__, fields) => {
    const { sim, bob } = lent();
    expect(checkIns(await open(sim).call("library.checkIn", { ...ops, ...fields }, { token: bob }))).toEqual(["svc-3"]);
  });

  it("of a caller who has none succeeds with none", async () => {
    const { sim, stranger } = lent();
    await expectNothingChanged(sim, async () => {
      expect(checkIns(await open(sim).call("library.checkIn", ops, { token: stranger }))).toEqual([]);
    });
  });

  it("counts only accounts that the caller may check in: one own and foreign ones is one", async () => {
    const { sim, bob, available } = lent();
    expect(checkIns(await open(sim).call("library.checkIn", ops, { token: bob }))).toEqual(["svc-3"]);
    expect(available("ops")).toEqual(["svc-3", "svc-5"]);
  });

  it("of a caller who has two is refused", async () => {
    const { sim, ann } = lent();
    await expectNothingChanged(sim, async () => {
      const answer = await open(sim).call("library.checkIn", ops, { token: ann });
      expectRefused(answer, 400, "when multiple service accounts are checked out");
    });
  });

  it.each<[rule: string, operation: CheckIn, settings: Fields]>([
    ["on the manage path", "library.forceCheckIn", {}],
    ["where the set does not enforce", "library.checkIn", { disable_check_in_enforcement: true }],
  ])("counts all checked-out accounts %s", async (__, operation, settings) => {
    const { sim, stranger, root } = lent(settings);
    const door = open(sim);
    const call = (): Promise<Answer> => door.call(operation, ops, { token: stranger });
    expectRefused(await call(), 400, "when multiple service accounts are checked out");
    const manager = sim.secrets.cluster("main").as(root).library;
    manager.forceCheckIn({ ...ops, service_account_names: ["svc-1", "svc-2", "svc-3"] });
    expect(checkIns(await call())).toEqual(["svc-4"]);
    expect(checkIns(await call())).toEqual([]);
  });

  it("counts accounts of this set only", async () => {
    const { sim, set, ann, lend } = lent();
    sim.directory.addEntry(dnOf("other-1"), { cn: "other-1" });
    set("op", ["other-1"]);
    lend("op", ann);
    expect(checkIns(await open(sim).call("library.checkIn", { set_name: "op" }, { token: ann }))).toEqual(["other-1"]);
  });
});

describe.each(doors())("what a check-in does, through %s", (_, { open }) => {
  it("rotates the password of each account, and of no other", async () => {
    const { sim, ann, password } = lent();
    const before = ["svc-1", "svc-2", "svc-3", "svc-5"].map(password);
    const asked = { ...ops, service_account_names: ["svc-1", "svc-2", "svc-5"] };
    checkIns(await open(sim).call("library.checkIn", asked, { token: ann }));
    const after = ["svc-1", "svc-2", "svc-3", "svc-5"].map(password);
    expect(after.map((now, index) => now !== before[index])).toEqual([true, true, false, false]);
  });

  it("ends the lease in the same instant, and leaves no deadline behind", async () => {
    const { sim, bob, root } = lent();
    const door = open(sim);
    const { lease } = lentBy(sim, "svc-3");
    const pending = sim.clock.pending().length;
    checkIns(await door.call("library.checkIn", ops, { token: bob }));
    expect(sim.clock.pending()).toHaveLength(pending - 1);
    const asked = { lease_id: lease };
    expectRefused(await door.call("leases.lookup", asked, { token: root }), 400, "invalid lease");
    expectRefused(await door.call("leases.renew", asked, { token: root }), 400, "lease not found");
  });

  it("of a directory that refuses: accounts before are in, this one and those after stay lent", async () => {
    const { sim, ann, available, password } = lent();
    sim.directory.failNext({ count: 1, dn: dnOf("svc-2") });
    const before = password("svc-2");
    const asked = { ...ops, service_account_names: ["svc-1", "svc-2"] };
    const answer = await open(sim).call("library.checkIn", asked, { token: ann });
    expectRefused(answer, 500, "1 error occurred:\n\t* ", "LDAP Result Code 53");
    expect(available("ops")).toEqual(["svc-1", "svc-5"]);
    expect(password("svc-2")).toBe(before);
    const again = await open(sim).call("library.checkIn", asked, { token: ann });
    expect(checkIns(again)).toEqual(["svc-2"]);
  });

  it("with an unreachable directory changes nothing", async () => {
    const { sim, bob, directoryUp } = lent();
    directoryUp(false);
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("library.checkIn", ops, { token: bob }), 500, "1 error occurred:\n\t* ");
    });
  });

  it("makes the account the first to be lent again when it is first in the list", async () => {
    const { sim, eves, bob, lend } = lent();
    const door = open(sim);
    checkIns(await door.call("library.checkIn", ops, { token: eves[0] }));
    checkIns(await door.call("library.checkIn", ops, { token: bob }));
    expect([lend("ops").account, lend("ops").account, lend("ops").account]).toEqual(["svc-3", "svc-4", "svc-5"]);
  });

  it("shows it in the status", async () => {
    const { sim, bob } = lent();
    const door = open(sim);
    checkIns(await door.call("library.checkIn", ops, { token: bob }));
    expect(expectData(await door.call("library.status", ops))["svc-3"]).toEqual({ available: true });
  });
});

/** The lease of an account, from the log. */
function lentBy(sim: LibraryWorld["sim"], account: string): { readonly lease: string } {
  const facts = sim.log.events().filter(({ type }) => type === "ServiceAccountCheckedOut");
  const fact = facts
    .map(({ data }) => data as { account: string; lease: string })
    .find((one) => one.account === account);
  if (fact === undefined) throw new Error(`${account} was never lent`);
  return fact;
}
