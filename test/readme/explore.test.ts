import { createSimulator, type Program } from "hindcast";
import { type ExploreOptions, explore, type Run } from "hindcast/explore";
import { expect, test } from "vitest";

/** A till that books a sale each minute, and takes no answer for a no. */
async function till({ fetch, timers }: Program, token: string, booked: string[]): Promise<void> {
  for (let n = 0; ; n++) {
    const sale = { method: "POST", headers: { "X-Secrets-Token": token }, body: '{"total":12}' };
    const answer = await fetch(`https://secrets-east.test/v1/kv/sale-${n}`, sale).catch(() => undefined);
    if (answer?.ok === true) booked.push(`sale-${n}`);
    await timers.sleep("1m");
  }
}

function knowsItsSales({ sim, programs }: Run): void {
  const { rootToken, as } = sim.secrets.cluster("east");
  expect(as(rootToken).kv.list({}).data.keys).toHaveLength((programs["till"] as string[]).length);
}

const tills: ExploreOptions = {
  world: () => createSimulator({ secrets: { clusters: ["east"] } }),
  programs: {
    till: (program, _random, sim) => {
      const booked: string[] = [];
      void till(program, sim.secrets.cluster("east").rootToken, booked);
      return booked;
    },
  },
  finally: [knowsItsSales],
  schedules: 50,
  settle: "5m",
};

test("the till knows its sales while nothing happens", async () => {
  expect(await explore("the till knows its sales", tills)).toMatchObject({ ok: true, schedules: 50 });
});

test("an answer that is lost is a sale that it does not know", async () => {
  const faults = { stops: true, requests: true };
  const { failures } = await explore("the till knows its sales", { ...tills, faults });
  expect(failures).toMatchObject([{ judge: "knowsItsSales", found: 5, steps: 2, faults: 1 }]);
  expect(`${failures[0]?.schedule}`).toBe("+0s lose-answer; due 1");
});
