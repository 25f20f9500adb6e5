import { expect, test } from "vitest";
import { createSimulator, Table } from "../../../src/index.ts";
import { REPLICATION_CLASSES } from "../../support/replication-classes.ts";

// decisions-replication.md, 1: every table has a class, and lies in the part of that class.

const tablesOf = (part: object): string[] =>
  Object.entries(part).flatMap(([name, member]) => (member instanceof Table ? [name] : []));

test.each(["replicated", "local", "ignored"] as const)("the tables of the part %s are of that class", (part) => {
  const cluster = createSimulator().state.secrets["main"] ?? expect.fail("no cluster");
  expect(tablesOf(cluster[part]).sort()).toEqual(Object.keys(REPLICATION_CLASSES[part]).sort());
  expect(new Set(Object.values(REPLICATION_CLASSES[part]))).toEqual(new Set([part]));
});

test.each(["identity", "oidc"] as const)("the tables of %s are replicated", (part) => {
  const cluster = createSimulator().state.secrets["main"] ?? expect.fail("no cluster");
  expect(tablesOf(cluster.replicated[part]).sort()).toEqual(Object.keys(REPLICATION_CLASSES[part]).sort());
  expect(new Set(Object.values(REPLICATION_CLASSES[part]))).toEqual(new Set(["replicated"]));
});

test("nothing that is shipped names its cluster", async () => {
  const sim = createSimulator({ secrets: { clusters: ["a-cluster-of-a-name"] } });
  const cluster = sim.secrets.cluster("a-cluster-of-a-name");
  const root = cluster.as(cluster.rootToken);
  root.kv.write({ path: "a", v: 1 });
  root.cubbyhole.write({ path: "a", v: 1 });
  root.kv.read({ path: "a" }, { wrapTtl: "1m" });
  root.tokens.create({ ttl: "1h", policies: ["default"] });
  root.mounts.write({ path: "x", type: "kv", local: true });
  cluster.createNamespace("team");
  const ann = cluster.createEntity({ name: "ann" });
  for (const namespace of ["root", "team"]) {
    const { oidc } = cluster.as(cluster.rootToken, { namespace });
    oidc.keys.write({ name: "k", algorithm: "ES256", allowed_client_ids: "*" });
    oidc.clients.write({ name: "app", key: "k", redirect_uris: "r", assignments: "allow_all" });
  }
  const { oidc } = cluster.as(cluster.createToken({ policies: [], entityId: ann.id }).token);
  const { client_id, client_secret } = root.oidc.clients.read({ name: "app" }).data;
  const asked = { name: "default", client_id, redirect_uri: "r" };
  const { code } = oidc.authorize({ ...asked, response_type: "code", scope: "openid" });
  oidc.authorize({ ...asked, response_type: "code", scope: "openid" });
  const exchanged = oidc.token({ ...asked, grant_type: "authorization_code", code, client_secret });
  const { replicated, local } = sim.state.secrets["a-cluster-of-a-name"] ?? expect.fail("no cluster");
  expect(JSON.stringify({ replicated, local })).not.toContain("a-cluster-of-a-name");
  await exchanged;
});
