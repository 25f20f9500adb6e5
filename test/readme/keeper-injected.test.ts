import { createSimulator, type Program } from "hindcast";
import { expect, test } from "vitest";

class Keeper {
  readonly #shop: Pick<Program, "fetch" | "timers">;
  renewals = 0;

  constructor(shop: Pick<Program, "fetch" | "timers">) {
    this.#shop = shop;
  }

  async renew(url: string, token: string): Promise<void> {
    const { fetch, timers } = this.#shop;
    const headers = { "X-Secrets-Token": token };
    const { ok } = await fetch(`${url}/v1/auth/token/renew-self`, { method: "POST", headers });
    this.renewals += ok ? 1 : 0;
    timers.setTimeout(() => void this.renew(url, token), ok ? 2_400_000 : 10_000);
  }
}

test("a keeper comes back from an outage, and stands in the log by its name", async () => {
  const sim = createSimulator();
  const service = sim.secrets.cluster("main");
  const { token } = service.createToken({ policies: ["default"], period: "1h" });
  sim.faults.schedule("39m", { type: "faults.failNextRequests", args: [{ service, count: 3, status: 503 }] });

  const keeper = new Keeper(sim.program("shop"));
  void keeper.renew(service.url, token);
  await sim.clock.run("1d", { until: () => keeper.renewals === 2 });
  expect(new Date(sim.clock.now())).toEqual(new Date("2026-01-01T00:40:30.000Z"));
  expect(sim.log.commits().at(-1)?.command.caller).toMatchObject({ program: "shop" });
});
