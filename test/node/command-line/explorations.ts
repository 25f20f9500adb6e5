/** A shop that believes what was answered, and the same one that believes whatever it sent. */
export function shop(name: string, { schedules = 64 } = {}): string {
  return `import { createSimulator, type Program } from "hindcast";
import { usesNothingEnded } from "hindcast/conduct";
import { defineExploration, type Run } from "hindcast/explore";
import { believes } from "./believing";

class Shop {
  readonly believed: string[] = [];

  constructor(
    readonly program: Program,
    readonly token: string,
  ) {}

  async run(): Promise<void> {
    const { fetch, timers } = this.program;
    for (let order = 0; ; order++) {
      const giveUp = new AbortController();
      const timer = timers.setTimeout(() => giveUp.abort(), 10_000);
      const headers = { "X-Secrets-Token": this.token };
      const url = \`https://secrets-east.test/v1/kv/order-\${order}\`;
      const ok = await fetch(url, { method: "POST", headers, body: '{"v":1}', signal: giveUp.signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      timers.clearTimeout(timer);
      if (believes(ok)) this.believed.push(\`order-\${order}\`);
      await timers.sleep("1m");
    }
  }
}

function losesNoOrder({ sim, programs }: Run): boolean {
  const east = sim.secrets.cluster("east");
  const { keys } = east.as(east.rootToken).kv.list({}).data;
  return (programs["shop"] as Shop).believed.every((order) => keys.includes(order));
}

export default defineExploration("${name}", {
  world: () => createSimulator({ secrets: { clusters: ["east", "west"] } }),
  programs: {
    shop: (program, _random, sim) => {
      const shop = new Shop(program, sim.secrets.cluster("east").rootToken);
      void shop.run();
      return shop;
    },
  },
  faults: { lines: true, stops: true, requests: true },
  conduct: [usesNothingEnded()],
  finally: [losesNoOrder],
  schedules: ${schedules},
  steps: 6,
  calm: "3m",
  settle: "3m",
});
`;
}

/** What stands beside it. */
export function believing(isCareful: boolean): string {
  return `export const believes = (ok: boolean): boolean => ${isCareful ? "ok" : "ok || true"};\n`;
}
