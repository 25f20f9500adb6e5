import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { Rejection, type ShownObject } from "../../../src/index.ts";
import { byRule, doors, type Fields } from "../driver.ts";
import { expectEnvelope, expectNothingChanged, expectRefused } from "../expectations.ts";
import { reach } from "../transports.ts";
import { claimsIn, MODES, type OrchestratorTestWorld, orchestratorWorld } from "./orchestrator-world.ts";

// decisions-orchestrator.md, 4 to 6: credentials of an orchestrator engine.

const LIST = { allowed_orchestrator_namespaces: "shop" };
const selecting = (selector: object): Fields => ({
  allowed_orchestrator_namespaces: "",
  allowed_orchestrator_namespace_selector: JSON.stringify(selector),
});
const SALES = selecting({ matchLabels: { team: "sales" } });
const ASKED = { role: "dev", orchestrator_namespace: "shop" };

interface Refused {
  readonly rule: string;
  /** The role that is there; absent = none. */
  readonly role?: Fields;
  readonly configured?: false;
  readonly asked?: Fields;
  readonly status: 400 | 500;
  readonly piece: string;
}

/** Rows of the table of checks, in its order, each with what comes right after it, which it wins over. */
const REFUSED: readonly Refused[] = [
  { rule: "1 a negative ttl", asked: { ttl: -1 }, status: 400, piece: "Field validation failed" },
  { rule: "1 a ttl that is no duration", asked: { ttl: "1w" }, status: 400, piece: "Field validation failed" },
  {
    rule: "1 a flag that is none",
    asked: { cluster_role_binding: "perhaps" },
    status: 400,
    piece: "Field validation failed",
  },
  { rule: "2 a missing role", asked: { orchestrator_namespace: "" }, status: 400, piece: "role 'dev' does not exist" },
  {
    rule: "3 no namespace",
    role: { ...LIST, ...MODES[1] },
    asked: { orchestrator_namespace: undefined },
    status: 500,
    piece: "'orchestrator_namespace' is required",
  },
  {
    rule: "3 an empty namespace",
    role: { ...LIST, ...MODES[1] },
    asked: { orchestrator_namespace: "" },
    status: 500,
    piece: "'orchestrator_namespace' is required",
  },
  {
    rule: "5 a namespace that is not listed",
    role: { ...LIST, ...MODES[1] },
    configured: false,
    asked: { orchestrator_namespace: "default" },
    status: 400,
    piece: "is not present in role's",
  },
  {
    rule: "5 a namespace in another case",
    role: { ...LIST, ...MODES[1] },
    asked: { orchestrator_namespace: "Shop" },
    status: 400,
    piece: "is not present in role's",
  },
  {
    rule: "6 a selector without configuration",
    role: { ...SALES, ...MODES[1] },
    configured: false,
    asked: { orchestrator_namespace: "none" },
    status: 500,
    piece: "could not load backend configuration",
  },
  {
    rule: "7 a selector and an unknown namespace",
    role: { ...SALES, ...MODES[1] },
    asked: { orchestrator_namespace: "none", cluster_role_binding: true },
    status: 500,
    piece: 'namespaces "none" not found',
  },
  {
    rule: "7 the selector of everything and an unknown namespace",
    role: { ...selecting({}), ...MODES[1] },
    asked: { orchestrator_namespace: "none" },
    status: 500,
    piece: 'namespaces "none" not found',
  },
  {
    rule: "8 labels that do not match",
    role: { ...SALES, ...MODES[1] },
    asked: { orchestrator_namespace: "default", cluster_role_binding: true },
    status: 400,
    piece: "is not present in role's",
  },
  {
    rule: "8 an operator that is none",
    role: { ...selecting({ matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] }), ...MODES[1] },
    status: 500,
    piece: "not a valid label selector operator",
  },
  {
    rule: "8 In without values",
    role: { ...selecting({ matchExpressions: [{ key: "a", operator: "In" }] }), ...MODES[1] },
    status: 500,
    piece: "values set can't be empty",
  },
  {
    rule: "8 Exists with values",
    role: { ...selecting({ matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }), ...MODES[1] },
    status: 500,
    piece: "values set must be empty",
  },
  {
    rule: "9 a cluster role binding in mode 1",
    role: { ...LIST, ...MODES[1] },
    configured: false,
    asked: { cluster_role_binding: true },
    status: 400,
    piece: "ClusterRoleBinding cannot ref a Role",
  },
  {
    rule: "9 a cluster role binding in mode 2",
    role: { ...LIST, ...MODES[2] },
    asked: { cluster_role_binding: true },
    status: 400,
    piece: "ClusterRoleBinding cannot ref a Role",
  },
  {
    rule: "9 a cluster role binding in mode 3",
    role: { ...LIST, ...MODES[3] },
    asked: { cluster_role_binding: true },
    status: 400,
    piece: "ClusterRoleBinding cannot ref a Role",
  },
  {
    rule: "10 no configuration",
    role: { ...LIST, ...MODES[3], name_template: "{{ .Nope }}" },
    configured: false,
    status: 500,
    piece: "could not load backend configuration",
  },
  {
    rule: "11 a template of an unknown field, in mode 2",
    role: { ...LIST, ...MODES[2], name_template: "{{ .Nope }}" },
    status: 500,
    piece: "failed to generate name",
  },
  {
    rule: "11 a template that cuts to nothing, in mode 3",
    role: { ...LIST, ...MODES[3], name_template: "{{ .RoleName | truncate 0 }}" },
    status: 500,
    piece: "failed to generate name",
  },
  {
    rule: "12 an account that is not there",
    role: { ...LIST, service_account_name: "nobody" },
    status: 500,
    piece: 'failed to create a service account token: serviceaccounts "nobody" not found',
  },
  {
    rule: "12 a life time below ten minutes",
    role: { ...LIST, ...MODES[1] },
    asked: { ttl: 599 },
    status: 500,
    piece: "10 minutes",
  },
];

