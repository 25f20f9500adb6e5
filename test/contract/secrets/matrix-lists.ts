import { createSimulator } from "../../../src/index.ts";
import type { Fields, OperationName } from "../driver.ts";

// What the decisions say of operations by kinds of callers, nodes and clusters: an operation that a list does not have is not of its kind.
// Nothing here is taken from what operations declare of themselves.

/** Names of operations by their resources: `{ "oidc.keys": "list read" }` has `oidc.keys.list` and `oidc.keys.read`. */
function named(byResource: { readonly [resource: string]: string }): ReadonlySet<string> {
  return new Set(
    Object.entries(byResource).flatMap(([resource, verbs]) => verbs.split(" ").map((verb) => `${resource}.${verb}`)),
  );
}

const withoutFields = (byResource: { readonly [resource: string]: string }): Requests =>
  Object.fromEntries([...named(byResource)].map((name) => [name, {}]));

/** Ask for no token, and ignore one that is sent: decisions-secrets-core.md, A.3, 7. */
export const OPEN = named({
  health: "read",
  seal: "status unseal leader initialized initialize",
  // By GET it looks at the token of the header, whoever has it (amendments.md, S33).
  wrapping: "lookup lookupRead",
  replication: "status",
  "replication.dr": "status",
  "replication.performance": "status",
  "replication.dr.operationToken": "attempt start cancel update",
  oidc: "configuration publicKeys token",
  "oidc.identityTokens": "configuration publicKeys",
  // Who holds key shares (cluster/README.md, 3.1).
  rootToken: "attempt start cancel update",
  rekey: "status start cancel update verification restartVerification verify",
  // Where the method is enabled (auth/README.md, 3.1).
  userpass: "login",
  approle: "login",
  ldap: "login",
  orchestratorAuth: "login",
});

/** Ask for no token, and look at one that is sent: src/services/secrets/README.md. */
export const LOOK_AT_TOKEN = named({ "mounts.ui": "list" });

/** Ask for a token of their own kind, and say by themselves what they miss: decisions-oidc.md, 11. */
export const ASK_FOR_ACCESS_TOKEN = named({ oidc: "userinfo userinfoRead" });

/** Take a wrapping token as the header's, and say 400 of one that holds nothing: decisions-secrets-core.md, A.6. */
export const OPEN_WRAPPINGS = named({ wrapping: "unwrap" });

/** Need `sudo` on top of the capability: decisions-secrets-core.md, A.8, and amendments.md, S1. */
export const SUDO = named({
  plugins: "read write delete",
  snapshots: "list read write delete",
  "replication.dr": "secondaryToken",
  "replication.performance": "secondaryToken",
  leases: "list irrevocable revokePrefix revokeForce",
  seal: "seal",
  nodes: "stepDown",
  barrierKey: "rotate",
  mounts: "remount",
  tokens: "accessors",
  auth: "read enable disable tuning tune",
});

/** Are there with the enterprise licence only: decisions-secrets-core.md, B, D.3 and D.4, decisions-replication.md, 2. */
export const ENTERPRISE = named({
  namespaces: "list read write delete",
  snapshots: "list read write delete status",
  replication: "status",
  "replication.dr":
    "status primaryEnable primaryDemote primaryDisable secondaryToken generatePublicKey revokeSecondary " +
    "secondaryEnable secondaryDisable updatePrimary reindex merkleCheck promote",
  "replication.dr.operationToken": "attempt start cancel update delete",
  "replication.performance":
    "status primaryEnable primaryDemote primaryDisable secondaryToken generatePublicKey revokeSecondary " +
    "secondaryEnable secondaryDisable updatePrimary dynamicFilter secondaryDynamicFilter promote",
  "replication.performance.pathsFilter": "read write delete",
  "replication.performance.mountFilter": "read write delete",
});

/** Are in the root namespace only: decisions-secrets-core.md, A.10. */
export const ROOT_ONLY = named({
  health: "read",
  seal: "status seal unseal leader initialized initialize",
  nodes: "haStatus hostInfo versions peers stepDown",
  barrierKey: "status rotate",
  rootToken: "attempt start cancel update",
  rekey: "status start cancel update verification restartVerification verify backup deleteBackup",
  snapshots: "save restore forceRestore list read write delete status",
  replication: "status",
  "replication.dr":
    "primaryEnable primaryDemote primaryDisable secondaryToken generatePublicKey revokeSecondary " +
    "secondaryEnable secondaryDisable updatePrimary reindex merkleCheck promote",
  "replication.dr.operationToken": "start cancel update delete",
  "replication.performance":
    "primaryEnable primaryDemote primaryDisable secondaryToken generatePublicKey revokeSecondary " +
    "secondaryEnable secondaryDisable updatePrimary dynamicFilter secondaryDynamicFilter promote",
  "replication.performance.pathsFilter": "read write delete",
  "replication.performance.mountFilter": "read write delete",
});

