import { describe, it } from "vitest";
import { drawn } from "../../../support/decider-specification.ts";
import {
  afterSeconds,
  called,
  givenBack,
  leaseId,
  lendingSpecification,
  lent,
  PASSWORD_LENGTH,
  SECOND_MS,
  setCreated,
  timer,
  tokenCreated,
  tokenRevoked,
  tokenUsed,
  type WorldEvent,
} from "../../../support/lending.ts";

// decisions-secrets-core.md, A.6, A.7 and D.5: told in facts.

const { given } = lendingSpecification();
const own = { ttl: "10m", policies: ["default"] };
const expiring = { createdAtMs: afterSeconds(0), expiresAtMs: afterSeconds(3_600), creationTtlSeconds: 3_600 };

/** What a creation by ann records. */
const made = (more: object = {}): WorldEvent => ({
  type: "TokenCreated",
  data: {
    cluster: "main" as never,
    token: `scs.${drawn(1, 24)}` as never,
    record: {
      accessor: drawn(2, 24),
      type: "service",
      parent: "ann" as never,
      policies: ["default"],
      entityId: "",
      displayName: "token",
      meta: null,
      path: "auth/token/create",
      createdAtMs: afterSeconds(0),
      expiresAtMs: afterSeconds(600),
      creationTtlSeconds: 600,
      explicitMaxTtlSeconds: 0,
      periodSeconds: 0,
      renewable: true,
      orphan: false,
      ...more,
    },
  },
});
const renewed = (token: string, seconds: number): WorldEvent => ({
  type: "TokenRenewed",
  data: { cluster: "main" as never, token: token as never, expiresAtMs: afterSeconds(seconds) },
});
const child = (token: string, parent: string, more: object = {}) =>
  tokenCreated(token, { ...expiring, parent: parent as never, orphan: false, ...more });

describe("creating a token", () => {
  it("records its parent, whom it ends with", () => {
    given().when(called("tokens.create", own)).then(made());
  });

  it("without a parent records none, and its own path", () => {
    const { parent: _, ...record } = (
      made({ orphan: true, path: "auth/token/create-orphan" }).data as never as {
        record: { parent: string };
      }
    ).record;
    const data = { ...made().data, record } as never;
    given().when(called("tokens.createOrphan", own)).then({ type: "TokenCreated", data });
  });

  it("with an id that is taken is refused", () => {
    given()
      .when(called("tokens.create", { ...own, id: "bob" }))
      .thenRefused("token_exists", { token: "bob" });
  });

  it("by a token of so many uses is refused, and uses it", () => {
    given(tokenCreated("few", { usesLeft: 2, policies: ["root"] }))
      .when(called("tokens.create", own, "few"))
      .thenFailed("limited_token_creates", [tokenUsed("few")]);
  });
});

describe("renewing a token", () => {
  it("counts from now", () => {
    given(child("c", "ann", { renewable: true }))
      .after(600 * SECOND_MS)
      .when(called("tokens.renew", { token: "c", increment: "10m" }))
      .then(renewed("c", 1_200));
  });

  it("never passes its maximum", () => {
    given(child("c", "ann", { renewable: true, explicitMaxTtlSeconds: 4_000 }))
      .after(600 * SECOND_MS)
      .when(called("tokens.renew", { token: "c" }))
      .then(renewed("c", 4_000));
  });

  it("that is not renewable is refused", () => {
    given(child("c", "ann"))
      .when(called("tokens.renew", { token: "c" }))
      .thenRefused("token_not_renewable", {});
  });
});

describe("the end of a token", () => {
  const lease = leaseId("1".repeat(24));
  const tree = given(
    setCreated({ "svc-a": "pa" }),
    child("c", "ann"),
    child("d", "c"),
    child("e", "d"),
    tokenCreated("free", { ...expiring, orphan: true }),
    ...lent("svc-a", "e", lease, afterSeconds(60_000)),
  );
  const ends = [
    tokenRevoked("c"),
    tokenRevoked("d"),
    tokenRevoked("e"),
    ...givenBack("svc-a", drawn(1, PASSWORD_LENGTH), "lease", lease),
  ];

  it("by revocation is that of all below it, then of their leases", () => {
    tree.when(called("tokens.revoke", { token: "c" })).then(...ends);
  });

  it("by time is the same", () => {
    tree.when(timer("timer.tokenExpiry", { token: "c" })).then(...ends);
  });

  it("of one that is not there is nothing", () => {
    tree.when(called("tokens.revoke", { token: "nobody" })).thenNothing();
  });
});

describe("a kv write", () => {
  const at = { cluster: "main" as never, mount: "kv/" as never };

  it("is one fact", () => {
    given()
      .when(called("kv.write", { path: "a", data: { v: 1 } }))
      .then({ type: "KvWritten", data: { at, path: "a", data: { v: 1 } } });
  });

  it("that is taken back is another, and nothing when nothing was there", () => {
    const written: WorldEvent = { type: "KvWritten", data: { at, path: "a", data: { v: 1 } } };
    given(written)
      .when(called("kv.delete", { path: "a" }))
      .then({ type: "KvDeleted", data: { at, path: "a" } });
    given()
      .when(called("kv.delete", { path: "a" }))
      .thenNothing();
  });
});