describe.each(doors())("a refused request for credentials through %s", (_, { open }) => {
  it.each(byRule(REFUSED))("%s", async (_rule, { role, configured, asked, status, piece }) => {
    const world = orchestratorWorld({ configured: configured ?? true });
    if (role !== undefined) await world.role("dev", role);
    await expectNothingChanged(world.sim, async () => {
      const answer = await open(world.sim).call("orchestrator.creds", { ...ASKED, ...asked });
      expectRefused(answer, status, piece);
      expect(answer.errors?.startsWith("1 error occurred:\n\t* ")).toBe(status === 500);
    });
  });
});

interface Allowed {
  readonly rule: string;
  readonly role: Fields;
  readonly namespace?: string;
}

const ALLOWED: readonly Allowed[] = [
  { rule: "a namespace of the list", role: LIST },
  { rule: "any namespace", role: { allowed_orchestrator_namespaces: "*" } },
  { rule: "any namespace beside names", role: { allowed_orchestrator_namespaces: "other,*" } },
  { rule: "a namespace with the labels", role: SALES },
  { rule: "the selector of everything", role: selecting({}) },
  { rule: "a listed one whose labels do not match", role: { ...selecting({ matchLabels: { team: "x" } }), ...LIST } },
  { rule: "a matching one that is not listed", role: { ...SALES, allowed_orchestrator_namespaces: "other" } },
  {
    rule: "a listed one, whatever the selector's operators",
    role: { ...selecting({ matchExpressions: [{ key: "a", operator: "x" }] }), ...LIST },
  },
  {
    rule: "NotIn of a key that is not there",
    role: selecting({ matchExpressions: [{ key: "none", operator: "NotIn", values: ["a"] }] }),
  },
  { rule: "DoesNotExist", role: selecting({ matchExpressions: [{ key: "none", operator: "DoesNotExist" }] }) },
  {
    rule: "all of several requirements",
    role: selecting({
      matchLabels: { tier: "front" },
      matchExpressions: [
        { key: "team", operator: "In", values: ["x", "sales"] },
        { key: "tier", operator: "Exists" },
      ],
    }),
  },
];

it.each(byRule(ALLOWED))("credentials may be had for %s", async (_, { role }) => {
  const world = orchestratorWorld();
  await world.role("dev", { ...role, ...MODES[1] });
  expect(await world.creds("dev")).toMatchObject({ name: "app", seconds: 2_764_800, warnings: [] });
});

