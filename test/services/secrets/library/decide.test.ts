import { describe, expect, it } from "vitest";
import { drawn } from "../../../support/decider-specification.ts";
import {
  afterSeconds,
  called,
  checkedIn,
  checkedOut,
  configurationDeleted,
  directoryDown,
  entryRemoved,
  failureInjected,
  failureUsed,
  givenBack,
  leaseEnded,
  leaseId,
  leaseIssued,
  lendingSpecification,
  lent,
  PASSWORD_LENGTH,
  passwordChanged,
  SECOND_MS,
  setChanged,
  setCreated,
  setDeleted,
  tokenCreated,
  tokenRevoked,
  tokenUsed,
  UNREACHABLE,
} from "../../../support/lending.ts";

// decisions-directory.md, 7, told in facts.

const lending = lendingSpecification();

const password = (nth: number): string => drawn(nth, PASSWORD_LENGTH);
const DAY_SECONDS = 86_400;
const [one, two, three] = ["1", "2", "3"].map((own) => leaseId(own.repeat(24))) as [
  ReturnType<typeof leaseId>,
  ReturnType<typeof leaseId>,
  ReturnType<typeof leaseId>,
];
const newLease = leaseId(drawn(1, 24));

const write = (fields: object, set = "ops") => called("library.write", { set_name: set, ...fields });
const remove = (set = "ops") => called("library.delete", { set_name: set });
const checkOut = (by: string, fields: object = {}) => called("library.checkOut", { set_name: "ops", ...fields }, by);
const checkIn = (by: string, ...names: string[]) =>
  called("library.checkIn", { set_name: "ops", ...(names.length === 0 ? {} : { service_account_names: names }) }, by);
const forceCheckIn = (by: string, ...names: string[]) =>
  called(
    "library.forceCheckIn",
    { set_name: "ops", ...(names.length === 0 ? {} : { service_account_names: names }) },
    by,
  );

const twoAccounts = lending.given(setCreated({ "svc-a": "pa", "svc-b": "pb" }));

describe("creating a set", () => {
  it("rotates every account in the order of its list, and keeps the passwords", () => {
    lending
      .when(write({ service_account_names: ["svc-b", "svc-a"] }))
      .then(
        passwordChanged("svc-b", password(1)),
        passwordChanged("svc-a", password(2)),
        setCreated({ "svc-b": password(1), "svc-a": password(2) }),
      );
  });

  it("keeps the times and the flag that are given", () => {
    lending
      .when(write({ service_account_names: "svc-a", ttl: "10m", max_ttl: 0, disable_check_in_enforcement: true }))
      .then(
        passwordChanged("svc-a", password(1)),
        setCreated(
          { "svc-a": password(1) },
          { settings: { ttlSeconds: 600, maxTtlSeconds: 0, disableCheckInEnforcement: true } },
        ),
      );
  });

  it("takes a name that is given twice for one account, at its first place", () => {
    lending
      .when(write({ service_account_names: ["svc-b", "svc-a", "svc-b"] }))
      .then(
        passwordChanged("svc-b", password(1)),
        passwordChanged("svc-a", password(2)),
        setCreated({ "svc-b": password(1), "svc-a": password(2) }),
      );
  });

  it("knows a set by its lower-case name", () => {
    lending
      .when(write({ service_account_names: ["svc-a"] }, "Team/OPS"))
      .then(passwordChanged("svc-a", password(1)), setCreated({ "svc-a": password(1) }, { set: "team/ops" }));
  });

  it("refuses before anything is rotated, in this order", () => {
    const managed = lending.given(setCreated({ "svc-d": "pd" }, { set: "other" }));
    const wrong = { service_account_names: ["svc-a", "svc-d", ""], ttl: "48h" };
    managed.given(configurationDeleted).when(write({})).thenRefused("set_config_missing", {});
    managed.when(write({ ...wrong, service_account_names: [] })).thenRefused("set_names_missing", {});
    managed.when(write({ ttl: "48h" })).thenRefused("set_names_missing", {});
    managed.when(write(wrong)).thenRefused("account_already_managed", { account: "svc-d" });
    managed.when(write({ ...wrong, service_account_names: ["svc-a", ""] })).thenRefused("account_name_empty", {});
    managed.when(write({ ...wrong, service_account_names: ["svc-a"] })).thenRefused("max_ttl_below_ttl", {});
  });

  it("that fails at an account keeps the new passwords of those before it, and makes no set", () => {
    lending
      .given(entryRemoved("svc-b"))
      .when(write({ service_account_names: ["svc-a", "svc-b", "svc-c"] }))
      .thenFailed("rotation_failed", [passwordChanged("svc-a", password(1))]);
  });

  it("that fails because of an injected failure has used that up", () => {
    lending
      .given(failureInjected())
      .when(write({ service_account_names: ["svc-a"] }))
      .thenFailed("rotation_failed", [failureUsed]);
  });

  it("that fails at the first account is refused, since nothing happened", () => {
    lending
      .given(directoryDown)
      .when(write({ service_account_names: ["svc-a"] }))
      .thenRefused("rotation_failed", { account: "svc-a", reason: UNREACHABLE });
  });
});

