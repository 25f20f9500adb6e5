import type { Acting } from "./failover-acting.ts";
import { logins } from "./failover-logins.ts";

// What clients and administrators do: something of every family.

const storage = {
  write: ({ door, n }: Acting) => door().kv.write({ path: `k${n}`, v: n }),
  forget: ({ door, n }: Acting) => door().kv.delete({ path: `k${n}` }),
  writeInNamespace: ({ on, door, n }: Acting) => door(on, "team").kv.write({ path: `k${n}`, v: n }),
  writeInMount: ({ door, n }: Acting) =>
    door()
      .at(`m${n % 3}`)
      .kv.write({ path: `k${n}`, v: n }),
  cubbyhole: async ({ door, n }: Acting) => {
    const { cubbyhole } = door();
    const path = `c${n % 3}`;
    await cubbyhole.write({ path, v: n });
    if (n % 3 === 0) await cubbyhole.read({ path });
    if (n % 3 === 1) await cubbyhole.list();
    if (n % 3 === 2) await cubbyhole.delete({ path });
  },
  versions: ({ all, door, n }: Acting) => {
    const { kv2 } = door().at("v0");
    const path = `s${n % 3}`;
    const versions = [1, 2];
    return all(
      () => kv2.write({ path, data: { n } }),
      () => kv2.patch({ path, data: { n: null, more: n } }),
      () => (n % 2 === 0 ? kv2.delete({ path }) : kv2.delete({ path, versions })),
      () => (n % 3 === 0 ? kv2.destroy({ path, versions: [1] }) : kv2.undelete({ path, versions })),
      () => kv2.metadata.write({ path, max_versions: 2, delete_version_after: `${n + 1}m` }),
      () => kv2.metadata.read({ path }),
      () => kv2.metadata.patch({ path, custom_metadata: { n: n < 5 ? null : `${n}` } }),
      () => (n < 7 ? kv2.config.write({ max_versions: n }) : kv2.metadata.delete({ path })),
    );
  },
  stored: ({ all, door }: Acting) => {
    const { kv } = door();
    const { kv2 } = door().at("v0");
    return all(
      () => kv.read({ path: "k0" }),
      () => kv.list(),
      () => kv2.read({ path: "s0" }),
      () => kv2.subkeys({ path: "s0" }),
      () => kv2.metadata.list(),
      () => kv2.config.read(),
    );
  },
};

