import { describe, expect, it } from "vitest";
import { claimsIn, speaking } from "./spoken.ts";

// vocabularies.md, the rows of the secrets service: each as a client meets it that knows no other word.

describe("headers", () => {
  it("the token comes in X-Vault-Token, and in no header of the contract's", async () => {
    const { sim, main } = speaking();
    const asked = (name: string) =>
      sim.fetch(`${main.url}/v1/auth/token/lookup-self`, { headers: { [name]: main.rootToken } });
    expect((await asked("x-vault-token")).status).toBe(200);
    expect((await asked("X-Secrets-Token")).status).toBe(403);
    expect(
      (await sim.fetch(`${main.url}/v1/sys/mounts`, { headers: { Authorization: `Bearer ${main.rootToken}` } })).status,
    ).toBe(200);
  });

  it("the namespace comes in X-Vault-Namespace", async () => {
    const { main, ask } = speaking();
    main.createNamespace("team");
    const { body } = await ask("GET", "/v1/sys/mounts", undefined, { "X-Vault-Namespace": "team" });
    expect(Object.keys(body.data)).toEqual(["cubbyhole/", "identity/", "sys/"]);
  });

  it("X-Vault-Wrap-TTL wraps, and what comes out is in the client's words", async () => {
    const { ask } = speaking();
    await ask("POST", "/v1/kubernetes/config", { kubernetes_host: "https://api.test" });
    const wrapped = await ask("GET", "/v1/kubernetes/config", undefined, { "X-Vault-Wrap-TTL": "60s" });
    expect(wrapped.body).toMatchObject({ data: null, wrap_info: { creation_path: "kubernetes/config" } });
    const { token } = wrapped.body.wrap_info;
    expect(token).toMatch(/^hvs\.\w{24}$/);
    const lookedUp = await ask("POST", "/v1/sys/wrapping/lookup", { token });
    expect(lookedUp.body.data.creation_path).toBe("kubernetes/config");
    const rewrapped = await ask("POST", "/v1/sys/wrapping/rewrap", { token });
    const unwrapped = await ask("POST", "/v1/sys/wrapping/unwrap", undefined, {
      "X-Vault-Token": rewrapped.body.wrap_info.token,
    });
    expect(unwrapped.body.data).toEqual({
      kubernetes_host: "https://api.test",
      kubernetes_ca_cert: "",
      disable_local_ca_jwt: false,
    });
  });

  it("a namespace conflicts with a mount that the client calls so, and a mount with a namespace", async () => {
    const { ask } = speaking();
    const refused = await ask("POST", "/v1/sys/namespaces/kubernetes");
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      ["namespace kubernetes conflicts with an existing mount"],
    ]);
    expect((await ask("POST", "/v1/sys/namespaces/orchestrator")).status).toBe(200);
    expect((await ask("POST", "/v1/kubernetes/config", { kubernetes_host: "https://api.test" })).status).toBe(204);
    await ask("DELETE", "/v1/sys/mounts/kubernetes");
    expect((await ask("POST", "/v1/sys/mounts/orchestrator", { type: "kv" })).status).toBe(400);
    expect((await ask("POST", "/v1/sys/mounts/orchestrator/below", { type: "kv" })).status).toBe(400);
    expect((await ask("POST", "/v1/sys/mounts/kubernetes", { type: "kv" })).status).toBe(204);
    expect((await ask("POST", "/v1/sys/mounts/orchestrator", { type: "kv" })).status).toBe(400);
  });

  it("X-Vault-Request is accepted and ignored", async () => {
    const { ask } = speaking();
    expect((await ask("GET", "/v1/sys/mounts", undefined, { "X-Vault-Request": "true" })).status).toBe(200);
  });

  it("an error names the header that the client knows", async () => {
    const { ask } = speaking();
    expect((await ask("GET", "/v1/sys/mounts", undefined, { "X-Vault-Wrap-TTL": "soon" })).body.errors).toEqual([
      "X-Vault-Wrap-TTL holds no duration",
    ]);
    expect((await ask("POST", "/v1/sys/wrapping/wrap", { a: 1 })).body.errors[0]).toContain(
      "X-Vault-Wrap-TTL is missing",
    );
  });
});

