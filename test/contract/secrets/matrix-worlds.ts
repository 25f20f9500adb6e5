import { createSimulator, type Simulator } from "../../../src/index.ts";
import { METHODS } from "../two-doors.ts";
import { authorization, REDIRECT } from "./matrix-lists.ts";
import { joined, replicatedWorld } from "./replication/replicated-world.ts";

// The worlds that every operation is asked for in. They are made once: each request goes to a fork of its own.

const EVERYTHING = ["create", "read", "update", "patch", "delete", "list"];
const all = (...more: string[]): string => `path "*" { capabilities = ${JSON.stringify([...EVERYTHING, ...more])} }`;

export interface World {
  readonly sim: Simulator;
  readonly cluster: string;
  /** Tokens, and other things that were made, by what they are. */
  readonly made: { readonly [thing: string]: string };
}

function standAlone(license: "enterprise" | "community"): World {
  const sim = createSimulator({ seed: 5, secrets: { license } });
  const main = sim.secrets.cluster("main");
  main.mount("kv2", { type: "kv-v2" });
  for (const type of METHODS) main.as(main.rootToken).auth.enable({ path: type, type });
  main.writePolicy("mighty", all("sudo"));
  main.writePolicy("plain", all());
  const token = (policies: readonly string[], options = {}): string =>
    main.createToken({ policies: [...policies], noDefaultPolicy: true, ...options }).token;
  const expired = token(["mighty"], { ttl: "1s" });
  const made = {
    mighty: token(["mighty"]),
    plain: token(["plain"]),
    powerless: token([]),
    expired,
  };
  sim.clock.advance("1s");
  return { sim, cluster: "main", made };
}

function changed({ sim, ...world }: World, change: (fork: Simulator) => void): World {
  const fork = sim.fork();
  change(fork);
  return { ...world, sim: fork };
}

async function disasterRecoverySecondary(): Promise<World> {
  const { sim, cluster } = replicatedWorld(["primary", "secondary"]);
  await joined("dr", cluster("primary"), cluster("secondary"));
  return { sim, cluster: "secondary", made: {} };
}