describe.each(doors())("the answer with credentials through %s", (_, { open }) => {
  it("names the lease after the path, and cannot be renewed", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const { call } = open(world.sim);
    const body = expectEnvelope(await call("orchestrator.creds", { ...ASKED, role: "Dev", ttl: "1h" }));
    expect(body).toMatchObject({ renewable: false, lease_duration: 3600, warnings: null });
    expect(body.lease_id).toMatch(/^orchestrator\/creds\/Dev\/[0-9A-Za-z]{24}$/);
    expect(body.data).toEqual({
      service_account_namespace: "shop",
      service_account_name: expect.stringMatching(/^v-root-dev-1767225600-[0-9a-z]{24}$/),
      service_account_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    expectRefused(await call("leases.renew", { lease_id: body.lease_id }), 400, "lease is not renewable");
  });

  it("is had with update on its path, and with nothing else", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[1]);
    const main = world.sim.secrets.cluster("main");
    const { call } = open(world.sim);
    const statusWith = async (rule: string): Promise<number> => {
      main.writePolicy("deployer", rule);
      const { token } = main.createToken({ policies: ["deployer"] });
      return (await call("orchestrator.creds", ASKED, { token })).status;
    };
    expect(await statusWith('path "orchestrator/creds/dev" { capabilities = ["update"] }')).toBe(200);
    expect(await statusWith('path "orchestrator/creds/dev" { capabilities = ["create", "read"] }')).toBe(403);
    expect(await statusWith('path "orchestrator/creds/other" { capabilities = ["update"] }')).toBe(403);
  });

  it("is wrapped as others are, and unwrapped with its token", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const main = world.sim.secrets.cluster("main");
    const wrapped = await main.as(world.root).orchestrator.creds(ASKED, { wrapTtl: "5m" });
    expect(wrapped.data).toBeNull();
    const first = wrapped.wrap_info?.token ?? "";
    world.sim.clock.advance("1m");
    const token = main.as(world.root).wrapping.rewrap({ token: first }).wrap_info?.token ?? "";
    const { data, lease_id } = expectEnvelope(await open(world.sim).call("wrapping.unwrap", { token }));
    const { service_account_token } = data as { service_account_token: string };
    expect(lease_id).toMatch(/^orchestrator\/creds\/dev\//);
    expect(await world.sim.orchestrator.reviewToken(service_account_token)).toMatchObject({ authenticated: true });
  });

  it("of a mount and a namespace elsewhere has their names", async () => {
    const world = orchestratorWorld();
    const main = world.sim.secrets.cluster("main");
    const { id } = main.createNamespace("team");
    main.mount("k8s", { type: "orchestrator", namespace: "team" });
    const { call } = open(world.sim);
    const there = { namespace: "team", mount: "k8s" };
    await call("orchestrator.config.write", { orchestrator_host: "https://api.test" }, there);
    await call("orchestrator.roles.write", { name: "dev", ...LIST, ...MODES[1] }, there);
    const { lease_id } = expectEnvelope(await call("orchestrator.creds", ASKED, there));
    expect(lease_id).toMatch(new RegExp(`^k8s/creds/dev/[0-9A-Za-z]{24}\\.${id}$`));
  });
});

