import { describe, expect, it } from "vitest";
import { createSimulator, rehearse, replay, type Vocabulary } from "../../../src/index.ts";
import { lastRequest } from "../../support/journal.ts";
import { speaking } from "./spoken.ts";

describe("a vocabulary that is ambiguous or malformed is refused, and says why", () => {
  const rows: readonly (readonly [given: unknown, text: string])[] = [
    ["klingon", 'vocabulary is "klingon": the vocabulary that has a name is "hashicorp"'],
    [7, "vocabulary is 7, and has to be an object"],
    [null, "vocabulary is null"],
    [[], "vocabulary is"],
    [{ secret: {} }, "vocabulary.secret is no table: there are runs, scheduler, secrets"],
    [
      { secrets: { header: {} } },
      "vocabulary.secrets.header is no table: there are headers, segments, fields, values, prefixes",
    ],
    [{ secrets: { fields: "a" } }, 'vocabulary.secrets.fields is "a"'],
    [{ secrets: { fields: { ttl: 1 } } }, 'vocabulary.secrets.fields["ttl"] is 1, and has to be a string'],
    [{ secrets: { fields: { ttl: "" } } }, 'vocabulary.secrets.fields["ttl"]: "" is no name of a field'],
    [{ secrets: { fields: { ttl: "a b" } } }, '"a b" is no name of a field'],
    [
      { secrets: { headers: { "X-Secret-Token": "X-Own" } } },
      'vocabulary.secrets.headers: the service has no header "X-Secret-Token", there is X-Secrets-Token,',
    ],
    [{ secrets: { headers: { "X-Secrets-Token": "X Token" } } }, '"X Token" is no name of a header'],
    [{ runs: { headers: { "X-Hindcast-At": "X-At" } } }, '"X-Hindcast-At" is no name of a header, or one of hindcast'],
    [{ scheduler: { headers: { "X-Scheduler-Token": "x-hindcast-position" } } }, "one of hindcast's own"],
    [{ secrets: { segments: { ldap: ".." } } }, '".." is no segment of a path'],
    [{ secrets: { segments: { ldap: "a/b" } } }, '"a/b" is no segment of a path'],
    [{ secrets: { prefixes: { "scs.": "" } } }, '"" is no beginning of an identifier'],
    // Two words become one.
    [
      { secrets: { fields: { cloud1_bucket: "bucket", cloud2_bucket: "bucket" } } },
      'vocabulary.secrets.fields is ambiguous: "cloud1_bucket" and "cloud2_bucket" both become "bucket"',
    ],
    [
      { secrets: { headers: { "X-Secrets-Token": "X-Own", "X-Secrets-Namespace": "x-own" } } },
      '"X-Secrets-Token" and "X-Secrets-Namespace" both become "x-own"',
    ],
    [
      { secrets: { headers: { "X-Secrets-Token": "X-Own", "x-secrets-token": "X-Other" } } },
      '"X-Secrets-Token" and "x-secrets-token"',
    ],
    [{ secrets: { values: { "type=batch": "c", "type=service": "c" } } }, '"batch" and "service" both become "c"'],
    // Slips that nothing else would tell.
    [
      { secrets: { segments: { orchestrators: "kubernetes" } } },
      'vocabulary.secrets.segments: the service has no segment "orchestrators", did you mean orchestrator',
    ],
    [
      { secrets: { fields: { cloud1_buckt: "s3" } } },
      'the service has no field "cloud1_buckt", did you mean cloud1_bucket',
    ],
    [{ secrets: { values: { "open-dirr": "x" } } }, 'the service has no value "open-dirr", did you mean open-dir'],
    [{ secrets: { values: { "typ=service": "x" } } }, 'vocabulary.secrets.values: the service has no field "typ"'],
    [{ secrets: { prefixes: { scs: "hvs." } } }, 'the service has no beginning of an identifier "scs", there is scs.,'],
    [{ runs: { values: { "kind-c": "x" } } }, 'vocabulary.runs.values: the service has no value "kind-c"'],
    [{ scheduler: { fields: { SecretId: "x" } } }, 'vocabulary.scheduler.fields: the service has no field "SecretId"'],
    [{ secrets: { fields: { ttl: "__proto__" } } }, '"__proto__" is no name of a field'],
    // A word becomes one that stays.
    [
      { secrets: { segments: { ldap: "kv" } } },
      'vocabulary.secrets.segments is ambiguous: "ldap" becomes "kv", and "kv" is a word that stays',
    ],
    [
      { secrets: { fields: { cloud1_bucket: "ttl" } } },
      '"cloud1_bucket" becomes "ttl", and "ttl" is a word that stays',
    ],
    // Members that only answers have.
    [{ secrets: { fields: { binddn: "lease_duration" } } }, '"lease_duration" is a word that stays'],
    [{ secrets: { fields: { binddn: "jwks_uri" } } }, '"jwks_uri" is a word that stays'],
    [{ secrets: { fields: { binddn: "list" } } }, '"list" is a word that stays'],
    [{ secrets: { headers: { "X-Secrets-Token": "authorization" } } }, '"X-Secrets-Token" becomes "authorization"'],
    [{ secrets: { values: { "open-dir": "ad" } } }, '"open-dir" becomes "ad", and "ad" is a word that stays'],
    [{ secrets: { values: { "open-dir": "RS256" } } }, '"RS256" is a word that stays'],
    [{ secrets: { values: { orchestrator: "stream-wals" } } }, '"stream-wals" is a word that stays'],
    [{ scheduler: { values: { "kind-a-override": "submit-job" } } }, '"submit-job" is a word that stays'],
    [{ scheduler: { fields: { Name: "Rules" } } }, '"Name" becomes "Rules"'],
    [{ runs: { fields: { engine: "status" } } }, '"engine" becomes "status"'],
    [{ runs: { fields: { engine: "soft-failed-at" } } }, '"soft-failed-at" is a word that stays'],
    [{ runs: { values: { "kind-a": "planned_and_finished" } } }, '"planned_and_finished" is a word that stays'],
    [{ runs: { segments: { runs: "workspaces" } } }, '"runs" becomes "workspaces"'],
    // Beginnings that begin one another.
    [{ secrets: { prefixes: { "scs.": "h", "b.": "hv" } } }, '"hv"'],
    [{ secrets: { prefixes: { "scs.": "b." } } }, '"scs." becomes "b.", and "b." is a beginning that stays'],
    [{ secrets: { prefixes: { "cloud1://": "cloud2://x" } } }, '"cloud2://" is a beginning that stays'],
  ];

  it.each(rows)("%j: %s", (vocabulary, text) => {
    expect(() => createSimulator({ vocabulary: vocabulary as Vocabulary })).toThrow(TypeError);
    expect(() => createSimulator({ vocabulary: vocabulary as Vocabulary })).toThrow(text);
  });

  it.each<readonly [Vocabulary]>([
    [{}],
    [{ secrets: {} }],
    // Two words change places.
    [{ secrets: { segments: { ldap: "kv", kv: "ldap" } } }],
    // A word moves on to one that becomes free.
    [{ secrets: { fields: { ttl: "max_ttl", max_ttl: "longest_ttl" } } }],
    [{ secrets: { fields: { ttl: "ttl" } } }],
    [{ secrets: { prefixes: { "scs.": "b.", "b.": "scs." } } }],
  ])("%j is taken", (vocabulary) => {
    expect(() => createSimulator({ vocabulary })).not.toThrow();
  });

  it("a table with __proto__ in it is refused, and pollutes nothing", () => {
    const table = JSON.parse('{"secrets":{"fields":{"__proto__":"constructor"}}}') as Vocabulary;
    expect(() => createSimulator({ vocabulary: table })).toThrow('"__proto__" is no name of a field');
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it("names that every object has are names like others", async () => {
    const vocabulary: Vocabulary = { secrets: { fields: { ttl: "constructor" } } };
    const { ask } = speaking({ vocabulary });
    await ask("POST", "/v1/kv/a", { a: 1 }, { "X-Secrets-Token": "none" });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it("the table is copied: what its owner does with it later changes nothing", async () => {
    const headers = { "X-Secrets-Token": "X-Own" };
    const { sim, main } = speaking({ vocabulary: { secrets: { headers } } });
    headers["X-Secrets-Token"] = "X-Other";
    const { status } = await sim.fetch(`${main.url}/v1/sys/mounts`, { headers: { "X-Own": main.rootToken } });
    expect(status).toBe(200);
  });
});

describe("state, log and typed calls keep the contract's words", () => {
  async function used(vocabulary?: "hashicorp") {
    const sim = createSimulator({ seed: 7, ...(vocabulary === undefined ? {} : { vocabulary }) });
    const root = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
    root.orchestrator.config.write({ orchestrator_host: "https://api.test" });
    root.kv.write({ path: "a", b: 1 });
    sim.orchestrator.addNamespace("shop");
    await root.orchestrator.roles.write({
      name: "r",
      allowed_orchestrator_namespaces: "*",
      generated_role_rules: "rules: []",
    });
    await root.orchestrator.creds({ role: "r", orchestrator_namespace: "shop" });
    sim.clock.advance("1h");
    return sim;
  }

  it("are the same with a vocabulary and without", async () => {
    const [plain, spoken] = [await used(), await used("hashicorp")];
    expect(spoken.stateHash()).toBe(plain.stateHash());
    expect(spoken.log.commits()).toEqual(plain.log.commits());
  });

  it("the log's header has the vocabulary, so that replay, rehearsal, forks and views speak it", async () => {
    const sim = await used("hashicorp");
    const text = sim.log.toNdjson();
    expect(JSON.parse(text.split("\n")[0] ?? "")).toMatchObject({ options: { vocabulary: "hashicorp" } });
    expect(await rehearse(text)).toEqual({ ok: true });
    const again = replay(text);
    expect(again.log.toNdjson()).toBe(text);
    for (const each of [again, sim.fork(), sim.fork(2), sim.at(sim.position), (await sim.rewrite([])).fork]) {
      const main = each.secrets.cluster("main");
      const response = await each.fetch(`${main.url}/v1/kubernetes/config`, {
        headers: { "X-Vault-Token": main.rootToken },
      });
      expect(await response.json()).toMatchObject({ data: { kubernetes_host: "https://api.test" } });
    }
  });

  it("an own table goes through the log as well", async () => {
    const vocabulary: Vocabulary = { secrets: { headers: { "X-Secrets-Token": "X-Own" } } };
    const text = createSimulator({ vocabulary }).log.toNdjson();
    const sim = replay(text);
    expect(sim.log.toNdjson()).toBe(text);
    const main = sim.secrets.cluster("main");
    const { status } = await sim.fetch(`${main.url}/v1/sys/mounts`, { headers: { "X-Own": main.rootToken } });
    expect(status).toBe(200);
  });

  it("the log of a simulator without one says nothing of it", () => {
    expect(createSimulator().log.toNdjson()).not.toContain("vocabulary");
  });

  it("the journal notes requests as they were sent", async () => {
    const { ask, sim, main } = speaking();
    await ask("GET", "/v1/kubernetes/config");
    expect(lastRequest(sim).request).toMatchObject({ method: "GET", url: `${main.url}/v1/kubernetes/config` });
  });

  it("a policy of rules that rehearse decides again is read with both words", async () => {
    const sim = createSimulator({ vocabulary: "hashicorp" });
    const region = sim.scheduler.region("global");
    const boot = region.as().acl.bootstrap();
    region
      .as(boot.SecretID)
      .policies.write({ policy_name: "p", Name: "p", Rules: 'namespace "*" { capabilities = ["sentinel-override"] }' });
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });
});