/** A performance secondary of a primary that has an `x1` of everything; some of it is lent or issued already, by either of them. */
async function performanceSecondary(): Promise<World> {
  const { sim, cluster } = replicatedWorld(["primary", "secondary"]);
  const [primary, own] = [cluster("primary"), cluster("secondary")];
  for (const cn of ["svc-a", "svc-b", "svc-c", "svc-d", "bind", "ann"]) {
    sim.directory.addEntry(`cn=${cn},dc=corp`, { cn, userPassword: "secret" });
  }
  sim.orchestrator.addNamespace("shop");
  primary.writePolicy("mighty", all("sudo"));
  primary.createNamespace("x1");
  primary.createEntity({ id: "x1", name: "x1" });
  primary.createGroup({ id: "x1", name: "x1" });
  primary.createEntity({ id: "x9", name: "x9" });
  const lead = primary.as(primary.rootToken);
  lead.policies.write({ name: "x1", policy: 'path "x" { capabilities = ["read"] }' });
  lead.passwordPolicies.write({ name: "x1", policy: 'length = 20\nrule "charset" { charset = "abc" }' });
  lead.plugins.write({ type: "secret", name: "x1", sha256: "31", command: "run" });
  lead.tokens.roles.write({ role_name: "x1" });
  lead.kv.write({ path: "x1", v: 1 });
  primary.mount("old", { type: "kv" });
  const { migration_id: sharedMove } = lead.mounts.remount({ from: "old", to: "moved" });
  primary.mount("kv2", { type: "kv-v2" });
  const { kv2 } = lead.at("kv2");
  kv2.write({ path: "x1", data: { v: 1 } });
  kv2.delete({ path: "x1" });
  kv2.write({ path: "x1", data: { v: 2 } });
  lead.ldapConfig.write({ binddn: "cn=bind,dc=corp", bindpass: "secret", userdn: "dc=corp" });
  lead.staticRoles.write({ role_name: "x1", username: "svc-c", dn: "cn=svc-c,dc=corp", rotation_period: "1h" });
  const dn = "dn: cn={{.Username}},dc=corp";
  lead.dynamicRoles.write({
    role_name: "x1",
    creation_ldif: `${dn}\nchangetype: add\ncn: {{.Username}}`,
    deletion_ldif: `${dn}\nchangetype: delete`,
  });
  lead.library.write({ set_name: "x1", service_account_names: ["svc-a", "svc-b"] });
  lead.library.write({ set_name: "idle", service_account_names: ["svc-d"] });
  lead.oidc.keys.write({ name: "x1" });
  lead.oidc.keys.write({ name: "used", allowed_client_ids: ["*"] });
  lead.oidc.assignments.write({ name: "x1" });
  lead.oidc.scopes.write({ name: "x1" });
  lead.oidc.clients.write({ name: "x1", key: "used", redirect_uris: [REDIRECT], assignments: ["allow_all"] });
  lead.oidc.providers.write({ name: "x1", allowed_client_ids: ["*"] });
  lead.oidc.roles.write({ name: "x1", key: "used" });
  lead.orchestrator.config.write({ orchestrator_host: "https://api.test" });
  await lead.orchestrator.roles.write({
    name: "x1",
    allowed_orchestrator_namespaces: "*",
    service_account_name: "default",
  });
  for (const type of METHODS) lead.auth.enable({ path: type, type });
  lead.userpass.write({ username: "x1", password: "p" });
  lead.orchestratorAuth.config.write({ orchestrator_host: "https://api.test" });
  lead.orchestratorAuth.roles.write({
    name: "x1",
    bound_service_account_names: "*",
    bound_service_account_namespaces: "*",
  });
  const account = await lead.orchestrator.creds({ role: "x1", orchestrator_namespace: "shop" });
  const jwt = account.data.service_account_token;
  await primary.as().orchestratorAuth.login({ role: "x1", jwt });
  lead.ldap.config.write({ binddn: "cn=bind,dc=corp", bindpass: "secret", userdn: "dc=corp" });
  lead.ldap.groups.write({ name: "x1", policies: "x1" });
  lead.ldap.users.write({ name: "x1", policies: "x1" });
  lead.approle.write({ role_name: "x1", role_id: "x1" });
  lead.approle.secretIds.custom({ role_name: "x1", secret_id: "x1" });
  const { secret_id_accessor } = lead.approle.secretIds.lookup({ role_name: "x1", secret_id: "x1" })?.data ?? {};
  // Whoever has logged in before is known.
  primary.as().userpass.login({ username: "x1", password: "p" });
  primary.as().ldap.login({ username: "ann", password: "secret" });
  primary.as().approle.login({ role_id: "x1", secret_id: "x1" });
  await joined("performance", primary, own);
  lead.replication.performance.pathsFilter.write({ id: "b", mode: "deny" });
  sim.settle();
  for (const type of ["kv", "ldap", "orchestrator"]) own.mount(`local/${type}`, { type, local: true });
  own.mount("local/kv2", { type: "kv-v2", local: true });
  own.mount("local/old", { type: "kv", local: true });
  const { auth, mounts } = own.as(own.createToken({ policies: ["root"] }).token);
  const { migration_id: ownMove } = mounts.remount({ from: "local/old", to: "local/moved" });
  for (const type of METHODS) auth.enable({ path: `local/${type}`, type, local: true });
  const mighty = own.createToken({ policies: ["mighty"], entityId: "x1", noDefaultPolicy: true }).token;
  const door = own.as(mighty);
  door.cubbyhole.write({ path: "x1", v: 1 });
  door.snapshots.write({
    name: "x1",
    interval: "1h",
    retain: 2,
    path_prefix: "/x",
    storage_type: "local",
    local_max_space: 9999,
  });
  const lent = door.library.checkOut({ set_name: "x1" });
  const client = door.oidc.clients.read({ name: "x1" }).data;
  const wrapped = door.kv.read({ path: "x1" }, { wrapTtl: "5m" });
  const made = {
    mighty,
    ...own.createToken({ policies: ["mighty"] }),
    sharedMove,
    ownMove,
    lent: lent.data.service_account_name,
    shared: lent.lease_id,
    own: door.dynamicRoles.credentials({ role_name: "x1" }).lease_id,
    wrapping: wrapped.wrap_info?.token ?? "",
    alias: lead.identity.aliases.list().data.keys[0] ?? "",
    groupAlias: lead.identity.groupAliases.write({ name: "x1", mount_accessor: "any" }).data.id,
    secretIdAccessor: secret_id_accessor ?? "",
    jwt,
    client: client.client_id,
    secret: client.client_secret ?? "",
    code: door.oidc.authorize({ name: "x1", ...authorization(client.client_id) }).code,
  };
  return { sim, cluster: "secondary", made };
}

export const community = standAlone("community");
/** With a child namespace that has what the root namespace has: a namespace below it, a token, and the engines. */
export const enterprise = changed(standAlone("enterprise"), (sim) => {
  const main = sim.secrets.cluster("main");
  main.createNamespace("team");
  main.createNamespace("team/inner");
  main.createNamespace("inner");
  main.createToken({ policies: ["default"], namespace: "team" });
  for (const type of ["kv", "ldap", "orchestrator"]) main.mount(type, { type, namespace: "team" });
  main.mount("kv2", { type: "kv-v2", namespace: "team" });
  const { auth } = main.as(main.rootToken, { namespace: "team" });
  for (const type of METHODS) auth.enable({ path: type, type });
});
export const sealed = changed(enterprise, (sim) => sim.secrets.cluster("main").seal());
export const failing = changed(enterprise, (sim) =>
  sim.faults.requests({ service: "secrets", effect: { kind: "status", status: 503 } }),
);
/** Requests get no answer, each kind in its way: none of them is decided. */
export const unreachable = {
  "whose requests are lost": changed(enterprise, (sim) => sim.faults.requests({ effect: { kind: "lose-request" } })),
  "whose connections are reset": changed(enterprise, (sim) => sim.faults.requests({ effect: { kind: "reset" } })),
};
export const secondary = await performanceSecondary();
export const secondaryAlone = changed(secondary, (sim) =>
  sim.network.cut(sim.secrets.cluster("primary"), sim.secrets.cluster("secondary")),
);
export const drSecondary = await disasterRecoverySecondary();