describe("life times and warnings", () => {
  const DAY = 86_400;
  const SYSTEM = 2_764_800;
  interface Row {
    readonly rule: string;
    readonly role?: Fields;
    readonly ttl?: string | number;
    readonly max?: string;
    readonly min?: string;
    readonly mount?: Fields;
    readonly seconds: number;
    readonly token?: number;
    readonly warns?: readonly string[];
  }
  const rows: readonly Row[] = [
    { rule: "the request's", role: { token_default_ttl: "2h" }, ttl: "1h", seconds: 3600 },
    { rule: "the role's default", role: { token_default_ttl: "2h" }, seconds: 7200 },
    { rule: "the role's default for 0", role: { token_default_ttl: "2h" }, ttl: 0, seconds: 7200 },
    { rule: "the role's default for an empty text", role: { token_default_ttl: "2h" }, ttl: "", seconds: 7200 },
    { rule: "the system's", seconds: SYSTEM },
    { rule: "the mount's", mount: { default_lease_ttl: "1h" }, seconds: 3600 },
    {
      rule: "the role's maximum below the system's default",
      role: { token_max_ttl: "24h" },
      seconds: DAY,
      warns: ["token_max_ttl"],
    },
    {
      rule: "the role's maximum below the request's",
      role: { token_max_ttl: "1h" },
      ttl: "2h",
      seconds: 3600,
      warns: ["token_max_ttl"],
    },
    { rule: "as long as the role's maximum", role: { token_max_ttl: "1h" }, ttl: "1h", seconds: 3600 },
    {
      rule: "the system's maximum below the role's default",
      role: { token_default_ttl: "2000h" },
      seconds: SYSTEM,
      warns: ["max lease ttl"],
    },
    { rule: "the system's maximum below the request's", ttl: "769h", seconds: SYSTEM, warns: ["max lease ttl"] },
    {
      rule: "the mount's maximum",
      mount: { max_lease_ttl: "1h", default_lease_ttl: "1h" },
      ttl: "2h",
      seconds: 3600,
      warns: ["max lease ttl"],
    },
    {
      rule: "both maxima, one after the other",
      role: { token_max_ttl: "1000h" },
      ttl: "2000h",
      seconds: SYSTEM,
      warns: ["token_max_ttl", "max lease ttl"],
    },
    {
      rule: "less than was asked for",
      max: "30m",
      ttl: "1h",
      seconds: 1800,
      token: 1800,
      warns: ["less than the lease TTL"],
    },
    {
      rule: "more than was asked for",
      min: "2h",
      ttl: "1h",
      seconds: 3600,
      token: 7200,
      warns: ["greater than the lease TTL"],
    },
    { rule: "exactly what may be had", max: "1h", min: "1h", ttl: "1h", seconds: 3600 },
    {
      rule: "all cuts",
      role: { token_max_ttl: "1000h" },
      max: "24h",
      ttl: "2000h",
      seconds: DAY,
      token: DAY,
      warns: ["token_max_ttl", "max lease ttl", "less than the lease TTL"],
    },
    { rule: "ten minutes, the least", ttl: 600, seconds: 600 },
    { rule: "a minute, where the orchestrator lets it", min: "1m", ttl: "1m", seconds: 60 },
  ];

  it.each(byRule(rows))("%s", async (_, { role, ttl, max, min, mount, seconds, token, warns = [] }) => {
    const world = orchestratorWorld();
    const admin = world.sim.secrets.cluster("main").as(world.root);
    if (mount !== undefined) admin.mounts.tune({ path: "orchestrator", ...mount });
    if (max !== undefined) world.sim.orchestrator.setMaxTokenTtl(max);
    if (min !== undefined) world.sim.orchestrator.setMinTokenTtl(min);
    await world.role("dev", { ...MODES[1], ...role });
    const issued = await world.creds("dev", ttl === undefined ? {} : { ttl });
    expect(issued.seconds).toBe(seconds);
    expect(issued.warnings).toEqual(warns.map((piece) => expect.stringContaining(piece)));
    const { exp, iat } = claimsIn(issued.jwt);
    expect(exp - iat).toBe(token ?? seconds);
  });
});

