import { createSimulator, Rejection, type Simulator } from "../../src/index.ts";
import { Draw } from "../../src/kernel/randomness.ts";
import { methods } from "./methods.ts";

// What golden logs tell. Between them they have every type of fact that there is: whoever adds one adds it to a story, and
// `npm run golden -- --force` writes the set anew as long as its version is not released.

export interface GoldenStory {
  readonly name: string;
  readonly live: () => Simulator | Promise<Simulator>;
}

export const GOLDEN_STORIES: readonly GoldenStory[] = [
  { name: "nothing", live: () => createSimulator({ seed: "nothing" }) },
  { name: "lending", live: lending },
  { name: "outage", live: outage },
  { name: "elections", live: elections },
  { name: "two-clusters", live: twoClusters },
  { name: "custody", live: custody },
  { name: "rewritten", live: rewritten },
  { name: "a-long-life", live: aLongLife },
  { name: "policy-runs", live: policyRuns },
  { name: "regions", live: regions },
  { name: "snapshots", live: snapshots },
  { name: "logins", live: logins },
  { name: "half-created", live: halfCreated },
  { name: "directory-roles", live: directoryRoles },
  { name: "requests", live: requests },
  { name: "switches", live: switches },
  { name: "key-holders", live: keyHolders },
  { name: "methods", live: methods },
  { name: "versions", live: versions },
  { name: "acl-of-regions", live: aclOfRegions },
  { name: "operators", live: operators },
];

/** What operators do to a cluster. */
async function operators(): Promise<Simulator> {
  const sim = createSimulator({ seed: "operators", history: { checkpointEvery: 8 }, secrets: { nodes: 2 } });
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  admin.kv.write({ path: "a", v: 1 });
  admin.barrierKey.rotate();
  admin.nodes.stepDown();
  const { snapshot_url } = admin.snapshots.save();
  admin.kv.write({ path: "a", v: 2 });
  admin.snapshots.restore({ snapshot_url });
  await rekeyed(sim);
  main.createNamespace("team");
  admin.mounts.remount({ from: "kv", to: "team/kv" });
  admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
  const creation_ldif = btoa("dn: cn={{.Username}},dc=example,dc=com\nobjectClass: person\ncn: {{.Username}}\n");
  const deletion_ldif = btoa("dn: cn={{.Username}},dc=example,dc=com\nchangetype: delete\n");
  admin.dynamicRoles.write({ role_name: "dev", creation_ldif, deletion_ldif });
  admin.dynamicRoles.credentials({ role_name: "dev" });
  sim.directory.failNext({ count: 1, operation: "delete" });
  admin.mounts.remount({ from: "ldap", to: "directory" });
  return sim;
}

/** Holders of key shares make a root token, and get other shares. */
async function rekeyed(sim: Simulator): Promise<void> {
  const main = sim.secrets.cluster("main");
  const { rootToken, rekey } = main.as();
  const wrong = ["ab", "cd", "ef"].map((byte) => byte.repeat(33));
  const given = async (give: (key: string) => Promise<unknown>, shares = main.keyShares.slice(0, 3)) => {
    for (const key of shares) await give(key).catch(() => undefined);
  };
  await rootToken.start();
  rootToken.cancel();
  const { nonce: attempt } = await rootToken.start({ otp: "A".repeat(28) });
  for (const shares of [wrong, main.keyShares.slice(2)]) {
    await given((key) => rootToken.update({ key, nonce: attempt }), shares);
  }
  await rekey.start({ secret_shares: 3, secret_threshold: 2 });
  rekey.cancel();
  const { nonce } = await rekey.start({ secret_shares: 3, secret_threshold: 2, require_verification: true });
  await given((key) => rekey.update({ key, nonce }), wrong);
  await given((key) => rekey.update({ key, nonce }));
  const { nonce: verification } = rekey.restartVerification();
  const made = sim.state.secrets["main"]?.ignored.rekey?.shares ?? [];
  for (const key of made.slice(0, 2)) rekey.verify({ key, nonce: verification });
}

/** Secrets with versions, of which some end by themselves, and a store that gets versions. */
async function versions(): Promise<Simulator> {
  const sim = createSimulator({ seed: "versions", history: { checkpointEvery: 8 }, secrets: { kv: 2 } });
  const main = sim.secrets.cluster("main");
  const { kv2 } = main.as(main.rootToken);
  const path = "app/ünïcödé 🔑";
  kv2.config.write({ max_versions: 3, delete_version_after: "2h" });
  for (let n = 1; n <= 5; n++) kv2.write({ path, data: { n }, options: { cas: n - 1 } });
  attempt(() => kv2.write({ path, data: {}, options: { cas: 0 } }));
  kv2.patch({ path, data: { n: null, more: { deep: [1] } } });
  kv2.delete({ path, versions: [4, 5] });
  kv2.undelete({ path, versions: [4] });
  kv2.destroy({ path, versions: [5] });
  sim.clock.advance("3h");
  attempt(() => kv2.read({ path }));
  kv2.metadata.write({ path, custom_metadata: { owner: "ops" }, delete_version_after: "30m" });
  kv2.metadata.patch({ path, custom_metadata: { owner: null, team: "sales" } });
  kv2.write({ path: "gone", data: { a: 1 } });
  kv2.delete({ path: "gone" });
  kv2.metadata.delete({ path: "gone" });
  main.mount("old", { type: "kv" });
  const old = main.as(main.rootToken).at("old");
  old.kv.write({ path: "a/b", v: 1 });
  main.as(main.rootToken).mounts.tune({ path: "old", options: { version: "2" } });
  const headers = { "X-Secrets-Token": main.rootToken };
  const body = '{"data": {"big": 12345678901234567890, "one": 1.0}}';
  await sim.fetch(`${main.url}/v1/old/data/a/b`, { method: "PUT", headers, body });
  old.kv2.patch({ path: "a/b", data: { two: 2 } });
  return sim;
}