const tokens = {
  token: ({ on, n }: Acting) => on.createToken({ policies: ["default"], ttl: `${(n + 1) * 7}s` }),
  batchToken: ({ on, n }: Acting) => on.createToken({ policies: ["default"], ttl: `${n + 1}m`, type: "batch" }),
  limitedToken: async ({ on, n, as }: Acting) => {
    const { token } = on.createToken({ policies: ["root"], numUses: 2, ttl: "1h" });
    await as(token).kv.write({ path: "limited", v: n });
    await as(token).kv.read({ path: "limited" });
  },
  // A token, what it makes, and its end.
  family: async ({ n, door, as }: Acting) => {
    const { auth } = await door().tokens.create({ policies: ["root"], ttl: `${(n + 1) * 11}s` });
    const token = auth?.client_token ?? "";
    await as(token).tokens.create({ policies: ["default"], ttl: "1m" });
    await as(token).tokens.createOrphan({ policies: ["default"], ttl: "1m", num_uses: n });
    const end = [
      () => as(token).tokens.revokeSelf(),
      () => door().tokens.revoke({ token }),
      () => as(token).tokens.renewSelf({ increment: "5m" }),
      () => door().tokens.renew({ token, increment: "3m" }),
    ];
    await end[n % 4]?.();
  },
  tokensShown: ({ all, on, door }: Acting) => {
    const { tokens: shown, policies } = door();
    return all(
      () => shown.lookupSelf(),
      () => shown.lookup({ token: `operator-${on.name}` }),
      () => shown.accessors(),
      () => shown.tidy(),
      () => policies.capabilitiesSelf({ paths: ["kv/k1", "sys/policies/acl/p1"] }),
      () => policies.capabilities({ token: `operator-${on.name}`, paths: ["kv/k1"] }),
      async () => {
        const { accessor } = (await shown.lookupSelf()).data;
        return policies.capabilitiesAccessor({ accessor, paths: ["kv/k1"] });
      },
    );
  },
  tokenRoles: ({ all, door, n }: Acting) => {
    const { tokens: made } = door();
    const role_name = `r${n % 2}`;
    return all(
      () => made.roles.write({ role_name, allowed_policies: "default", orphan: n > 5 }),
      () => made.createAgainst({ role_name }),
      () => made.roles.list(),
      () => made.roles.read({ role_name }),
      () => (n > 6 ? made.roles.delete({ role_name }) : undefined),
    );
  },
  byAccessor: async ({ door, as, n }: Acting) => {
    const { auth } = await door().tokens.create({ policies: ["root"], ttl: `${n + 1}h` });
    const [token, accessor] = [auth?.client_token ?? "", auth?.accessor ?? ""];
    await as(token).tokens.create({ policies: ["default"], ttl: "1m" });
    await door().tokens.lookupAccessor({ accessor });
    await door().tokens.renewAccessor({ accessor });
    if (n % 2 === 0) await door().tokens.revokeAccessor({ accessor });
    else await door().tokens.revokeOrphan({ token });
  },
  namespaceToken: ({ on }: Acting) => on.createToken({ policies: ["default"], namespace: "team" }),
  wrap: async ({ door, n }: Acting) => {
    const { kv, wrapping } = door();
    const wrapTtl = "90s";
    const { wrap_info } = await (n < 5
      ? kv.read({ path: `k${n}` }, { wrapTtl })
      : wrapping.wrap({ v: n }, { wrapTtl }));
    const token = wrap_info?.token ?? "";
    if (n % 3 === 0) await wrapping.lookup({ token });
    if (n % 3 === 1) await wrapping.rewrap({ token });
    if (n % 3 === 2) await wrapping.unwrap({ token });
  },
  unwrap: ({ door, n, wrapped }: Acting) => {
    const { wrapping } = door();
    const token = wrapped();
    return [() => wrapping.unwrap({ token }), () => wrapping.rewrap({ token }), () => wrapping.lookup({ token })][
      n % 3
    ]?.();
  },
};