describe("the engine kubernetes", () => {
  const role = { allowed_kubernetes_namespaces: ["shop"], allowed_kubernetes_namespace_selector: '{"matchLabels":{}}' };

  async function engine() {
    const world = speaking();
    world.sim.orchestrator.addNamespace("shop");
    world.sim.orchestrator.addServiceAccount("shop", "app");
    await world.ask("POST", "/v1/kubernetes/config", {
      kubernetes_host: "https://api.test",
      kubernetes_ca_cert: "PEM",
    });
    return world;
  }

  it("is mounted where clients look for it, under its own type", async () => {
    const { ask } = speaking();
    const { body } = await ask("GET", "/v1/sys/mounts");
    expect(Object.keys(body.data)).toContain("kubernetes/");
    expect(Object.keys(body)).toContain("kubernetes/");
    expect(body.data["kubernetes/"]).toMatchObject({
      type: "kubernetes",
      accessor: expect.stringMatching(/^kubernetes_[0-9a-f]{8}$/),
    });
    expect(JSON.stringify(body)).not.toContain("orchestrator");
    const one = await ask("GET", "/v1/sys/mounts/kubernetes");
    expect(one.body.data.type).toBe("kubernetes");
    expect(one.body.type).toBe("kubernetes");
    expect((await ask("GET", "/v1/sys/mounts/kubernetes/tune")).status).toBe(200);
    expect((await ask("GET", "/v1/sys/mounts/orchestrator")).body.errors).toEqual([
      "No secret engine mount at orchestrator/",
    ]);
  });

  it("keeps its configuration under the names that clients know", async () => {
    const { ask, root } = await engine();
    const { body } = await ask("GET", "/v1/kubernetes/config");
    expect(body.data).toEqual({
      kubernetes_host: "https://api.test",
      kubernetes_ca_cert: "PEM",
      disable_local_ca_jwt: false,
    });
    expect(root.orchestrator.config.read().data.orchestrator_host).toBe("https://api.test");
    expect((await ask("GET", "/v1/orchestrator/config")).status).toBe(404);
  });

  it("has roles under the names that clients know", async () => {
    const { ask, root } = await engine();
    const given = { ...role, kubernetes_role_name: "reader", kubernetes_role_type: "ClusterRole" };
    expect((await ask("POST", "/v1/kubernetes/roles/dev", given)).status).toBe(204);
    const { body } = await ask("GET", "/v1/kubernetes/roles/dev");
    expect(body.data).toMatchObject(given);
    expect(JSON.stringify(body)).not.toContain("orchestrator");
    expect(root.orchestrator.roles.read({ name: "dev" }).data.orchestrator_role_name).toBe("reader");
    expect((await ask("LIST", "/v1/kubernetes/roles")).body.data.keys).toEqual(["dev"]);
  });

  it("gives credentials whose lease, token and objects are in the client's words", async () => {
    const { ask, sim, main } = await engine();
    await ask("POST", "/v1/kubernetes/roles/dev", { ...role, generated_role_rules: "rules: []" });
    const { body } = await ask("POST", "/v1/kubernetes/creds/dev", { kubernetes_namespace: "shop", ttl: "1h" });
    expect(body.lease_id).toMatch(/^kubernetes\/creds\/dev\/\w{24}$/);
    const { service_account_token: jwt } = body.data;
    expect(claimsIn(jwt)).toMatchObject({
      iss: "https://kubernetes.default.svc.cluster.local",
      aud: ["https://kubernetes.default.svc.cluster.local"],
      "kubernetes.io": { namespace: "shop" },
    });
    expect(Object.keys(claimsIn(jwt))).not.toContain("orchestrator.io");
    expect(await sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: true });
    const [object] = sim.orchestrator.objects({ kind: "Role", namespace: "shop" });
    expect(object?.labels).toEqual({
      "app.kubernetes.io/managed-by": "HashiCorp-Vault",
      "app.kubernetes.io/created-by": "vault-plugin-secrets-kubernetes",
    });
    // The state is neutral.
    expect(JSON.stringify(sim.log.commits())).not.toContain("kubernetes");
    expect(sim.log.commits().at(-1)?.command.name).toBe("secrets.orchestrator.creds");
    // Signed for others, whichever door it goes through.
    const typed = await main.as(main.rootToken).orchestrator.creds({ role: "dev", orchestrator_namespace: "shop" });
    expect(claimsIn(typed.data.service_account_token)["iss"]).toBe("https://kubernetes.default.svc.cluster.local");

    const renewed = await ask("POST", "/v1/sys/leases/renew", { lease_id: body.lease_id });
    expect(renewed.body.errors).toEqual(["lease is not renewable"]);
    const lookedUp = await ask("POST", "/v1/sys/leases/lookup", { lease_id: body.lease_id });
    expect(lookedUp.body.data.id).toBe(body.lease_id);
    expect((await ask("LIST", "/v1/sys/leases/lookup")).body.data.keys).toEqual(["kubernetes/"]);
    expect((await ask("LIST", "/v1/sys/leases/lookup/kubernetes/creds")).body.data.keys).toEqual(["dev/"]);
    expect((await ask("POST", "/v1/sys/leases/revoke-prefix/kubernetes/creds")).status).toBe(204);
    expect((await ask("POST", "/v1/sys/leases/lookup", { lease_id: body.lease_id })).body.errors).toEqual([
      "invalid lease",
    ]);
  });

  it("a label of the same name as a fixed one gives way to it, and is read as it was written", async () => {
    const { ask, sim } = await engine();
    const extra_labels = { "app.kubernetes.io/managed-by": "me", team: "orchestrator" };
    await ask("POST", "/v1/kubernetes/roles/dev", { ...role, kubernetes_role_name: "reader", extra_labels });
    expect((await ask("GET", "/v1/kubernetes/roles/dev")).body.data.extra_labels).toEqual(extra_labels);
    await ask("POST", "/v1/kubernetes/creds/dev", { kubernetes_namespace: "shop" });
    expect(sim.orchestrator.objects({ kind: "RoleBinding" })[0]?.labels).toEqual({
      "app.kubernetes.io/managed-by": "HashiCorp-Vault",
      "app.kubernetes.io/created-by": "vault-plugin-secrets-kubernetes",
      team: "orchestrator",
    });
  });

  it.each([
    [
      { kubernetes_role_name: "reader" },
      "one (at least) of allowed_kubernetes_namespaces or allowed_kubernetes_namespace_selector must be set",
    ],
    [
      { ...role },
      "one (and only one) of service_account_name, kubernetes_role_name or generated_role_rules must be set",
    ],
    [
      { ...role, kubernetes_role_name: "r", kubernetes_role_type: "Roll" },
      "kubernetes_role_type must be either 'Role' or 'ClusterRole', and is 'Roll'",
    ],
    [
      { ...role, service_account_name: "app", allowed_kubernetes_namespace_selector: "[" },
      "failed to parse 'allowed_kubernetes_namespace_selector'",
    ],
  ])("an error names the fields that clients know: %j", async (fields, text) => {
    const { ask } = await engine();
    const { status, body } = await ask("POST", "/v1/kubernetes/roles/dev", fields);
    expect(status).toBe(400);
    expect(body.errors[0]).toContain(text);
  });

  it("an error keeps what the caller named, be it named like a field", async () => {
    const { ask } = await engine();
    const missing = await ask("POST", "/v1/kubernetes/creds/orchestrator_host", { kubernetes_namespace: "shop" });
    expect(missing.body.errors).toEqual(["role 'orchestrator_host' does not exist"]);
    await ask("POST", "/v1/kubernetes/roles/dev", {
      allowed_kubernetes_namespaces: "shop",
      service_account_name: "app",
    });
    const forbidden = await ask("POST", "/v1/kubernetes/creds/dev", { kubernetes_namespace: "orchestrator_namespace" });
    expect(forbidden.body.errors).toEqual([
      "kubernetes_namespace 'orchestrator_namespace' is not present in role's allowed_kubernetes_namespaces, nor does it match its selector",
    ]);
  });

  it("is a plugin of the catalog and a type of mounts", async () => {
    const { ask, root } = speaking();
    expect((await ask("GET", "/v1/sys/plugins/catalog")).body.data.secret).toEqual(["kubernetes", "kv", "ldap"].sort());
    expect((await ask("LIST", "/v1/sys/plugins/catalog/secret")).body.data.keys).toContain("kubernetes");
    expect((await ask("GET", "/v1/sys/plugins/catalog/secret/kubernetes")).body.data).toMatchObject({
      name: "kubernetes",
      builtin: true,
    });
    expect((await ask("GET", "/v1/sys/plugins/catalog/secret/orchestrator")).status).toBe(404);
    expect((await ask("POST", "/v1/sys/mounts/k2", { type: "kubernetes" })).status).toBe(204);
    expect(root.mounts.read({ path: "k2" }).data.type).toBe("orchestrator");
    expect((await ask("POST", "/v1/sys/mounts/k3", { type: "orchestrator" })).body.errors).toEqual([
      "plugin not found in the catalog: orchestrator",
    ]);
    expect((await ask("POST", "/v1/sys/mounts/kubernetes", { type: "kv" })).body.errors).toEqual([
      "path is already in use at kubernetes/",
    ]);
  });
});