/** A plugin, snapshots of every outcome in stores of every kind, and a way back. */
function snapshots(): Simulator {
  const sim = createSimulator({
    seed: "snapshots",
    history: { checkpointEvery: 8 },
    secrets: { clusters: ["east", "west"], pluginDirectory: "/opt/plugins" },
  });
  const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
  const root = east.as(east.rootToken);
  root.plugins.write({ type: "secret", name: "vault-of-ours", command: "ours --fast", sha256: "AB12", env: ["K=ü"] });
  root.plugins.write({ type: "secret", name: "kv", version: "1.2.3", command: "kv", sha256: "cd" });
  east.setPlugin("ours", "ab12");
  east.mount("ours", { type: "vault-of-ours" });
  attempt(() => east.mount("more", { type: "kv" }));
  root.plugins.delete({ type: "secret", name: "kv", version: "v1.2.3" });
  east.setPlugin("ours", undefined);
  const local = { path_prefix: "backups", storage_type: "local", local_max_space: 3_000 };
  root.snapshots.write({ name: "hourly", interval: "1h", retain: 2, ...local });
  root.snapshots.write({
    name: "daily",
    interval: "1d",
    retain: 3,
    path_prefix: "daily/",
    storage_type: "cloud1-bucket",
    cloud1_bucket: "b",
    cloud1_region: "r",
    cloud1_access_key_id: "id",
    cloud1_secret_access_key: "🔑",
  });
  west.as(west.rootToken).snapshots.write({ name: "daily", interval: "1d", ...local });
  root.kv.write({ path: "a", v: 1 });
  const { token } = east.createToken({ policies: ["default"], ttl: "90m" });
  sim.clock.advance("1h");
  root.kv.write({ path: "a", v: 2 });
  sim.stores.setSnapshotDuration("10m");
  sim.stores.setSnapshotBytes(1_400);
  sim.clock.advance("3h");
  sim.stores.setFreeBytes("file:///", 100);
  sim.clock.advance("2h");
  sim.stores.setFreeBytes("file:///", undefined);
  sim.stores.setAvailable("cloud1-bucket", false);
  sim.clock.advance("1d");
  sim.stores.setAvailable("cloud1-bucket", true);
  root.snapshots.delete({ name: "hourly" });
  root.tokens.revoke({ token });
  const [oldest] = sim.stores.list("file:///", { cluster: east });
  if (oldest !== undefined) east.restoreSnapshot(oldest.url);
  sim.clock.advance("65m");
  east.seal();
  sim.clock.advance("3h");
  east.unseal();
  sim.clock.advance("3d");
  return sim;
}

/** Credentials of an orchestrator in every mode, what their end deletes, and what failures leave behind. */
async function halfCreated(): Promise<Simulator> {
  const sim = createSimulator({ seed: "half-created", history: { checkpointEvery: 8 } });
  const main = sim.secrets.cluster("main");
  const { orchestrator, leases } = main.as(main.rootToken);
  const { orchestrator: cluster } = sim;
  cluster.addNamespace("shop", { labels: { team: "sales" } });
  cluster.addNamespace("gone");
  cluster.setNamespaceLabels("gone", { team: "ops" });
  cluster.addServiceAccount("shop", "app");
  cluster.addRole("shop", "reader", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]);
  cluster.addClusterRole("wide", []);
  cluster.requireToken("jwt of the pod");
  main.setPodEnvironment({ host: "10.0.0.1", port: 443, tokenFile: "jwt of the pod" });
  main.advertise("http://127.0.0.1:8200/");
  orchestrator.config.write({ service_account_jwt: "another jwt" });
  const shop = { orchestrator_namespace: "shop" };
  await orchestrator.roles.write({
    name: "one",
    service_account_name: "app",
    allowed_orchestrator_namespaces: "shop",
    token_default_audiences: "ünïcödé 🔑",
  });
  await attempted(orchestrator.creds({ role: "one", ...shop }));
  orchestrator.config.write({ service_account_jwt: "" });
  await orchestrator.creds({ role: "one", ...shop, ttl: "1h" });
  await orchestrator.roles.write({
    name: "two",
    orchestrator_role_name: "wide",
    orchestrator_role_type: "ClusterRole",
    allowed_orchestrator_namespace_selector: "matchLabels:\n  team: sales\n",
    extra_labels: { note: "kept" },
    extra_annotations: ["why=golden"],
  });
  cluster.setMaxTokenTtl("20m");
  const wrapped = await orchestrator.creds({ role: "two", ...shop, cluster_role_binding: true }, { wrapTtl: "5m" });
  main.as(wrapped.wrap_info?.token).wrapping.unwrap();
  cluster.setMaxTokenTtl();
  cluster.setMinTokenTtl("1m");
  await orchestrator.roles.write({
    name: "three",
    generated_role_rules: "rules:\n- verbs: [get]\n  resources: [pods]\n",
    allowed_orchestrator_namespaces: "*",
    name_template: "{{ .RoleName }}-{{ random 6 | lowercase }}",
  });
  const { lease_id } = await orchestrator.creds({ role: "three", orchestrator_namespace: "gone" });
  cluster.failNext({ count: 2, verb: "create", kind: "ServiceAccount" });
  await attempted(orchestrator.creds({ role: "three", ...shop }));
  sim.clock.advance("7s");
  await attempted(orchestrator.creds({ role: "three", ...shop }));
  orchestrator.roles.delete({ role: "three" });
  cluster.removeNamespace("gone");
  leases.revoke({ lease_id });
  cluster.setAvailable(false);
  sim.clock.advance("12m");
  main.seal();
  sim.clock.advance("10m30s");
  cluster.setAvailable(true);
  main.unseal();
  sim.clock.advance("30s");
  cluster.failNext({ count: 1, kind: "TokenRequest" });
  await attempted(orchestrator.creds({ role: "two", ...shop }));
  orchestrator.config.delete();
  sim.clock.advance("11m");
  orchestrator.config.write({});
  cluster.setAvailable(false);
  sim.clock.advance("25h");
  cluster.requireToken();
  return sim;
}

/** As `attempt`, for calls that return promises. */
async function attempted(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof Rejection)) throw error;
  });
}