const system = {
  policy: ({ on, door, n }: Acting) => {
    const [name, document] = [`p${n % 3}`, `path "kv/k${n}" { capabilities = ["read"] }`];
    if (n < 4) return on.writePolicy(name, document);
    return n < 8 ? door().policies.write({ name, policy: document }) : door().policies.delete({ name });
  },
  passwordPolicy: ({ door, n }: Acting) => {
    const { passwordPolicies } = door();
    const name = `w${n % 2}`;
    const policy = `length = ${8 + n} rule "charset" { charset = "abc" }`;
    return n % 3 > 0 ? passwordPolicies.write({ name, policy }) : passwordPolicies.delete({ name });
  },
  policiesShown: ({ all, door }: Acting) => {
    const { policies, passwordPolicies } = door();
    return all(
      () => policies.list(),
      () => policies.read({ name: "p0" }),
      () => passwordPolicies.list(),
      () => passwordPolicies.read({ name: "w0" }),
      () => passwordPolicies.generate({ name: "w0" }),
    );
  },
  namespace: ({ on, door, n }: Acting) => {
    if (n % 2 === 1) return on.createNamespace(n < 7 ? "team" : "team/dev");
    return n < 6 ? door().namespaces.write({ name: "team" }) : door(on, "team").namespaces.write({ name: "dev" });
  },
  namespaceGone: ({ door, n }: Acting) => door().namespaces.delete({ name: n < 7 ? "team" : "team/dev" }),
  mountInNamespace: ({ on }: Acting) => on.mount("kv", { type: "kv", namespace: "team" }),
  mount: ({ on, door, n }: Acting) => {
    const [path, type] = [`m${n % 3}`, n < 8 ? "kv" : "ldap"];
    return n % 2 === 0 ? on.mount(path, { type }) : door().mounts.write({ path, type });
  },
  localMount: ({ on, n }: Acting) => on.mount(`m${n % 3}`, { type: "kv", local: true }),
  tune: ({ door, n }: Acting) => door().mounts.tune({ path: `m${n % 3}`, max_lease_ttl: `${n + 1}h` }),
  unmount: ({ door, n }: Acting) => door().mounts.delete({ path: n === 9 ? "ldap" : `m${n % 3}` }),
  remount: async ({ door, n }: Acting) => {
    const { mounts } = door();
    const [from, to] = [`m${n % 3}`, `m${(n + 1) % 3}`];
    const { migration_id } = await mounts.remount({ from, to });
    await mounts.migration({ migration_id });
  },
  operatorsShown: ({ all, door, n }: Acting) => {
    const { nodes, barrierKey, leases: held } = door();
    return all(
      () => nodes.haStatus(),
      () => nodes.hostInfo(),
      () => nodes.versions(),
      () => nodes.peers(),
      () => (n > 4 ? nodes.stepDown() : undefined),
      () => barrierKey.status(),
      () => (n % 2 === 0 ? barrierKey.rotate() : undefined),
      () => held.count({ type: "irrevocable" }),
      () => held.irrevocable({ type: "irrevocable" }),
      () => held.tidy(),
    );
  },
  rootTokenByShares: async ({ on, door, n }: Acting) => {
    const { rootToken } = door();
    if (n === 9) return rootToken.cancel();
    const { nonce } = await rootToken.start();
    const { required } = await rootToken.attempt();
    for (const key of on.keyShares.slice(0, required)) await rootToken.update({ key, nonce });
  },
  rekey: async ({ on, door, n }: Acting) => {
    const { rekey } = door();
    if (n === 9) return rekey.cancel();
    const covered = n < 3 ? { pgp_keys: [await pgpKey()], backup: true } : {};
    const { nonce } = await rekey.start({
      secret_shares: 1,
      secret_threshold: 1,
      require_verification: n > 5,
      ...covered,
    });
    const { required } = await rekey.status();
    let made: Awaited<ReturnType<typeof rekey.update>> | undefined;
    for (const key of on.keyShares.slice(0, required)) made = await rekey.update({ key, nonce });
    if (n > 5 && made !== undefined && "keys" in made) {
      const { nonce: verification } = await (n === 8 ? rekey.restartVerification() : rekey.verification());
      await rekey.verify({ key: made.keys[0] ?? "", nonce: verification });
    }
    if (n < 3) await rekey.backup();
    if (n === 0) await rekey.deleteBackup();
  },
  mountsShown: ({ all, door }: Acting) => {
    const { mounts, namespaces } = door();
    return all(
      () => mounts.list(),
      () => mounts.read({ path: "kv" }),
      () => mounts.tuning({ path: "kv" }),
      () => mounts.ui.list(),
      () => mounts.ui.read({ path: "kv" }),
      () => namespaces.list(),
      () => namespaces.read({ name: "team" }),
    );
  },
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
  snapshotsShown: ({ all, door }: Acting) => {
    const { snapshots } = door();
    const name = "half-hourly";
    return all(
      () => snapshots.list(),
      () => snapshots.read({ name }),
      () => snapshots.status({ name }),
    );
  },
  plugin: ({ on, door, n }: Acting) => {
    const { plugins } = door();
    const plugin = { type: "secret", name: `plugin-${n % 2}` };
    if (n === 9) return on.setPlugin("ours", "39");
    return n < 7 ? plugins.write({ ...plugin, sha256: `3${n}`, command: "ours" }) : plugins.delete(plugin);
  },
  pluginsShown: ({ all, door }: Acting) => {
    const { plugins } = door();
    const type = "secret";
    return all(
      () => plugins.catalog(),
      () => plugins.list({ type }),
      () => plugins.read({ type, name: "plugin-0" }),
    );
  },
};

