import type { Acting } from "./failover-acting.ts";

// What programs and their administrators do with auth methods.

const ANN = { username: "ann", password: "p" };
const WEB = { role_name: "web" };
const HOST = { orchestrator_host: "https://api.test" };
const BOUND = { bound_service_account_names: "*", bound_service_account_namespaces: "*", audience: "a" };

export const logins = {
  methods: ({ door, all, n }: Acting) => {
    const { auth } = door();
    const path = `other-${n % 2}`;
    return all(
      () => auth.enable({ path, type: "userpass", local: n < 3 }),
      () => auth.tune({ path, default_lease_ttl: 60 + n }),
      () => auth.list(),
      () => auth.read({ path: "userpass" }),
      () => auth.tuning({ path: "userpass" }),
      () => (n > 6 ? auth.disable({ path }) : undefined),
    );
  },
  users: ({ door, as, all, n }: Acting) => {
    const { userpass } = door();
    return all(
      () => userpass.write({ ...ANN, token_ttl: `${n + 1}m` }),
      () => userpass.setPassword(ANN),
      () => userpass.setPolicies({ username: "ann", token_policies: "p0" }),
      () => userpass.list(),
      () => userpass.read({ username: "ann" }),
      () => as().userpass.login(ANN),
      () => (n % 2 === 1 ? userpass.delete({ username: "ann" }) : undefined),
    );
  },
  approles: ({ door, all, n }: Acting) => {
    const { approle } = door();
    return all(
      () => approle.write({ ...WEB, secret_id_ttl: `${n + 1}m`, secret_id_num_uses: n % 3 }),
      () => approle.roleId.write({ ...WEB, role_id: "web" }),
      () => approle.fields.write({ ...WEB, field: "token-ttl", token_ttl: 60 }),
      () => approle.fields.delete({ ...WEB, field: "token-ttl" }),
      () => approle.fields.read({ ...WEB, field: "token-ttl" }),
      () => approle.roleId.read(WEB),
      () => approle.list(),
      () => approle.read(WEB),
      () => (n % 2 === 0 ? approle.delete(WEB) : undefined),
    );
  },
  secretIds: ({ door, as, all, n }: Acting) => {
    const { approle } = door();
    const secret_id = `s${n}`;
    return all(
      () => approle.write({ ...WEB, role_id: "web", secret_id_num_uses: n % 3 }),
      () => approle.secretIds.generate(WEB),
      () => approle.secretIds.custom({ ...WEB, secret_id }),
      () => approle.secretIds.list(WEB),
      () => approle.secretIds.lookup({ ...WEB, secret_id }),
      () => as().approle.login({ role_id: "web", secret_id }),
      () => approle.tidy(),
      async () => {
        const secret_id_accessor = (await approle.secretIds.list(WEB)).data.keys[0] ?? "";
        await approle.secretIds.lookupByAccessor({ ...WEB, secret_id_accessor });
        if (n % 2 === 1) await approle.secretIds.destroyByAccessor({ ...WEB, secret_id_accessor });
      },
      () => (n % 2 === 0 ? approle.secretIds.destroy({ ...WEB, secret_id }) : undefined),
    );
  },
  directoryLogins: ({ door, as, all, n }: Acting) => {
    const { ldap } = door();
    const name = `g${n % 2}`;
    return all(
      () => ldap.config.write({ userdn: "dc=example,dc=com", discoverdn: true, token_ttl: `${n + 1}m` }),
      () => ldap.config.read(),
      () => ldap.groups.write({ name, policies: "p0" }),
      () => ldap.users.write({ name, policies: "p0" }),
      () => ldap.groups.list(),
      () => ldap.users.list(),
      () => ldap.groups.read({ name }),
      () => ldap.users.read({ name }),
      () => as().ldap.login({ username: "engine", password: "bind-secret" }),
      () => (n > 6 ? ldap.groups.delete({ name }) : undefined),
      () => (n > 6 ? ldap.users.delete({ name }) : undefined),
    );
  },
  accountLogins: ({ door, as, all, n }: Acting) => {
    const { orchestrator, orchestratorAuth } = door();
    const { config, roles } = orchestratorAuth;
    return all(
      () => config.write(HOST),
      () => config.read(),
      () => roles.write({ name: "web", ...BOUND, audience: "" }),
      () => roles.list(),
      () => roles.read({ name: "web" }),
      async () => {
        const { data } = await orchestrator.creds({ role: "reader", orchestrator_namespace: "shop" });
        await as().orchestratorAuth.login({ role: "web", jwt: data.service_account_token });
      },
      () => (n > 4 ? roles.delete({ name: "web" }) : undefined),
    );
  },
};
