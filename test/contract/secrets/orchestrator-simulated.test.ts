import { describe, expect, it } from "vitest";
import { createSimulator, Rejection, type Simulator } from "../../../src/index.ts";
import { expectNothingChanged } from "../expectations.ts";
import { MODES, orchestratorWorld } from "./orchestrator-world.ts";

// control-surface.md, "Surroundings"; decisions-orchestrator.md, 6 "The simulated cluster".

type Orchestrator = Simulator["orchestrator"];

describe("the simulated orchestrator", () => {
  it("has a namespace and an account at the start, with ids of the seed's", () => {
    const shown = (seed: number) => createSimulator({ seed }).orchestrator.objects();
    expect(shown(1)).toEqual([
      { kind: "Namespace", name: "default", uid: expect.any(String), labels: {}, annotations: {} },
      {
        kind: "ServiceAccount",
        namespace: "default",
        name: "default",
        uid: expect.any(String),
        labels: {},
        annotations: {},
      },
    ]);
    expect(shown(1)).toEqual(shown(1));
    expect(shown(1)).not.toEqual(shown(2));
  });

  it("is seeded by calls, and shows what it has by kind and by namespace", () => {
    const { orchestrator } = createSimulator();
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
    orchestrator.addNamespace("shop", { labels: { team: "sales", "example.com/tier": "" } });
    orchestrator.addNamespace("back-office");
    orchestrator.addServiceAccount("shop", "app.v2");
    orchestrator.addRole("shop", "Reads: all", rules);
    orchestrator.addClusterRole("admin", []);
    const lines = (filter?: Parameters<Orchestrator["objects"]>[0]): string[] =>
      orchestrator.objects(filter).map(({ kind, namespace = "", name }) => `${kind} ${namespace}/${name}`);
    expect(lines({ kind: "Namespace" })).toEqual(["Namespace /back-office", "Namespace /default", "Namespace /shop"]);
    expect(lines({ namespace: "shop" })).toEqual([
      "Role shop/Reads: all",
      "ServiceAccount shop/app.v2",
      "ServiceAccount shop/default",
    ]);
    expect(lines({ kind: "ServiceAccount", namespace: "shop" })).toEqual([
      "ServiceAccount shop/app.v2",
      "ServiceAccount shop/default",
    ]);
    expect(lines({ kind: "ClusterRole" })).toEqual(["ClusterRole /admin"]);
    expect(lines({ namespace: "sho" })).toEqual([]);
    expect(lines()).toHaveLength(9);
    expect(orchestrator.objects({ kind: "Role" })[0]?.rules).toEqual(rules);
    orchestrator.setNamespaceLabels("shop", { team: "ops" });
    expect(orchestrator.objects({ kind: "Namespace" })[2]?.labels).toEqual({ team: "ops" });
    orchestrator.removeNamespace("shop");
    expect(lines({ namespace: "shop" })).toEqual([]);
    expect(lines()).toEqual([
      "ClusterRole /admin",
      "Namespace /back-office",
      "Namespace /default",
      "ServiceAccount back-office/default",
      "ServiceAccount default/default",
    ]);
  });

  it("does what is done already without a commit", async () => {
    const sim = createSimulator();
    await expectNothingChanged(sim, () => {
      sim.orchestrator.removeNamespace("none");
      sim.orchestrator.setAvailable(true);
      sim.orchestrator.requireToken();
      sim.orchestrator.setMaxTokenTtl();
      sim.orchestrator.setMinTokenTtl(undefined);
    });
  });

  it.each<[what: string, code: string, work: (orchestrator: Orchestrator) => void]>([
    ["a namespace that is there", "orchestrator_object_exists", (o) => o.addNamespace("default")],
    ["an account that is there", "orchestrator_object_exists", (o) => o.addServiceAccount("default", "default")],
    [
      "a role that is there",
      "orchestrator_object_exists",
      (o) => {
        o.addClusterRole("a", []);
        o.addClusterRole("a", []);
      },
    ],
    ["an account in no namespace", "orchestrator_namespace_not_found", (o) => o.addServiceAccount("none", "a")],
    ["a role in no namespace", "orchestrator_namespace_not_found", (o) => o.addRole("none", "a", [])],
    ["labels of no namespace", "orchestrator_namespace_not_found", (o) => o.setNamespaceLabels("none", {})],
  ])("refuses %s", (_, code, work) => {
    const { orchestrator } = createSimulator();
    const refused = (): unknown => {
      try {
        return work(orchestrator);
      } catch (error) {
        return error;
      }
    };
    expect(refused()).toBeInstanceOf(Rejection);
    expect(refused()).toMatchObject({ code });
  });

  const hostile = JSON.parse('{"__proto__": "x"}') as Record<string, string>;
  it.each<[what: string, work: (orchestrator: Orchestrator) => unknown, message: string]>([
    ["a namespace in upper case", (o) => o.addNamespace("Shop"), '"Shop"'],
    ["a namespace with a dot", (o) => o.addNamespace("a.b"), '"a.b"'],
    ["no namespace", (o) => o.addNamespace(""), "DNS label"],
    ["a namespace that is a number", (o) => o.addNamespace(7 as never), "7"],
    ["a label's name", (o) => o.addNamespace("a", { labels: { "-a": "b" } }), "-a"],
    ["a label's value", (o) => o.addNamespace("a", { labels: { a: "b c" } }), "b c"],
    ["a label of every object's", (o) => o.addNamespace("a", { labels: hostile }), "__proto__"],
    [
      "a label that is a number",
      (o) => o.setNamespaceLabels("default", { a: 1 } as never),
      "a label's value is a text",
    ],
    ["an unknown option", (o) => o.addNamespace("a", { label: {} } as never), "label"],
    ["options that are a text", (o) => o.addNamespace("a", "b" as never), '"b"'],
    ["a name among the options", (o) => o.addNamespace("a", { name: "b" } as never), "name is no option"],
    ["an account in upper case", (o) => o.addServiceAccount("default", "App"), '"App"'],
    ["an account that is too long", (o) => o.addServiceAccount("default", "a".repeat(254)), "a service account's name"],
    ["a role without a name", (o) => o.addRole("default", "", []), "not empty"],
    ["rules that are none", (o) => o.addRole("default", "a", [{ verbs: "get" }] as never), "verbs of a rule"],
    ["rules that are an object", (o) => o.addClusterRole("a", {} as never), "rules are an array"],
    ["a count of 0", (o) => o.failNext({ count: 0 }), "count"],
    ["a verb that is none", (o) => o.failNext({ count: 1, verb: "update" as never }), "verb"],
    ["a kind that is none", (o) => o.failNext({ count: 1, kind: "Pod" as never }), "kind"],
    ["no options of a failure", (o) => o.failNext(undefined as never), "failNext"],
    ["a token that is empty", (o) => o.requireToken(""), "not empty"],
    ["a time that is none", (o) => o.setMaxTokenTtl("soon"), 'orchestrator.setMaxTokenTtl: ttl is "soon"'],
    ["a time of less than a second", (o) => o.setMinTokenTtl(999), "a second"],
    ["a negative time", (o) => o.setMaxTokenTtl("-1h"), "-1h"],
    ["objects of a kind that is none", (o) => o.objects({ kind: "Pod" as never }), '"Pod"'],
    ["objects by what no filter has", (o) => o.objects({ kinds: "Role" } as never), "kinds: no such option"],
    ["objects of a namespace that is a number", (o) => o.objects({ namespace: 7 as never }), "7"],
    ["a filter that is a text", (o) => o.objects("Role" as never), '"Role"'],
    ["an availability that is none", (o) => o.setAvailable("yes" as never), "yes"],
    ["a token to be reviewed that is none", (o) => o.reviewToken(7 as never), "7"],
  ])("refuses %s with what was wrong", async (_, work, message) => {
    const sim = createSimulator();
    await expectNothingChanged(sim, () => {
      expect(() => work(sim.orchestrator)).toThrow(TypeError);
      expect(() => work(sim.orchestrator)).toThrow(message);
    });
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("lets so many calls fail, of a verb and a kind, and then none", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[1]);
    world.sim.orchestrator.failNext({ count: 2, kind: "TokenRequest" });
    world.sim.orchestrator.failNext({ count: 1, verb: "delete" });
    await expect(world.creds("dev")).rejects.toThrow("injected");
    await expect(world.creds("dev")).rejects.toThrow("injected");
    await world.creds("dev");
    expect(world.sim.state.orchestrator.failures).toEqual([{ count: 1, verb: "delete" }]);
  });

  it("strikes any call without a verb or a kind", async () => {
    const world = orchestratorWorld();
    await world.role("dev", {
      allowed_orchestrator_namespaces: "",
      allowed_orchestrator_namespace_selector: "{}",
      ...MODES[1],
    });
    world.sim.orchestrator.failNext({ count: 1 });
    await expect(world.creds("dev")).rejects.toThrow("get of a Namespace: Internal error occurred: injected");
    await world.creds("dev");
  });

  it("is looked at in the past, and changed only in the present", () => {
    const sim = createSimulator();
    sim.orchestrator.addNamespace("shop");
    const before = sim.at(0);
    expect(before.orchestrator.objects({ kind: "Namespace" })).toHaveLength(1);
    expect(() => before.orchestrator.addNamespace("other")).toThrow(TypeError);
    expect(before.orchestrator.publicKeys()).toEqual(sim.orchestrator.publicKeys());
  });

  it("is asked in the past whether a token was valid then", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const { jwt, lease } = await world.creds("dev", { ttl: "1h" });
    world.sim.mark("issued");
    world.sim.secrets.cluster("main").as(world.root).leases.revoke({ lease_id: lease });
    expect(await world.sim.orchestrator.reviewToken(jwt)).toMatchObject({
      authenticated: false,
      error: expect.stringContaining("not found"),
    });
    expect(await world.sim.at("issued").orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: true });
  });

  it("takes no token of an account for that of a later one of its name", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[1]);
    const { jwt } = await world.creds("dev");
    world.sim.orchestrator.removeNamespace("shop");
    world.sim.orchestrator.addNamespace("shop");
    world.sim.orchestrator.addServiceAccount("shop", "app");
    expect(await world.sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: false });
  });
});

describe("the pod that a cluster runs in", () => {
  it.each<[what: string, environment: object, message: string]>([
    ["an unknown option", { hostname: "a" }, "hostname"],
    ["an empty host", { host: "" }, "host"],
    ["a port that is none", { port: "https" }, "port"],
    ["a file that is none", { tokenFile: 7 }, "tokenFile"],
  ])("refuses %s", async (_, environment, message) => {
    const sim = createSimulator();
    await expectNothingChanged(sim, () => {
      expect(() => sim.secrets.cluster("main").setPodEnvironment(environment)).toThrow(message);
    });
  });

  it("is replaced as a whole", () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.setPodEnvironment({ host: "a", port: 443, caFile: "pem", tokenFile: "jwt" });
    expect(sim.state.secrets["main"]?.ignored.podEnvironment).toEqual({
      host: "a",
      port: "443",
      caFile: "pem",
      tokenFile: "jwt",
    });
    main.setPodEnvironment({});
    expect(sim.state.secrets["main"]?.ignored.podEnvironment).toEqual({});
  });
});