/** What is answered while the cluster is sealed, and how: decisions-secrets-core.md, A.2, A.11 and D.4. */
export const WHILE_SEALED: Answers = {
  "health.read": "503",
  "seal.status": "200",
  "seal.unseal": "400 key_share_missing",
  "seal.initialized": "200",
  "seal.initialize": "400 already_initialized",
};

/** What a disaster-recovery secondary answers, and how it does to an empty request: decisions-replication.md, 3, 4 and 8. */
export const ON_DR_SECONDARY: Answers = {
  "health.read": "472",
  "seal.status": "200",
  "seal.unseal": "400 key_share_missing",
  "seal.leader": "200",
  "seal.initialized": "200",
  "seal.initialize": "400 already_initialized",
  "replication.status": "200",
  "replication.dr.status": "200",
  "replication.performance.status": "200",
  "replication.dr.operationToken.attempt": "200",
  "replication.dr.operationToken.start": "200",
  "replication.dr.operationToken.cancel": "204",
  "replication.dr.operationToken.update": "400 generation_share_missing",
  "replication.dr.operationToken.delete": "400 dr_operation_token_missing",
  "replication.dr.promote": "400 dr_operation_token_missing",
  "replication.dr.secondaryDisable": "400 dr_operation_token_missing",
  "replication.dr.updatePrimary": "400 dr_operation_token_missing",
  "replication.dr.reindex": "400 dr_operation_token_missing",
  "replication.dr.merkleCheck": "400 dr_operation_token_missing",
};

// What a performance secondary does with an operation: decisions-replication.md, 3 and 4. Every operation is in one of the five lists, and
// in two of them if it depends on what it names.

/** What operations are asked for so that they succeed, besides an `x1` for each part of their paths. */
export interface Requests {
  readonly [operation: string]: Fields | ((made: { readonly [thing: string]: string }) => Fields);
}

/** Answered by the secondary, and nothing changes. */
export const READ_THERE: Requests = {
  ...withoutFields({
    tokens: "lookup lookupSelf accessors tidy",
    "tokens.roles": "list read",
    leases: "list tidy",
    policies: "list listFormerly listFormerlyListed read readFormerly",
    passwordPolicies: "list read generate",
    namespaces: "list read",
    mounts: "list",
    "mounts.ui": "list",
    kv: "list read",
    kv2: "read subkeys",
    "kv2.metadata": "list read",
    "kv2.config": "read",
    cubbyhole: "list read",
    health: "read",
    seal: "status leader initialized",
    nodes: "haStatus hostInfo versions peers",
    barrierKey: "status",
    rootToken: "attempt cancel",
    rekey: "status cancel deleteBackup",
    // What it saves lies outside of all clusters.
    snapshots: "save list read status",
    plugins: "catalog list read",
    replication: "status",
    "replication.dr": "status",
    "replication.performance": "status",
    ldapConfig: "read",
    staticRoles: "list listAll read credential",
    dynamicRoles: "list read",
    library: "list read status",
    "identity.aliases": "list",
    "identity.groupAliases": "list",
    "identity.entities": "list listByName read readByName",
    "identity.groups": "list listByName read readByName",
    "oidc.keys": "list read",
    "oidc.assignments": "list read",
    "oidc.scopes": "list read",
    "oidc.clients": "list read",
    "oidc.providers": "list read",
    oidc: "configuration publicKeys",
    "oidc.roles": "list read",
    "oidc.config": "read",
    "oidc.identityTokens": "generate introspect configuration publicKeys",
    "orchestrator.config": "read",
    "orchestrator.roles": "list read",
    auth: "list",
    userpass: "list read",
    approle: "list read tidy",
    "orchestratorAuth.config": "read",
    "orchestratorAuth.roles": "list read",
    "ldap.config": "read",
    "ldap.groups": "list read",
    "ldap.users": "list read",
    "approle.roleId": "read",
    "approle.secretIds": "list",
  }),
  "leases.lookup": ({ own }) => ({ lease_id: own }),
  "leases.count": { type: "irrevocable" },
  "leases.irrevocable": { type: "irrevocable" },
  "tokens.lookupRead": ({ token }) => ({ token }),
  "identity.aliases.read": ({ alias }) => ({ id: alias }),
  "identity.groupAliases.read": ({ groupAlias }) => ({ id: groupAlias }),
  "identity.entities.lookup": { id: "x1" },
  "identity.groups.lookup": { id: "x1" },
  "tokens.lookupAccessor": ({ accessor }) => ({ accessor }),
  "wrapping.lookup": ({ wrapping }) => ({ token: wrapping }),
  "policies.capabilitiesSelf": { paths: ["kv/x1"] },
  "mounts.read": { path: "kv" },
  "mounts.ui.read": { path: "kv" },
  "policies.capabilities": ({ token }) => ({ token, paths: ["kv/x1"] }),
  "policies.capabilitiesAccessor": ({ accessor }) => ({ accessor, paths: ["kv/x1"] }),
  "mounts.tuning": { path: "kv" },
  "mounts.migration": ({ ownMove }) => ({ migration_id: ownMove }),
  "auth.read": { path: "userpass" },
  "auth.tuning": { path: "userpass" },
  "approle.fields.read": { field: "policies" },
  "approle.secretIds.lookup": { secret_id: "x1" },
  "approle.secretIds.lookupByAccessor": ({ secretIdAccessor }) => ({ secret_id_accessor: secretIdAccessor }),
  "replication.performance.secondaryDynamicFilter": { id: "b" },
};

