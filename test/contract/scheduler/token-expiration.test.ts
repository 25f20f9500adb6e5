import { describe, expect, it } from "vitest";
import { replay } from "../../../src/index.ts";
import { doors } from "./driver.ts";
import { regionsWorld } from "./regions-world.ts";

// src/services/scheduler/tokens/README.md, "Expiration".

const FIELDS = { Type: "client", Policies: ["p"] } as const;
const MINUTE_ON = "2026-01-01T01:01:00.000000000Z";

describe.each(doors())("through %s", (_name, open) => {
  const world = () => {
    const made = regionsWorld();
    const door = open(made.sim, "eu");
    made.sim.clock.advanceTo("2026-01-01T01:00:00Z");
    const create = (fields: object) => door.call("tokens.create", made.root, { ...FIELDS, ...fields });
    return { ...made, door, create };
  };

  it.each([
    [{ ExpirationTTL: "1m" }, { ExpirationTTL: "1m0s", ExpirationTime: MINUTE_ON }],
    [{ ExpirationTTL: 60_000_000_000 }, { ExpirationTTL: "1m0s", ExpirationTime: MINUTE_ON }],
    [{ ExpirationTTL: "24h" }, { ExpirationTTL: "24h0m0s", ExpirationTime: "2026-01-02T01:00:00.000000000Z" }],
    [{ ExpirationTime: "2026-01-01T02:01:00+01:00" }, { ExpirationTTL: "", ExpirationTime: MINUTE_ON }],
    [
      { ExpirationTTL: "2h", ExpirationTime: "2026-01-01T01:01:00Z" },
      { ExpirationTTL: "2h0m0s", ExpirationTime: MINUTE_ON },
    ],
  ])("a token made with %j shows %j, also in lists", async (given, shown) => {
    const { create, door, root } = world();
    const { status, body } = await create(given);
    expect({ status, body }).toMatchObject({ status: 200, body: shown });
    const { body: list } = await door.call("tokens.list", root);
    expect(list.at(-1)).toMatchObject(shown);
  });

  it.each([
    { ExpirationTTL: "" },
    { ExpirationTTL: "0s" },
    { ExpirationTime: "0001-01-01T00:00:00Z" },
    { ExpirationTTL: null, ExpirationTime: null },
  ])("a token made with %j does not end, and shows no end", async (given) => {
    const { create } = world();
    const { status, body } = await create(given);
    expect(status).toBe(200);
    expect(Object.keys(body).filter((member) => member.startsWith("Expiration"))).toEqual([]);
  });

  it.each([
    [{ ExpirationTTL: "59s" }, ["expiration time cannot be less than 1m0s in the future (was 59s)"]],
    [{ ExpirationTTL: "24h1s" }, ["expiration time cannot be more than 24h0m0s in the future (was 24h0m1s)"]],
    [
      { ExpirationTTL: "-1m" },
      [
        "token expiration TTL '-1m0s' should not be negative",
        "expiration time cannot be before create time",
        "expiration time cannot be less than 1m0s in the future (was -1m0s)",
      ],
    ],
    [{ ExpirationTTL: "1s", Policies: [] }, ["client token missing policies", "less than 1m0s"]],
  ])("a token made with %j is refused with all its faults", async (given, faults) => {
    const { create, sim } = world();
    const before = sim.position;
    const { status, code, text } = await create(given);
    expect({ status, code }).toEqual({ status: 400, code: "token_invalid" });
    for (const fault of faults) expect(text).toContain(fault);
    expect(sim.position).toBe(before);
  });

  it.each([{ ExpirationTTL: "soon" }, { ExpirationTTL: true }, { ExpirationTime: "tomorrow" }, { ExpirationTime: 1 }])(
    "%j cannot be read",
    async (given) => {
      const { create } = world();
      expect(await create(given)).toMatchObject({ status: 400, code: "body_malformed" });
    },
  );

  it("a token works until its instant, and then is refused everywhere but at the bootstrap", async () => {
    const { sim, create, door, policy } = world();
    policy("p");
    const { body } = await create({ ExpirationTTL: "1m" });
    sim.clock.advance("59s");
    expect(await door.call("tokens.self", body.SecretID)).toMatchObject({ status: 200 });
    sim.clock.advance("1s");
    const over = { status: 403, code: "token_expired" };
    expect(await door.call("tokens.self", body.SecretID)).toMatchObject(over);
    expect(await door.call("policies.list", body.SecretID)).toMatchObject(over);
    expect(await door.call("policies.read", body.SecretID, { policy_name: "anonymous" })).toMatchObject(over);
    expect(await door.call("policies.delete", body.SecretID, { policy_name: "p" })).toMatchObject(over);
    expect(await door.call("acl.bootstrap", body.SecretID)).toMatchObject({ code: "bootstrap_done" });
  });

  it("an update keeps the end, and cannot name another one", async () => {
    const { create, door, root } = world();
    const { body } = await create({ ExpirationTTL: "1h" });
    const update = (fields: object) =>
      door.call("tokens.update", root, {
        accessor_id: body.AccessorID,
        ...FIELDS,
        AccessorID: body.AccessorID,
        ...fields,
      });
    const { ExpirationTTL, ExpirationTime } = body;
    expect((await update({ Name: "n" })).body).toMatchObject({ Name: "n", ExpirationTTL, ExpirationTime });
    expect(await update({ ExpirationTTL, ExpirationTime })).toMatchObject({ status: 200 });
    const { status, text } = await update({ ExpirationTTL: "2h", ExpirationTime: "2027-01-01T00:00:00Z" });
    expect(status).toBe(400);
    expect(text).toContain("cannot update expiration TTL");
    expect(text).toContain("cannot update expiration time");
  });
});