describe("changing a set", () => {
  it("changes only what is sent", () => {
    twoAccounts.when(write({ ttl: 60 })).then(setChanged({ settings: { ttlSeconds: 60 } }));
    twoAccounts.when(write({})).then(setChanged({}));
    twoAccounts
      .when(write({ disable_check_in_enforcement: true }))
      .then(setChanged({ settings: { disableCheckInEnforcement: true } }));
  });

  it("rotates only the accounts that are added", () => {
    twoAccounts
      .when(write({ service_account_names: ["svc-a", "svc-b", "svc-c"] }))
      .then(
        passwordChanged("svc-c", password(1)),
        setChanged({ names: ["svc-a", "svc-b", "svc-c"], added: { "svc-c": password(1) } }),
      );
  });

  it("forgets accounts that are removed, without touching their passwords", () => {
    twoAccounts.when(write({ service_account_names: ["svc-b"] })).then(setChanged({ names: ["svc-b"] }));
  });

  it("says nothing of the list when the same one is sent", () => {
    twoAccounts.when(write({ service_account_names: ["svc-a", "svc-b"] })).then(setChanged({}));
  });

  it("keeps a new order of the same accounts", () => {
    twoAccounts
      .when(write({ service_account_names: ["svc-b", "svc-a"] }))
      .then(setChanged({ names: ["svc-b", "svc-a"] }));
  });

  it("leaves the whole set as it was when any of it is refused", () => {
    const busy = twoAccounts.given(setCreated({ "svc-d": "pd" }, { set: "other" }), ...lent("svc-a", "ann", one));
    busy
      .when(write({ ttl: 60, service_account_names: ["svc-b"] }))
      .thenRefused("account_checked_out", { account: "svc-a" });
    busy
      .when(write({ ttl: 60, service_account_names: ["svc-b", "svc-d"] }))
      .thenRefused("account_already_managed", { account: "svc-d" });
    busy
      .given(checkedIn("svc-a", "pa2", "lease"))
      .when(write({ service_account_names: [] }))
      .thenRefused("set_empty", {});
    busy.when(write({ ttl: "25h" })).thenRefused("max_ttl_below_ttl", {});
    busy
      .given(configurationDeleted)
      .when(write({ ttl: 60 }))
      .thenRefused("set_config_missing", {});
  });

  it("lets accounts that stay keep their borrowers", () => {
    twoAccounts
      .given(...lent("svc-b", "ann", one))
      .when(write({ service_account_names: ["svc-b"] }))
      .then(setChanged({ names: ["svc-b"] }));
  });

  it("that fails at an added account keeps the passwords of those before it, and changes no set", () => {
    twoAccounts
      .given(entryRemoved("svc-d"))
      .when(write({ ttl: 60, service_account_names: ["svc-a", "svc-c", "svc-d"] }))
      .thenFailed("rotation_failed", [passwordChanged("svc-c", password(1))]);
  });
});

describe("deleting a set", () => {
  it("forgets it, and touches no password", () => {
    twoAccounts.when(remove()).then(setDeleted());
  });

  it("that is not there is nothing", () => {
    lending.when(remove()).thenNothing();
    twoAccounts.given(setDeleted()).when(remove()).thenNothing();
  });

  it("is refused while one of its accounts is lent", () => {
    twoAccounts
      .given(...lent("svc-b", "ann", one))
      .when(remove())
      .thenRefused("account_checked_out", { account: "svc-b" });
  });

  it("works again when the account has come back", () => {
    twoAccounts
      .given(...lent("svc-b", "ann", one))
      .given(...givenBack("svc-b", "pb2", "borrower", one))
      .when(remove())
      .then(setDeleted());
  });
});

