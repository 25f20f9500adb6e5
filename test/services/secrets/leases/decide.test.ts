import { describe, expect, it } from "vitest";
import { drawn } from "../../../support/decider-specification.ts";
import {
  afterSeconds,
  called,
  DAY_MS,
  entryRemoved,
  failureInjected,
  failureUsed,
  givenBack,
  leaseEnded,
  leaseFailed,
  leaseId,
  leaseQueued,
  leaseRenewed,
  lendingSpecification,
  lent,
  PASSWORD_LENGTH,
  SECOND_MS,
  setChanged,
  setCreated,
  timer,
  tokenCreated,
  tokenRevoked,
  tokenUsed,
  UNWILLING,
} from "../../../support/lending.ts";

// decisions-secrets-core.md, A.9; decisions-directory.md, 7 and 9: told in facts.

const password = (nth: number): string => drawn(nth, PASSWORD_LENGTH);
const [one, two, three] = ["1", "2", "3"].map((own) => leaseId(own.repeat(24))) as [
  ReturnType<typeof leaseId>,
  ReturnType<typeof leaseId>,
  ReturnType<typeof leaseId>,
];
const GONE = "expected one matching entry, but found 0";

const renew = (lease: string, increment?: number | string) =>
  called("leases.renew", { lease_id: lease, ...(increment === undefined ? {} : { increment }) });
const revoke = (lease: string, fields: object = {}) => called("leases.revoke", { lease_id: lease, ...fields });
const revokePrefix = (prefix: string, fields: object = {}) => called("leases.revokePrefix", { prefix, ...fields });
const revokeForce = (prefix: string) => called("leases.revokeForce", { prefix });
const leaseTimer = (lease: string) => timer("timer.leaseRevocation", { lease });
const tokenTimer = (token: string) => timer("timer.tokenExpiry", { token });

const hourLong = { ttlSeconds: 600, maxTtlSeconds: 3_600 };
const lending = lendingSpecification().given(
  setCreated({ "svc-a": "pa", "svc-b": "pb", "svc-c": "pc" }, { settings: hourLong }),
);
const annHasA = lending.given(...lent("svc-a", "ann", one, afterSeconds(600)));
const annHasBoth = annHasA.given(...lent("svc-b", "ann", two, afterSeconds(600)));

describe("renewing", () => {
  it.each<[what: string, increment: number | string | undefined, untilSeconds: number]>([
    ["by nothing gives the set's time again", undefined, 900],
    ["by 0 gives the set's time again", 0, 900],
    ["counts from now, and may be longer than the set's time", 1_200, 1_500],
    ["may shorten the lease", "10s", 310],
    ["never passes the maximum since the issue", "10h", 3_600],
  ])("%s", (_, increment, untilSeconds) => {
    annHasA
      .after(300 * SECOND_MS)
      .when(renew(one, increment))
      .then(leaseRenewed(one, afterSeconds(untilSeconds)));
  });

  it("uses the set's times as they are now", () => {
    annHasA
      .given(setChanged({ settings: { ttlSeconds: 60, maxTtlSeconds: 120 } }))
      .after(100 * SECOND_MS)
      .when(renew(one))
      .then(leaseRenewed(one, afterSeconds(120)));
  });

  it("warns when it was cut", () => {
    annHasA
      .after(300 * SECOND_MS)
      .when(renew(one, "10h"))
      .thenAnswered(
        expect.objectContaining({
          enveloped: expect.objectContaining({
            lease_id: one,
            lease_duration: 3_300,
            renewable: true,
            warnings: [expect.stringMatching(/max_ttl.*capped/)],
          }),
        }),
      );
  });

  it("is refused past the maximum", () => {
    annHasA
      .given(leaseRenewed(one, afterSeconds(3_600)), setChanged({ settings: { ttlSeconds: 60, maxTtlSeconds: 120 } }))
      .after(120 * SECOND_MS)
      .when(renew(one))
      .thenRefused("lease_past_max_ttl", { lease: one });
  });

  it("is refused for a lease that is unknown, over, or irrevocable", () => {
    annHasA.when(renew(two)).thenRefused("lease_not_found", { lease: two });
    annHasA
      .after(600 * SECOND_MS)
      .when(renew(one))
      .thenRefused("lease_not_found", { lease: one });
    annHasA.given(leaseFailed(one, UNWILLING)).when(renew(one)).thenRefused("lease_not_renewable", { lease: one });
  });

  it("needs the id of a lease", () => {
    annHasA.when(called("leases.renew", {})).thenRefused("lease_id_missing", {});
    annHasA.when(renew("")).thenRefused("lease_id_missing", {});
  });
});