/** Static roles that rotate, fail and come back, dynamic accounts that are made, half made, and deleted too late. */
async function directoryRoles(): Promise<Simulator> {
  const sim = opened("directory roles");
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  const people = "ou=people,dc=example,dc=com";
  sim.directory.addEntry(`cn=staff,${people}`, { cn: "staff", objectClass: "group", member: ["cn=nobody", "cn=old"] });

  admin.staticRoles.write({ role_name: "Org/API", username: "svc-d", rotation_period: "1m" });
  const dn = "cn=svc-a,ou=service,dc=example,dc=com";
  admin.staticRoles.write({ role_name: "by-dn", username: "anybody", dn, rotation_period: 45, skip_import_rotation: true });
  sim.clock.advance("100s");
  sim.directory.failNext({ count: 1 });
  attempt(() => admin.staticRoles.rotate({ role_name: "org/api" }));
  sim.clock.advance("10s");
  admin.staticRoles.write({ role_name: "by-dn", dn: "", rotation_period: "5s" });
  sim.clock.advance("10s");
  admin.ldapConfig.rotateRoot();
  main.seal();
  sim.clock.advance("10m");
  main.unseal();
  admin.staticRoles.delete({ role_name: "by-dn" });

  const account = `dn: cn={{.Username}},${people}\nobjectClass: person\ncn: {{.Username}}\nuserPassword: {{.Password}}\n`;
  const joins = `dn: cn=staff,${people}\nchangetype: modify\nadd: member\nmember: cn={{.Username}},${people}\n-\ndelete: member\nmember: cn=old\n-\n`;
  const gone = `dn: cn={{.Username}},${people}\nchangetype: delete\n`;
  const leaves = `dn: cn=staff,${people}\nchangetype: modify\nreplace: member\nmember: cn=old\n-\n`;
  admin.dynamicRoles.write({
    role_name: "dev",
    creation_ldif: btoa(`${account}\n${joins}`),
    deletion_ldif: `${leaves}\n${gone}`,
    rollback_ldif: gone,
    username_template: "{{.DisplayName | uppercase}}-{{random 6}}-{{uuid}}",
    default_ttl: "2m",
    max_ttl: "5m",
  });
  const { lease_id } = admin.dynamicRoles.credentials({ role_name: "dev" });
  attempt(() => admin.dynamicRoles.credentials({ role_name: "dev" }));
  sim.clock.advance("1m");
  admin.leases.renew({ lease_id });
  admin.dynamicRoles.delete({ role_name: "dev" });
  sim.directory.failNext({ count: 1, operation: "delete" });
  sim.clock.advance("3m");
  main.createNamespace("team");
  main.mount("ldap", { type: "ldap", namespace: "team" });
  main.mount("own", { type: "ldap", local: true });
  const own = main.as(main.rootToken).at("own");
  own.staticRoles.write({ role_name: "x", username: "svc-a", rotation_period: 30, skip_import_rotation: true });
  const team = main.as(main.rootToken, { namespace: "team" });
  team.staticRoles.write({ role_name: "x", username: "svc-b", rotation_period: 30, skip_import_rotation: true });
  sim.clock.advance("31s");
  admin.mounts.delete({ path: "own" });
  admin.namespaces.delete({ name: "team" });
  const headers = { "X-Secrets-Token": main.rootToken };
  await sim.fetch(`${main.url}/v1/ldap/static-cred/org/api`, { headers });
  await sim.fetch(`${main.url}/v1/ldap/creds/dev`, { headers });
  return sim;
}

/** Three clusters that replicate in both ways, and all that an operator does to them. */
async function switches(): Promise<Simulator> {
  const sim = createSimulator({
    seed: "switches",
    history: { checkpointEvery: 8 },
    secrets: { clusters: ["east", "west", "north"], walBuffer: 4, syncDurations: { diff: "1s", sync: "2s" } },
  });
  const [east, west, north] = [sim.secrets.cluster("east"), sim.secrets.cluster("west"), sim.secrets.cluster("north")];
  const lead = east.as(east.rootToken);
  lead.replication.performance.primaryEnable();
  lead.replication.performance.pathsFilter.write({ id: "w", mode: "deny", paths: ["ldap/"] });
  lead.replication.performance.mountFilter.write({ id: "other", mode: "whitelist" });
  lead.replication.performance.mountFilter.delete({ id: "other" });
  const { wrap_info } = await lead.replication.performance.secondaryToken({ id: "w", ttl: "1m" });
  await west.as(west.rootToken).replication.performance.secondaryEnable({ token: wrap_info?.token ?? "" });
  sim.clock.advance("1500ms");
  lead.kv.write({ path: "a", v: 1 });
  sim.clock.advance("5s");
  sim.mark("joined");
  lead.replication.dr.primaryEnable();
  const dr = await lead.replication.dr.secondaryToken({ id: "n" });
  await north.as(north.rootToken).replication.dr.secondaryEnable({ token: dr.wrap_info?.token ?? "" });
  lead.kv.write({ path: "b", v: { ünïcödé: "🔑" } });
  sim.network.pointAddress("https://elsewhere.test:8201", west);
  const root = west.createToken({ policies: ["root"] }).token;
  await west.as(root).replication.performance.updatePrimary({ token: "" });
  west.as(root).replication.performance.promote({ primary_cluster_addr: "https://elsewhere.test:8201" });
  lead.replication.performance.revokeSecondary({ id: "w" });
  lead.replication.performance.primaryDemote();
  const back = await west.as(root).replication.performance.secondaryToken({ id: "e" });
  await lead.replication.performance.updatePrimary({ token: back.wrap_info?.token ?? "" });
  sim.clock.advance("10s");
  const spare = sim.secrets.addCluster("spare", { keyShares: 3, nodes: 2, license: "community" });
  sim.faults.failNextRequests({ service: spare, count: 2, status: 503 });
  attempt(() => spare.as(spare.rootToken).kv.read({ path: "a" }));
  attempt(() => spare.as().health.read());
  sim.network.setLag(west, east, "3s", { oneWay: true });
  west.as(root).kv.write({ path: "c", v: 3 });
  sim.settle();
  west.as(root).replication.performance.primaryDisable();
  lead.replication.dr.primaryDisable();
  sim.clock.advance("20s");
  return sim;
}

