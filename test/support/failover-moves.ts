import type { ClusterHandle, SecretsClient, Simulator } from "../../src/index.ts";

// What operators, clients, networks and clocks do in a world of clusters. Each move is a function of what is handed to it and of nothing
// else in this file, so that the text of a move can be pasted into a scenario as it stands (./failover-story.ts).

type Kind = "dr" | "performance";

/** Who does something, to whom, and a number that says how. */
export interface Acting {
  readonly sim: Simulator;
  readonly on: ClusterHandle;
  readonly other: ClusterHandle;
  readonly n: number;
  readonly kind: Kind;
  /** A door with all rights on the cluster, or on another one. */
  readonly door: (cluster?: ClusterHandle) => SecretsClient;
  /** One of the ids that the primary `on` knows. */
  readonly someId: () => string;
  /** A token of the primary `other` for a secondary, by an id that is new to it. */
  readonly activation: (options?: { readonly ttl?: string; readonly key?: string }) => Promise<string>;
  /** A DR operation token of `on`, made with its key shares; nothing for performance, where ordinary tokens do. */
  readonly authority: () => Promise<{ readonly dr_operation_token?: string }>;
  /** The door of a secondary: it is asked without a token for disaster recovery. */
  readonly secondary: () => SecretsClient["replication"]["dr"] | SecretsClient["replication"]["performance"];
  /** The `n`-th of the leases that there are. */
  readonly lease: () => string;
}

/** Makes of a simulator and two names all that a move needs. */
export function acting(sim: Simulator, cluster: string, another: string, n: number): Acting {
  const [on, other] = [sim.secrets.cluster(cluster), sim.secrets.cluster(another)];
  const kind = n % 2 === 0 ? "dr" : "performance";
  const door = (at = on) => {
    const id = `operator-${at.name}`;
    try {
      at.as(id).tokens.lookupSelf();
    } catch {
      at.createToken({ id, policies: ["root"] });
    }
    return at.as(id);
  };
  const known = (at: ClusterHandle): readonly string[] => {
    const { data } = at.as().replication[kind].status();
    return "known_secondaries" in data ? data.known_secondaries : [];
  };
  const freeId = (): string => {
    const taken = known(other);
    for (let place = 0; ; place++) if (!taken.includes(`${on.name}-${place}`)) return `${on.name}-${place}`;
  };
  return {
    sim,
    on,
    other,
    n,
    kind,
    door,
    someId: () => {
      const ids = known(on);
      return ids[n % Math.max(ids.length, 1)] ?? `${other.name}-0`;
    },
    activation: async ({ ttl, key } = {}) => {
      const { wrap_info, data } = await door(other).replication[kind].secondaryToken({
        id: freeId(),
        ...(ttl === undefined ? {} : { ttl }),
        ...(key === undefined ? {} : { secondary_public_key: key }),
      });
      return wrap_info?.token ?? data?.token ?? "";
    },
    authority: async () => {
      if (kind === "performance") return {};
      const { operationToken } = on.as().replication.dr;
      operationToken.cancel();
      const { nonce, otp = "", required } = await operationToken.start();
      let encoded = "";
      for (const key of on.keyShares.slice(0, required)) {
        encoded = (await operationToken.update({ key, nonce })).encoded_token;
      }
      const bytes = [...atob(encoded)].map((letter, place) => letter.charCodeAt(0) ^ otp.charCodeAt(place));
      return { dr_operation_token: String.fromCharCode(...bytes) };
    },
    secondary: () => (kind === "dr" ? on.as().replication.dr : door().replication.performance),
    lease: () => {
      const leases = sim.state.secrets[cluster]?.local.leases;
      return leases?.at(n % Math.max(leases.size, 1))?.[0] ?? "none";
    },
  };
}

/** Does a move; what the world refuses is not done, and that is no mistake. */
export async function tried(move: (acting: Acting) => unknown, at: Acting): Promise<void> {
  try {
    await move(at);
  } catch (error) {
    const isRefusal = error instanceof Error && "code" in error && "status" in error;
    if (!isRefusal && !(error instanceof TypeError && error.message === "fetch failed")) throw error;
  }
}

