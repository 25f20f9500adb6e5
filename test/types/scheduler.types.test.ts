import { describe, expectTypeOf, test } from "vitest";
import type {
  Listing,
  PolicyDocument,
  PolicyStub,
  RegionHandle,
  SchedulerClient,
  Simulator,
  TokenDocument,
} from "../../src/index.ts";

declare const client: SchedulerClient;
declare const region: RegionHandle;
declare const sim: Simulator;

describe("the typed door of a region", () => {
  test("gives what the wire would show, and a promise of it when it is given an index", () => {
    expectTypeOf(client.policies.list()).toEqualTypeOf<Listing<PolicyStub>>();
    expectTypeOf(client.policies.list({ prefix: "a" }, { stale: true })).toEqualTypeOf<Listing<PolicyStub>>();
    expectTypeOf(client.policies.list({}, { index: 3 })).toEqualTypeOf<Promise<Listing<PolicyStub>>>();
    expectTypeOf(client.policies.read({ policy_name: "a" }, { index: 3, wait: "1m" })).toEqualTypeOf<
      Promise<PolicyDocument>
    >();
    expectTypeOf(client.tokens.self()).toEqualTypeOf<TokenDocument>();
    expectTypeOf(client.acl.bootstrap()).toEqualTypeOf<TokenDocument>();
    expectTypeOf(client.policies.delete({ policy_name: "a" })).toEqualTypeOf<undefined>();
    expectTypeOf(client.capabilities("namespace", "default")).toEqualTypeOf<string[]>();
  });

  test("knows the fields of a body", () => {
    client.policies.write({ policy_name: "a", Name: "a", Rules: "" });
    client.tokens.create({ Type: "client", Policies: ["a"], Global: true });
    // @ts-expect-error a token has a type
    client.tokens.create({ Policies: ["a"] });
    // @ts-expect-error there are two types
    client.tokens.create({ Type: "robot" });
    // @ts-expect-error there is no such field
    client.policies.write({ Name: "a", Rule: "" });
    // @ts-expect-error writes never block
    client.policies.write({ Name: "a", Rules: "" }, { index: 3 });
    // @ts-expect-error a wait is a text
    void client.policies.list({}, { index: 3, wait: 10 });
    // @ts-expect-error no such kind
    client.capabilities("cluster");
  });
});

test("calls that connect regions take their handles", () => {
  sim.network.cut(region, sim.scheduler.region("us"));
  sim.scheduler.setAuthoritative(region);
  sim.faults.failNextRequests({ service: region, count: 1 });
  // @ts-expect-error a name is no handle
  sim.network.cut("eu", "us");
  // @ts-expect-error a name is no handle
  sim.scheduler.setAuthoritative("eu");
});