describe("tokens that are over", () => {
  const ended = (region = "eu", Global = false) => {
    const made = regionsWorld();
    const { sim, root } = made;
    sim.clock.advanceTo("2026-01-01T00:01:00Z");
    const { AccessorID: accessor } = sim.scheduler
      .region(region)
      .as(root)
      .tokens.create({ ...FIELDS, Global, ExpirationTTL: "1m" });
    const isThere = (at: string): boolean =>
      sim.scheduler
        .region(at)
        .as(root)
        .tokens.list()
        .some(({ AccessorID }) => AccessorID === accessor);
    return { ...made, isThere };
  };

  it("are shown until the first full five minutes at which they have been over for an hour", () => {
    const { sim, isThere } = ended();
    sim.clock.advanceTo("2026-01-01T01:04:59Z");
    expect(isThere("eu")).toBe(true);
    sim.clock.advance("1s");
    expect(isThere("eu")).toBe(false);
    expect(sim.clock.pending()).toEqual([]);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
  });

  it("are collected where they are local, and global ones by the authoritative region for all", () => {
    const local = ended("us");
    local.sim.clock.advance("2h");
    expect(local.isThere("us")).toBe(false);
    const { sim, isThere } = ended("us", true);
    sim.clock.advanceTo("2026-01-01T01:05:00Z");
    expect([isThere("eu"), isThere("us")]).toEqual([false, true]);
    sim.clock.advance("100ms");
    expect(isThere("us")).toBe(false);
  });

  it("wait for a leader", () => {
    const { sim, eu, root } = ended();
    eu.setLeader(false);
    sim.clock.advance("2h");
    const before = sim.position;
    eu.setLeader(true);
    sim.clock.advance("0s");
    expect(sim.position).toBeGreaterThan(before + 1);
    expect(eu.as(root).tokens.list()).toHaveLength(1);
  });

  it("are collected by whoever is authoritative then", () => {
    const { sim, us, isThere } = ended("eu", true);
    sim.settle();
    sim.scheduler.setAuthoritative(us);
    sim.clock.advance("2h");
    expect([isThere("eu"), isThere("us")]).toEqual([false, false]);
  });
});
