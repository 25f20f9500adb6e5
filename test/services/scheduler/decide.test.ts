import { describe, it } from "vitest";
import { epochMs } from "../../../src/kernel/brand.ts";
import type { Command, EventOf } from "../../../src/kernel/commit.ts";
import type { AccessorId, PolicyName, RegionName, SecretId } from "../../../src/services/scheduler/ids.ts";
import type { TokenContent } from "../../../src/services/scheduler/tokens/state.ts";
import { worldModel } from "../../../src/simulator/services.ts";
import type { WorldEvents } from "../../../src/simulator/world.ts";
import { deciderSpecification } from "../../support/decider-specification.ts";
import { newWorld, readOptions } from "../../support/world.ts";

// decisions-scheduler-acl.md, sections 3 to 6, told in facts.

type Fact = EventOf<WorldEvents>;

const [eu, us] = ["eu", "us"] as [RegionName, RegionName];
const START_MS = epochMs(Date.UTC(2026, 0, 1));

const uuid = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

const root: TokenContent = {
  accessor: uuid("a") as AccessorId,
  secret: uuid("b") as SecretId,
  name: "Bootstrap Token",
  rights: { type: "management" },
  global: true,
  createdAtMs: START_MS,
};
const client: TokenContent = {
  accessor: uuid("c") as AccessorId,
  secret: uuid("d") as SecretId,
  name: "client",
  rights: { type: "client", policies: ["readers"] },
  global: true,
  createdAtMs: START_MS,
};

const bootstrapped: Fact = {
  type: "AclBootstrapped",
  data: { region: eu, status: "bootstrapped", index: 2, token: root },
};
const policyWritten = (index: number, rules = ""): Fact => ({
  type: "AclPolicyWritten",
  data: { region: eu, index, name: "readers" as PolicyName, description: "", rules },
});
const tokenCreated = (index: number, token = client, region = eu): Fact => ({
  type: "AclTokenCreated",
  data: { region, index, token },
});

/** A world of two regions; what was bootstrapped in eu has arrived in us. */
const begun = deciderSpecification({
  model: worldModel,
  initialState: newWorld({
    ...readOptions({ scheduler: { regions: [eu, us] } }),
    seed: "specification",
    startAtMs: START_MS,
  }),
  startAtMs: START_MS,
});
const settled = begun.given(bootstrapped).after(100);

const called = (name: string, input: Command["input"], token: string = root.secret, region = eu): Command => ({
  name: `scheduler.${name}`,
  input,
  caller: { region, token },
  via: "call",
});

describe("a bootstrap", () => {
  it("is refused when it was done", () => {
    settled.when(called("acl.bootstrap", {})).thenRefused("bootstrap_done", { resetIndex: 2 });
  });

  it("tells which index counts when another was placed", () => {
    settled
      .given({ type: "AclBootstrapResetPlaced", data: { region: eu, resetIndex: 9 } })
      .when(called("acl.bootstrap", {}))
      .thenRefused("bootstrap_reset_invalid", { specified: 9, resetIndex: 2 });
  });

  it("with a secret that is none leaves nothing", () => {
    begun.when(called("acl.bootstrap", { BootstrapSecret: "password" })).thenRefused("bootstrap_secret_invalid", {});
  });
});

describe("a policy", () => {
  it("is written in the authoritative region, whichever is asked, and wherever the query leads", () => {
    const input = { policy_name: "readers", Name: "readers", Rules: "", region: "mars" };
    settled.when(called("policies.write", input, root.secret, us)).then(policyWritten(3));
  });

  it("is not written without a leader there, or without a way", () => {
    const write = called("policies.write", { policy_name: "readers", Name: "readers", Rules: "" }, root.secret, us);
    const lost: Fact = { type: "RegionLeaderLost", data: { region: eu, status: "leaderless" } };
    settled.given(lost).when(write).thenRefused("no_cluster_leader", { region: "eu" });
    const cut: Fact = { type: "LinkCut", data: { a: { region: eu }, b: { region: us } } };
    settled.given(cut).when(write).thenRefused("no_path_to_region", { region: "eu" });
  });

  it("that is not there is deleted all the same", () => {
    settled.when(called("policies.delete", { policy_name: "gone" })).then({
      type: "AclPolicyDeleted",
      data: { region: eu, index: 3, name: "gone", missing: true },
    });
  });
});

describe("a token", () => {
  it("is updated whole", () => {
    const input = { accessor_id: client.accessor, AccessorID: client.accessor, Type: "management" };
    settled
      .given(tokenCreated(3))
      .when(called("tokens.update", input))
      .then({
        type: "AclTokenUpdated",
        data: { region: eu, index: 4, accessor: client.accessor, name: "", rights: { type: "management" } },
      });
  });

  it("that is global is deleted through another region when that has it", () => {
    const deletion = called("tokens.delete", { accessor_id: client.accessor }, root.secret, us);
    const created = settled.given(tokenCreated(3));
    created.when(deletion).thenRefused("token_nonexistent", { accessor: client.accessor });
    created
      .after(100)
      .when(deletion)
      .then({ type: "AclTokenDeleted", data: { region: eu, index: 4, accessor: client.accessor } });
  });

  it("that is local is deleted where it is", () => {
    const local = { ...client, global: false };
    settled
      .given(tokenCreated(4, local, us))
      .when(called("tokens.delete", { accessor_id: client.accessor, region: "us" }))
      .then({ type: "AclTokenDeleted", data: { region: us, index: 5, accessor: client.accessor } });
  });

  it("that a client presents manages nothing", () => {
    settled
      .given(tokenCreated(3))
      .when(called("tokens.create", { Type: "management" }, client.secret))
      .thenRefused("permission_denied", {});
  });
});

describe("a reset index, a leader, an authoritative region", () => {
  const control = (name: string, input: Command["input"], region?: RegionName): Command => ({
    name: `control.scheduler.${name}`,
    input,
    caller: region === undefined ? null : { region },
    via: "control",
  });

  it("leave nothing when they are what they were", () => {
    settled.when(control("setLeader", { up: true }, us)).thenNothing();
    settled.when(control("setBootstrapResetIndex", { resetIndex: null }, us)).thenNothing();
    settled.when(control("setAuthoritative", { region: "eu" })).thenNothing();
  });

  it("are one fact each", () => {
    settled
      .when(control("setLeader", { up: false }, us))
      .then({ type: "RegionLeaderLost", data: { region: us, status: "leaderless" } });
    settled
      .when(control("setAuthoritative", { region: "us" }))
      .then({ type: "AuthoritativeRegionChanged", data: { region: us } });
    settled
      .when(control("addRegion", { name: "us", url: "https://x.test" }))
      .thenRefused("region_exists", { region: "us" });
  });
});