describe("what is made", () => {
  const summary = (objects: readonly ShownObject[], name: string): unknown[] => {
    const byUid = new Map(objects.map(({ uid, kind }) => [uid, kind]));
    return objects.map((object) => {
      expect(object.name).toBe(name);
      const { kind, namespace, owner, roleRef, subjects } = object;
      return { kind, namespace, owner: byUid.get(owner ?? ""), roleRef, subjects };
    });
  };
  interface Row {
    readonly rule: string;
    readonly role: Fields;
    readonly clusterWide?: true;
    readonly makes: (name: string) => readonly object[];
  }
  const subjects = (name: string) => [{ kind: "ServiceAccount", namespace: "shop", name }];
  const rows: readonly Row[] = [
    { rule: "mode 1: nothing", role: MODES[1], makes: () => [] },
    {
      rule: "mode 1 of type ClusterRole with a cluster role binding: nothing",
      role: { ...MODES[1], orchestrator_role_type: "ClusterRole" },
      clusterWide: true,
      makes: () => [],
    },
    {
      rule: "mode 2: a binding that owns an account",
      role: MODES[2],
      makes: (name) => [
        { kind: "RoleBinding", namespace: "shop", roleRef: { kind: "Role", name: "reader" }, subjects: subjects(name) },
        { kind: "ServiceAccount", namespace: "shop", owner: "RoleBinding" },
      ],
    },
    {
      rule: "mode 2 of a ClusterRole, in the namespace",
      role: { ...MODES[2], orchestrator_role_type: "ClusterRole" },
      makes: (name) => [
        {
          kind: "RoleBinding",
          namespace: "shop",
          roleRef: { kind: "ClusterRole", name: "reader" },
          subjects: subjects(name),
        },
        { kind: "ServiceAccount", namespace: "shop", owner: "RoleBinding" },
      ],
    },
    {
      rule: "mode 2 of a ClusterRole, cluster-wide",
      role: { ...MODES[2], orchestrator_role_type: "ClusterRole" },
      clusterWide: true,
      makes: (name) => [
        { kind: "ClusterRoleBinding", roleRef: { kind: "ClusterRole", name: "reader" }, subjects: subjects(name) },
        { kind: "ServiceAccount", namespace: "shop", owner: "ClusterRoleBinding" },
      ],
    },
    {
      rule: "mode 3: a role that owns a binding and an account",
      role: MODES[3],
      makes: (name) => [
        { kind: "Role", namespace: "shop" },
        {
          kind: "RoleBinding",
          namespace: "shop",
          owner: "Role",
          roleRef: { kind: "Role", name },
          subjects: subjects(name),
        },
        { kind: "ServiceAccount", namespace: "shop", owner: "Role" },
      ],
    },
    {
      rule: "mode 3 of a ClusterRole, in the namespace",
      role: { ...MODES[3], orchestrator_role_type: "ClusterRole" },
      makes: (name) => [
        { kind: "ClusterRole" },
        {
          kind: "RoleBinding",
          namespace: "shop",
          owner: "ClusterRole",
          roleRef: { kind: "ClusterRole", name },
          subjects: subjects(name),
        },
        { kind: "ServiceAccount", namespace: "shop", owner: "ClusterRole" },
      ],
    },
    {
      rule: "mode 3 of a ClusterRole, cluster-wide",
      role: { ...MODES[3], orchestrator_role_type: "ClusterRole" },
      clusterWide: true,
      makes: (name) => [
        { kind: "ClusterRole" },
        {
          kind: "ClusterRoleBinding",
          owner: "ClusterRole",
          roleRef: { kind: "ClusterRole", name },
          subjects: subjects(name),
        },
        { kind: "ServiceAccount", namespace: "shop", owner: "ClusterRole" },
      ],
    },
  ];

  it.each(byRule(rows))("%s", async (_, { role, clusterWide = false, makes }) => {
    const world = orchestratorWorld();
    await world.role("dev", role);
    const { name } = await world.creds("dev", { cluster_role_binding: clusterWide });
    expect(summary(world.generated(), name)).toEqual(makes(name));
  });

  it("carries labels and annotations on every object, the fixed labels above all", async () => {
    const world = orchestratorWorld();
    const extra_labels = { a: "1", "app.orchestrator.io/managed-by": "me", "app.orchestrator.io/created-by": "me" };
    await world.role("dev", { ...MODES[3], extra_labels, extra_annotations: { note: "mine" } });
    await world.creds("dev");
    expect(world.kinds()).toHaveLength(3);
    for (const { labels, annotations } of world.generated()) {
      expect(labels).toEqual({
        a: "1",
        "app.orchestrator.io/managed-by": "secrets",
        "app.orchestrator.io/created-by": "secrets-engine-orchestrator",
      });
      expect(annotations).toEqual({ note: "mine" });
    }
    expect(world.generated()[0]?.rules).toEqual([{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }]);
  });

  it("is named by the role's template, as it comes", async () => {
    const world = orchestratorWorld();
    await world.role("dev", {
      ...MODES[3],
      name_template: "x-{{ .RoleName }}-{{ .DisplayName }}-{{ random 4 | lowercase }}",
    });
    const { token } = world.sim.secrets.cluster("main").createToken({ policies: ["root"], displayName: "ann" });
    expect((await world.creds("dev", {}, token)).name).toMatch(/^x-dev-token-ann-[0-9a-z]{4}$/);
  });

  it("has a default name of at most 62 characters, cut in its parts, in lower case", async () => {
    const world = orchestratorWorld();
    await world.role("auto-manager", MODES[2]);
    const { token } = world.sim.secrets.cluster("main").createToken({ policies: ["root"], displayName: "Automation" });
    const { name } = await world.creds("auto-manager", {}, token);
    expect(name).toMatch(/^v-token-au-auto-man-1767225600-[0-9a-z]{24}$/);
    expect(name.length).toBeLessThanOrEqual(62);
  });
});