/** Refused by the secondary itself: not what its role does, or without what it needs; and nothing changes. */
export const REFUSED_THERE = named({
  // The tests' doors send no header that asks for a wrapping, and no wrapping token in one.
  wrapping: "wrap lookupRead",
  // And no access token.
  oidc: "userinfo userinfoRead",
  seal: "unseal initialize",
  snapshots: "restore forceRestore",
  // No attempt runs, and nothing is kept.
  rootToken: "update",
  rekey: "update verification restartVerification verify backup",
  "replication.dr":
    "primaryDemote primaryDisable secondaryToken revokeSecondary secondaryEnable secondaryDisable updatePrimary " +
    "reindex merkleCheck promote",
  "replication.dr.operationToken": "attempt start cancel update delete",
  "replication.performance":
    "primaryEnable primaryDemote primaryDisable secondaryToken revokeSecondary secondaryEnable dynamicFilter",
  "replication.performance.pathsFilter": "read write delete",
  "replication.performance.mountFilter": "read write delete",
});

/** Answered by the primary, and nothing changes. */
export const READ_BY_PRIMARY: Requests = {
  "leases.lookup": ({ shared }) => ({ lease_id: shared }),
  "mounts.migration": ({ sharedMove }) => ({ migration_id: sharedMove }),
};