/** Holders of key shares make operation tokens, by fits and starts, over storage that is not sound. */
async function keyHolders(): Promise<Simulator> {
  const sim = createSimulator({
    seed: "key-holders",
    history: { checkpointEvery: 8 },
    secrets: { clusters: ["east", "west"], keyThreshold: 2, reindexDuration: "1m", flushDuration: "1m" },
  });
  const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
  const { dr: lead, performance } = east.as(east.rootToken).replication;
  const { dr } = west.as(west.rootToken).replication;
  lead.primaryEnable();
  west.as(west.rootToken).replication.performance.generatePublicKey();
  const { secondary_public_key } = dr.generatePublicKey().data;
  const { data } = await lead.secondaryToken({ id: "w", secondary_public_key });
  await dr.secondaryEnable({ token: data?.token ?? "" });
  const [one = "", two = ""] = west.keyShares;
  await dr.operationToken.start();
  dr.operationToken.cancel();
  const { nonce, otp = "" } = await dr.operationToken.start();
  await dr.operationToken.update({ key: one, nonce });
  await dr.operationToken.update({ key: btoa("another share of 33 bytes, forged"), nonce }).catch(() => undefined);
  await dr.operationToken.update({ key: one, nonce });
  const { encoded_token } = await dr.operationToken.update({ key: two, nonce });
  const bytes = [...atob(encoded_token)].map((character, index) => character.charCodeAt(0) ^ otp.charCodeAt(index));
  const dr_operation_token = String.fromCharCode(...bytes);
  sim.faults.corruptStorage(west, { page: 12, subpages: [3] });
  sim.faults.corruptStorage(west, { tree: "local", page: 0 });
  dr.reindex({ dr_operation_token, skip_flush: true });
  sim.faults.schedule("90s", { type: "network.stop", args: [west] });
  sim.faults.schedule("3m", { type: "network.start", args: [west] });
  sim.faults.schedule("1h", { type: "network.cut", args: [east, west] });
  sim.clock.advance("10m");
  performance.primaryEnable();
  dr.operationToken.delete({ dr_operation_token });
  return sim;
}

/** Three regions, all that happens to their policies and tokens, and what happens between them. */
function regions(): Simulator {
  const sim = createSimulator({
    seed: "regions",
    history: { checkpointEvery: 8 },
    scheduler: { regions: ["eu", "us"], replicationLag: "250ms", blockingJitter: true, maxBlockingWait: "10m" },
  });
  const [eu, us] = [sim.scheduler.region("eu"), sim.scheduler.region("us")];
  const root = us.as().acl.bootstrap().SecretID;
  const door = eu.as(root);
  door.policies.write({ Name: "readers", Description: "ünïcödé 🔑", Rules: 'namespace "*" { policy = "read" }' });
  door.policies.write({ Name: "constructor", Rules: "" });
  const client = door.tokens.create({ Name: "bob", Type: "client", Policies: ["readers", "none"], Global: true });
  sim.settle();
  const { AccessorID } = client;
  sim.mark("replicated");
  us.as(root).tokens.create({ Type: "management" });
  sim.network.setLag(eu, us, "2s", { oneWay: true });
  sim.network.cut(eu, us);
  attempt(() => us.as(root).policies.write({ Name: "readers", Rules: "" }));
  door.policies.delete({ policy_name: "constructor" });
  door.policies.delete({ policy_name: "never there" });
  door.tokens.update({ accessor_id: AccessorID, AccessorID, Type: "management" });
  sim.clock.advance("45s");
  sim.network.heal(eu, us);
  sim.settle();
  us.setLeader(false);
  door.tokens.delete({ accessor_id: AccessorID });
  sim.clock.advance("5s");
  us.setLeader(true);
  eu.setBootstrapResetIndex(2);
  eu.as().acl.bootstrap();
  eu.setBootstrapResetIndex(undefined);
  attempt(() => eu.as().acl.bootstrap());
  sim.faults.failNextRequests({ service: us, count: 2, status: 503 });
  attempt(() => us.as(root).policies.list());
  const asia = sim.scheduler.addRegion("asia");
  sim.settle();
  sim.network.cut(asia, eu);
  sim.scheduler.setAuthoritative(us);
  sim.network.heal();
  attempt(() => us.as(root).policies.list());
  asia.as(root).policies.write({ Name: "in-flight", Rules: "" });
  sim.clock.advance("100ms");
  return sim;
}

/** What tokens of the scheduler have besides policies, and how it ends. */
function aclOfRegions(): Simulator {
  const sim = createSimulator({ seed: "acl-of-regions", scheduler: { regions: ["eu", "us"] } });
  const us = sim.scheduler.region("us");
  const root = us.as().acl.bootstrap().SecretID;
  sim.settle();
  const { SecretID } = us.as(root).tokens.create({ Type: "management", ExpirationTTL: "90s" });
  const { OneTimeSecretID } = us.as(SecretID).oneTimeTokens.create().OneTimeToken;
  us.as().oneTimeTokens.exchange({ OneTimeSecretID });
  us.as(root).policies.write({ Name: "readers", Rules: 'namespace "*" { policy = "read" }' });
  const role = us.as(root).roles.create({ Name: "team", Policies: [{ Name: "readers" }] });
  us.as(root).roles.update(role);
  us.as(root).tokens.create({ Type: "client", Roles: [{ Name: "team" }], Global: true });
  sim.settle();
  us.as(root).roles.delete({ role_id: role.ID });
  us.as(root).tokens.create({ Type: "management", Global: true, ExpirationTime: "2026-01-01T12:00:00Z" });
  sim.clock.advance("1d");
  return sim;
}

const dnOf = (account: string): string => `cn=${account},ou=service,dc=example,dc=com`;

/** Does what may be refused: the facts that a refusal keeps are facts, too. */
function attempt(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
  }
}