describe("tokens", () => {
  it("say who they are for, until when, and in which account's name", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const { jwt, name } = await world.creds("dev", { ttl: "1h" });
    const account = world.generated().find(({ kind }) => kind === "ServiceAccount");
    const issuer = "https://orchestrator.default.svc.cluster.local";
    expect(claimsIn(jwt)).toEqual({
      aud: [issuer],
      exp: 1_767_229_200,
      iat: 1_767_225_600,
      nbf: 1_767_225_600,
      iss: issuer,
      sub: `system:serviceaccount:shop:${name}`,
      "orchestrator.io": { namespace: "shop", serviceaccount: { name, uid: account?.uid } },
    });
  });

  it.each([
    { rule: "the role's audiences", role: { token_default_audiences: "a,b" }, asked: {}, aud: ["a", "b"] },
    {
      rule: "the request's before the role's",
      role: { token_default_audiences: "a" },
      asked: { audiences: ["c"] },
      aud: ["c"],
    },
  ])("are for $rule", async ({ role, asked, aud }) => {
    const world = orchestratorWorld();
    await world.role("dev", { ...MODES[1], ...role });
    expect(claimsIn((await world.creds("dev", asked)).jwt)["aud"]).toEqual(aud);
  });

  it("verify by the published key under the virtual clock, before their expiry and not after", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[1]);
    const { jwt } = await world.creds("dev", { ttl: "1h" });
    const keys = createLocalJWKSet(world.sim.orchestrator.publicKeys());
    const verified = () =>
      jwtVerify(jwt, keys, { currentDate: new Date(world.sim.clock.now()), algorithms: ["RS256"] });
    const [published] = world.sim.orchestrator.publicKeys().keys;
    expect(Object.keys(published ?? {}).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    expect((await verified()).protectedHeader).toEqual({ alg: "RS256", kid: published?.kid });
    expect(await calculateJwkThumbprint(published ?? {})).toBe(published?.kid);
    world.sim.clock.advance("59m59s");
    await verified();
    expect(await world.sim.orchestrator.reviewToken(jwt)).toEqual({
      authenticated: true,
      username: "system:serviceaccount:shop:app",
      audiences: ["https://orchestrator.default.svc.cluster.local"],
    });
    world.sim.clock.advance("1s");
    await expect(verified()).rejects.toThrow("exp");
    expect(await world.sim.orchestrator.reviewToken(jwt)).toMatchObject({
      authenticated: false,
      error: expect.any(String),
    });
  });

  it("are the same in a replay, a fork and at the other door", async () => {
    const tokenOf = async (world: OrchestratorTestWorld, http: boolean): Promise<string> => {
      await world.role("dev", MODES[3]);
      if (!http) return (await world.creds("dev")).jwt;
      const { url } = world.sim.secrets.cluster("main");
      const response = await reach(world.sim)(`${url}/v1/orchestrator/creds/dev`, {
        method: "POST",
        headers: { "X-Secrets-Token": world.root },
        body: JSON.stringify({ orchestrator_namespace: "shop" }),
      });
      const { data } = (await response.json()) as { data: { service_account_token: string } };
      return data.service_account_token;
    };
    expect(await tokenOf(orchestratorWorld(), true)).toBe(await tokenOf(orchestratorWorld(), false));
  });

  it.each(["", "a.b.c", "not a token"])("%j is none", async (jwt) => {
    expect(await orchestratorWorld().sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: false });
  });

  it("of another simulator's key is none", async () => {
    const other = orchestratorWorld({ options: { seed: 8 } });
    await other.role("dev", MODES[1]);
    const { jwt } = await other.creds("dev");
    const { sim } = orchestratorWorld();
    expect(sim.orchestrator.publicKeys()).not.toEqual(other.sim.orchestrator.publicKeys());
    expect(await sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: false });
  });
});