/** A directory with accounts, an orchestrator with namespaces, and on one cluster something of every family. */
export async function furnished(sim: Simulator, cluster: string): Promise<void> {
  const base = "ou=service,dc=example,dc=com";
  sim.directory.addEntry("cn=engine,dc=example,dc=com", { cn: "engine", userPassword: "bind-secret" });
  for (const cn of ["svc-0", "svc-1", "svc-2", "role-0", "role-1"]) sim.directory.addEntry(`cn=${cn},${base}`, { cn });
  sim.orchestrator.addNamespace("shop");
  const root = sim.secrets.cluster(cluster).as(sim.secrets.cluster(cluster).rootToken);
  root.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "bind-secret", userdn: base });
  root.library.write({ set_name: "ops", service_account_names: ["svc-0", "svc-1", "svc-2"], ttl: 60, max_ttl: 600 });
  root.staticRoles.write({ role_name: "role-0", username: "role-0", rotation_period: 1_800 });
  root.dynamicRoles.write({
    role_name: "dev",
    creation_ldif: `dn: cn={{.Username}},${base}\nobjectClass: dynamic\ncn: {{.Username}}\n`,
    deletion_ldif: `dn: cn={{.Username}},${base}\nchangetype: delete\n`,
    default_ttl: 300,
  });
  root.orchestrator.config.write({ orchestrator_host: "https://api.test" });
  const rules = '{"rules": [{"verbs": ["get"], "resources": ["pods"], "apiGroups": [""]}]}';
  await root.orchestrator.roles.write({
    name: "reader",
    allowed_orchestrator_namespaces: ["shop"],
    generated_role_rules: rules,
  });
  const handle = sim.secrets.cluster(cluster);
  handle.createNamespace("team");
  handle.mount("kv", { type: "kv", namespace: "team" });
  handle.mount("m1", { type: "kv" });
  handle.mount("m2", { type: "kv", local: true });
  for (let n = 0; n < 10; n++) root.kv.write({ path: `k${n}`, v: "first" });
  handle.createEntity({ id: "e-ann", name: "ann" });
  root.oidc.keys.write({
    name: "hourly",
    algorithm: "ES256",
    rotation_period: "1h",
    verification_ttl: "2h",
    allowed_client_ids: "*",
  });
  root.oidc.clients.write({
    name: "app",
    key: "hourly",
    redirect_uris: "https://app.test/callback",
    assignments: "allow_all",
    id_token_ttl: "10m",
    access_token_ttl: "20m",
  });
  root.snapshots.write({
    name: "half-hourly",
    interval: "30m",
    retain: 3,
    path_prefix: "backups",
    storage_type: "cloud1-bucket",
    cloud1_bucket: "bucket",
    cloud1_region: "north",
  });
}

