import { createSimulator, type SimulatorOptions } from "../../../src/index.ts";
import { ratioOf } from "../harness/ratio.ts";
import { atMost, type Family, row, shared } from "../harness/row.ts";

/** What a client asks for: in the contract's words, and in those of the vocabulary. */
interface Read {
  readonly plain: string;
  readonly spoken: string;
}

const KV: Read = { plain: "/v1/kv/app/config", spoken: "/v1/kv/app/config" };
const CONFIG: Read = { plain: "/v1/orchestrator/config", spoken: "/v1/kubernetes/config" };

/** A world with a secret, and with a configuration whose path and fields are renamed; a bearer whose policies are checked. */
function client(options: SimulatorOptions, header: string) {
  const sim = createSimulator({ seed: 7, ...options });
  const main = sim.secrets.cluster("main");
  const root = main.as(main.rootToken);
  root.kv.write({ path: "app/config", host: "db.test", port: 5432, user: "app" });
  root.orchestrator.config.write({ orchestrator_host: "https://api.test" });
  main.writePolicy(
    "reader",
    'path "kv/*" { capabilities = ["read"] }\npath "orchestrator/config" { capabilities = ["read"] }',
  );
  const { token } = main.createToken({ policies: ["reader"] });
  const init = { headers: { [header]: token } };
  return (path: string) => sim.fetch(main.url + path, init);
}

const clients = shared(async () => {
  const plain = client({}, "X-Secrets-Token");
  const spoken = client({ vocabulary: "hashicorp" }, "X-Vault-Token");
  for (const read of [KV, CONFIG]) {
    const statuses = [(await plain(read.plain)).status, (await spoken(read.spoken)).status];
    if (statuses.some((status) => status !== 200)) throw new Error(`${read.plain} answered ${statuses.join(" and ")}`);
  }
  return { plain, spoken };
});

function ratio(id: string, read: Read, note: string) {
  return row({
    id,
    process: "vocabularies",
    unit: "times",
    goal: atMost(1.1),
    prepare: async (effort) => {
      const { plain, spoken } = await clients(effort);
      // As in the rows of `fetch-ratio`.
      const batches = { batches: effort.count(500), turns: 20 };
      return () =>
        ratioOf(
          batches,
          () => spoken(read.spoken),
          () => plain(read.plain),
        );
    },
    note,
  });
}

/** Small reads through `sim.fetch` in the words of a vocabulary, against the same in the contract's. */
export const vocabularies: Family = {
  name: "vocabularies",
  rows: [
    ratio("vocabulary-ratio", KV, "a GET of a secret with the vocabulary hashicorp, against the same without one"),
    ratio("vocabulary-ratio@renamed", CONFIG, "the same where the path, a rule of the policy and fields are renamed"),
  ],
};