describe("paths", () => {
  it("a policy knows both words, and is read as it was written", async () => {
    const { ask, main } = speaking();
    const policy =
      'path "kubernetes/config" { capabilities = ["read"] }\npath "orchestrator/roles/*" { capabilities = ["list"] }';
    expect((await ask("POST", "/v1/sys/policies/acl/both", { policy })).status).toBe(204);
    expect((await ask("GET", "/v1/sys/policies/acl/both")).body.data.policy).toBe(policy);
    const { token } = main.createToken({ policies: ["both"] });
    const as = { "X-Vault-Token": token };
    expect((await ask("GET", "/v1/kubernetes/config", undefined, as)).status).toBe(404);
    expect((await ask("LIST", "/v1/kubernetes/roles", undefined, as)).status).toBe(404);
    expect((await ask("POST", "/v1/kubernetes/config", {}, as)).status).toBe(403);
    const paths = ["kubernetes/config", "/kubernetes/roles/a", "kubernetes/creds/x"];
    expect((await ask("POST", "/v1/sys/capabilities-self", { paths }, as)).body.data).toEqual({
      "kubernetes/config": ["read"],
      "/kubernetes/roles/a": ["list"],
      "kubernetes/creds/x": ["deny"],
    });
  });

  it.each([
    ['path "kube*" { capabilities = ["read"] }', true],
    ['path "orch*" { capabilities = ["read"] }', true],
    ['path "+/config" { capabilities = ["read"] }', true],
    ['path "kubernetes/*" { capabilities = ["deny"] } path "orchestrator/*" { capabilities = ["read"] }', false],
    ['path "orchestrator/*" { capabilities = ["deny"] } path "kubernetes/config" { capabilities = ["read"] }', true],
    ['path "*" { capabilities = ["read"] } path "kubernetes/config" { capabilities = ["deny"] }', false],
    ['path "orchestrator/config" { capabilities = ["read"] }', true],
    ['path "kube/config" { capabilities = ["read"] }', false],
  ])("of the rules in either word the most specific applies: %s", async (policy, isAllowed) => {
    const { ask, main } = speaking();
    main.writePolicy("p", policy);
    const { token } = main.createToken({ policies: ["p"] });
    const { status } = await ask("GET", "/v1/kubernetes/config", undefined, { "X-Vault-Token": token });
    expect(status).toBe(isAllowed ? 404 : 403);
    const typed = main.as(token);
    expect(() => typed.orchestrator.config.read()).toThrow(expect.objectContaining({ status: isAllowed ? 404 : 403 }));
  });

  it("in a child namespace, by policies of the one above", async () => {
    const { ask, main } = speaking();
    main.createNamespace("team");
    main.mount("orchestrator", { type: "orchestrator", namespace: "team" });
    main.writePolicy("p", 'path "team/kubernetes/config" { capabilities = ["read"] }');
    const { token } = main.createToken({ policies: ["p"] });
    expect((await ask("GET", "/v1/team/kubernetes/config", undefined, { "X-Vault-Token": token })).body.errors).toEqual(
      [],
    );
  });

  it("errors name the path as it was asked for", async () => {
    const { ask } = speaking();
    expect((await ask("GET", "/v1/orchestrator/x")).body.errors[0]).toContain('no handler for route "orchestrator/x"');
    expect((await ask("POST", "/v1/kubernetes/roles/dev/", {})).body.errors[0]).toContain("kubernetes/roles/dev/");
  });

  it("what callers name themselves is nobody's word", async () => {
    const { ask, root } = speaking();
    const data = {
      orchestrator_host: "kubernetes",
      kubernetes: "orchestrator/creds",
      token: "scs.a",
      storage_type: "aws-s3",
    };
    await ask("POST", "/v1/kv/orchestrator/kubernetes", data);
    expect((await ask("GET", "/v1/kv/orchestrator/kubernetes")).body.data).toEqual(data);
    expect(root.kv.read({ path: "orchestrator/kubernetes" }).data).toEqual(data);
    await ask("POST", "/v1/kv/kubernetes/a", data);
    expect((await ask("LIST", "/v1/kv")).body.data.keys).toEqual(["kubernetes/", "orchestrator/"]);
    await ask("POST", "/v1/cubbyhole/orchestrator", data);
    expect((await ask("GET", "/v1/cubbyhole/orchestrator")).body.data).toEqual(data);
    await ask("POST", "/v1/identity/entity", { name: "orchestrator", metadata: { orchestrator_host: "orchestrator" } });
    expect((await ask("GET", "/v1/identity/entity/name/orchestrator")).body.data).toMatchObject({
      name: "orchestrator",
      metadata: { orchestrator_host: "orchestrator" },
    });
    const wrapped = await ask("POST", "/v1/sys/wrapping/wrap", data, { "X-Vault-Wrap-TTL": "60" });
    const { token } = wrapped.body.wrap_info;
    expect((await ask("POST", "/v1/sys/wrapping/unwrap", { token })).body.data).toEqual(data);
    const kept = await ask("GET", "/v1/kv/kubernetes/a", undefined, { "X-Vault-Wrap-TTL": "60" });
    const unwrapped = await ask("POST", "/v1/sys/wrapping/unwrap", { token: kept.body.wrap_info.token });
    expect(unwrapped.body.data).toEqual(data);
  });

  it("a mount that is named like the neutral word is reached by it", async () => {
    const { ask, root } = speaking();
    expect((await ask("POST", "/v1/sys/mounts/orchestrator", { type: "kv" })).status).toBe(204);
    await ask("POST", "/v1/orchestrator/a", { b: 1 });
    expect((await ask("GET", "/v1/orchestrator/a")).body.data).toEqual({ b: 1 });
    const { data } = (await ask("GET", "/v1/sys/mounts")).body;
    expect(data["orchestrator/"].type).toBe("kv");
    expect(data["kubernetes/"].type).toBe("kubernetes");
    expect(root.at("kubernetes").kv.read({ path: "a" }).data).toEqual({ b: 1 });
  });
});