describe("the orchestrator's refusals", () => {
  it.each([
    { mode: 3, kind: "Role", piece: "failed to create role: ", left: [] },
    { mode: 3, kind: "RoleBinding", piece: "failed to create role binding: ", left: ["Role"] },
    { mode: 3, kind: "ServiceAccount", piece: "failed to create service account: ", left: ["Role", "RoleBinding"] },
    {
      mode: 3,
      kind: "TokenRequest",
      piece: "failed to create a service account token: ",
      left: ["Role", "RoleBinding", "ServiceAccount"],
    },
    { mode: 2, kind: "RoleBinding", piece: "failed to create role binding: ", left: [] },
    { mode: 2, kind: "ServiceAccount", piece: "failed to create service account: ", left: ["RoleBinding"] },
    {
      mode: 2,
      kind: "TokenRequest",
      piece: "failed to create a service account token: ",
      left: ["RoleBinding", "ServiceAccount"],
    },
    { mode: 1, kind: "TokenRequest", piece: "failed to create a service account token: ", left: [] },
  ] as const)("of a $kind in mode $mode leaves $left and no lease", async ({ mode, kind, piece, left }) => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[mode]);
    world.sim.orchestrator.failNext({ count: 1, verb: "create", kind });
    const refusal = await world.creds("dev").catch((error: unknown) => error as Rejection);
    expect(refusal).toBeInstanceOf(Rejection);
    expect(refusal).toMatchObject({ status: 500, code: "orchestrator_call_failed", position: expect.any(Number) });
    expect((refusal as Rejection).message).toContain(piece);
    expect(world.kinds()).toEqual(left);
    expect(world.sim.state.secrets["main"]?.local.leases.size).toBe(0);
    expect(world.sim.clock.pending().map(({ command }) => command)).toEqual(mode === 1 ? [] : ["timer.rollback"]);
    await world.creds("dev");
  });

  it("because it cannot be reached are failures of the call", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[1]);
    await world.role("picky", { ...SALES, ...MODES[1] });
    world.sim.orchestrator.setAvailable(false);
    await expect(world.creds("dev")).rejects.toThrow("failed to create a service account token: ");
    await expect(world.creds("picky")).rejects.toMatchObject({ status: 500 });
    world.sim.orchestrator.setAvailable(true);
    await world.creds("picky");
    expect(world.sim.clock.pending().map(({ command }) => command)).toEqual(["timer.leaseRevocation"]);
  });

  it("of a namespace that is not there come when the first object is made", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    await world.role("wide", { ...MODES[3], orchestrator_role_type: "ClusterRole" });
    await expect(world.creds("dev", { orchestrator_namespace: "none" })).rejects.toThrow('namespaces "none" not found');
    expect(world.kinds()).toEqual([]);
    await expect(world.creds("wide", { orchestrator_namespace: "none" })).rejects.toThrow(
      'namespaces "none" not found',
    );
    expect(world.kinds()).toEqual(["ClusterRole"]);
  });

  it("of a name that is taken, or that no account may have", async () => {
    const world = orchestratorWorld();
    await world.role("fixed", { ...MODES[3], name_template: "fixed" });
    await world.role("upper", { ...MODES[3], name_template: "Upper" });
    await world.creds("fixed");
    await expect(world.creds("fixed")).rejects.toThrow('roles "fixed" already exists');
    await expect(world.creds("upper")).rejects.toThrow(/failed to create service account: .*is invalid/);
    expect(world.kinds()).toEqual(["Role", "Role", "RoleBinding", "RoleBinding", "ServiceAccount"]);
  });
});