describe("checking out", () => {
  it("lends the first available account, with a lease of the set's time, and rotates nothing", () => {
    twoAccounts
      .when(checkOut("ann"))
      .then(
        checkedOut("svc-a", "ann", newLease),
        leaseIssued(newLease, { account: "svc-a", to: "ann", untilMs: afterSeconds(DAY_SECONDS) }),
      );
  });

  it("hands out the password that was set last", () => {
    twoAccounts.when(checkOut("ann")).thenAnswered(
      expect.objectContaining({
        enveloped: expect.objectContaining({
          data: { service_account_name: "svc-a", password: "pa" },
          lease_id: newLease,
          lease_duration: DAY_SECONDS,
          renewable: true,
          warnings: null,
        }),
      }),
    );
  });

  it("passes over accounts that are lent", () => {
    twoAccounts
      .given(...lent("svc-a", "ann", one))
      .when(checkOut("bob"))
      .then(
        checkedOut("svc-b", "bob", newLease),
        leaseIssued(newLease, { account: "svc-b", to: "bob", untilMs: afterSeconds(DAY_SECONDS) }),
      );
  });

  it("lends again, at its place in the list, what has come back", () => {
    twoAccounts
      .given(...lent("svc-a", "ann", one))
      .given(...givenBack("svc-a", "pa2", "borrower", one))
      .when(checkOut("bob"))
      .then(
        checkedOut("svc-a", "bob", newLease),
        leaseIssued(newLease, { account: "svc-a", to: "bob", untilMs: afterSeconds(DAY_SECONDS) }),
      );
  });

  it("counts the lease from now", () => {
    twoAccounts
      .after(90 * SECOND_MS)
      .when(checkOut("ann", { ttl: 30 }))
      .then(
        checkedOut("svc-a", "ann", newLease),
        leaseIssued(newLease, { account: "svc-a", to: "ann", untilMs: afterSeconds(120) }),
      );
  });

  const SYSTEM = 2_764_800;
  it.each<[setTtl: number, maxTtl: number, asked: number | undefined, seconds: number]>([
    [600, 3_600, undefined, 600],
    [600, 3_600, 599, 599],
    [600, 3_600, 600, 600],
    [600, 3_600, 601, 600],
    [600, 0, 0, SYSTEM],
    [600, 3_600, 0, 3_600],
    [0, 0, undefined, SYSTEM],
    [0, 0, 0, SYSTEM],
    [0, 0, 60, 60],
    [0, 3_600, undefined, 3_600],
    [0, 3_600, 7_200, 3_600],
    [0, 0, SYSTEM + 1, SYSTEM],
  ])("of a set with ttl %i and max_ttl %i for %s s lasts %i s", (ttlSeconds, maxTtlSeconds, asked, seconds) => {
    lending
      .given(setCreated({ "svc-a": "pa" }, { settings: { ttlSeconds, maxTtlSeconds } }))
      .when(checkOut("ann", asked === undefined ? {} : { ttl: asked }))
      .then(
        checkedOut("svc-a", "ann", newLease),
        leaseIssued(newLease, { account: "svc-a", to: "ann", untilMs: afterSeconds(seconds) }),
      );
  });

  it("is refused when the set is not there, or nothing in it is available", () => {
    lending.when(checkOut("ann")).thenRefused("set_not_found", { set: "ops" });
    twoAccounts
      .given(...lent("svc-a", "ann", one), ...lent("svc-b", "ann", two))
      .when(checkOut("bob"))
      .thenRefused("no_account_available", { set: "ops" });
  });

  it("keeps the spelling of the request in the lease's id, and the set's own name in its grant", () => {
    const spelt = leaseId(drawn(1, 24), "OPS");
    twoAccounts
      .when(called("library.checkOut", { set_name: "OPS" }))
      .then(
        checkedOut("svc-a", "ann", spelt),
        leaseIssued(spelt, { account: "svc-a", to: "ann", untilMs: afterSeconds(DAY_SECONDS) }),
      );
  });

  it("with a token that has further uses left uses one up", () => {
    twoAccounts
      .given(tokenCreated("thrice", { usesLeft: 3 }))
      .when(checkOut("thrice"))
      .then(
        tokenUsed("thrice"),
        checkedOut("svc-a", "thrice", newLease),
        leaseIssued(newLease, { account: "svc-a", to: "thrice", untilMs: afterSeconds(DAY_SECONDS) }),
      );
  });

  it("with the last use of a token is answered with an error: the lease ends with the token at once", () => {
    twoAccounts
      .given(tokenCreated("once", { usesLeft: 1 }))
      .when(checkOut("once"))
      .thenFailed("lease_of_spent_token", [
        tokenUsed("once"),
        checkedOut("svc-a", "once", newLease),
        leaseIssued(newLease, { account: "svc-a", to: "once", untilMs: afterSeconds(DAY_SECONDS) }),
        tokenRevoked("once"),
        ...givenBack("svc-a", password(2), "lease", newLease),
      ]);
  });

  it("that is refused uses the token up all the same", () => {
    lending
      .given(tokenCreated("once", { usesLeft: 1 }), tokenCreated("twice", { usesLeft: 2 }))
      .when(checkOut("twice"))
      .thenFailed("set_not_found", [tokenUsed("twice")]);
    lending
      .given(tokenCreated("once", { usesLeft: 1 }))
      .when(checkOut("once"))
      .thenFailed("set_not_found", [tokenUsed("once"), tokenRevoked("once")]);
  });
});