describe("automated snapshots", () => {
  const common = { interval: "1h", path_prefix: "backups/" };
  const rows = [
    {
      type: "aws-s3",
      neutral: "cloud1-bucket",
      scheme: "s3://",
      fields: {
        aws_s3_bucket: "bucket",
        aws_s3_region: "north",
        aws_s3_endpoint: "https://e.test",
        aws_s3_disable_tls: true,
        aws_s3_force_path_style: true,
        aws_s3_enable_kms: true,
        aws_s3_kms_key: "key",
        aws_s3_server_side_encryption: false,
      },
      secrets: { aws_access_key_id: "id", aws_secret_access_key: "secret", aws_session_token: "session" },
    },
    {
      type: "google-gcs",
      neutral: "cloud2-bucket",
      scheme: "gs://",
      fields: { google_gcs_bucket: "bucket", google_endpoint: "https://e.test", google_disable_tls: true },
      secrets: { google_service_account_key: "{}" },
    },
    {
      type: "azure-blob",
      neutral: "cloud3-blob",
      scheme: "azblob://",
      fields: {
        azure_container_name: "bucket",
        azure_account_name: "me",
        azure_blob_environment: "cloud",
        azure_endpoint: "https://e.test",
      },
      secrets: { azure_account_key: "key" },
    },
  ];

  it.each(rows)("$type is configured, read, taken and found by the client's words", async (row) => {
    const { ask, sim, root, main } = speaking();
    const at = "/v1/sys/storage/raft/snapshot-auto";
    const config = { ...common, storage_type: row.type, ...row.fields, ...row.secrets };
    expect((await ask("POST", `${at}/config/hourly`, config)).body).toBeUndefined();
    expect((await ask("GET", `${at}/config/hourly`)).body.data).toEqual({
      interval: 3600,
      retain: 1,
      path_prefix: "backups/",
      file_prefix: "vault-snapshot",
      storage_type: row.type,
      ...row.fields,
    });
    expect(root.snapshots.read({ name: "hourly" }).data).toMatchObject({
      storage_type: row.neutral,
      file_prefix: "secrets-snapshot",
    });
    sim.clock.advance("1h");
    const { last_snapshot_url: url } = (await ask("GET", `${at}/status/hourly`)).body.data;
    expect(url).toMatch(new RegExp(`^${row.scheme}bucket/backups/vault-snapshot-\\d+\\.snap$`));
    expect(sim.stores.list(row.scheme).map((stored) => stored.url)).toEqual([url]);
    expect(sim.stores.list(url.slice(0, -8)).map((stored) => stored.url)).toEqual([url]);
    expect(sim.stores.list("").map((stored) => stored.url)).toEqual([url]);
    expect(JSON.stringify(sim.log.commits())).not.toMatch(/vault|s3|gcs|azure/);
    await ask("POST", "/v1/kv/later", { a: 1 });
    main.restoreSnapshot(url);
    expect((await ask("GET", "/v1/kv/later")).status).toBe(404);
    main.restoreSnapshot(url.replace(row.scheme, `cloud${rows.indexOf(row) + 1}://`).replace("vault", "secrets"));
    sim.stores.setAvailable(row.type, false);
    sim.clock.advance("2h");
    expect((await ask("GET", `${at}/status/hourly`)).body.data.last_snapshot_error).not.toBe("");
  });

  it.each([
    [{ storage_type: "aws-s3" }, "aws_s3_bucket"],
    [{ storage_type: "google-gcs" }, "google_gcs_bucket"],
    [{ storage_type: "azure-blob" }, "azure_container_name"],
    [{ storage_type: "cloud1-bucket" }, "aws-s3"],
    [
      { storage_type: "google-gcs", google_gcs_bucket: "b", google_service_account_key: "x" },
      "google_service_account_key",
    ],
  ])("a configuration that is refused is told in the client's words: %j", async (fields, text) => {
    const { ask } = speaking();
    const { status, body } = await ask("POST", "/v1/sys/storage/raft/snapshot-auto/config/a", { ...common, ...fields });
    expect(status).toBe(400);
    expect(body.errors[0]).toContain(text);
    expect(body.errors[0]).not.toMatch(/cloud[123]_/);
  });

  it("a local one has the usual file prefix, and one that is given is kept", async () => {
    const { ask, sim } = speaking();
    const local = { interval: "1h", path_prefix: "/backups", storage_type: "local", local_max_space: 1e6 };
    await ask("POST", "/v1/sys/storage/raft/snapshot-auto/config/a", local);
    await ask("POST", "/v1/sys/storage/raft/snapshot-auto/config/b", { ...local, file_prefix: "secrets-snapshot" });
    expect((await ask("GET", "/v1/sys/storage/raft/snapshot-auto/config/b")).body.data.file_prefix).toBe(
      "secrets-snapshot",
    );
    sim.clock.advance("1h");
    expect(sim.stores.list("file:///backups/").map(({ url }) => url.replace(/\d+/, "N"))).toEqual([
      "file:///backups/secrets-snapshot-N.snap",
      "file:///backups/vault-snapshot-N.snap",
    ]);
    expect(sim.stores.list("file:///backups/vault-s")).toHaveLength(1);
  });
});

