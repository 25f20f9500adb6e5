import fc from "fast-check";
import { type Act, Schedule, type Step, type Wait } from "hindcast/explore";
import { describe, expect, test } from "vitest";
import { property } from "../support/property.ts";

const ms = fc.integer({ min: 0, max: 86_400_000 });
const lasting = fc.integer({ min: 1, max: 86_400_000 });
const cluster = fc.constantFrom("east", "west-2");
const end = fc.constantFrom("program:shop", "cluster:east", "region:eu", "runs");

const wait: fc.Arbitrary<Wait> = fc.oneof(
  fc.record({ kind: fc.constant("after" as const), ms }),
  fc.record({ kind: fc.constant("due" as const), n: fc.nat(9), offsetMs: fc.integer({ min: -1, max: 1 }) }),
  fc.record({ kind: fc.constant("request" as const), n: fc.nat(9) }),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant("calm" as const) }),
  fc.record({ kind: fc.constant("cut" as const), a: end, b: end, forMs: lasting }),
  fc.record({ kind: fc.constant("lag" as const), a: end, b: end, ms, forMs: lasting }),
  fc.record({ kind: fc.constantFrom("stop" as const, "seal" as const), cluster, forMs: lasting }),
  fc.record({ kind: fc.constant("stop-node" as const), cluster, node: fc.nat(4), forMs: lasting }),
  fc.record({ kind: fc.constant("outage" as const), of: fc.constantFrom("directory", "local"), forMs: lasting }),
  fc.record({ kind: fc.constant("slow-directory" as const), url: fc.constant("ldap://127.0.0.1"), forMs: lasting }),
  fc.record({ kind: fc.constantFrom("lose-request" as const, "lose-answer", "reset", "hang") }),
  fc.record({ kind: fc.constant("delay" as const), ms }),
  fc.record({
    kind: fc.constant("status" as const),
    status: fc.constantFrom(429, 503),
    times: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant("truncate" as const), bytes: fc.nat(99) }),
  fc.record({ kind: fc.constant("slow" as const), bytesPerSecond: fc.nat(99) }),
  fc.record({ kind: fc.constant("do" as const), name: fc.constantFrom("promote", "a.b-c_d"), n: fc.nat(99) }),
) as fc.Arbitrary<Act>;

const step: fc.Arbitrary<Step> = fc.record({ wait, act });

const schedules = fc
  .record({
    world: fc.nat(3),
    seed: fc.nat(),
    ties: fc.constantFrom("services-first" as const, "programs-first" as const),
    turns: fc.array(fc.nat(5)),
    steps: fc.array(step),
  })
  .map((parts) => new Schedule(parts));

describe("a schedule", () => {
  property([schedules])("is the same when it has been printed and parsed", (schedule) => {
    expect(Schedule.parse(`${schedule}`)).toEqual(schedule);
    expect(JSON.stringify({ schedule })).toBe(JSON.stringify({ schedule: `${schedule}` }));
  });

  test("reads as a person would write it", () => {
    const text =
      "seed 3; ties programs-first; turns 0 2; +1m30s cut program:shop cluster:east for 30s; due 2-1ms stop east for 5m; " +
      "request 4 lose-answer; request 1 status 503 x3; +1h; +0s do promote 7";
    expect(`${Schedule.parse(text)}`).toBe(text);
    expect(Schedule.parse(text)).toMatchObject({ seed: 3, faults: 4 });
    expect(Schedule.parse("")).toMatchObject({ world: 0, seed: 0, ties: "services-first", turns: [], steps: [] });
  });

  test.each([
    ["soon stop east for 1m", "it begins with +10s, due 1 or request 1"],
    ["+10s stop east", "it lacks how long it lasts"],
    ["+10s stop east for ever", "ever is no duration"],
    ["+ten stop east for 1m", "ten is no duration"],
    ["+10s burn east for 1m", "burn is no fault"],
    ["+10s stop east now for 1m", "words too many"],
    ["request 1 status", "status is : it is a whole number"],
    ["ties none", "ties is none"],
    ["seed -1", "seed is -1: it is a whole number"],
    ["+1s do __proto__", "n is : it is a whole number"],
  ])("%s is refused", (text, why) => {
    expect(() => Schedule.parse(text)).toThrow(TypeError);
    expect(() => Schedule.parse(text)).toThrow(why);
  });
});