describe("the order in which accounts are lent is that of the list as it is now:", () => {
  const borrowed = (account: string) => [
    checkedOut(account, "ann", newLease),
    leaseIssued(newLease, { account, to: "ann", untilMs: afterSeconds(DAY_SECONDS) }),
  ];

  it("after accounts were removed before others", () => {
    lending
      .given(setCreated({ "svc-a": "pa", "svc-b": "pb", "svc-c": "pc" }))
      .given(setChanged({ names: ["svc-b", "svc-c"] }))
      .when(checkOut("ann"))
      .then(...borrowed("svc-b"));
  });

  it("after the list was turned round", () => {
    const turned = twoAccounts.given(setChanged({ names: ["svc-b", "svc-a"] }));
    turned.when(checkOut("ann")).then(...borrowed("svc-b"));
    turned
      .given(...lent("svc-b", "ann", one))
      .when(checkOut("ann"))
      .then(...borrowed("svc-a"));
  });

  it("after an account was added before others", () => {
    const added = twoAccounts.given(setChanged({ names: ["svc-c", "svc-a", "svc-b"], added: { "svc-c": "pc" } }));
    added.when(checkOut("ann")).then(...borrowed("svc-c"));
    added
      .given(...lent("svc-c", "ann", one))
      .when(checkOut("ann"))
      .then(...borrowed("svc-a"));
    added
      .given(...lent("svc-c", "ann", one), ...lent("svc-a", "ann", two))
      .when(checkOut("ann"))
      .then(...borrowed("svc-b"));
  });

  it("and a check-in without names finds the loan of an account whose place has changed with another's", () => {
    lending
      .given(setCreated({ "svc-a": "pa", "svc-b": "pb" }), ...lent("svc-a", "ann", one), ...lent("svc-b", "ann", two))
      .given(setChanged({ names: ["svc-b", "svc-a"] }))
      .when(checkIn("ann"))
      .thenRefused("check_in_ambiguous", { set: "ops" });
  });
});

