import { once } from "node:events";
import type { Agent } from "node:http";
import { createRequire } from "node:module";
import type { AxiosStatic } from "axios";
import { setupServer } from "msw/node";
import nodeVault from "node-vault";
import { getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { httpAgent, type Listener, listen } from "../../../src/node/index.ts";
import { simHandlers } from "../../../src/testing/msw/index.ts";
import { simDispatcher } from "../../../src/testing/undici/index.ts";
import { requestsOf } from "../../support/journal.ts";

// The client as its users have it: with the words that it was written for, it needs nothing to be changed. LIST goes over the wire.

/** As the client has it, which is CommonJS. */
const axios = createRequire(import.meta.url)("axios") as AxiosStatic;
const { adapter: ADAPTER = "http" } = axios.defaults;

const sim = createSimulator({ vocabulary: "hashicorp" });
const main = sim.secrets.cluster("main");
let server: Listener;
let agent: Agent;

beforeAll(async () => {
  server = await listen(sim, { secrets: 0 });
  agent = httpAgent(sim);
  const people = "ou=people,dc=example,dc=com";
  sim.directory.addEntry("cn=admin,dc=example,dc=com", { cn: "admin", userPassword: "secret" });
  for (const name of ["svc-1", "svc-2"]) sim.directory.addEntry(`cn=${name},${people}`, { cn: name });
  sim.orchestrator.addNamespace("shop");
});

afterAll(async () => {
  agent.destroy();
  await server.close();
});

/** What the client's requests go by, and what of it is the whole process's. */
interface Way {
  readonly config: () => object;
  readonly open?: () => void;
  readonly close?: () => void;
}

const interception = setupServer();
const others = getGlobalDispatcher();

/** The client has its requests from axios. On `fetch`, which intercepting libraries carry LIST for, it is by a default of axios. */
const byFetch = {
  open: () => {
    axios.defaults.adapter = "fetch";
  },
  close: () => {
    axios.defaults.adapter = ADAPTER;
  },
};

const WAYS: Readonly<Record<string, Way>> = {
  "through the listener": { config: () => ({ endpoint: server.urls.secrets["main"] }) },
  "through the agent": {
    config: () => ({ endpoint: main.url, requestOptions: { httpAgent: agent, httpsAgent: agent } }),
  },
  "through a dispatcher, on fetch": {
    config: () => ({ endpoint: main.url }),
    open: () => {
      byFetch.open();
      setGlobalDispatcher(simDispatcher(sim, { fallback: others }));
    },
    close: () => {
      setGlobalDispatcher(others);
      byFetch.close();
    },
  },
  // Last: what axios has seen of an intercepted `fetch`, it keeps.
  "through msw, on fetch": {
    config: () => ({ endpoint: main.url }),
    open: () => {
      byFetch.open();
      interception.listen({ onUnhandledRequest: "error" });
      interception.use(...simHandlers(sim));
    },
    close: () => {
      interception.close();
      byFetch.close();
    },
  },
};

describe.each(Object.entries(WAYS))("node-vault %s", (_, { config, open, close }) => {
  beforeAll(() => open?.());
  afterAll(() => close?.());

  const vaultWith = (token: string, more: object = {}) => nodeVault({ ...config(), token, ...more });
  const root = () => vaultWith(main.rootToken);

  test("writes, reads, lists and deletes", async () => {
    const vault = root();
    await vault.write("kv/app/one", { value: "1" });
    await vault.write("kv/app/two/three", { value: "2" });
    expect((await vault.read("kv/app/one")).data).toEqual({ value: "1" });
    expect((await vault.list("kv/app")).data.keys).toEqual(["one", "two/"]);
    expect(requestsOf(sim).some(({ request }) => request.method === "LIST" && request.url.endsWith("/v1/kv/app"))).toBe(
      true,
    );
    await vault.delete("kv/app/one");
    await expect(vault.read("kv/app/one")).rejects.toMatchObject({ response: { statusCode: 404 } });
  });

  test("creates, looks up, renews and revokes tokens", async () => {
    const vault = root();
    // Who creates a token has it from then on.
    const { auth } = await root().tokenCreate({ policies: ["default"], ttl: "1h", renewable: true });
    expect(auth.client_token).toMatch(/^hvs\./);
    const own = vaultWith(auth.client_token);
    expect((await own.tokenLookupSelf()).data.id).toBe(auth.client_token);
    expect((await vault.tokenLookup({ token: auth.client_token })).data.ttl).toBe(3600);
    expect((await own.tokenRenewSelf({ increment: "2h" })).auth.lease_duration).toBe(7200);
    expect((await root().tokenRenew({ token: auth.client_token, increment: 60 })).auth.lease_duration).toBe(60);
    expect((await vault.tokenAccessors()).data.keys).toContain(auth.accessor);
    await vault.tokenRevoke({ token: auth.client_token });
    await expect(own.tokenLookupSelf()).rejects.toMatchObject({ response: { statusCode: 403 } });
  });

  test("renews its token and a lease by itself", { tags: "full" }, async () => {
    const vault = root();
    await vault.write("ldap/config", {
      binddn: "cn=admin,dc=example,dc=com",
      bindpass: "secret",
      userdn: "dc=example,dc=com",
      schema: "openldap",
    });
    await vault.write("ldap/library/ops", { service_account_names: ["svc-1", "svc-2"], ttl: "1h", max_ttl: "10h" });
    const lent = await vault.write("ldap/library/ops/check-out", { ttl: "30m" });
    expect(lent.lease_id).toMatch(/^ldap\/library\/ops\/check-out\/\w{24}$/);
    expect(lent.data.service_account_name).toMatch(/^svc-/);
    // Who creates a token has it from then on.
    const { auth } = await root().tokenCreate({ policies: ["default"], ttl: "1h" });
    const own = vaultWith(auth.client_token) as ReturnType<typeof nodeVault> & NodeJS.EventEmitter;
    await own.startTokenRenewal({ ttl: 1, increment: "3h" });
    const keeper = root() as ReturnType<typeof nodeVault> & NodeJS.EventEmitter;
    keeper.startLeaseRenewal(lent.lease_id, 1, { increment: 900 });
    const [[token], [lease]] = await Promise.all([once(own, "token:renewed"), once(keeper, "lease:renewed")]);
    own.stopTokenRenewal();
    keeper.stopLeaseRenewal(lent.lease_id);
    expect(token.auth).toMatchObject({ client_token: auth.client_token, lease_duration: 10800 });
    expect(lease).toMatchObject({ leaseId: lent.lease_id, result: { lease_duration: 900 } });
    const status = await vault.read("ldap/library/ops/status");
    expect(status.data[lent.data.service_account_name].available).toBe(false);
    expect((await vault.write("ldap/library/ops/check-in", {})).data.check_ins).toEqual([
      lent.data.service_account_name,
    ]);
  });

  test("uses the engine kubernetes under its name, and gives a lease of it back", async () => {
    const vault = root();
    await vault.write("kubernetes/config", { kubernetes_host: "https://api.test" });
    await vault.write("kubernetes/roles/dev", {
      allowed_kubernetes_namespaces: ["shop"],
      generated_role_rules: "rules: []",
    });
    expect((await vault.list("kubernetes/roles")).data.keys).toEqual(["dev"]);
    const creds = await vault.write("kubernetes/creds/dev", { kubernetes_namespace: "shop", ttl: "1h" });
    expect(creds.lease_id).toMatch(/^kubernetes\/creds\/dev\//);
    await vault.revoke({ lease_id: creds.lease_id });
    await expect(vault.renew({ lease_id: creds.lease_id })).rejects.toMatchObject({
      response: { statusCode: 400, body: { errors: ["lease not found"] } },
    });
  });

  test("asks for mounts, health and seal, and works in a namespace", async () => {
    const vault = root();
    const { data } = await vault.mounts();
    expect(data["kubernetes/"].type).toBe("kubernetes");
    await vault.mount({ mount_point: "more", type: "kv" });
    await vault.unmount({ mount_point: "more" });
    expect((await vault.health()).initialized).toBe(true);
    expect((await vault.status()).sealed).toBe(false);
    await vault.write("sys/namespaces/team", {});
    const team = vaultWith(main.rootToken, { namespace: "team" });
    await team.mount({ mount_point: "own", type: "kv" });
    await team.write("own/a", { b: "c" });
    expect((await team.read("own/a")).data).toEqual({ b: "c" });
    await team.unmount({ mount_point: "own" });
  });

  test("wraps and unwraps", async () => {
    const vault = root();
    await vault.write("kv/secret", { value: "1" });
    const { wrap_info } = await vault.read("kv/secret", { headers: { "X-Vault-Wrap-TTL": "60" } });
    expect(wrap_info).toMatchObject({ creation_path: "kv/secret", token: expect.stringMatching(/^hvs\./) });
    expect((await vault.unwrap({ token: wrap_info.token })).data).toEqual({ value: "1" });
    await expect(vault.unwrap({ token: wrap_info.token })).rejects.toMatchObject({ response: { statusCode: 400 } });
  });
});

describe("node-vault through msw, on http.request", () => {
  beforeAll(() => {
    interception.listen({ onUnhandledRequest: "error" });
    interception.use(...simHandlers(sim));
  });
  afterAll(() => interception.close());

  test("does all but send LIST, in whose place there is list=true", async () => {
    const vault = nodeVault({ endpoint: main.url, token: main.rootToken });
    await vault.write("kv/app/three", { value: "3" });
    expect((await vault.read("kv/app/three")).data).toEqual({ value: "3" });
    const listed = await vault.request({ path: "/kv/app?list=true", method: "GET" });
    expect(listed.data.keys).toContain("three");
    const { auth } = await vault.tokenCreate({ policies: ["default"], ttl: "1h", renewable: true });
    const own = nodeVault({ endpoint: main.url, token: auth.client_token });
    expect((await own.tokenRenewSelf({ increment: "2h" })).auth.lease_duration).toBe(7200);
  });
});