/** A simulator whose cluster `main` lends svc-a to svc-d from the set `ops`; ann and bob may borrow. */
function opened(seed: number | string): Simulator {
  const sim = createSimulator({ seed, history: { checkpointEvery: 8 } });
  sim.directory.addSuffix("ou=elsewhere,dc=example,dc=org");
  for (const name of ["svc-a", "svc-b", "svc-c", "svc-d"]) {
    sim.directory.addEntry(dnOf(name), { objectClass: ["top", "person"], cn: name, photo: Uint8Array.of(0xff, 0, 1) });
  }
  const main = sim.secrets.cluster("main");
  main.writePolicy("lender", 'path "ldap/library/*" { capabilities = ["create", "read", "update", "list"] }');
  for (const [id, entityId] of [
    ["ann", "e-ann"],
    ["bob", "e-bob"],
  ] as const) {
    main.createToken({ id, policies: ["lender"], entityId, displayName: id, meta: { team: "ünïcödé 🔑 \ufffd" } });
  }
  const admin = main.as(main.rootToken);
  admin.ldapConfig.write({
    binddn: "cn=admin,dc=example,dc=com",
    bindpass: "admin-pass",
    userdn: "ou=service,dc=example,dc=com",
    url: "ldap://directory.test",
    length: 20,
  });
  admin.library.write({
    set_name: "ops",
    service_account_names: ["svc-a", "svc-b", "svc-c"],
    ttl: "1h",
    max_ttl: "4h",
  });
  return sim;
}

/** Loans of every kind, through both doors: given back, taken back, renewed, revoked. */
async function lending(): Promise<Simulator> {
  const sim = opened(7);
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  const [ann, bob] = [main.as("ann"), main.as("bob")];
  sim.mark("before the loans");

  const first = ann.library.checkOut({ set_name: "ops", ttl: "10m" });
  const second = bob.library.checkOut({ set_name: "ops" });
  sim.clock.advance("5m");
  admin.leases.renew({ lease_id: first.lease_id, increment: "20m" });
  ann.library.checkIn({ set_name: "ops" });
  admin.library.forceCheckIn({ set_name: "ops", service_account_names: ["svc-b"] });
  attempt(() => admin.leases.renew({ lease_id: second.lease_id }));
  sim.mark("both given back");

  const third = ann.library.checkOut({ set_name: "ops", ttl: "2m" });
  admin.leases.revoke({ lease_id: third.lease_id, sync: false });
  bob.library.checkOut({ set_name: "ops", ttl: "1m" });
  sim.clock.advance("90s");
  ann.library.checkOut({ set_name: "ops" });
  admin.leases.revokePrefix({ prefix: "ldap/library/ops" });

  admin.library.write({
    set_name: "ops",
    service_account_names: ["svc-c", "svc-a", "svc-d"],
    disable_check_in_enforcement: true,
  });
  admin.library.write({ set_name: "Team/DB", service_account_names: ["svc-b"], ttl: 0, max_ttl: 0 });
  admin.library.delete({ set_name: "team/db" });

  const words =
    'length = 12 rule "charset" { charset = "abcdef" min-chars = 2 } rule "charset" { charset = "0123456789" }';
  admin.passwordPolicies.write({ name: "words", policy: words });
  admin.ldapConfig.write({ password_policy: "words" });
  ann.library.checkOut({ set_name: "ops", ttl: "1m" });
  sim.clock.advance("2m");
  admin.passwordPolicies.delete({ name: "words" });

  main.createNamespace("team");
  main.mount("corp/ldap", { type: "ldap", namespace: "team" });
  const team = main.as(main.rootToken, { namespace: "team" }).at("corp/ldap");
  team.ldapConfig.write({
    binddn: "cn=admin,dc=example,dc=com",
    bindpass: "admin-pass",
    userdn: "dc=example,dc=com",
    url: "ldap://directory.test",
  });
  team.library.write({ set_name: "ops", service_account_names: "svc-b" });
  team.library.checkOut({ set_name: "ops" });
  team.ldapConfig.delete();

  main.createToken({ id: "few", policies: ["lender"], numUses: 2 });
  main.createToken({ policies: ["lender"], ttl: "30s", type: "batch" });
  main.createToken({ id: "brief", policies: ["root"], ttl: "3m" });
  main.as("brief").library.checkOut({ set_name: "ops", ttl: "1h" });
  const headers = { "X-Secrets-Token": "few" };
  await sim.fetch(`${main.url}/v1/ldap/library/ops/check-out`, { method: "POST", headers, body: '{"ttl":"5m"}' });
  await sim.fetch(`${main.url}/v1/no/such/path`, { headers });
  sim.clock.advance("1h");
  sim.mark("after an hour");
  sim.clock.advance("1500ms");
  ann.library.checkOut({ set_name: "ops", ttl: "30m" });
  return sim;
}

/** The directory is away, slow, or unwilling while loans end. */
function outage(): Simulator {
  const sim = opened(8);
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  const ann = main.as("ann");
  ann.library.checkOut({ set_name: "ops", ttl: "1m" });
  ann.library.checkOut({ set_name: "ops", ttl: "2m" });
  sim.directory.failNext({ count: 2, operation: "modify", dn: dnOf("svc-a") });
  sim.clock.advance("65s");
  sim.directory.setAvailable(false);
  sim.clock.advance("3m");
  sim.directory.setAvailable(true);
  sim.directory.server("ldap://directory.test").setDelay("2m");
  sim.clock.advance("20m");
  sim.directory.server("ldap://directory.test").setDelay(0);
  sim.directory.server("ldap://other.test").setAvailable(false);
  sim.mark("nobody tries any more");
  admin.leases.revokeForce({ prefix: "ldap" });
  ann.library.checkOut({ set_name: "ops" });
  sim.directory.removeEntry(dnOf("svc-c"));
  attempt(() => ann.library.checkIn({ set_name: "ops", service_account_names: ["svc-c"] }));
  sim.directory.failNext({ count: 3 });
  attempt(() => admin.library.write({ set_name: "dev", service_account_names: ["svc-d"] }));
  attempt(() => ann.leases.revoke({ lease_id: "none of ours" }));
  sim.clock.advance("59m");
  return sim;
}

