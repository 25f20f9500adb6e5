import { createSimulator, type Simulator } from "../../src/index.ts";

/** Auth methods, people and programs that log in, and all that becomes of them. */
export async function methods(): Promise<Simulator> {
  const sim = createSimulator({ seed: "methods", history: { checkpointEvery: 8 } });
  const main = sim.secrets.cluster("main");
  main.createNamespace("team");
  const [root, team] = [main.as(main.rootToken), main.as(main.rootToken, { namespace: "team" })];
  for (const type of ["userpass", "approle", "ldap", "orchestrator"]) {
    root.auth.enable({ path: type, type, config: { max_lease_ttl: "48h" } });
    team.auth.enable({ path: `teams/${type}`, type, local: true });
  }
  people(sim);
  programs(sim);
  tokens(sim);
  directory(sim);
  await accounts(sim);
  root.auth.tune({ path: "userpass", token_type: "default-batch", description: "ours" });
  main.as().userpass.login({ username: "bob", password: "🔑" }, { wrapTtl: "1m" });
  root.auth.disable({ path: "userpass" });
  sim.clock.advance("3d");
  return sim;
}

function people(sim: Simulator): void {
  const main = sim.secrets.cluster("main");
  const { userpass } = main.as(main.rootToken);
  userpass.write({ username: "Ann", password: "p", token_policies: "dev", ttl: "1h", token_bound_cidrs: "10.0.0.0/8" });
  userpass.write({ username: "bob", password: "p", token_num_uses: 0, token_max_ttl: "2h" });
  const ann = main.as(undefined, { address: "10.1.2.3" }).userpass.login({ username: "ann", password: "p" });
  sim.clock.advance("30m");
  main.as(ann.auth.client_token, { address: "10.1.2.3" }).tokens.renewSelf();
  userpass.setPassword({ username: "bob", password: "🔑" });
  userpass.setPolicies({ username: "bob", policies: ["ops"] });
  main.as().userpass.login({ username: "bob", password: "🔑" });
  userpass.delete({ username: "ann" });
  main.as(ann.auth.client_token, { address: "10.1.2.3" }).tokens.renewSelf();
}

/** Tokens against a role, and those that outlive the one that made them. */
function tokens(sim: Simulator): void {
  const main = sim.secrets.cluster("main");
  const { tokens: own } = main.as(main.rootToken);
  own.roles.write({ role_name: "ci", allowed_policies_glob: "dev*", token_period: "1h", allowed_entity_aliases: "web-*" });
  const { client_token, accessor } = own.create({ ttl: "3d" }).auth;
  main.as(client_token).tokens.createAgainst({ role_name: "ci", policies: ["dev"], entity_alias: "web-🔑" });
  own.renewAccessor({ accessor, increment: "2d" });
  own.revokeOrphan({ token: client_token });
  own.roles.delete({ role_name: "ci" });
  const { aliases } = main.as(main.rootToken).identity;
  const { id } = aliases.write({ name: "cleo", mount_accessor: "acc" })?.data ?? { id: "" };
  aliases.update({ id, name: "Cleo 🔑" });
  aliases.delete({ id });
}

function programs(sim: Simulator): void {
  const main = sim.secrets.cluster("main");
  const { approle } = main.as(main.rootToken);
  const web = { role_name: "web" };
  approle.write({ ...web, role_id: "web", secret_id_ttl: "1h", secret_id_num_uses: 2, token_policies: "dev" });
  const first = approle.secretIds.generate({ ...web, metadata: '{"team":"ünïcödé"}' }).data.secret_id;
  approle.secretIds.custom({ ...web, secret_id: "🔑", cidr_list: "10.0.0.0/8" });
  approle.secretIds.custom({ ...web, secret_id: "late" });
  for (const secret_id of [first, first, "🔑"]) {
    try {
      main.as().approle.login({ role_id: "web", secret_id });
    } catch {
      // The last comes from elsewhere, and has spent a use all the same.
    }
  }
  approle.secretIds.destroy({ ...web, secret_id: "🔑" });
  approle.fields.write({ ...web, field: "token-ttl", token_ttl: 60 });
  approle.fields.delete({ ...web, field: "token-ttl" });
  sim.clock.advance("1h");
  approle.secretIds.generate(web);
  approle.delete(web);
}

function directory(sim: Simulator): void {
  const main = sim.secrets.cluster("main");
  const { ldap } = main.as(main.rootToken);
  sim.directory.addEntry("cn=ünï,dc=example", { cn: "ünï", userPassword: "p" });
  sim.directory.addEntry("cn=Dev,dc=example", { cn: "Dev", member: "cn=ünï,dc=example" });
  ldap.config.write({ userdn: "dc=example", groupdn: "dc=example", discoverdn: true, token_ttl: "1h" });
  ldap.groups.write({ name: "dev", policies: "dev" });
  ldap.users.write({ name: "ünï", policies: "own", groups: "dev" });
  const methods = main.as(main.rootToken).auth.list().data as { readonly [path: string]: { readonly accessor: string } };
  const { identity } = main.as(main.rootToken);
  for (const { accessor } of Object.values(methods)) identity.groupAliases.write({ name: "dev", mount_accessor: accessor });
  const { auth } = main.as().ldap.login({ username: "ünï", password: "p" });
  sim.clock.advance("10m");
  main.as(auth.client_token).tokens.renewSelf();
  sim.directory.failNext({ count: 1, operation: "bind" });
  try {
    main.as().ldap.login({ username: "ünï", password: "p" });
  } catch {
    // The failure is used up.
  }
  ldap.groups.delete({ name: "dev" });
}

async function accounts(sim: Simulator): Promise<void> {
  const main = sim.secrets.cluster("main");
  const { orchestrator, orchestratorAuth } = main.as(main.rootToken);
  sim.orchestrator.addNamespace("shop");
  sim.orchestrator.addServiceAccount("shop", "app");
  orchestrator.config.write({ orchestrator_host: "https://api.test" });
  const engineRole = { name: "app", service_account_name: "app", allowed_orchestrator_namespaces: ["shop"] };
  await orchestrator.roles.write(engineRole);
  const { data } = await orchestrator.creds({ role: "app", orchestrator_namespace: "shop" });
  orchestratorAuth.config.write({ orchestrator_host: "https://api.test" });
  const bound = { bound_service_account_names: "a*", bound_service_account_namespaces: "*" };
  orchestratorAuth.roles.write({ name: "Web", ...bound, token_policies: "dev" });
  const shown = { role: "web", jwt: data.service_account_token };
  await main.as().orchestratorAuth.login(shown);
  sim.orchestrator.failNext({ count: 1, kind: "TokenReview" });
  await main
    .as()
    .orchestratorAuth.login(shown)
    .catch(() => undefined);
  orchestratorAuth.roles.delete({ name: "web" });
}
