import { describe, expectTypeOf, test } from "vitest";
import {
  type AuthShown,
  type ClusterHandle,
  createSimulator,
  defineScenario,
  type Envelope,
  type SecretsClient,
  type Simulator,
} from "../../src/index.ts";
import type { Evolvers } from "../../src/kernel/evolvers.ts";
import type { CapturesOf } from "../../src/services/kit/operation.ts";

declare const client: SecretsClient;
declare const cluster: ClusterHandle;

describe("the typed door", () => {
  test("gives the body that the wire would show", () => {
    expectTypeOf(client.library.checkOut).returns.toEqualTypeOf<
      Envelope<{ service_account_name: string; password: string }>
    >();
    expectTypeOf(client.library.write).returns.toEqualTypeOf<undefined>();
    expectTypeOf(client.library.list).returns.toEqualTypeOf<Envelope<{ keys: string[] }>>();
  });

  test("asks for the captures of the path", () => {
    expectTypeOf(client.library.checkOut).parameter(0).toHaveProperty("set_name").toEqualTypeOf<string>();
    // @ts-expect-error a check-out names a set
    client.library.checkOut({});
    // @ts-expect-error a check-out has an argument
    client.library.checkOut();
  });

  test("takes fields in any form that the wire takes, and no others", () => {
    client.library.checkOut({ set_name: "ops", ttl: 60 });
    client.library.checkOut({ set_name: "ops", ttl: "1m" });
    client.library.checkOut({ set_name: "ops", ttl: null });
    // @ts-expect-error a duration is no boolean
    client.library.checkOut({ set_name: "ops", ttl: true });
    // @ts-expect-error no such field
    client.library.checkOut({ set_name: "ops", tll: "1m" });
  });

  test("lists from the top without an argument", () => {
    expectTypeOf(client.library.list).toBeCallableWith();
    expectTypeOf(client.library.list).toBeCallableWith({ prefix: "team" });
  });

  test("has no call that no operation declares", () => {
    // @ts-expect-error there is no such operation
    client.library.lend({ set_name: "ops" });
  });

  test("takes any fields where they are the caller's own", () => {
    client.kv.write({ path: "app/db", user: "app", nested: { list: [1] } });
    // @ts-expect-error a write has a path
    client.kv.write({ user: "app" });
    expectTypeOf(client.at("team/kv").kv.read).toEqualTypeOf(client.kv.read);
  });

  test("wraps any answer, and no other option", () => {
    client.kv.read({ path: "a" }, { wrapTtl: "5m" });
    client.tokens.lookupSelf({}, { wrapTtl: 300 });
    // @ts-expect-error a TTL is no boolean
    client.kv.read({ path: "a" }, { wrapTtl: true });
    // @ts-expect-error no such option
    client.kv.read({ path: "a" }, { wrap: "5m" });
  });

  test("returns promises of credentials and of roles that are written, and of nothing else of an engine", () => {
    const { config, roles, creds } = client.orchestrator;
    expectTypeOf(config.write).returns.toEqualTypeOf<undefined>();
    expectTypeOf(roles.write).returns.toEqualTypeOf<Promise<undefined>>();
    expectTypeOf(roles.list).returns.toEqualTypeOf<Envelope<{ keys: string[] }>>();
    expectTypeOf(creds).returns.toEqualTypeOf<
      Promise<
        Envelope<{ service_account_namespace: string; service_account_name: string; service_account_token: string }>
      >
    >();
    expectTypeOf(client.at("k8s").orchestrator).toEqualTypeOf(client.orchestrator);
    // @ts-expect-error a role has a name
    void roles.write({ service_account_name: "app" });
    // @ts-expect-error labels are texts or pairs
    void roles.write({ name: "dev", extra_labels: 7 });
    // @ts-expect-error what is prepared is not the caller's
    void roles.write({ name: "dev", prepared: {} });
  });

  test("shows a token as auth", () => {
    expectTypeOf(client.tokens.create).returns.toHaveProperty("auth").toEqualTypeOf<AuthShown>();
    expectTypeOf(client.kv.list).returns.toHaveProperty("auth").toEqualTypeOf<null>();
  });

  test("at another mount has the engine's resources only", () => {
    expectTypeOf(client.at("ldap2").library.checkOut).toEqualTypeOf(client.library.checkOut);
    // @ts-expect-error leases belong to no mount
    client.at("ldap2").leases.list();
  });
});

test("a TTL of a control call is text, because a number could be seconds or milliseconds", () => {
  cluster.createToken({ policies: [], ttl: "1h" });
  // @ts-expect-error seconds or milliseconds?
  cluster.createToken({ policies: [], ttl: 3600 });
});

test("options that do not exist do not compile", () => {
  // @ts-expect-error no such option
  createSimulator({ sead: 1 });
  expectTypeOf(createSimulator).returns.toEqualTypeOf<Simulator>();
});

test("the cast of a scenario is typed in every step", () => {
  defineScenario({
    name: "typed",
    title: "Typed",
    world: {},
    cast: () => ({ ann: "token" }),
    steps: [
      {
        title: "one",
        does: (sim, { ann }) => {
          expectTypeOf(ann).toExtend<string>();
          expectTypeOf(sim).toEqualTypeOf<Simulator>();
        },
        // @ts-expect-error nobody cast Bob
        expect: (_, { bob }) => bob,
      },
    ],
  });
});

test("captures are read from the route", () => {
  expectTypeOf<CapturesOf<"POST /v1/:mount/library/**:set_name/check-out">>().toEqualTypeOf<"mount" | "set_name">();
  expectTypeOf<CapturesOf<"POST /v1/sys/leases/renew">>().toEqualTypeOf<never>();
});

test("evolvers are total: a missing or a surplus one does not compile", () => {
  interface Events {
    Lit: { readonly lamp: string };
    Dimmed: { readonly lamp: string };
  }
  type State = { readonly lit: readonly string[] };
  const total: Evolvers<State, Events> = { Lit: () => undefined, Dimmed: () => undefined };
  // @ts-expect-error Dimmed is missing
  const missing: Evolvers<State, Events> = { Lit: () => undefined };
  // @ts-expect-error nothing flickers
  const surplus: Evolvers<State, Events> = { ...total, Flickered: () => undefined, Lit: total.Lit };
  expectTypeOf([total, missing, surplus]).toBeArray();
});