/** Two clusters at addresses of their own, with the quirk of the real service, from another day on. */
function twoClusters(): Simulator {
  const sim = createSimulator({
    seed: "two clusters",
    startAt: "2031-06-30T12:00:00.5+02:00",
    secrets: {
      clusters: ["east", "eu-west"],
      quirks: ["check-in-keeps-lease"],
      url: (cluster) => `https://${cluster}.example:8200`,
    },
  });
  sim.directory.addEntry(dnOf("svc-a"), { cn: "svc-a" });
  for (const name of ["east", "eu-west"]) {
    const cluster = sim.secrets.cluster(name);
    const admin = cluster.as(cluster.rootToken);
    admin.ldapConfig.write({
      binddn: "cn=admin,dc=example,dc=com",
      bindpass: "admin-pass",
      userdn: "dc=example,dc=com",
    });
    admin.library.write({ set_name: "ops", service_account_names: ["svc-a"], ttl: "10m" });
    admin.library.checkOut({ set_name: "ops" });
    sim.clock.advance("1m");
    admin.library.checkIn({ set_name: "ops" });
    admin.library.checkOut({ set_name: "ops" });
  }
  sim.clock.advance("1h");
  return sim;
}

/** Tokens and what they keep, values, mounts, namespaces; then the cluster itself is sealed, stopped and moved to another node. */
async function custody(): Promise<Simulator> {
  const sim = createSimulator({ seed: "custody", secrets: { nodes: 3, keyShares: 4, keyThreshold: 2 } });
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  admin.kv.write({ path: "app/db", user: "app", nested: { deep: ["ünïcödé", null, 1.5] }, ttl: "1h" });
  admin.kv.write({ path: "app/db", user: "other" });
  admin.kv.write({ path: "app/old", __proto__: null, is: "old" });
  admin.kv.delete({ path: "app/old" });

  admin.policies.write({ name: "Reader", policy: 'path "kv/*" { capabilities = ["read", "list"] }' });
  admin.policies.write({ name: "gone", policy: "# nothing" });
  admin.policies.delete({ name: "gone" });
  const parent = admin.tokens.create({ policies: ["reader"], ttl: "2h", meta: { of: "custody" } }).auth.client_token;
  const child = main.as(parent);
  attempt(() => child.tokens.create({ policies: ["reader"] }));
  admin.policies.write({
    name: "maker",
    policy: 'path "auth/token/*" { capabilities = ["create", "update", "sudo"] }',
  });
  const maker = main.as(admin.tokens.create({ policies: ["maker", "reader"], ttl: "1h" }).auth.client_token);
  const made = maker.tokens.create({ policies: ["reader"], ttl: "30m" }).auth.client_token;
  maker.tokens.createOrphan({ policies: ["reader"], ttl: "3h", display_name: "orphan" });
  maker.tokens.create({ policies: ["reader"], type: "batch", ttl: "10m" });
  maker.tokens.create({ policies: ["reader"], period: "20m" });
  main.as(made).cubbyhole.write({ path: "mine/a", secret: true });
  main.as(made).cubbyhole.write({ path: "mine/b", secret: false });
  main.as(made).cubbyhole.delete({ path: "mine/a" });
  maker.tokens.renewSelf({ increment: "90m" });
  admin.tokens.revoke({ token: made });
  sim.mark("tokens made");

  const wrapped = admin.kv.read({ path: "app/db" }, { wrapTtl: "5m" }).wrap_info?.token ?? "";
  const again = admin.wrapping.rewrap({ token: wrapped }).wrap_info?.token ?? "";
  const headers = { "X-Secrets-Token": again };
  await sim.fetch(`${main.url}/v1/sys/wrapping/unwrap`, { method: "POST", headers });
  admin.wrapping.wrap({ any: "thing" }, { wrapTtl: 30 });
  sim.clock.advance("1m");

  admin.mounts.write({ path: "teams/kv", type: "kv", description: "ours", config: { max_lease_ttl: "1h" } });
  admin.mounts.write({ path: "here", type: "kv", local: true, options: { version: "1" } });
  admin.at("here").kv.write({ path: "only", on: "this cluster" });
  admin.mounts.tune({ path: "teams/kv", default_lease_ttl: "10m", description: "still ours" });
  admin.mounts.delete({ path: "teams/kv" });
  admin.namespaces.write({ name: "team", custom_metadata: { owner: "ann" } });
  admin.namespaces.write({ name: "team", custom_metadata: { owner: "bob" } });
  const team = main.as(main.rootToken, { namespace: "team" });
  team.mounts.write({ path: "local-kv", type: "kv", local: true });
  team.tokens.create({ policies: ["default"], ttl: "1h" });
  admin.namespaces.delete({ name: "team" });

  admin.seal.seal();
  const [first = "", second = "", third = ""] = main.keyShares;
  admin.seal.unseal({ key: first });
  admin.seal.unseal({ reset: true });
  admin.seal.unseal({ key: third });
  attempt(() => admin.seal.unseal({ key: btoa("no share of this cluster".slice(0, 23)) }));
  admin.seal.unseal({ key: second });
  sim.clock.advance("15m");
  admin.seal.unseal({ key: first });
  main.setActiveNode(2);
  sim.network.stop(main);
  sim.clock.advance("30m");
  sim.network.start(main);
  main.seal();
  main.unseal();
  sim.clock.advance("10h");
  return sim;
}

/** Nodes of a cluster go and come back, and others take over. */
function elections(): Simulator {
  const sim = createSimulator({ seed: "elections", secrets: { nodes: 3, electionDuration: "20s" } });
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  admin.kv.write({ path: "app", n: 1 });
  sim.network.stopNode(main, 1);
  sim.network.stopNode(main, 0);
  attempt(() => admin.kv.write({ path: "app", n: 2 }));
  sim.clock.advance("20s");
  admin.kv.write({ path: "app", n: 3 });
  sim.network.startNode(main, 0);
  sim.network.stopNode(main, 2);
  main.setActiveNode(0);
  sim.network.stopNode(main, 0);
  sim.clock.advance("1m");
  sim.network.startNode(main, 1);
  sim.network.stop(main);
  sim.network.start(main);
  admin.kv.write({ path: "app", n: 4 });
  return sim;
}

