import { createSimulator, type Simulator } from "../../../src/index.ts";
import { perSecond } from "../harness/measure.ts";
import { type Family, type Row, row } from "../harness/row.ts";

/** Logins: storms of programs, full code flows, what clients read before them, and a year in which a key rotates every day. */
export const identity: Family = {
  name: "identity",
  rows: [
    flows("ES256", { note: "authorize and token through the typed door, one in 1,000 clients and 1,000 entities" }),
    flows("RS256", { comparedWith: "code-flows-per-second@ES256" }),
    flows("EdDSA", { comparedWith: "code-flows-per-second@ES256" }),
    reads("discovery-reads-per-second", ".well-known/openid-configuration"),
    reads("key-reads-per-second", ".well-known/keys"),
    requests("", 100_000, { comparedWith: "entity-requests-per-second@100" }),
    requests("@100", 100),
    logins("", 100_000, { comparedWith: "logins-per-second@100" }),
    logins("@100", 100),
    row({
      id: "year-of-key-rotations-ms",
      unit: "ms",
      note: "a key that rotates every day, and nobody who looks at it",
      prepare: () => {
        const { sim } = registered("RS256", 1);
        return () => {
          const fork = sim.fork();
          const started = performance.now();
          fork.clock.advance("365d");
          return performance.now() - started;
        };
      },
    }),
  ],
};

const REDIRECT = "https://app.test/callback";

interface Registered {
  readonly sim: Simulator;
  readonly user: string;
  readonly client: { readonly client_id: string; readonly client_secret: string };
}

/** So many clients of one key, and as many entities, of whom one logs in through one client. */
function registered(algorithm: string, size: number): Registered {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const { oidc } = main.as(main.rootToken);
  oidc.keys.write({ name: "own", algorithm, allowed_client_ids: "*" });
  for (let index = 0; index < size; index++) {
    main.createEntity({ name: `entity-${index}` });
    oidc.clients.write({ name: `app-${index}`, key: "own", redirect_uris: REDIRECT, assignments: "allow_all" });
  }
  const { id } = main.createEntity({ name: "ann" });
  const { token: user } = main.createToken({ policies: [], entityId: id });
  const { client_id, client_secret = "" } = oidc.clients.read({ name: "app-0" }).data;
  return { sim, user, client: { client_id, client_secret } };
}

function flows(algorithm: string, declared: Partial<Row> = {}): Row {
  return row({
    id: `code-flows-per-second@${algorithm}`,
    unit: "flows/s",
    ...declared,
    prepare: (effort) => {
      const { sim, user, client } = registered(algorithm, effort.size(1_000));
      const main = sim.secrets.cluster("main");
      const [browser, application] = [main.as(user).oidc, main.as().oidc];
      const { client_id } = client;
      const asked = { name: "default", client_id, redirect_uri: REDIRECT, response_type: "code", scope: "openid" };
      const shown = { name: "default", grant_type: "authorization_code", redirect_uri: REDIRECT, ...client };
      const wanted = effort.count(algorithm === "RS256" ? 500 : 1_000);
      return async () => {
        const started = performance.now();
        for (let flow = 0; flow < wanted; flow++) {
          await application.token({ ...shown, code: browser.authorize(asked).code });
        }
        return (wanted * 1000) / (performance.now() - started);
      };
    },
  });
}

function reads(id: string, path: string): Row {
  return row({
    id,
    unit: "requests/s",
    note: "through sim.fetch",
    prepare: (effort) => {
      const { sim } = registered("RS256", effort.size(1_000));
      const url = `${sim.secrets.cluster("main").url}/v1/identity/oidc/provider/default/${path}`;
      const wanted = effort.count(5_000);
      return async () => {
        const started = performance.now();
        for (let read = 0; read < wanted; read++) await (await sim.fetch(url)).text();
        return (wanted * 1000) / (performance.now() - started);
      };
    },
  });
}

/** Requests of a token whose entity is in three groups, one in another, among so many groups and entities. */
function requests(suffix: string, count: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `entity-requests-per-second${suffix}`,
    unit: "requests/s",
    note: `kv.read by the policy of a group above, one of ${count.toLocaleString("en-US")} entities and groups`,
    ...declared,
    prepare: (effort) => {
      const sim = createSimulator();
      const main = sim.secrets.cluster("main");
      const size = effort.size(count);
      for (let index = 0; index < size; index++) {
        const { id } = main.createEntity({ name: `entity-${index}` });
        main.createGroup({ name: `group-${index}`, memberEntityIds: [id] });
      }
      const ann = main.createEntity({ name: "ann" });
      const groups = ["a", "b", "c"].map((name) => main.createGroup({ name, memberEntityIds: [ann.id] }).id);
      main.writePolicy("reader", 'path "kv/*" { capabilities = ["read"] }');
      main.createGroup({ name: "above", memberGroupIds: groups, policies: ["reader"] });
      main.as(main.rootToken).kv.write({ path: "x", v: 1 });
      const { kv } = main.as(main.createToken({ policies: [], entityId: ann.id }).token);
      const wanted = effort.count(20_000);
      return () =>
        perSecond(wanted, () => {
          for (let read = 0; read < wanted; read++) kv.read({ path: "x" });
        });
    },
  });
}

/** A storm: so many programs that log in for the first time, each of which gets an entity, an alias and a token. */
function logins(suffix: string, count: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `logins-per-second${suffix}`,
    unit: "logins/s",
    note: `userpass.login of 10,000 programs beside ${count.toLocaleString("en-US")} entities`,
    ...declared,
    prepare: (effort) => {
      const sim = createSimulator();
      const main = sim.secrets.cluster("main");
      const root = main.as(main.rootToken);
      root.auth.enable({ path: "userpass", type: "userpass" });
      const size = effort.size(count);
      for (let index = 0; index < size; index++) main.createEntity({ name: `entity-${index}` });
      const wanted = effort.count(10_000);
      for (let user = 0; user < wanted; user++) root.userpass.write({ username: `u${user}`, password: "p" });
      return () => {
        const { userpass } = sim.fork().secrets.cluster("main").as();
        return perSecond(wanted, () => {
          for (let user = 0; user < wanted; user++) userpass.login({ username: `u${user}`, password: "p" });
        });
      };
    },
  });
}