const engines = {
  librarySet: ({ door, n }: Acting) => {
    const { library } = door();
    const names = ["svc-0", "svc-1", "svc-2"].slice(n % 2);
    if (n === 9) return library.delete({ set_name: "ops" });
    return library.write({ set_name: "ops", service_account_names: names, ttl: 30 + n });
  },
  checkOut: ({ door, n }: Acting) => door().library.checkOut({ set_name: "ops", ttl: 5 + 10 * n }),
  checkIn: ({ door, n }: Acting) => {
    const { library } = door();
    const given = { set_name: "ops", service_account_names: [`svc-${n % 3}`] };
    return n < 7 ? library.checkIn(given) : library.forceCheckIn(given);
  },
  libraryShown: ({ all, door }: Acting) => {
    const { library } = door();
    const set = { set_name: "ops" };
    return all(
      () => library.list(),
      () => library.read(set),
      () => library.status(set),
    );
  },
  directoryEngine: ({ door, n }: Acting) => {
    const { ldapConfig } = door();
    if (n === 9) return ldapConfig.delete();
    if (n < 3) return ldapConfig.read();
    const userdn = "ou=service,dc=example,dc=com";
    return ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "bind-secret", userdn, length: 12 + n });
  },
  staticRole: ({ door, n }: Acting) =>
    door().staticRoles.write({ role_name: `role-${n % 2}`, username: `role-${n % 2}`, rotation_period: 20 + 60 * n }),
  staticRoleGone: ({ door, n }: Acting) => door().staticRoles.delete({ role_name: `role-${n % 2}` }),
  rotateRole: ({ door, n }: Acting) => door().staticRoles.rotate({ role_name: `role-${n % 2}` }),
  rotateRoot: ({ door }: Acting) => door().ldapConfig.rotateRoot(),
  dynamicRole: ({ door }: Acting) => door().dynamicRoles.credentials({ role_name: "dev" }),
  dynamicRoleWritten: ({ door, n }: Acting) => {
    const { dynamicRoles } = door();
    const dn = "cn={{.Username}},ou=service,dc=example,dc=com";
    const role_name = n < 5 ? "dev" : "spare";
    if (n > 7) return dynamicRoles.delete({ role_name });
    return dynamicRoles.write({
      role_name,
      creation_ldif: `dn: ${dn}\nobjectClass: dynamic\ncn: {{.Username}}\n`,
      deletion_ldif: `dn: ${dn}\nchangetype: delete\n`,
      default_ttl: 100 + n,
    });
  },
  rolesShown: ({ all, door }: Acting) => {
    const { staticRoles, dynamicRoles } = door();
    const role = { role_name: "role-0" };
    return all(
      () => staticRoles.list(),
      () => staticRoles.listAll(),
      () => staticRoles.read(role),
      () => staticRoles.credential(role),
      () => dynamicRoles.list(),
      () => dynamicRoles.read({ role_name: "dev" }),
    );
  },
  orchestratorEngine: ({ on, door, n }: Acting) => {
    const { config } = door().orchestrator;
    if (n === 9) return config.delete();
    if (n === 7) return on.advertise(`http://${on.name}.example`);
    if (n === 8) return on.setPodEnvironment({ host: "10.0.0.1", port: "443" });
    return n < 4 ? config.read() : config.write({ orchestrator_host: "https://api.test" });
  },
  orchestratorRole: ({ door, n }: Acting) => {
    const { roles } = door().orchestrator;
    const name = n < 5 ? "reader" : "spare";
    const generated_role_rules = '{"rules": [{"verbs": ["list"], "resources": ["pods"], "apiGroups": [""]}]}';
    return [
      () => roles.write({ name, allowed_orchestrator_namespaces: ["shop"], generated_role_rules }),
      () => roles.list(),
      () => roles.read({ name: "reader" }),
      () => roles.delete({ role: "spare" }),
    ][n % 4]?.();
  },
  orchestratorCredentials: ({ door, n }: Acting) =>
    door().orchestrator.creds({ role: "reader", orchestrator_namespace: "shop", ttl: 600 + 60 * n }),
  orchestratorFailure: async ({ sim, door }: Acting) => {
    sim.orchestrator.failNext({ count: 2, kind: "RoleBinding" });
    await door().orchestrator.creds({ role: "reader", orchestrator_namespace: "shop" });
  },
};