/** What operators do with roles; `n` even is disaster recovery, odd performance. */
const operators = {
  primaryEnable: ({ door, kind }: Acting) => door().replication[kind].primaryEnable(),
  primaryDemote: ({ door, kind }: Acting) => door().replication[kind].primaryDemote(),
  primaryDisable: ({ door, kind }: Acting) => door().replication[kind].primaryDisable(),
  revokeSecondary: ({ door, kind, someId }: Acting) => door().replication[kind].revokeSecondary({ id: someId() }),
  issueToken: ({ activation }: Acting) => activation({ ttl: "5m" }),
  join: async ({ door, other, kind, activation }: Acting) => {
    const { data } = other.as().replication[kind].status();
    if (data.mode === "disabled") door(other).replication[kind].primaryEnable();
    await door().replication[kind].secondaryEnable({ token: await activation() });
  },
  joinEncrypted: async ({ door, kind, activation }: Acting) => {
    const key = door().replication[kind].generatePublicKey().data.secondary_public_key;
    await door().replication[kind].secondaryEnable({ token: await activation({ key }) });
  },
  joinTooLate: async ({ sim, door, kind, activation }: Acting) => {
    const token = await activation({ ttl: "1s" });
    sim.clock.advance("1s");
    await door().replication[kind].secondaryEnable({ token });
  },
  attach: async ({ secondary, authority, activation }: Acting) => {
    await secondary().updatePrimary({ ...(await authority()), token: await activation() });
  },
  attachEncrypted: async ({ door, secondary, authority, kind, activation }: Acting) => {
    const key = door().replication[kind].generatePublicKey().data.secondary_public_key;
    await secondary().updatePrimary({ ...(await authority()), token: await activation({ key }) });
  },
  attachTwice: async ({ secondary, authority, activation }: Acting) => {
    const fields = { ...(await authority()), token: await activation() };
    await secondary().updatePrimary(fields);
    await secondary().updatePrimary(fields);
  },
  attachByAddress: async ({ on, other, secondary, authority }: Acting) => {
    const update_primary_addrs = [on.clusterAddress, other.clusterAddress];
    await secondary().updatePrimary({ ...(await authority()), update_primary_addrs });
  },
  detach: async ({ secondary, authority }: Acting) => {
    await secondary().updatePrimary({ ...(await authority()), token: "" });
  },
  promote: async ({ secondary, authority }: Acting) => {
    secondary().promote(await authority());
  },
  promoteByForce: async ({ secondary, authority }: Acting) => {
    secondary().promote({ ...(await authority()), force: true });
  },
  secondaryDisable: async ({ secondary, authority }: Acting) => {
    secondary().secondaryDisable(await authority());
  },
  reindex: async ({ on, n, authority }: Acting) => {
    if (n % 2 === 0) on.as().replication.dr.reindex({ ...(await authority()), diff: n > 4 });
  },
  merkleCheck: async ({ on, n, authority }: Acting) => {
    if (n % 2 === 0) on.as().replication.dr.merkleCheck(await authority());
  },
  operationTokenDeleted: async ({ on, n, authority }: Acting) => {
    if (n % 2 === 0) on.as().replication.dr.operationToken.delete(await authority());
  },
  pathsFilter: ({ door, n, someId }: Acting) =>
    door().replication.performance.pathsFilter.write({
      id: someId(),
      mode: n < 5 ? "allow" : "deny",
      paths: [["kv", "ldap"], ["team"], ["team/kv", "orchestrator"], []][n % 4],
    }),
  mountFilter: ({ door, n, someId }: Acting) =>
    door().replication.performance.mountFilter.write({
      id: someId(),
      mode: n < 5 ? "whitelist" : "blacklist",
      paths: [`m${n % 3}`, "kv"],
    }),
  unfilter: ({ door, someId }: Acting) => door().replication.performance.pathsFilter.delete({ id: someId() }),
  addCluster: ({ sim }: Acting) => {
    const name = ["d", "e"].find((each) => sim.state.secrets[each] === undefined);
    if (name !== undefined) sim.secrets.addCluster(name, { keyShares: 2, keyThreshold: 2 });
  },
  restoreSnapshot: ({ sim, on, n }: Acting) => {
    const stored = sim.stores.list("cloud1://bucket/");
    const { url } = stored[n % Math.max(stored.length, 1)] ?? {};
    if (url !== undefined) on.restoreSnapshot(url);
  },
};