describe("the directory engine", () => {
  it("has the schema openldap", async () => {
    const { ask, root } = speaking();
    await ask("POST", "/v1/ldap/config", { binddn: "cn=admin", bindpass: "x" });
    expect((await ask("GET", "/v1/ldap/config")).body.data.schema).toBe("openldap");
    expect((await ask("POST", "/v1/ldap/config", { schema: "ad" })).status).toBe(204);
    expect((await ask("POST", "/v1/ldap/config", { schema: "openldap" })).status).toBe(204);
    expect(root.ldapConfig.read().data.schema).toBe("open-dir");
    const refused = await ask("POST", "/v1/ldap/config", { schema: "open-dir" });
    expect(refused.status).toBe(500);
    expect(refused.body.errors[0]).toContain("the configured schema open-dir is not valid");
  });
});

describe("identifiers", () => {
  it("tokens begin with hvs. and hvb., and are taken as they were given out", async () => {
    const { ask, main } = speaking();
    const service = (await ask("POST", "/v1/auth/token/create", { policies: ["default"] })).body.auth.client_token;
    expect(service).toMatch(/^hvs\.\w{24}$/);
    const batch = (await ask("POST", "/v1/auth/token/create", { type: "batch", policies: ["default"] })).body.auth
      .client_token;
    expect(batch).toMatch(/^hvb\.\w{64}$/);
    for (const token of [service, batch]) {
      const self = await ask("GET", "/v1/auth/token/lookup-self", undefined, { "X-Vault-Token": token });
      expect(self.body.data).toMatchObject({ id: token, path: "auth/token/create" });
      expect(main.as(token).tokens.lookupSelf().data.id).toMatch(/^(scs|b)\./);
    }
    expect((await ask("POST", "/v1/auth/token/lookup", { token: service })).body.data.id).toBe(service);
    expect((await ask("POST", "/v1/auth/token/renew", { token: service })).body.auth.client_token).toBe(service);
    expect((await ask("POST", "/v1/auth/token/renew-self", {}, { "X-Vault-Token": service })).status).toBe(200);
    expect((await ask("POST", "/v1/auth/token/revoke", { token: service })).status).toBe(204);
    expect((await ask("POST", "/v1/auth/token/lookup", { token: service })).status).toBe(403);
    const chosen = await ask("POST", "/v1/auth/token/create", { id: "mine" });
    expect(chosen.body.auth.client_token).toBe("mine");
  });

  it("the root token of the control surface opens the door as it is, and with the prefix that clients know", async () => {
    const { ask, main } = speaking();
    expect(main.rootToken).toMatch(/^scs\./);
    const own = main.rootToken.replace("scs.", "hvs.");
    expect((await ask("GET", "/v1/auth/token/lookup-self")).body.data.id).toBe(own);
    expect((await ask("GET", "/v1/auth/token/lookup-self", undefined, { "X-Vault-Token": own })).status).toBe(200);
  });

  it("client secrets begin with hvo_secret_, and are taken in either way to send them", async () => {
    const { ask } = speaking();
    await ask("POST", "/v1/identity/oidc/client/app", {
      redirect_uris: "https://app.test/cb",
      assignments: "allow_all",
    });
    const { client_id, client_secret } = (await ask("GET", "/v1/identity/oidc/client/app")).body.data;
    expect(client_secret).toMatch(/^hvo_secret_\w{64}$/);
    const form = { grant_type: "authorization_code", code: "none", redirect_uri: "https://app.test/cb" };
    const token = async (fields: Record<string, string>, headers: Record<string, string>) => {
      const { body } = await ask(
        "POST",
        "/v1/identity/oidc/provider/default/token",
        String(new URLSearchParams(fields)),
        {
          "Content-Type": "application/x-www-form-urlencoded",
          ...headers,
        },
      );
      return body.error;
    };
    const basic = { Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}` };
    expect(await token(form, basic)).toBe("invalid_grant");
    expect(await token({ ...form, client_id, client_secret }, {})).toBe("invalid_grant");
    expect(await token({ ...form, client_id, client_secret: `${client_secret}x` }, {})).toBe("invalid_client");
  });

  it("the page of the provider lies at /ui/vault/", async () => {
    const { ask } = speaking();
    const { body } = await ask("GET", "/v1/identity/oidc/provider/default/.well-known/openid-configuration");
    expect(body.authorization_endpoint).toMatch(/\/ui\/vault\/identity\/oidc\/provider\/default\/authorize$/);
    const page = new URL(body.authorization_endpoint).pathname;
    expect((await ask("GET", page)).status).toBe(400);
    expect((await ask("GET", page.replace("vault", "secrets"))).body).toEqual({ errors: [] });
    expect((await ask("GET", page.replace("vault", "secrets"))).status).toBe(404);
  });
});
