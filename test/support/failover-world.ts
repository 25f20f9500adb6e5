import type { Simulator } from "../../src/index.ts";

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
  for (const type of ["userpass", "approle", "ldap", "orchestrator"]) root.auth.enable({ path: type, type });
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
  handle.mount("v0", { type: "kv-v2" });
  root.at("v0").kv2.write({ path: "s0", data: { v: "first" } });
  for (let n = 0; n < 10; n++) root.kv.write({ path: `k${n}`, v: "first" });
  root.policies.write({ name: "p0", policy: 'path "kv/*" { capabilities = ["read"] }' });
  root.passwordPolicies.write({ name: "w0", policy: 'length = 8 rule "charset" { charset = "abc" }' });
  root.plugins.write({ type: "secret", name: "plugin-0", sha256: "30", command: "ours" });
  for (const name of ["ann", "bob"]) handle.createEntity({ id: `e-${name}`, name });
  root.identity.groups.write({ name: "g0", member_entity_ids: ["e-ann"] });
  root.oidc.assignments.write({ name: "few", entity_ids: ["e-ann"] });
  root.oidc.scopes.write({ name: "groups", template: '{"groups": {{identity.entity.groups.names}}}' });
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