/** What clients and administrators do: something of every family. */
const clients = {
  write: ({ door, n }: Acting) => door().kv.write({ path: `k${n}`, v: n }),
  forget: ({ door, n }: Acting) => door().kv.delete({ path: `k${n}` }),
  writeInNamespace: ({ on, door, n }: Acting) => {
    door();
    on.as(`operator-${on.name}`, { namespace: "team" }).kv.write({ path: `k${n}`, v: n });
  },
  token: ({ on, n }: Acting) => on.createToken({ policies: ["default"], ttl: `${(n + 1) * 7}s` }),
  limitedToken: ({ on, n }: Acting) => {
    const { token } = on.createToken({ policies: ["root"], numUses: 2, ttl: "1h" });
    on.as(token).kv.write({ path: "limited", v: n });
    on.as(token).kv.read({ path: "limited" });
  },
  cubbyhole: ({ door, n }: Acting) => door().cubbyhole.write({ path: `c${n % 3}`, v: n }),
  wrap: ({ door, n }: Acting) => door().kv.read({ path: `k${n}` }, { wrapTtl: "90s" }),
  policy: ({ on, n }: Acting) => on.writePolicy(`p${n % 3}`, `path "kv/k${n}" { capabilities = ["read"] }`),
  passwordPolicy: ({ door, n }: Acting) =>
    door().passwordPolicies.write({
      name: `w${n % 2}`,
      policy: `length = ${8 + n} rule "charset" { charset = "abc" }`,
    }),
  namespace: ({ on, n }: Acting) => on.createNamespace(n < 7 ? "team" : "team/dev"),
  namespaceGone: ({ door, n }: Acting) => door().namespaces.delete({ name: n < 7 ? "team" : "team/dev" }),
  namespaceToken: ({ on }: Acting) => on.createToken({ policies: ["default"], namespace: "team" }),
  mountInNamespace: ({ on }: Acting) => on.mount("kv", { type: "kv", namespace: "team" }),
  mount: ({ on, n }: Acting) => on.mount(`m${n % 3}`, { type: n < 8 ? "kv" : "ldap" }),
  localMount: ({ on, n }: Acting) => on.mount(`m${n % 3}`, { type: "kv", local: true }),
  writeInMount: ({ door, n }: Acting) =>
    door()
      .at(`m${n % 3}`)
      .kv.write({ path: `k${n}`, v: n }),
  unmount: ({ door, n }: Acting) => door().mounts.delete({ path: n === 9 ? "ldap" : `m${n % 3}` }),
  librarySet: ({ door, n }: Acting) =>
    door().library.write({
      set_name: "ops",
      service_account_names: ["svc-0", "svc-1", "svc-2"].slice(n % 2),
      ttl: 30 + n,
    }),
  checkOut: ({ door, n }: Acting) => door().library.checkOut({ set_name: "ops", ttl: 5 + 10 * n }),
  checkIn: ({ door, n }: Acting) =>
    door().library.checkIn({ set_name: "ops", service_account_names: [`svc-${n % 3}`] }),
  staticRole: ({ door, n }: Acting) =>
    door().staticRoles.write({ role_name: `role-${n % 2}`, username: `role-${n % 2}`, rotation_period: 20 + 60 * n }),
  staticRoleGone: ({ door, n }: Acting) => door().staticRoles.delete({ role_name: `role-${n % 2}` }),
  rotateRole: ({ door, n }: Acting) => door().staticRoles.rotate({ role_name: `role-${n % 2}` }),
  rotateRoot: ({ door }: Acting) => door().ldapConfig.rotateRoot(),
  dynamicRole: ({ door }: Acting) => door().dynamicRoles.credentials({ role_name: "dev" }),
  orchestratorCredentials: ({ door, n }: Acting) =>
    door().orchestrator.creds({ role: "reader", orchestrator_namespace: "shop", ttl: 600 + 60 * n }),
  orchestratorFailure: async ({ sim, door }: Acting) => {
    sim.orchestrator.failNext({ count: 2, kind: "RoleBinding" });
    await door().orchestrator.creds({ role: "reader", orchestrator_namespace: "shop" });
  },
  renew: ({ door, lease }: Acting) => door().leases.renew({ lease_id: lease(), increment: 40 }),
  revokeLease: ({ door, lease }: Acting) => door().leases.revoke({ lease_id: lease() }),
  snapshots: ({ door, n }: Acting) =>
    door().snapshots.write({
      name: `s${n % 2}`,
      interval: `${n + 1}m`,
      retain: 2,
      path_prefix: "backups",
      storage_type: "cloud1-bucket",
      cloud1_bucket: "bucket",
      cloud1_region: "north",
    }),
  snapshotsGone: ({ door, n }: Acting) => door().snapshots.delete({ name: `s${n % 2}` }),
  plugin: ({ door, n }: Acting) =>
    door().plugins.write({ type: "secret", name: `plugin-${n % 2}`, sha256: `3${n}`, command: "ours" }),
  entity: ({ door, n }: Acting) => door().identity.entities.write({ name: `e${n % 3}`, metadata: { n: `${n}` } }),
  group: ({ door, n }: Acting) =>
    door().identity.groups.write({ name: `g${n % 2}`, member_entity_ids: n < 5 ? ["e-ann"] : [] }),
  key: ({ door, n }: Acting) =>
    door().oidc.keys.write({
      name: "hourly",
      algorithm: "ES256",
      rotation_period: `${n + 1}m`,
      verification_ttl: `${5 * (n + 1)}m`,
      allowed_client_ids: "*",
    }),
  rotateKey: ({ door }: Acting) => door().oidc.keys.rotate({ name: "hourly" }),
  client: ({ door, n }: Acting) =>
    door().oidc.clients.write({
      name: n < 8 ? "app" : "other",
      key: "hourly",
      redirect_uris: "https://app.test/callback",
      assignments: "allow_all",
      id_token_ttl: "1m",
    }),
  login: async ({ on, door, n }: Acting) => {
    const redirect_uri = "https://app.test/callback";
    const { client_id, client_secret } = door().oidc.clients.read({ name: "app" }).data;
    const ann = on.createToken({ policies: [], entityId: "e-ann", ttl: "1h" }).token;
    const asked = { name: "default", client_id, redirect_uri, response_type: "code", scope: "openid" };
    const { code } = on.as(ann).oidc.authorize(asked);
    const grant_type = "authorization_code";
    // Some codes are left to expire.
    if (n < 4) await on.as().oidc.token({ name: "default", grant_type, redirect_uri, client_id, client_secret, code });
  },
};