describe("revoking", () => {
  it("gives back what the lease stood for, whoever asks, and ends it", () => {
    annHasA
      .when(called("leases.revoke", { lease_id: one }, "bob"))
      .then(...givenBack("svc-a", password(1), "lease", one));
  });

  it("an unknown lease is nothing", () => {
    annHasA.when(revoke(two)).thenNothing();
    annHasA
      .given(...givenBack("svc-a", "pa2", "borrower", one))
      .when(revoke(one))
      .thenNothing();
  });

  it("that fails leaves the lease to be tried again in 20 s", () => {
    annHasA
      .given(failureInjected())
      .when(revoke(one))
      .thenFailed("lease_revocation_failed", [failureUsed, leaseFailed(one, UNWILLING, afterSeconds(20))]);
    annHasA
      .given(entryRemoved("svc-a"))
      .when(revoke(one))
      .thenFailed("lease_revocation_failed", [leaseFailed(one, GONE, afterSeconds(20))]);
  });

  it("soon is noted now and done after the answer", () => {
    annHasA.when(revoke(one, { sync: false })).then(leaseQueued(one));
    annHasA.when(revoke(two, { sync: false })).thenNothing();
    annHasA.given(leaseQueued(one)).after(0).when(revoke(one)).thenNothing();
  });

  it("needs the id of a lease", () => {
    annHasA.when(called("leases.revoke", {})).thenRefused("lease_id_missing", {});
  });

  it("with the last use of a token ends that token, and what it had borrowed, too", () => {
    annHasA
      .given(tokenCreated("once", { usesLeft: 1 }), ...lent("svc-b", "once", two, afterSeconds(600)))
      .when(called("leases.revoke", { lease_id: one }, "once"))
      .then(
        tokenUsed("once"),
        ...givenBack("svc-a", password(1), "lease", one),
        tokenRevoked("once"),
        ...givenBack("svc-b", password(2), "lease", two),
      );
  });
});

describe("revoking all leases below a prefix", () => {
  it("revokes one after the other, by id", () => {
    annHasBoth
      .when(revokePrefix("ldap/library/ops"))
      .then(...givenBack("svc-a", password(1), "lease", one), ...givenBack("svc-b", password(2), "lease", two));
  });

  it("is nothing when there are none", () => {
    annHasBoth.when(revokePrefix("ldap/library/other")).thenNothing();
  });

  it("stops at the first that fails: those before it are revoked, those after it live on", () => {
    annHasBoth
      .given(...lent("svc-c", "ann", three, afterSeconds(600)), entryRemoved("svc-b"))
      .when(revokePrefix("ldap/library"))
      .thenFailed("lease_revocation_failed", [
        ...givenBack("svc-a", password(1), "lease", one),
        leaseFailed(two, GONE, afterSeconds(20)),
      ]);
  });

  it("soon notes them all", () => {
    annHasBoth.when(revokePrefix("ldap", { sync: false })).then(leaseQueued(one), leaseQueued(two));
  });

  it("by force drops those that fail: what they stood for stays as it is", () => {
    annHasBoth
      .given(entryRemoved("svc-a"))
      .when(revokeForce("ldap/library/ops"))
      .then(leaseEnded(one), ...givenBack("svc-b", password(2), "lease", two));
  });

  it("by force has used up an injected failure", () => {
    annHasA.given(failureInjected()).when(revokeForce("ldap/library/ops")).then(failureUsed, leaseEnded(one));
  });
});

describe("when a lease has expired", () => {
  it("the account comes back at that very instant", () => {
    annHasA
      .after(600 * SECOND_MS)
      .when(called("library.checkIn", { set_name: "ops" }))
      .thenNothing();
    annHasA.when(leaseTimer(one)).then(...givenBack("svc-a", password(1), "lease", one));
  });

  it("a failure is tried again after 20, 40, 80, 160 and 320 s, and after the sixth no more", () => {
    let failing = annHasA.given(entryRemoved("svc-a"));
    for (const seconds of [20, 40, 80, 160, 320]) {
      failing.when(leaseTimer(one)).then(leaseFailed(one, GONE, afterSeconds(seconds)));
      failing = failing.given(leaseFailed(one, GONE, afterSeconds(seconds)));
    }
    failing.when(leaseTimer(one)).then(leaseFailed(one, GONE));
    failing.given(leaseFailed(one, GONE)).after(DAY_MS).when(leaseTimer(one)).then(leaseFailed(one, GONE));
  });

  it("the retry that comes through ends it", () => {
    annHasA
      .given(leaseFailed(one, UNWILLING, afterSeconds(20)))
      .when(leaseTimer(one))
      .then(...givenBack("svc-a", password(1), "lease", one));
  });

  it("somebody may still revoke what nothing tries to revoke any more", () => {
    annHasA
      .given(leaseFailed(one, UNWILLING))
      .when(revoke(one))
      .then(...givenBack("svc-a", password(1), "lease", one));
  });

  it("and is gone already, nothing happens, but the deadline is used up", () => {
    lending.when(leaseTimer(one)).then();
  });
});

describe("when a token ends", () => {
  it("its leases end with it at the same instant, by id, and nobody else's", () => {
    annHasBoth
      .given(...lent("svc-c", "bob", three, afterSeconds(600)))
      .when(tokenTimer("ann"))
      .then(
        tokenRevoked("ann"),
        ...givenBack("svc-a", password(1), "lease", one),
        ...givenBack("svc-b", password(2), "lease", two),
      );
  });

  it("a lease that cannot be revoked is tried again, and the others are revoked all the same", () => {
    annHasBoth
      .given(entryRemoved("svc-a"))
      .when(tokenTimer("ann"))
      .then(
        tokenRevoked("ann"),
        leaseFailed(one, GONE, afterSeconds(20)),
        ...givenBack("svc-b", password(2), "lease", two),
      );
  });

  it("that has ended already, nothing happens", () => {
    annHasA.given(tokenRevoked("ann")).when(tokenTimer("ann")).then();
  });

  it("it does so by itself when its time is up", () => {
    lending
      .given(tokenCreated("brief", { expiresAtMs: afterSeconds(60), creationTtlSeconds: 60 }))
      .given(...lent("svc-a", "brief", one, afterSeconds(600)))
      .after(60 * SECOND_MS)
      .when(revoke(one))
      .thenNothing();
  });
});