describe("checking in", () => {
  const annHasA = twoAccounts.given(...lent("svc-a", "ann", one));

  it("rotates the password first, then puts the account on the shelf, and ends its lease", () => {
    annHasA.when(checkIn("ann", "svc-a")).then(...givenBack("svc-a", password(1), "borrower", one));
  });

  it("without names finds the caller's only loan", () => {
    annHasA
      .given(...lent("svc-b", "bob", two))
      .when(checkIn("ann"))
      .then(...givenBack("svc-a", password(1), "borrower", one));
  });

  it("without names does nothing when the caller has borrowed nothing", () => {
    annHasA.when(checkIn("bob")).thenNothing();
    twoAccounts.when(checkIn("ann")).thenNothing();
  });

  it("without names is refused when the caller has borrowed several", () => {
    annHasA
      .given(...lent("svc-b", "ann", two))
      .when(checkIn("ann"))
      .thenRefused("check_in_ambiguous", { set: "ops" });
  });

  it("gives several back in the order of the request, each as a whole", () => {
    annHasA
      .given(...lent("svc-b", "ann", two))
      .when(checkIn("ann", "svc-b", "svc-a"))
      .then(...givenBack("svc-b", password(1), "borrower", two), ...givenBack("svc-a", password(2), "borrower", one));
  });

  it("gives an account back once that is named twice", () => {
    annHasA.when(checkIn("ann", "svc-a", "svc-a")).then(...givenBack("svc-a", password(1), "borrower", one));
  });

  it("passes over accounts that nobody has borrowed", () => {
    annHasA.when(checkIn("ann", "svc-b", "svc-a")).then(...givenBack("svc-a", password(1), "borrower", one));
    annHasA.when(checkIn("bob", "svc-b")).thenNothing();
  });

  it("is refused for an account that somebody else has, and then for all that were named", () => {
    const both = annHasA.given(...lent("svc-b", "bob", two));
    both.when(checkIn("ann", "svc-a", "svc-b")).thenRefused("account_not_yours", { account: "svc-b" });
    both.when(checkIn("bob", "svc-a")).thenRefused("account_not_yours", { account: "svc-a" });
  });

  it("may be done with another token of the same entity", () => {
    const bobHasA = twoAccounts.given(...lent("svc-a", "bob", one));
    bobHasA.when(checkIn("eve", "svc-a")).then(...givenBack("svc-a", password(1), "borrower", one));
    bobHasA.when(checkIn("eve")).then(...givenBack("svc-a", password(1), "borrower", one));
  });

  it("may be done by anyone when the set does not enforce it", () => {
    const open = lending.given(
      setCreated({ "svc-a": "pa", "svc-b": "pb" }, { settings: { disableCheckInEnforcement: true } }),
      ...lent("svc-a", "ann", one),
    );
    open.when(checkIn("bob", "svc-a")).then(...givenBack("svc-a", password(1), "borrower", one));
    open.when(checkIn("bob")).then(...givenBack("svc-a", password(1), "borrower", one));
    open
      .given(...lent("svc-b", "eve", two))
      .when(checkIn("bob"))
      .thenRefused("check_in_ambiguous", { set: "ops" });
  });

  it("on the manage path may be done for anyone, whatever the set enforces", () => {
    annHasA.when(forceCheckIn("bob", "svc-a")).then(...givenBack("svc-a", password(1), "manager", one));
    annHasA.when(forceCheckIn("bob")).then(...givenBack("svc-a", password(1), "manager", one));
  });

  it("is refused in this order", () => {
    annHasA.given(configurationDeleted).when(checkIn("ann", "nobody")).thenRefused("check_in_config_missing", {});
    lending.when(checkIn("ann", "nobody")).thenRefused("set_not_found", { set: "ops" });
    annHasA
      .given(setCreated({ "svc-d": "pd" }, { set: "other" }))
      .when(checkIn("ann", "svc-d"))
      .thenRefused("account_not_in_set", { account: "svc-d", set: "ops" });
  });

  it("that fails at an account keeps those before it checked in, and that one lent", () => {
    lending
      .given(setCreated({ "svc-a": "pa", "svc-b": "pb", "svc-c": "pc" }))
      .given(...lent("svc-a", "ann", one), ...lent("svc-b", "ann", two), ...lent("svc-c", "ann", three))
      .given(entryRemoved("svc-b"))
      .when(checkIn("ann", "svc-a", "svc-b", "svc-c"))
      .thenFailed("rotation_failed", givenBack("svc-a", password(1), "borrower", one));
  });

  it("that fails because of an injected failure has used that up", () => {
    annHasA.given(failureInjected()).when(checkIn("ann")).thenFailed("rotation_failed", [failureUsed]);
  });

  it("that fails at once is refused", () => {
    annHasA
      .given(directoryDown)
      .when(checkIn("ann"))
      .thenRefused("rotation_failed", { account: "svc-a", reason: UNREACHABLE });
  });

  it("ends a lease whose revocation has failed and is to be tried again", () => {
    annHasA
      .given(failureInjected())
      .after(DAY_SECONDS * SECOND_MS)
      .when(checkIn("ann"))
      .then(...givenBack("svc-a", password(1), "borrower", one));
  });
});

describe("with the quirk check-in-keeps-lease", () => {
  const annHadA = lendingSpecification("check-in-keeps-lease").given(
    setCreated({ "svc-a": "pa", "svc-b": "pb" }),
    ...lent("svc-a", "ann", one),
  );

  it("a check-in leaves the lease running", () => {
    annHadA
      .when(checkIn("ann"))
      .then(passwordChanged("svc-a", password(1)), checkedIn("svc-a", password(1), "borrower"));
  });

  it("the lease, when it expires, takes the account from whoever has it by then", () => {
    annHadA
      .given(passwordChanged("svc-a", "pa2"), checkedIn("svc-a", "pa2", "borrower"))
      .given(checkedOut("svc-a", "bob", two))
      .given(leaseIssued(two, { account: "svc-a", to: "bob", untilMs: afterSeconds(2 * DAY_SECONDS) }))
      .when(called("leases.revoke", { lease_id: one }))
      .then(...givenBack("svc-a", password(1), "lease", one));
  });

  it("a set can be deleted whose lease runs on, and the lease rotates the account once more", () => {
    annHadA
      .given(passwordChanged("svc-a", "pa2"), checkedIn("svc-a", "pa2", "borrower"), setDeleted())
      .when(called("leases.revoke", { lease_id: one }))
      .then(passwordChanged("svc-a", password(1)), leaseEnded(one));
  });
});