/** A past with edits in it: its commits draw from streams that are not those of their positions. */
async function rewritten(): Promise<Simulator> {
  const sim = outage();
  const loans = sim.log.commits().filter(({ command }) => command.name === "secrets.library.checkOut");
  const [first, second] = loans.map(({ position }) => position);
  if (first === undefined || second === undefined) throw new Error("nobody has borrowed anything");
  const once = (await sim.rewrite([{ delay: first, by: "90s" }])).fork;
  const { fork } = await once.rewrite([{ drop: second }]);
  fork.secrets.cluster("main").createToken({ policies: ["default"] });
  return fork;
}

/** Whatever comes, for a few hundred commits. */
function aLongLife(): Simulator {
  const sim = opened("a long life");
  const main = sim.secrets.cluster("main");
  const draw = new Draw("a long life");
  const pick = <T>(...choices: readonly T[]): T => choices[draw.below(choices.length)] as T;
  const lease = (): string => {
    const leases = sim.state.secrets["main"]?.local.leases;
    return leases?.at(draw.below(Math.max(leases.size, 1)))?.[0] ?? "none";
  };
  const admin = main.as(main.rootToken);
  const doings: readonly (() => unknown)[] = [
    () => main.as(pick("ann", "bob")).library.checkOut({ set_name: "ops", ttl: pick("1m", "10m", "3h") }),
    () => main.as(pick("ann", "bob")).library.checkOut({ set_name: pick("ops", "dev") }),
    () => main.as(pick("ann", "bob")).library.checkIn({ set_name: pick("ops", "dev") }),
    () => admin.library.forceCheckIn({ set_name: "ops", service_account_names: [pick("svc-a", "svc-b", "svc-c")] }),
    () => admin.library.write({ set_name: "dev", service_account_names: ["svc-d"], ttl: pick(60, 600) }),
    () => admin.leases.renew({ lease_id: lease(), increment: pick(30, 3_600) }),
    () => admin.leases.revoke({ lease_id: lease(), sync: pick(true, false) }),
    () => main.createToken({ policies: ["lender"], ttl: pick("1m", "1h"), numUses: pick(0, 1, 3) }),
    () => sim.directory.failNext({ count: 1, operation: pick("bind", "search", "modify") }),
    () => sim.directory.setAvailable(pick(true, true, false)),
    () => sim.clock.advance(pick("1s", "20s", "1m", "10m")),
    () => sim.clock.next(),
  ];
  while (sim.position < 300) attempt(pick(...doings));
  return sim;
}

/** Runs of every timing: overridden, canceled, discarded and failed ones, with tokens of each kind and a short outage. */
async function policyRuns(): Promise<Simulator> {
  const sim = createSimulator({ seed: "policy runs", runs: { url: "https://runs.example" } });
  sim.runs.createOrganization({ name: "acme" });
  const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "prod" });
  const grants = { workspaces: { [workspace]: ["policy-overrides" as const] } };
  const expiresAt = new Date("2026-02-01T00:00:00Z");
  const { token } = sim.runs.createToken({ kind: "user", organization: "acme", user: "ünal", grants, expiresAt });
  const team = sim.runs.createToken({ kind: "team", organization: "acme", grants: { managePolicies: true } });
  sim.runs.createToken({ kind: "organization", organization: "acme" });
  const failing = { name: "tags", level: "soft-mandatory", result: false } as const;
  const policySets = [
    { name: "network", overridable: true, outcomes: [{ policy_name: "open", query: "q", status: "failed" as const, enforcement_level: "mandatory" as const }] },
    { name: "cost", description: "what it costs", outcomes: [{ policy_name: "sum", query: "q", status: "passed" as const }] },
  ];
  const timed = sim.runs.createRun({
    workspace,
    policyChecks: [{ policies: [failing, { name: "cost", level: "advisory", result: "error" }], durationMs: "90s" }],
    policyEvaluation: { policySets },
    timing: { queueMs: "10s", planMs: "1m", evaluationMs: 5_000, checkMs: 1_000, applyMs: "2m" },
  });
  sim.clock.advance("5m");
  const client = sim.runs.as(token);
  client.taskStages.override({ id: timed.taskStageIds[0] as string, comment: "known" });
  sim.clock.advance("5m");
  attempt(() => sim.runs.as(team.token).policyChecks.override({ id: timed.policyCheckIds[0] as string }));
  sim.faults.failNextRequests({ service: "runs", count: 2, status: 503 });
  attempt(() => client.policyChecks.read({ id: timed.policyCheckIds[0] as string }));
  await sim.fetch("https://runs.example/api/v2/nothing");
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/vnd.api+json" };
  const override = `https://runs.example/api/v2/policy-checks/${timed.policyCheckIds[0]}/actions/override`;
  await sim.fetch(override, { method: "POST", headers, body: '{"comment":"ok"}' });
  sim.runs.run(timed.id).confirm();
  sim.clock.advance("1m");
  sim.runs.run(timed.id).cancel({ force: true });
  const stepped = sim.runs.createRun({ workspace, timing: "manual", policyEvaluation: { policySets } });
  for (let step = 0; step < 5; step++) sim.runs.run(stepped.id).step();
  sim.runs.run(stepped.id).discard();
  sim.runs.createRun({ workspace, policyChecks: [{ policies: [], engineError: true }, { scope: "workspace", policies: [] }] });
  sim.runs.createRun({ workspace, timing: { planMs: "1h" } });
  sim.runs.planRuns({ workspace, planFails: true });
  attempt(() => client.runs.create({ workspace }));
  sim.runs.revokeToken(team.id);
  const all = { kind: "user", organization: "acme", user: "otto", grants: { owner: true } } as const;
  const owner = sim.runs.as(sim.runs.createToken(all).token);
  const made = owner.workspaces.create({ organization_name: "acme", name: "made", "auto-apply": true }).data;
  owner.runs.create({ workspace: made.id, message: "ünïcödé 🔑", "is-destroy": true, "auto-apply": false });
  return sim;
}

