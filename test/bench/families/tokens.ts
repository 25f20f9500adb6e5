import { createSimulator, type Simulator } from "../../../src/index.ts";
import { Dice, microsecondsEach, perSecond } from "../harness/measure.ts";
import { type Effort, type Family, type Row, row } from "../harness/row.ts";

/** Requests with one token among many, whose policy has many rules, and the end of a token with all that it made. */
export const tokens: Family = {
  name: "tokens",
  rows: [
    requests("@100", 100, 10),
    requests("", 1_000_000, 1_000, {
      comparedWith: "token-requests-per-second@100",
      rounds: 3,
      collects: false,
      note: "kv.read with one of 1,000,000 tokens, a policy of 1,000 rules, half of them with wildcards",
    }),
    row({
      id: "revoke-tree-ms",
      unit: "ms",
      note: "tokens.revoke of a token with 10,000 below it, 100 of them its own children",
      prepare: (effort) => {
        const size = effort.size(10_000);
        const { sim, top } = treeOf(size);
        return () => {
          const fork = sim.fork().secrets.cluster("main");
          const admin = fork.as(fork.rootToken);
          return microsecondsEach(1, () => void admin.tokens.revoke({ token: top })) / 1_000;
        };
      },
    }),
  ],
};

function requests(suffix: string, count: number, rules: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `token-requests-per-second${suffix}`,
    unit: "requests/s",
    ...declared,
    prepare: (effort) => {
      const { sim, holders } = crowded(count, rules, effort);
      const main = sim.secrets.cluster("main");
      const dice = new Dice(1);
      const asked = effort.count(20_000);
      return () =>
        perSecond(asked, () => {
          for (let request = 0; request < asked; request++) {
            main.as(dice.pick(holders)).kv.read({ path: `app-${request % rules}/config` });
          }
        });
    },
  });
}

/** So many tokens of one policy, of which some are used. */
function crowded(
  count: number,
  rules: number,
  effort: Effort,
): { readonly sim: Simulator; readonly holders: string[] } {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const admin = main.as(main.rootToken);
  const document = Array.from({ length: rules }, (_, index) => {
    const path = index % 2 === 0 ? `kv/app-${index}/*` : `kv/app-${index}/config`;
    return `path "${path}" { capabilities = ["read"] }`;
  });
  main.writePolicy("many", document.join("\n"));
  for (let index = 0; index < rules; index++) admin.kv.write({ path: `app-${index}/config`, value: index });
  const size = effort.size(count);
  const holders: string[] = [];
  for (let index = 0; index < size; index++) {
    const { token } = main.createToken({ policies: ["many"], ttl: "1h" });
    if (index % Math.ceil(size / 1_000) === 0) holders.push(token);
  }
  return { sim, holders };
}

/** A token with as many below it, a hundred children and theirs. */
function treeOf(size: number): { readonly sim: Simulator; readonly top: string } {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const child = (token: string): string =>
    main.as(token).tokens.create({ policies: ["root"], ttl: "1h" }).auth.client_token;
  const top = child(main.rootToken);
  const branches = Array.from({ length: Math.min(100, size) }, () => child(top));
  for (let made = branches.length; made < size; made++) child(branches[made % branches.length] as string);
  return { sim, top };
}