/** Done by the primary. */
export const FORWARDED: Requests = {
  "leases.renew": ({ shared }) => ({ lease_id: shared, increment: 60 }),
  "leases.revoke": ({ shared }) => ({ lease_id: shared }),
  "leases.renewAtPath": ({ shared }) => ({ url_lease_id: shared }),
  "leases.revokeAtPath": ({ shared }) => ({ url_lease_id: shared }),
  "leases.renewFormerly": ({ shared }) => ({ lease_id: shared, increment: 60 }),
  "leases.revokeFormerly": ({ shared }) => ({ lease_id: shared }),
  "leases.renewFormerlyAtPath": ({ shared }) => ({ url_lease_id: shared }),
  "leases.revokeFormerlyAtPath": ({ shared }) => ({ url_lease_id: shared }),
  "policies.write": { policy: 'path "a" { capabilities = ["read"] }' },
  "policies.delete": {},
  "policies.writeFormerly": { policy: 'path "a" { capabilities = ["read"] }' },
  "policies.deleteFormerly": {},
  "tokens.roles.write": { orphan: true },
  "tokens.roles.delete": {},
  "passwordPolicies.write": { policy: 'length = 30\nrule "charset" { charset = "abc" }' },
  "passwordPolicies.delete": {},
  "namespaces.write": { custom_metadata: { of: "sales" } },
  "namespaces.delete": {},
  "mounts.write": { path: "more", type: "kv" },
  "mounts.delete": { path: "kv" },
  "mounts.tune": { path: "kv", default_lease_ttl: 60 },
  "mounts.remount": { from: "kv", to: "more" },
  "auth.enable": { path: "more", type: "userpass" },
  "auth.disable": { path: "userpass" },
  "auth.tune": { path: "userpass", default_lease_ttl: 60 },
  "userpass.write": { token_ttl: 60 },
  "userpass.delete": {},
  "userpass.setPassword": { password: "q" },
  "userpass.setPolicies": { token_policies: "x1" },
  "orchestratorAuth.config.write": { orchestrator_host: "https://other.test" },
  "orchestratorAuth.roles.write": { token_ttl: 60 },
  "orchestratorAuth.roles.delete": {},
  "ldap.config.write": { token_ttl: 60 },
  "ldap.groups.write": { policies: "x2" },
  "ldap.groups.delete": {},
  "ldap.users.write": { policies: "x2" },
  "ldap.users.delete": {},
  "approle.write": { token_ttl: 60 },
  "approle.delete": {},
  "approle.roleId.write": { role_id: "x2" },
  "approle.fields.write": { field: "policies", token_policies: "x1" },
  "approle.fields.delete": { field: "token-ttl" },
  "approle.secretIds.generate": {},
  "approle.secretIds.custom": { secret_id: "x2" },
  "approle.secretIds.destroy": { secret_id: "x1" },
  "approle.secretIds.destroyByAccessor": ({ secretIdAccessor }) => ({ secret_id_accessor: secretIdAccessor }),
  "kv.write": { v: 2 },
  "kv.delete": {},
  "kv2.write": { data: { v: 2 } },
  "kv2.patch": { data: { v: 2 } },
  "kv2.delete": {},
  "kv2.deleteVersions": { versions: [2] },
  "kv2.undelete": { versions: [1] },
  "kv2.destroy": { versions: [1] },
  "kv2.metadata.write": { max_versions: 2 },
  "kv2.metadata.patch": { max_versions: 2 },
  "kv2.metadata.delete": {},
  "kv2.config.write": { max_versions: 2 },
  "plugins.write": { sha256: "32", command: "run" },
  "plugins.delete": {},
  "ldapConfig.write": { length: 30 },
  "ldapConfig.rotateRoot": {},
  "ldapConfig.delete": {},
  "staticRoles.write": { rotation_period: "2h" },
  "staticRoles.delete": {},
  "staticRoles.rotate": {},
  "dynamicRoles.write": { default_ttl: 60 },
  "dynamicRoles.delete": {},
  "library.write": { ttl: 60 },
  "library.delete": { set_name: "idle" },
  "library.checkOut": {},
  "library.checkIn": ({ lent }) => ({ service_account_names: [lent] }),
  "library.forceCheckIn": ({ lent }) => ({ service_account_names: [lent] }),
  "identity.entities.write": { name: "x2" },
  "identity.entities.writeById": { metadata: { of: "sales" } },
  "identity.entities.writeByName": { metadata: { of: "sales" } },
  "identity.entities.delete": {},
  "identity.entities.deleteByName": {},
  "identity.aliases.update": ({ alias }) => ({ id: alias, custom_metadata: { of: "sales" } }),
  "identity.aliases.delete": ({ alias }) => ({ id: alias }),
  "identity.aliases.write": { name: "x2", mount_accessor: "any", canonical_id: "x1" },
  "identity.groupAliases.write": { name: "x2", mount_accessor: "any" },
  "identity.groupAliases.update": ({ groupAlias }) => ({ id: groupAlias, name: "x3" }),
  "identity.groupAliases.delete": ({ groupAlias }) => ({ id: groupAlias }),
  "identity.entities.merge": { from_entity_ids: ["x9"], to_entity_id: "x1" },
  "identity.groups.write": { name: "x2" },
  "identity.groups.writeById": { metadata: { of: "sales" } },
  "identity.groups.writeByName": { metadata: { of: "sales" } },
  "identity.groups.delete": {},
  "identity.groups.deleteByName": {},
  "oidc.keys.write": { rotation_period: "12h" },
  "oidc.keys.delete": {},
  "oidc.keys.rotate": {},
  "oidc.assignments.write": { group_ids: ["x1"] },
  "oidc.assignments.delete": {},
  "oidc.scopes.write": { description: "of sales" },
  "oidc.scopes.delete": {},
  "oidc.clients.write": { access_token_ttl: 60 },
  "oidc.clients.delete": {},
  "oidc.providers.write": { scopes_supported: ["x1"] },
  "oidc.providers.delete": {},
  "oidc.roles.write": { client_id: "other" },
  "oidc.roles.delete": {},
  "oidc.config.write": { issuer: "https://other.test" },
  "orchestrator.config.write": { orchestrator_host: "https://other.test" },
  "orchestrator.config.delete": {},
  "orchestrator.roles.write": { token_max_ttl: "2h" },
  "orchestrator.roles.delete": {},
};