/** People, keys and logins, in two namespaces: everything that is written, rotates, is spent and goes. */
async function logins(): Promise<Simulator> {
  const sim = createSimulator({ seed: "logins", history: { checkpointEvery: 8 } });
  const main = sim.secrets.cluster("main");
  main.createNamespace("team");
  const redirect_uri = "https://app.test/callback";
  for (const namespace of [undefined, "team"]) {
    const where = namespace === undefined ? {} : { namespace };
    const { identity, oidc } = main.as(main.rootToken, where);
    const aliases = [{ name: "ann@corp", mountAccessor: "acc", metadata: { org: "ünïcödé 🔑" } }];
    const ann = main.createEntity({ name: "ann", metadata: { team: "ops" }, policies: ["none"], aliases, ...where });
    identity.entities.write({ name: "bob" });
    identity.entities.write({ name: "bob", disabled: true });
    identity.aliases.write({ name: "bob@corp", mount_accessor: "acc" });
    const inner = main.createGroup({ name: "inner", memberEntityIds: [ann.id], ...where });
    main.createGroup({ name: "outer", memberGroupIds: [inner.id], policies: ["none"], ...where });
    const { id } = identity.groupAliases.write({ name: "ops", mount_accessor: "acc" }).data;
    identity.groupAliases.delete({ id });
    identity.entities.write({ name: "twin" });
    const [twin, bob] = ["twin", "bob"].map((name) => identity.entities.read({ name }).data.id);
    identity.entities.merge({ from_entity_ids: [twin ?? ""], to_entity_id: bob ?? "" });
    identity.groups.write({ name: "gone" });
    identity.groups.delete({ name: "gone" });
    identity.entities.delete({ name: "bob" });

    oidc.keys.write({ name: "hourly", algorithm: "ES256", rotation_period: "1h", verification_ttl: "2h" });
    oidc.keys.rotate({ name: "hourly" });
    oidc.keys.write({ name: "hourly", allowed_client_ids: "*" });
    oidc.keys.write({ name: "unused" });
    oidc.keys.delete({ name: "unused" });
    oidc.scopes.write({ name: "who", template: '{"who": {{identity.entity.name}}, "in": {{identity.entity.groups.names}} }' });
    oidc.scopes.write({ name: "gone" });
    oidc.scopes.delete({ name: "gone" });
    oidc.assignments.write({ name: "outer", group_ids: identity.groups.read({ name: "outer" }).data.id });
    oidc.assignments.write({ name: "gone" });
    oidc.assignments.delete({ name: "gone" });
    oidc.providers.write({ name: "p", allowed_client_ids: "*", scopes_supported: "who", issuer: "https://issuer.test" });
    oidc.providers.write({ name: "gone" });
    oidc.providers.delete({ name: "gone" });
    oidc.clients.write({ name: "app", key: "hourly", redirect_uris: redirect_uri, assignments: "outer", id_token_ttl: "1h" });
    oidc.clients.write({ name: "gone", client_type: "public" });
    oidc.clients.delete({ name: "gone" });

    const { client_id, client_secret } = oidc.clients.read({ name: "app" }).data;
    const { token } = main.createToken({ policies: [], entityId: ann.id, ...where });
    const asked = { name: "p", client_id, redirect_uri, response_type: "code", scope: "openid who", nonce: "n", max_age: 60 };
    const { code } = main.as(token, where).oidc.authorize(asked);
    const shown = { name: "p", grant_type: "authorization_code", code, redirect_uri, client_id, client_secret };
    const login = (fields: object) => main.as(undefined, where).oidc.token({ ...shown, ...fields });
    await login({ client_secret: "wrong" }).catch(() => {});
    await login({});
    await login({}).catch(() => {});
    sim.clock.advance("90m");
    oidc.keys.rotate({ name: "hourly", verification_ttl: 0 });
    oidc.keys.write({ name: "hourly", algorithm: "RS256" });
    main.as(token, where).oidc.authorize({ ...asked, max_age: 9_000 });

    oidc.roles.write({ name: "who", key: "hourly", template: '{"who": {{identity.entity.name}}}', ttl: "1h" });
    oidc.roles.write({ name: "gone", key: "hourly", client_id: "given", ttl: "1h" });
    oidc.roles.delete({ name: "gone" });
    oidc.config.write({ issuer: "https://who.test" });
  }
  main.as(main.rootToken).namespaces.delete({ name: "team" });
  sim.clock.advance("1d");
  return sim;
}

/** What happens to requests on their way, and lines of programs. */
async function requests(): Promise<Simulator> {
  const sim = createSimulator({ seed: "requests", secrets: { clusters: ["main"] } });
  const main = sim.secrets.cluster("main");
  const shop = sim.program("shop");
  const write = (): Promise<unknown> =>
    shop
      .fetch(`${main.url}/v1/kv/a`, { method: "POST", headers: { "X-Secrets-Token": main.rootToken }, body: "{}" })
      .catch(() => undefined);
  sim.faults.requests({ program: "shop", service: main, nth: [1, 3], effect: { kind: "lose-answer" } });
  const late = sim.faults.requests({ method: "POST", path: "/v1/kv/*", every: 2, effect: { kind: "delay", by: "3s" } });
  sim.faults.schedule("1m", {
    type: "faults.requests",
    args: [{ service: "secrets", times: 1, effect: { kind: "status", status: 503, headers: { "Retry-After": "1" } } }],
  });
  await write();
  const delayed = write();
  sim.clock.advance("3s");
  await delayed;
  await write();
  late.remove();
  sim.clock.advance("1m");
  await write();
  sim.network.cut(shop, main);
  await write();
  sim.network.heal(shop, main);
  sim.network.setLag(main, shop, "2s", { oneWay: true });
  const lagging = write();
  sim.clock.advance("2s");
  await lagging;
  return sim;
}