/** What happens to clusters and between them. */
const network = {
  cut: ({ sim, on, other }: Acting) => sim.network.cut(on, other),
  heal: ({ sim, on, other }: Acting) => sim.network.heal(on, other),
  healAll: ({ sim }: Acting) => sim.network.heal(),
  lag: ({ sim, on, other, n }: Acting) => sim.network.setLag(on, other, n * 700),
  prompt: ({ sim, on, other }: Acting) => sim.network.setLag(on, other, 0),
  stop: ({ sim, on }: Acting) => sim.network.stop(on),
  start: ({ sim, on }: Acting) => sim.network.start(on),
  seal: ({ on }: Acting) => on.seal(),
  unseal: ({ on }: Acting) => on.unseal(),
  point: ({ sim, on, other }: Acting) => sim.network.pointAddress(on.clusterAddress, other),
  pointBack: ({ sim, on }: Acting) => sim.network.pointAddress(on.clusterAddress, on),
  cutLater: ({ sim, on, other, n }: Acting) => sim.faults.schedule(n * 500, { type: "network.cut", args: [on, other] }),
  healLater: ({ sim, on, other, n }: Acting) =>
    sim.faults.schedule(n * 900, { type: "network.heal", args: [on, other] }),
  stopLater: ({ sim, on, n }: Acting) => sim.faults.schedule(n * 700, { type: "network.stop", args: [on] }),
  corrupt: ({ sim, on, n }: Acting) => sim.faults.corruptStorage(on, { page: n }),
  directory: ({ sim, n }: Acting) => sim.directory.setAvailable(n > 2),
  directoryFails: ({ sim, n }: Acting) => sim.directory.failNext({ count: 1 + (n % 2) }),
};

const time = {
  seconds: ({ sim, n }: Acting) => sim.clock.advance(n * 900),
  minutes: ({ sim, n }: Acting) => sim.clock.advance((n + 1) * 61_000),
  halfHour: ({ sim }: Acting) => sim.clock.advance("31m"),
  next: ({ sim }: Acting) => sim.clock.next(),
  settle: ({ sim }: Acting) => sim.settle(),
};

export const MOVES = { ...operators, ...clients, ...network, ...time } satisfies Record<
  string,
  (at: Acting) => unknown
>;

export type MoveName = keyof typeof MOVES;

export const OPERATOR_MOVES = Object.keys(operators) as readonly MoveName[];
export const CLIENT_MOVES = Object.keys(clients) as readonly MoveName[];
export const NETWORK_MOVES = Object.keys(network) as readonly MoveName[];
export const TIME_MOVES = Object.keys(time) as readonly MoveName[];