/** Done by the secondary. */
export const DONE_THERE: Requests = {
  "tokens.create": {},
  "tokens.createOrphan": {},
  "tokens.createAgainst": {},
  "tokens.renewAccessor": ({ accessor }) => ({ accessor, increment: 60 }),
  "tokens.revokeAccessor": ({ accessor }) => ({ accessor }),
  "tokens.revokeOrphan": ({ token }) => ({ token }),
  "tokens.renew": ({ token }) => ({ token, increment: 60 }),
  "tokens.renewSelf": { increment: 60 },
  "tokens.revoke": ({ token }) => ({ token }),
  "tokens.revokeSelf": {},
  "leases.renew": ({ own }) => ({ lease_id: own, increment: 60 }),
  "leases.revoke": ({ own }) => ({ lease_id: own }),
  "leases.renewAtPath": ({ own }) => ({ url_lease_id: own }),
  "leases.revokeAtPath": ({ own }) => ({ url_lease_id: own }),
  "leases.renewFormerly": ({ own }) => ({ lease_id: own, increment: 60 }),
  "leases.revokeFormerly": ({ own }) => ({ lease_id: own }),
  "leases.renewFormerlyAtPath": ({ own }) => ({ url_lease_id: own }),
  "leases.revokeFormerlyAtPath": ({ own }) => ({ url_lease_id: own }),
  "leases.revokePrefix": { prefix: "ldap" },
  "leases.revokeForce": { prefix: "ldap" },
  "wrapping.unwrap": ({ wrapping }) => ({ token: wrapping }),
  "wrapping.rewrap": ({ wrapping }) => ({ token: wrapping }),
  "mounts.write": { path: "more", type: "kv", local: true },
  "mounts.delete": { path: "local/kv" },
  "mounts.tune": { path: "local/kv", default_lease_ttl: 60 },
  "mounts.remount": { from: "local/kv", to: "more" },
  "auth.enable": { path: "more", type: "userpass", local: true },
  "auth.disable": { path: "local/userpass" },
  "auth.tune": { path: "local/userpass", default_lease_ttl: 60 },
  "cubbyhole.write": { v: 2 },
  "cubbyhole.delete": {},
  "seal.seal": {},
  "nodes.stepDown": {},
  "barrierKey.rotate": {},
  "rootToken.start": {},
  "rekey.start": { secret_shares: 3, secret_threshold: 2 },
  "snapshots.write": { interval: "1h", retain: 1, path_prefix: "/x", storage_type: "local", local_max_space: 9999 },
  "snapshots.delete": {},
  "replication.dr.primaryEnable": {},
  "replication.dr.generatePublicKey": {},
  "replication.performance.generatePublicKey": {},
  "replication.performance.secondaryDisable": {},
  "replication.performance.updatePrimary": { token: "" },
  "replication.performance.promote": {},
  "dynamicRoles.credentials": {},
  "orchestrator.creds": { orchestrator_namespace: "shop" },
  "userpass.login": { password: "p" },
  "orchestratorAuth.login": ({ jwt }) => ({ role: "x1", jwt }),
  "ldap.login": { username: "ann", password: "secret" },
  "approle.login": { role_id: "x1", secret_id: "x1" },
  "oidc.authorize": ({ client }) => authorization(client),
  "oidc.authorizePosted": ({ client }) => authorization(client),
  "oidc.token": ({ client, secret, code }) => ({
    grant_type: "authorization_code",
    redirect_uri: REDIRECT,
    client_id: client,
    client_secret: secret,
    code,
  }),
};

/** How an operation answers: the status, and the code of a refusal. */
export interface Answers {
  readonly [operation: string]: string;
}

export const REDIRECT = "https://app.test/callback";

export function authorization(client: string | undefined) {
  return { client_id: client, redirect_uri: REDIRECT, response_type: "code", scope: "openid" };
}

/** An operation as a client sees it. */
interface Operation {
  readonly name: OperationName;
  /** Below the mount of an engine. */
  readonly ofEngine: boolean;
  /** Something for every capture; nothing else, so that handlers answer what they answer to an empty request. */
  readonly empty: Fields;
}

/** Every operation that there is. */
export const OPERATIONS: readonly Operation[] = createSimulator()
  .operations()
  .filter(({ service }) => service === "secrets")
  .map(({ name, method, path }) => {
    const captures = [...path.matchAll(/:(\w+)/g)].map(([, capture = ""]) => capture);
    // The type of a plugin is one of three words. Mounts have defaults, and listings begin at the top.
    const filled = captures
      .filter((capture) => capture !== "mount" && !(method === "LIST" && capture === "prefix"))
      .map((capture) => [capture, capture === "type" ? "secret" : "x1"]);
    return {
      name: name.slice("secrets.".length) as OperationName,
      ofEngine: captures[0] === "mount",
      empty: Object.fromEntries(filled),
    };
  });