const leases = {
  renew: async ({ door, n, lease }: Acting) => {
    const { leases: held, dynamicRoles } = door();
    const lease_id = n < 5 ? lease() : (await dynamicRoles.credentials({ role_name: "dev" })).lease_id;
    await held.renew({ lease_id, increment: 40 });
  },
  revokeLease: ({ door, n, lease }: Acting) => door().leases.revoke({ lease_id: lease(), sync: n < 7 }),
  revokeMany: ({ door, n }: Acting) => {
    const { revokePrefix, revokeForce } = door().leases;
    const prefix = ["ldap", "ldap/library/ops", "ldap/creds", "orchestrator/creds/reader"][n % 4] ?? "";
    return n < 5 ? revokePrefix({ prefix, sync: n < 3 }) : revokeForce({ prefix });
  },
  leasesShown: async ({ door, lease }: Acting) => {
    const { leases: shown, dynamicRoles } = door();
    await dynamicRoles.credentials({ role_name: "dev" });
    await shown.list({ prefix: "ldap/creds/dev" });
    await shown.lookup({ lease_id: lease() });
  },
};

const people = {
  entity: ({ on, door, n }: Acting) => {
    const { entities } = door().identity;
    if (n > 7) return entities.delete({ id: "e-bob" });
    if (n === 7) return on.createEntity({ policies: ["p0"] });
    return entities.write({ name: `e${n % 3}`, metadata: { n: `${n}` }, disabled: n === 6 });
  },
  alias: ({ door, n }: Acting) =>
    door().identity.aliases.write({ name: `alias-${n % 3}`, canonical_id: "e-ann", mount_accessor: `acc-${n % 2}` }),
  group: ({ on, door, n }: Acting) => {
    const { groups } = door().identity;
    if (n > 7) return groups.delete({ name: "g1" });
    if (n === 7) return on.createGroup({ memberEntityIds: ["e-ann"], policies: ["p1"] });
    return groups.write({ name: `g${n % 2}`, member_entity_ids: n < 5 ? ["e-ann"] : [] });
  },
  groupAlias: ({ all, door, n }: Acting) => {
    const { groupAliases } = door().identity;
    const login = { name: `ops-${n % 2}`, mount_accessor: `acc-${n % 2}` };
    return all(async () => {
      const { id } = (await groupAliases.write(login)).data;
      await groupAliases.update({ id, name: `dev-${n % 2}` });
      await groupAliases.read({ id });
      await groupAliases.list();
      if (n > 6) await groupAliases.delete({ id });
    });
  },
  merge: async ({ door, n }: Acting) => {
    const { entities } = door().identity;
    const { id } = (await entities.write({ name: `merged-${n}` }))?.data ?? {};
    if (id !== undefined) await entities.merge({ from_entity_ids: [id], to_entity_id: "e-ann" });
  },
  peopleShown: ({ all, door }: Acting) => {
    const { entities, groups } = door().identity;
    return all(
      () => entities.list(),
      () => entities.read({ id: "e-ann" }),
      () => groups.list(),
      () => groups.read({ name: "g0" }),
    );
  },
  lookUp: ({ all, door, n }: Acting) => {
    const { entities, aliases, groups } = door().identity;
    const name = `g${n % 2}`;
    const alias = async () => {
      const login = { name: "alias-0", canonical_id: "e-ann", mount_accessor: "acc-0" };
      await aliases.write(login);
      const id = (await aliases.list()).data.keys[0] ?? "";
      await aliases.read({ id });
      await aliases.update({ id, ...login });
      if (n > 5) await aliases.delete({ id });
    };
    return all(
      alias,
      () => groups.write({ name, policies: ["p0"] }),
      () => entities.lookup({ id: "e-ann" }),
      () => groups.lookup({ name }),
      async () => {
        const id = (await groups.list()).data.keys[0] ?? "";
        await groups.read({ id });
        if (n > 5) await groups.delete({ id });
      },
    );
  },
  key: ({ door, n }: Acting) =>
    door().oidc.keys.write({
      name: n < 8 ? "hourly" : "spare",
      algorithm: "ES256",
      rotation_period: `${n + 1}m`,
      verification_ttl: `${5 * (n + 1)}m`,
      allowed_client_ids: "*",
    }),
  keyGone: ({ door, n }: Acting) => door().oidc.keys.delete({ name: n < 5 ? "spare" : "hourly" }),
  rotateKey: ({ door }: Acting) => door().oidc.keys.rotate({ name: "hourly" }),
  client: async ({ door, n }: Acting) => {
    const { clients } = door().oidc;
    const name = n < 8 ? "app" : "other";
    if (n % 3 === 0) await clients.delete({ name: "other" });
    const assignments = n < 6 ? "allow_all" : "few";
    const redirect_uris = "https://app.test/callback";
    return clients.write({ name, key: "hourly", redirect_uris, assignments, id_token_ttl: "1m" });
  },
  provider: ({ door, n }: Acting) => {
    const { assignments, scopes, providers } = door().oidc;
    return [
      () => assignments.write({ name: "few", entity_ids: ["e-ann"] }),
      () => scopes.write({ name: "groups", template: '{"groups": {{identity.entity.groups.names}}}' }),
      () => providers.write({ name: "wide", allowed_client_ids: ["*"], scopes_supported: n < 5 ? ["groups"] : [] }),
      () => providers.delete({ name: "wide" }),
      () => (n < 5 ? scopes.delete({ name: "groups" }) : assignments.delete({ name: "few" })),
    ][n % 5]?.();
  },
  // Somebody is told who she is, and shows it.
  identityToken: async ({ on, door, as, all, n }: Acting) => {
    const { roles, config, identityTokens } = door().oidc;
    const name = n < 8 ? "who" : "other";
    await roles.write({
      name,
      key: "hourly",
      ttl: `${n + 1}s`,
      template: '{"groups": {{identity.entity.groups.ids}}}',
    });
    const ann = on.createToken({ policies: ["root"], entityId: "e-ann", ttl: "1h" }).token;
    const { token, client_id } = (await as(ann).oidc.identityTokens.generate({ name })).data;
    return all(
      () => identityTokens.introspect({ token, client_id }),
      () => roles.list(),
      () => roles.read({ name }),
      () => config.write({ issuer: n < 5 ? "" : "https://who.test" }),
      () => config.read(),
      () => as().oidc.identityTokens.configuration(),
      () => as().oidc.identityTokens.publicKeys(),
      () => (n > 6 ? roles.delete({ name }) : undefined),
    );
  },
  providersShown: ({ all, door, as }: Acting) => {
    const { keys, clients, assignments, scopes, providers } = door().oidc;
    return all(
      () => keys.list(),
      () => keys.read({ name: "hourly" }),
      () => clients.list(),
      () => assignments.list(),
      () => assignments.read({ name: "few" }),
      () => scopes.list(),
      () => scopes.read({ name: "groups" }),
      () => providers.list(),
      () => providers.read({ name: "default" }),
      () => as().oidc.configuration({ name: "default" }),
    );
  },
  login: async ({ on, door, as, n }: Acting) => {
    const redirect_uri = "https://app.test/callback";
    const { client_id, client_secret } = (await door().oidc.clients.read({ name: "app" })).data;
    const ann = on.createToken({ policies: [], entityId: "e-ann", ttl: "1h" }).token;
    const asked = { name: "default", client_id, redirect_uri, response_type: "code", scope: "openid" };
    const { code } = await as(ann).oidc.authorize(asked);
    // Some codes are left to expire.
    if (n > 3) return;
    const shown = { name: "default", grant_type: "authorization_code", redirect_uri, client_id, client_secret, code };
    const { access_token } = await as().oidc.token(shown);
    await as().oidc.publicKeys({ name: "default" });
    await as(access_token).oidc.userinfo({ name: "default" });
  },
};

export const clients = { ...storage, ...tokens, ...system, ...engines, ...leases, ...people, ...logins };

async function pgpKey(): Promise<string> {
  const { generateKey } = await import("openpgp");
  const { publicKey } = await generateKey({ userIDs: [{ name: "Ann" }], type: "ecc", format: "object" });
  return btoa(String.fromCharCode(...publicKey.write()));
}
